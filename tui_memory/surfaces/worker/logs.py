"""The worker's log: ids and counts, never a word of what was captured; two files of a bounded size."""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from tui_memory import places
from tui_memory.store.connection import make_directory

DAY_S = 86_400
LIMIT = 512_000  # bytes of one file; one older file is kept


class _Private(RotatingFileHandler):
    """A rotating file that only its owner can read, whatever the umask."""

    def _open(self):  # type: ignore[no-untyped-def]
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.fchmod(descriptor, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8")


def open_log(home: Path) -> logging.Logger:
    """The logger of one store's worker, written to log/worker.log; a line that cannot be written is lost."""
    make_directory(places.log_dir(home))
    for old in places.log_dir(home).glob(
        "lost-*"
    ):  # a hook's mark of an event that found the disk full; told for a day
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > DAY_S:
                old.unlink()
    log = logging.getLogger(f"tui_memory.worker.{home}")
    handler = _Private(places.log_dir(home) / "worker.log", maxBytes=LIMIT, backupCount=1)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
    logging.raiseExceptions = False  # a full disk must not end in a traceback a line
    return log


def what(error: BaseException) -> str:
    """An error as the log may hold it: its type and place; its message could quote what was captured."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{where}"
