"""A person's own editor on one text: a private file in the store's folder, gone when the editor is."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tui_memory.clock import uuid7
from tui_memory.errors import NotFoundError, TuiMemoryError

_KNOWN = ("editor", "nano", "vim", "vi")
_PREFIX = "edit-"


def command(environ: Mapping[str, str]) -> list[str]:
    """The editor and its arguments: VISUAL, EDITOR, or one that is here; NotFoundError where there is none."""
    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(environ.get(name, ""))
        except ValueError:
            raise NotFoundError(f"{name} has an open quote, so no editor was started. Nothing was changed.") from None
        if words:
            if shutil.which(words[0]) is None:
                raise NotFoundError(f"{name} names {words[0]}, which is not here. Nothing was changed.")
            return words
    found = next((name for name in _KNOWN if shutil.which(name)), None)
    if found is None:
        raise NotFoundError("There is no editor here. Nothing was changed; set EDITOR to yours, or press e to edit.")
    return [found]


def edited(words: list[str], text: str, folder: Path) -> str:
    """The text as the editor left it. TuiMemoryError where it failed or took the file away. Blocks."""
    sweep(folder)
    path = folder / f"{_PREFIX}{os.getpid()}-{uuid7()[-12:]}.md"
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        code = subprocess.run([*words, str(path)], check=False).returncode
        if code:
            raise TuiMemoryError(f"{words[0]} ended with {code}, so nothing was changed.")
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise TuiMemoryError(f"{words[0]} took the file away, so nothing was changed.") from None
    except UnicodeDecodeError:
        raise TuiMemoryError("What was written is not UTF-8 text, so nothing was changed.") from None
    except OSError as error:
        raise TuiMemoryError(f"{words[0]} could not be used: {error.strerror}. Nothing was changed.") from error
    finally:
        _remove(path)


def sweep(folder: Path) -> None:
    """Remove what an application that was killed while an editor ran has left."""
    for path in folder.glob(f"{_PREFIX}*"):
        pid = path.name.removeprefix(_PREFIX).partition("-")[0]
        if not pid.isdigit() or not _is_alive(int(pid)):
            _remove(path)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _remove(path: Path) -> None:
    """The file, and the copies that editors keep beside one: `x~`, `.x.swp`."""
    for one in (path, path.with_name(f"{path.name}~"), *path.parent.glob(f".{path.name}.sw?")):
        with suppress(OSError):
            one.unlink(missing_ok=True)
