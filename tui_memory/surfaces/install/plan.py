"""A change to one configuration file: what it was, what it becomes, and how it is written and taken back."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui_memory import places
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
    whole: Edit = field(default=lambda text, _: text, compare=False, repr=False)
    """What takes everything of ours out of the file."""

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
    def of(cls, path: Path, edit: Edit, whole: Edit) -> Plan:
        """The plan of an edit. ConfigError where the file cannot be read or edited."""
        before = _read(path)
        text = _text(before or b"", path)
        after = edit(text, path)
        return cls(path, before, before if after == text else after.encode(), whole)

    @classmethod
    def of_removal(cls, path: Path, edit: Edit, whole: Edit) -> Plan:
        """The plan of taking an edit back: the bytes from before where the file is as we left it, else by `edit`.

        A file that then holds nothing is again as it was before: gone, where there was none.
        """
        before = _read(path)
        if before is None:
            return cls(path, None, None, whole)
        note = _noted(path)
        text = _text(before, path)
        after = edit(text, path)
        if after != text and after == whole(text, path) and note.wrote(before):
            return cls(path, before, note.before, whole)
        if after == text:
            return cls(path, before, before, whole)
        left = note.before if after.strip("\ufeff \t\r\n") in ("", "{}") and note.after else after.encode()
        return cls(path, before, left or (None if left != note.before else left), whole)


@dataclass(frozen=True, slots=True)
class Note:
    """What is known of an earlier installation into one file."""

    before: bytes | None = None
    """The bytes from before it; None: there was no file, or nothing is known."""
    after: str = ""
    """The digest of what was written."""
    made: tuple[str, ...] = ()
    """The folders that had to be made for it, innermost first."""

    def wrote(self, content: bytes) -> bool:
        """Whether these bytes are just what an installation left."""
        return self.after == _digest(content)


def apply(plan: Plan) -> None:
    """Write an installation: first the back-up, then the file, whole or not at all. ConfigError where that fails."""
    if not plan.changed or plan.after is None:
        return
    check_writable(plan)
    _note(plan)
    write(plan.path, plan.after)


def check_writable(plan: Plan) -> None:
    """ConfigError where a file that is to be changed is read-only: somebody wants it as it is."""
    if plan.changed and plan.before is not None and not os.stat(plan.path).st_mode & 0o222:
        raise ConfigError(f"{plan.path} is read-only. Nothing was changed; `chmod u+w` it first, if it may be.")


def apply_removal(plan: Plan) -> tuple[str, ...]:
    """Write a removal and forget the back-up; the folders that were made for the file, where it is gone.

    Where something of ours is left in the file (another part of an installation), the back-up stays.
    """
    note = _noted(plan.path)
    check_writable(plan)
    if plan.changed:
        if plan.after is None:
            Path(os.path.realpath(plan.path)).unlink(missing_ok=True)  # a link that was there before stays
        else:
            write(plan.path, plan.after)
    if plan.after is not None and _has_ours(plan, plan.after):
        if note.wrote(plan.before or b""):
            _put_note(plan.path, replace(note, after=_digest(plan.after)))
        return ()
    for file in (_note_path(plan.path), _kept_path(plan.path)):
        file.unlink(missing_ok=True)
    return note.made if plan.after is None else ()


def take_back(plan: Plan) -> None:
    """Undo an installation that was just written: one of its other files could not be."""
    if plan.changed:
        remove_folders(apply_removal(Plan(plan.path, plan.after, plan.before, plan.whole)))


def _has_ours(plan: Plan, content: bytes) -> bool:
    text = _text(content, plan.path)
    return plan.whole(text, plan.path) != text


def remove_folders(made: Iterable[str]) -> None:
    """Remove those of the folders that are empty, from the innermost on."""
    for folder in sorted(set(made), key=len, reverse=True):
        with contextlib.suppress(OSError):  # something else is in it by now
            os.rmdir(folder)


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


def write(path: Path, content: bytes) -> None:
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


def _note(plan: Plan) -> None:
    """Keep the bytes from before the first installation, and know what we wrote."""
    assert plan.after is not None
    earlier = _noted(plan.path)
    before, made = plan.before, earlier.made
    if before is None:
        made = _missing_folders(plan.path)
    elif earlier.wrote(before):
        before = earlier.before
    elif before:  # what is backed up holds nothing of ours, also where an older installation is replaced
        before = plan.whole(_text(before, plan.path), plan.path).encode()
    try:
        _put_note(plan.path, Note(before, _digest(plan.after), made))
    except OSError as error:
        raise StoreError(
            f"The back-up of {plan.path} cannot be written: {error.strerror}. Nothing was changed."
        ) from error


def _missing_folders(path: Path) -> tuple[str, ...]:
    """The folders above a file that are not there yet, innermost first."""
    real = Path(os.path.realpath(path))
    return tuple(str(folder) for folder in real.parents if not folder.exists())


def _put_note(path: Path, note: Note) -> None:
    make_directory(_note_path(path).parent)
    if note.before is None:
        _kept_path(path).unlink(missing_ok=True)
    else:
        write(_kept_path(path), note.before)
    value = {"path": str(path), "existed": note.before is not None, "after": note.after, "made": note.made}
    write(_note_path(path), json.dumps(value).encode())


def _noted(path: Path) -> Note:
    """What we know of an earlier installation."""
    try:
        value = json.loads(_note_path(path).read_text())
        if not isinstance(value, dict) or value.get("path") != str(path):
            return Note()
        before = _kept_path(path).read_bytes() if value.get("existed") else None
        return Note(before, str(value.get("after")), tuple(map(str, value.get("made") or ())))
    except (OSError, ValueError):
        return Note()


def _note_path(path: Path) -> Path:
    return places.home() / "installs" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}.json"


def _kept_path(path: Path) -> Path:
    return _note_path(path).with_suffix(".before")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
