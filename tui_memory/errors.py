"""Every error the program raises on purpose: one base, subclasses without behaviour.

A message says what happened, what was and was not changed, and what to do next. The command line prints
it on stderr and leaves with `exit_code`; the application shows it under `title`.
"""

from __future__ import annotations


class TuiMemoryError(Exception):
    """Base of all: `message` for a person, `title` for a dialog, `exit_code` as the contract numbers them."""

    title = "That did not work"
    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UsageError(TuiMemoryError):
    """What was asked makes no sense as asked (a bad filter, time, number)."""

    title = "Not understood"
    exit_code = 2


class NotFoundError(TuiMemoryError):
    """What was named does not exist."""

    title = "Not found"
    exit_code = 3


class RefusedError(TuiMemoryError):
    """Refused: it needs a confirmation, or is outside what the settings allow."""

    title = "Refused"
    exit_code = 4


class ConflictError(RefusedError):
    """What an undo, redo or edit touches has changed since."""

    title = "Changed in the meantime"


class StoreError(TuiMemoryError):
    """The store is busy, damaged, read-only, full, or from a newer version; nothing was changed."""

    title = "The store cannot be used"
    exit_code = 5


class UnfinishedError(StoreError):
    """What was begun is not at its end (somebody still reads what was deleted); the same command finishes it."""

    title = "Not finished yet"


class ConfigError(TuiMemoryError):
    """A settings file, profile, theme or rule has a mistake; the message names the file and the key."""

    title = "A setting is wrong"
    exit_code = 2


class ModelError(TuiMemoryError):
    """An embedding or language model is missing or did not answer; what was stored stays stored."""

    title = "The model did not answer"


class WorkerError(TuiMemoryError):
    """The worker could not be started or asked."""

    title = "The worker does not answer"


class CompressError(TuiMemoryError):
    """A route could not make memories of a turn; the next route is tried."""

    title = "Compression failed"


class RemoteError(TuiMemoryError):
    """A place beyond the store (a folder, a bucket, a server) or what lies there could not be used."""

    title = "The other side could not be used"
