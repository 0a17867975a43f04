"""Whatever goes wrong becomes a sentence on stderr and an exit code; a defect leaves a trace in the log."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tui_memory import places
from tui_memory.clock import iso, now_ms
from tui_memory.errors import TuiMemoryError
from tui_memory.safetext import clean, one_line

FAILED = 1
INTERRUPTED = 130
_LOG_LIMIT = 1_000_000


def guarded(work: Callable[[], Any]) -> int:
    """Run, and turn every way it can end into an exit code of the contract."""
    _never_fail_to_print()
    try:
        code = work()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except click.UsageError as error:
        return _usage(error)
    except click.ClickException as error:
        click.echo(f"tui-memory: {told(error.format_message())}", err=True)
        return error.exit_code
    except TuiMemoryError as error:
        click.echo(f"tui-memory: {told(error.message)}", err=True)
        return error.exit_code
    except OSError as error:  # a full disk, a file that is not ours: the machine's state, not a defect
        abandon_stdout()
        place = f" ({told(str(error.filename))})" if error.filename else ""
        click.echo(f"tui-memory: {error.strerror or error}{place}. What was stored stays stored.", err=True)
        return FAILED
    except Exception as error:
        return _unforeseen(error)


def told(sentence: str) -> str:
    """A sentence about what went wrong as it may be said: it may quote what was given, secrets included."""
    from tui_memory.redact import redact  # only where something went wrong

    return clean(redact(sentence))


def abandon_stdout() -> None:
    """Send the rest of stdout nowhere: the interpreter's last flush would fail again, and aloud."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AttributeError, OSError):
        return  # stdout is closed or no file: there is nothing left to flush


def _unforeseen(error: Exception) -> int:
    """A store that is damaged, locked or full is the machine's state, wherever it was met; the rest is a defect."""
    from tui_memory.store.faults import explain

    known = explain(error, places.database(places.home()))
    click.echo(f"tui-memory: {told(known.message) if known else defect(error)}", err=True)
    return known.exit_code if known else FAILED


def _usage(error: click.UsageError) -> int:
    path = error.ctx.command_path if error.ctx else "tui-memory"
    click.echo(f"tui-memory: {told(error.format_message())} See `{path} --help`.", err=True)
    return error.exit_code


def defect(error: Exception) -> str:
    """What to say of an error that is none of ours; its trace goes to the log."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = one_line(told(f"{type(error).__name__}: {error}"), 200)
    said = f"this is a defect: {what} ({Path(frame.filename).name}:{frame.lineno})."
    log = places.log_dir(places.home()) / "defects.log"
    try:
        _write(log, error)
    except OSError as refused:
        return f"{said} Its trace could not be written to {log}: {refused.strerror}."
    return f"{said} The trace, without any text of yours, is in {log}."


def _write(log: Path, error: Exception) -> None:
    """Append where it happened: types, files and lines. Messages and values may hold what was remembered."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        flags |= os.O_TRUNC
    lines = [f"{iso(now_ms())} {sys.argv[1] if sys.argv[1:2] and sys.argv[1].isalpha() else '-'}"]
    cause: BaseException | None = error
    while cause is not None:
        lines += [f"  {type(cause).__qualname__}"]
        lines += [f"    {f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(cause.__traceback__)]
        cause = cause.__cause__ or cause.__context__
    with os.fdopen(os.open(log, flags, 0o600), "a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def _never_fail_to_print() -> None:
    """A terminal of another encoding shows ? for what it cannot show, instead of a defect."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
