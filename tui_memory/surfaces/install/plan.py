"""A change to one configuration file: what it was, what it becomes, and how it is written and taken back."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_memory import config, places
from tui_memory.errors import ConfigError, StoreError
from tui_memory.store.connection import make_directory

Edit = Callable[[str, Path], str]
"""(text, its file's path) → the text as it is to be."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One file's change. `before` None: there is no such file; `after` None: it goes away."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff, '' where there is none."""
        before, after = ((side or b"").decode("utf-8", "replace").splitlines() for side in (self.before, self.after))
        return "\n".join(difflib.unified_diff(before, after, str(self.path), str(self.path), lineterm=""))

    @classmethod
    def of(cls, path: Path, edit: Edit) -> Plan:
        """The plan of an edit. ConfigError where the file cannot be read or edited."""
        before = _read(path)
        text = _text(before or b"", path)
        after = edit(text, path)
        return cls(path, before, before if before is not None and after == text else after.encode())

    @classmethod
    def of_removal(cls, path: Path, edit: Edit) -> Plan:
        """The plan of taking an edit back: the bytes from before where the file is as we left it, else by `edit`."""
        before = _read(path)
        if before is None:
            return cls(path, None, None)
        note, kept = _noted(path)
        if note and note.get("after") == _digest(before):
            return cls(path, before, kept)
        text = _text(before, path)
        after = edit(text, path)
        return cls(path, before, before if after == text else after.encode())


def apply(plan: Plan, without: Edit) -> None:
    """Write an installation: first the back-up, then the file, whole or not at all. ConfigError where that fails.

    `without` takes an installation out again: what is backed up holds none, also when an older one is replaced.
    """
    if not plan.changed or plan.after is None:
        return
    _note(plan, without)
    _write(plan.path, plan.after)
    # So that the hook knows the settings before any worker has run.
    config.compile_settings(config.load(), places.home(), places.config_file())


def apply_removal(plan: Plan) -> None:
    """Write a removal, and forget the back-up."""
    if plan.changed:
        if plan.after is None:
            plan.path.unlink(missing_ok=True)
        else:
            _write(plan.path, plan.after)
    for file in (_note_path(plan.path), _kept_path(plan.path)):
        file.unlink(missing_ok=True)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. Nothing was changed.") from error


def _text(content: bytes, path: Path) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: that is no UTF-8. Nothing was changed; mend the file first."
        ) from error


def _write(path: Path, content: bytes) -> None:
    """Replace a file's content at once, its mode kept; through a symbolic link, so that the link stays."""
    real = Path(os.path.realpath(path))
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = real.stat().st_mode & 0o7777 if real.exists() else 0o600
        descriptor, fresh = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                os.fchmod(file.fileno(), mode)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, real)
        except BaseException:
            Path(fresh).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}. Nothing was changed.") from error


def _note(plan: Plan, without: Edit) -> None:
    """Keep the bytes from before the first installation, and know what we wrote."""
    assert plan.after is not None
    earlier, kept = _noted(plan.path)
    before = plan.before
    if before is not None and earlier and earlier.get("after") == _digest(before):
        before = kept
    elif before:
        before = without(_text(before, plan.path), plan.path).encode()
    try:
        make_directory(_note_path(plan.path).parent)
        if before is None:
            _kept_path(plan.path).unlink(missing_ok=True)
        else:
            _write(_kept_path(plan.path), before)
        value = {"path": str(plan.path), "existed": before is not None, "after": _digest(plan.after)}
        _write(_note_path(plan.path), json.dumps(value).encode())
    except OSError as error:
        raise StoreError(
            f"The back-up of {plan.path} cannot be written: {error.strerror}. Nothing was changed."
        ) from error


def _noted(path: Path) -> tuple[dict[str, Any], bytes | None]:
    """What we know of an earlier installation, and the bytes from before it (None: there was no file)."""
    try:
        note = json.loads(_note_path(path).read_text())
        if not isinstance(note, dict) or note.get("path") != str(path):
            return {}, None
        return note, _kept_path(path).read_bytes() if note.get("existed") else None
    except (OSError, ValueError):
        return {}, None


def _note_path(path: Path) -> Path:
    return places.home() / "installs" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}.json"


def _kept_path(path: Path) -> Path:
    return _note_path(path).with_suffix(".before")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
