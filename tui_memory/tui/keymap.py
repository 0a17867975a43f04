"""A person's own keys, checked before they are used: ids, names of keys, and what would take a key from what."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from textual.keys import Keys

from tui_memory.tui import bindings

TOGETHER: tuple[tuple[str, ...], ...] = (
    ("app", "live", "list"),
    ("app", "live", "first"),
    ("app", "memories", "list", "marks"),
    ("app", "audit", "evidence"),
    ("app", "playground", "list"),
    ("app", "playground", "weights"),
    ("app", "lab", "list", "marks"),
    ("app", "lab", "lab_column"),
    ("app", "health", "list"),
    ("dialog", "list", "tuning"),
    ("dialog", "merge", "edit", "export"),
    ("dialog", "list", "confirm"),
    ("configs", "list"),
)
"""Scopes whose keys work at the same time, `anywhere` beside each: of two that have one key, only one would hear it."""


def check(keys: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The part of a person's keymap that can be used, and a sentence for each part that cannot."""
    known = bindings.table()
    good: dict[str, str] = {}
    wrong: list[str] = []
    for identity, value in keys.items():
        names = [key.strip() for key in value.split(",")]
        if identity not in known:
            near = difflib.get_close_matches(identity, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else "; f1 lists them all"
            wrong.append(f"ui.keys: there is no {identity}{hint}")
        elif bad := [key for key in names if not _exists(key)]:
            wrong.append(f"ui.keys: {identity}: no terminal sends the key {bad[0] or 'of an empty name'}")
        else:
            good[identity] = ",".join(names)
    return _without_clashes(good, wrong), wrong


def _without_clashes(good: Mapping[str, str], wrong: list[str]) -> dict[str, str]:
    """Two actions that work at once on one key: the remapping that brings it about is left out, the later of two."""
    kept = dict(good)
    while clash := _clash(kept):
        identity, other = clash
        wrong.append(f"ui.keys: {identity}: {kept.pop(identity)} is taken by {other}; the default stays")
    return kept


def _clash(given: Mapping[str, str]) -> tuple[str, str] | None:
    """A remapping, and what has its key; None where there is none."""
    defaults = {identity: binding.key for identity, binding in bindings.table().items()}
    now, order = defaults | dict(given), list(given)
    for at, identity in enumerate(order):
        for other in _beside(identity):
            later = other in order[at + 1 :]
            meant = _share(defaults[identity], defaults[other])  # a screen may have its own word for a key
            if not later and not meant and _share(now[identity], now[other]):
                return identity, other
    return None


def _beside(identity: str) -> Iterator[str]:
    """The other bindings that work while this one does."""
    scope = identity.partition(".")[0]
    groups = [{"anywhere", *group} for group in TOGETHER]
    scopes = {scope, "anywhere"}.union(*(group for group in groups if scope in group))
    return (other for other in bindings.table() if other != identity and other.partition(".")[0] in scopes)


def _share(one: str, other: str) -> bool:
    return bool(set(one.split(",")) & set(other.split(",")))


_NAMES = {key.value for key in Keys} | {"space", "slash", "question_mark", "asterisk", "comma", "full_stop"}
_NAMES |= {"equals_sign", "less_than_sign", "greater_than_sign", "left_square_bracket", "right_square_bracket"}
_MODIFIERS = {"ctrl", "shift", "alt", "super", "meta", "hyper"}


def _exists(key: str) -> bool:
    *modifiers, name = key.split("+")
    return all(part in _MODIFIERS for part in modifiers) and (len(name) == 1 or key in _NAMES or name in _NAMES)
