"""What a store remembers of its hub: where it is, which team, what is shared there; the password in a file of its own.

Both are beside the database, readable by their owner alone, and in no back-up and no export: a link is this machine's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from tui_memory.errors import StoreError
from tui_memory.store import filelock
from tui_memory.store.connection import write_private

_LINK, _PASSWORD, _LOCK = "hub.json", "hub.password", "hub.lock"
_PATIENCE_S = 10


@dataclass(frozen=True, slots=True)
class Share:
    """What is shared: a project by its uid here, all of it or these kinds."""

    project: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A store's hub. `parameters`: what a connection takes, without the password."""

    parameters: dict[str, str]
    team: int
    team_name: str
    shares: tuple[Share, ...] = ()
    purged: tuple[str, ...] = ()
    """Uids of what was purged here and is still to go there."""
    rewrite: bool = False
    """Whether what is there is to be sent again, as it is masked now."""
    pulled: dict[str, str] = field(default_factory=dict)
    """Up to which moment of the hub each project was pulled."""
    password: str = field(default="", repr=False)
    error: str = ""
    """What was wrong the last time; empty after one that went well."""


def read(home: Path) -> Link | None:
    """The store's link; None where there is none. StoreError where its file cannot be read."""
    try:
        text = (home / _LINK).read_text("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{home / _LINK} cannot be read: {error.strerror}. Nothing was changed.") from error
    try:
        value: dict[str, Any] = json.loads(text)
        shares = tuple(Share(one["project"], tuple(one["kinds"])) for one in value["shares"])
        found = Link(
            dict(value["parameters"]), int(value["team"]), value["team_name"], shares, tuple(value["purged"]),
            bool(value["rewrite"]), dict(value["pulled"]), error=value["error"],
        )  # fmt: skip
    except (ValueError, LookupError, TypeError) as error:
        raise StoreError(
            f"{home / _LINK} is damaged. Nothing was changed; `tui-memory hub disconnect`, then connect anew."
        ) from error
    with suppress(OSError):
        found = replace(found, password=(home / _PASSWORD).read_text("utf-8"))
    return found


def write(home: Path, link: Link) -> None:
    """Remember it, whole or not at all. StoreError."""
    value = asdict(link)
    password = value.pop("password")
    try:
        _put(home / _LINK, json.dumps(value, indent=1))
        if password:
            _put(home / _PASSWORD, password)
        else:
            (home / _PASSWORD).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"The hub's file in {home} cannot be written: {error.strerror}.") from error


def update(home: Path, change: Callable[[Link], Link]) -> None:
    """Change what is remembered, as it is now and nobody else does; nothing where there is no link. StoreError."""
    with _alone(home):
        known = read(home)
        if known is not None and (changed := change(known)) != known:
            write(home, changed)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Wait for whoever else changes the link: milliseconds."""
    until = monotonic() + _PATIENCE_S
    while monotonic() < until:
        with filelock.held(home / _LOCK) as mine:
            if mine:
                yield
                return
        sleep(0.01)
    raise StoreError(f"Another process keeps {home / _LOCK}. Nothing was changed; try again.")


def forget(home: Path) -> bool:
    """Remove both files; False where there was no link."""
    there = (home / _LINK).exists()
    for name in (_PASSWORD, _LINK, _LOCK):
        (home / name).unlink(missing_ok=True)
    return there


def _put(target: Path, text: str) -> None:
    aside = target.with_name(f".{target.name}-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        write_private(aside, text.encode())
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
