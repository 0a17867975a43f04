"""Making a back-up: snapshot, seal, send, fetch it again and compare, and only then say that there is one.

Whatever ends it on the way leaves the earlier ones as they were: its manifest is written last, and what was sent
without one is cleared by the next run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui_memory import __version__
from tui_memory.beyond import manifest as manifests
from tui_memory.beyond import retention, sealing, snapshot
from tui_memory.beyond.manifest import Manifest
from tui_memory.beyond.place import Place
from tui_memory.beyond.sealing import Sum
from tui_memory.clock import now_ms, uuid7
from tui_memory.config import BackupSettings
from tui_memory.errors import RefusedError, RemoteError, StoreError
from tui_memory.store import filelock, marks, purging
from tui_memory.store.connection import make_directory
from tui_memory.store.db import Store

DONE, FAILED, BYTES = "backup_done", "backup_failed", "backup_bytes"
"""The marks of the last one that was made and the last that failed (ms), and of its size."""

Tell = Callable[[str, int, int], object]
"""Told what is being done, and how many bytes of how many."""


@dataclass(slots=True)
class Made:
    """A back-up that was made, and proved."""

    place: str
    manifest: Manifest
    kept: int = 0
    """How many of this store lie there now."""
    removed: list[str] = field(default_factory=list)
    """What the rules of retention took away."""

    def public(self) -> dict[str, Any]:
        """JSON."""
        about = {"place": self.place, "verified": True, "kept": self.kept, "removed": self.removed}
        return self.manifest.public() | about


@dataclass(frozen=True, slots=True)
class Lock:
    """How it is encrypted: not at all, with a passphrase, or for others' public keys."""

    passphrase: str = ""
    recipients: tuple[str, ...] = ()

    @property
    def encryption(self) -> str:
        """The manifest's word for it."""
        return manifests.PASSPHRASE if self.passphrase else manifests.RECIPIENTS if self.recipients else manifests.PLAIN


class Backup:
    """One run."""

    def __init__(self, store: Store, place: Place, lock: Lock, rules: BackupSettings, tell: Tell) -> None:
        self._store, self._place, self._lock, self._rules, self._tell = store, place, lock, rules, tell

    def run(self) -> Made:
        """Make one. RemoteError or StoreError where it could not be; the earlier ones are then as they were."""
        inside = os.path.realpath(self._store.home)
        if self._place.address.is_local and Path(self._place.address.path).is_relative_to(inside):
            raise RefusedError(
                f"{self._place.shown} is inside the store, and would be lost with it. Nothing was written."
            )
        recipients = sealing.recipients(self._lock.recipients)
        with _alone(self._store.home) as folder:
            try:
                made = self._run(folder, recipients)
            except Exception:
                with suppress(StoreError):  # a full disk: what failed is what is to be said
                    marks.put(self._store, {FAILED: now_ms()})
                raise
        marks.put(self._store, {DONE: made.manifest.made, BYTES: made.manifest.packed.bytes})
        return made

    def _run(self, folder: Path, recipients: list[Any]) -> Made:
        purging.note_copy(self._store, self._place.shown)  # before there is anything to find
        self._place.make()
        self._clear()
        with _scratch(folder) as file:
            moment = now_ms()
            snapshot.take(self._store.home, file, lambda: self._tell("snapshot", 0, 0))
            found = self._send(file, moment, recipients)
        self._place.put(f"{found.name}.json", found.text())
        made = Made(self._place.shown, found)
        self._retain(made)
        return made

    def _send(self, file: Path, moment: int, recipients: list[Any]) -> Manifest:
        (schema, counts, _), listed = snapshot.look(file), snapshot.listed(file)
        encryption = self._lock.encryption
        key = sealing.identity() if encryption != manifests.PLAIN else None
        name = manifests.new_name(moment, self._store.device, uuid7()[-4:])
        data, size = manifests.data_name(name, key is not None), file.stat().st_size
        with open(file, "rb") as plain, self._place.writing(data) as target:
            keys = [key.to_public(), *recipients] if key else []
            sums = sealing.seal(plain, target, keys, lambda done: self._tell("sending", done, size))
        file.unlink()  # what is fetched takes its room
        try:
            self._prove(file, data, [key] if key else [], sums, (schema, counts, "ok"))
        except BaseException:
            self._place.remove(data)
            raise
        locked = sealing.lock(key, self._lock.passphrase) if key and self._lock.passphrase else ""
        return Manifest(
            name, moment, self._store.device, __version__, schema, sums[0], sums[1], counts, encryption, locked, listed
        )

    def _prove(
        self, file: Path, data: str, keys: list[Any], sums: tuple[Sum, Sum], known: tuple[int, dict[str, int], str]
    ) -> None:
        """Fetch what was sent, open it, and compare: the bytes, and what SQLite reads in them."""
        with self._place.reading(data) as source, create(file) as plain:
            size = sums[0].bytes
            found = sealing.unseal(source, plain, keys, size, lambda done: self._tell("verifying", done, size))
        if found != sums or snapshot.look(file) != known:
            raise RemoteError(
                f"What {self._place.shown} gave back is not what was sent, so it counts as no back-up and was removed."
                " The earlier ones are as they were; look at that disk or service."
            )

    def _clear(self) -> None:
        """Take away what earlier runs of this store left half done."""
        device = self._store.device
        for file in manifests.orphans(self._place.names(), device):
            self._place.remove(file)
        with suppress(RemoteError):  # a permission of its own, that not everybody has
            self._place.abandon(lambda name: manifests.is_of(name, device))

    def _retain(self, made: Made) -> None:
        """Apply the rules to this store's own; what cannot be read is nobody's to remove."""
        mine = []
        for name in manifests.named(self._place.names()):
            if manifests.is_of(f"{name}.json", self._store.device):
                try:
                    mine.append(Manifest.read(self._place.get(f"{name}.json", manifests.LARGEST), name))
                except RemoteError:
                    continue
        stay = retention.kept(mine, self._rules) | {made.manifest.name}
        for one in mine:
            if one.name not in stay and one.device == self._store.device:
                self._place.remove(f"{one.name}.json")  # first: what has no manifest is none, and is cleared one day
                self._place.remove(one.data)
                made.removed.append(one.name)
        made.kept = len(mine) - len(made.removed)


@contextmanager
def _alone(home: Path) -> Iterator[Path]:
    """The folder for what a back-up needs meanwhile. StoreError where another one of this store is at work."""
    folder = home / "backups"
    make_directory(folder)
    with filelock.held(folder / "lock") as mine:
        if not mine:
            raise StoreError("A back-up of this store is being made already. Nothing was changed; wait for its end.")
        yield folder


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A file for the copy, gone at the end; what a killed run left goes first. A purge reaches it as any back-up."""
    file = folder / "outgoing.db"
    _remove(file)
    try:
        yield file
    finally:
        _remove(file)


def _remove(file: Path) -> None:
    for ending in ("", "-journal", "-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


@contextmanager
def create(file: Path) -> Iterator[Any]:
    """A new file for its owner alone. StoreError where the disk has no room for it."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as opened:
            yield opened
    except OSError as error:
        raise StoreError(
            f"{file} could not be written: {error.strerror or error}. It is needed to unpack the back-up; the store"
            " and the earlier back-ups are as they were. Free some space and try again."
        ) from error


def is_database(file: Path) -> bool:
    """Whether a file looks like a SQLite database. OSError where it cannot be read."""
    with open(file, "rb") as opened:
        return opened.read(16) == b"SQLite format 3\0"
