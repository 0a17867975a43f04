"""What the application remembers of itself from run to run: one small file in the store, its owner's alone.

`plain` holds choices (a screen, an order, widths, weights), `texts` what a person typed or picked. A purge takes out
of the texts what it forgets, and raises `purged`: an application that was open meanwhile holds older texts than the
file then, and its own are not written over it.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tui_memory.light import dataclass, field

NAME, BROKEN = "ui.json", "ui.json.broken"
VERSION = 1
LARGEST = 256_000
"""Bytes of a file that is read: more was not written by this program."""
Texts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kept:
    """What was read, or is to be written: per screen, names with JSON values."""

    plain: dict[str, Any] = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)
    purged: int = 0
    """How many purges went over the texts."""
    trouble: str = ""
    """What was wrong with the file, for a person; empty: nothing."""


def read(home: Path) -> Kept:
    """What is remembered; a file that cannot be understood is set aside, and said once."""
    path = home / NAME
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError("it is too large")
        return _parsed(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return Kept()
    except (OSError, ValueError) as error:
        with suppress(OSError):
            os.replace(path, home / BROKEN)
        said = f"What the application remembered of its screens could not be read ({_short(error)})."
        return Kept(trouble=f"{said} It was set aside as {BROKEN}; nothing else was changed.")


def write(home: Path, kept: Kept) -> Kept:
    """Write it; what stands in the file then: without the texts that a purge went over meanwhile. OSError."""
    with _alone(home):
        there = read(home)
        if there.purged != kept.purged:
            kept = Kept(kept.plain, there.texts, there.purged)
        _put(home, kept)
    return kept


def forget(home: Path, pattern: re.Pattern[str] | None) -> None:
    """A purge went over the store, this file among it (`sweeping`): an application that is open must not undo that.

    Once more over the texts, for one may have been written meanwhile. Without a pattern nobody can tell which of
    them quote what went (a query may name it in other words): all of them go.
    """
    with _alone(home):
        there = read(home)
        texts = _without(there.texts, pattern.search) if pattern else {}
        (home / BROKEN).unlink(missing_ok=True)  # nobody can tell what it holds
        try:
            _put(home, Kept(there.plain, texts, there.purged + 1))
        except OSError:  # a full disk: then nothing is remembered
            (home / NAME).unlink(missing_ok=True)


def masked(texts: Texts, rule: Callable[[str], str]) -> Texts:
    """The same texts, each string as the rule lets it through."""
    return {name: _masked(value, rule) for name, value in texts.items()}


def _masked(value: Any, rule: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return rule(value) if value else value
    if isinstance(value, list):
        return [_masked(item, rule) for item in value]
    return {name: _masked(item, rule) for name, item in value.items()} if isinstance(value, dict) else value


def _without(value: Any, search: Callable[[str], object]) -> Any:
    """Without every string that matches; lists keep their other items, and a name whose value went goes too."""
    if isinstance(value, list):
        return [_without(item, search) for item in value if not (isinstance(item, str) and search(item))]
    if not isinstance(value, dict):
        return value
    left = {name: item for name, item in value.items() if not (isinstance(item, str) and search(item))}
    return {name: _without(item, search) for name, item in left.items()}


def _parsed(value: Any) -> Kept:
    if not isinstance(value, dict) or value.get("version") != VERSION:
        raise ValueError("it is of another version")
    plain, texts, purged = value.get("plain"), value.get("texts"), value.get("purged")
    if not (isinstance(plain, dict) and isinstance(texts, dict) and isinstance(purged, int)):
        raise ValueError("it has another shape")
    if not all(isinstance(one, dict) for one in (*plain.values(), *texts.values())):
        raise ValueError("it has another shape")
    return Kept(plain, texts, purged)


def _put(home: Path, kept: Kept) -> None:
    from tui_memory.store.connection import write_private  # SQLite comes with it: not on the way to the first paint

    value = {"version": VERSION, "purged": kept.purged, "plain": kept.plain, "texts": kept.texts}
    aside = home / f"{NAME}.new"
    aside.unlink(missing_ok=True)  # of a process that was killed
    write_private(aside, json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace"))
    os.replace(aside, home / NAME)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """No other process writes it meanwhile: the folder itself is the lock, so that no file is left for one."""
    folder = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _short(error: Exception) -> str:
    """Why, without a word of what stands in the file."""
    return str(error) if type(error) is ValueError else type(error).__name__
