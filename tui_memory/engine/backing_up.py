"""Back-ups of the store to a place of one's own, and a store brought back from one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tui_memory import places
from tui_memory.beyond import backup, place, restore
from tui_memory.beyond.backup import Lock, Made, Tell
from tui_memory.beyond.restore import Keys, Listed
from tui_memory.clock import iso
from tui_memory.engine import worker_client
from tui_memory.errors import RefusedError, RemoteError, StoreError, UsageError
from tui_memory.store import filelock, marks, purging, replacing, tombs
from tui_memory.store.connection import make_directory, store_key, write_private
from tui_memory.store.db import Store

if TYPE_CHECKING:
    from tui_memory.engine.services import Services


@dataclass(slots=True)
class Restored:
    """What a store was brought back from."""

    name: str
    made: int
    memories: int
    observations: int
    aside: str | None
    """Where what was there before is kept; None where there was nothing."""
    purged: int
    """How much of it had been purged here since, and was purged again."""

    def public(self) -> dict[str, Any]:
        """JSON."""
        return {
            "restored": self.name, "made": iso(self.made), "memories": self.memories,
            "observations": self.observations, "aside": self.aside, "purged": self.purged,
        }  # fmt: skip


OPEN, NO_KEYS = Lock(), Keys()


class _Got(NamedTuple):
    """A copy that is proved: where it lies, what it is called, when it was made (ms), where it comes from."""

    copy: Path
    label: str
    made: int
    origin: str


def _undo(folder: Path) -> None:
    """Leave no trace of a store that was to be and is not."""
    with suppress(OSError):
        (folder / "lock").unlink()
        folder.rmdir()
        folder.parent.rmdir()


def _silent(_what: str, _done: int, _of: int) -> None:
    """Nobody watches."""


class BackingUp:
    """Of one store, which is opened only where that is asked for: one that is damaged can be brought back."""

    def __init__(self, memory: Services) -> None:
        self._memory, self._home = memory, memory.home

    @property
    def _allowed(self) -> Sequence[str]:
        return self._memory.settings.remote.allowed_hosts

    def make(self, url: str, lock: Lock = OPEN, *, tell: Tell = _silent) -> Made:
        """Make a back-up and prove it; older ones go by the settings' rules.

        RefusedError where the address's host is not allowed; RemoteError or StoreError where it could not be made:
        then the earlier ones are as they were.
        """
        if lock.passphrase and lock.recipients:
            raise UsageError("A back-up takes a passphrase or public keys, not both. Nothing was sent.")
        there = place.opened(url, self._allowed)
        try:
            return backup.Backup(self._memory.store, there, lock, self._memory.settings.backup, tell).run()
        except (RemoteError, StoreError) as error:
            self._failed(error)
            raise

    def _failed(self, error: RemoteError | StoreError) -> None:
        """Keep why, masked, for `doctor`."""
        with suppress(StoreError), self._memory.store.transaction() as connection:
            said = self._memory.redactor.text(error.message).text
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (tombs.BACKUP_SAID, said))

    def listed(self, url: str) -> Listed:
        """The back-ups of a place, oldest first."""
        return restore.listed(place.existing(url, self._allowed))

    def restore(
        self, url: str, keys: Keys = NO_KEYS, *, name: str = "", yes: bool = False, tell: Tell = _silent
    ) -> Restored:
        """Bring the store back to a back-up: the newest, or the one of this name; what was there is kept aside.

        RefusedError where there is a store and no `yes`; StoreError where somebody has it open; RemoteError where the
        back-up cannot be used. Then nothing was changed.
        """
        with self._alone() as folder:
            known = self._standing()
            if known and not known.is_empty and not yes:
                raise RefusedError(
                    f"There is a store at {self._home}. Nothing was changed; with --yes it is replaced, and what it"
                    " holds is kept aside in its backups/."
                )
            if not known and not yes:
                raise RefusedError(
                    f"The store at {self._home} is damaged. Nothing was changed; with --yes its file is set aside and"
                    " the back-up takes its place."
                )
            device = known.meta.get("device", "") if known else ""
            got = self._fetched(url, keys, name, folder, device, tell)
            return self._put(got, known)

    @contextmanager
    def _alone(self) -> Iterator[Path]:
        """A folder for what is fetched, while no worker can start and no other back-up or restore is at work."""
        self._memory.close()
        is_new, folder = not self._home.exists(), self._home / "backups"
        make_directory(folder)
        with filelock.held(folder / "lock") as mine:
            if not mine:
                raise StoreError("A back-up of this store is being made or restored. Nothing was changed; try later.")
            incoming = folder / "incoming"
            shutil.rmtree(incoming, ignore_errors=True)
            make_directory(incoming)
            try:
                yield incoming
            finally:
                shutil.rmtree(incoming, ignore_errors=True)
                if is_new and not places.database(self._home).exists():
                    _undo(folder)

    def _standing(self) -> replacing.Standing | None:
        """What the store knows, nothing where there is none yet; None where its file is damaged."""
        if not places.database(self._home).exists():
            return _NOTHING
        try:
            with Store(self._home) as store:
                store_key(self._home)
                return replacing.standing(store)
        except StoreError as error:
            if replacing.is_broken(error):
                return None
            raise

    def _fetched(self, url: str, keys: Keys, name: str, folder: Path, device: str, tell: Tell) -> _Got:
        file = Path(os.path.abspath(os.path.expanduser(url)))
        if "://" not in url and file.is_file():
            copy, made = restore.take_file(file, folder)
            return _Got(copy, file.name, made, str(file))
        there = place.existing(url, self._allowed)
        wanted = restore.choose(there, device, name)
        return _Got(restore.fetch(there, wanted, keys, folder, tell), wanted.name, wanted.made, there.shown)

    def _put(self, got: _Got, known: replacing.Standing | None) -> Restored:
        worker_client.stop(self._home)
        with filelock.held(self._home / "worker.lock") as mine:
            if not mine:
                raise StoreError("A worker of this store is at work. Nothing was changed; `tui-memory worker stop`.")
            aside = replacing.set_aside(self._home) if known is None else None
            if not places.database(self._home).exists():
                Store(self._home).close()
            known = self._standing() or _NOTHING
            write_private(got.copy.with_name("key"), store_key(self._home))  # marks and names mean the same as before
            with Store(got.copy.parent) as store:
                purged = replacing.carry(store, known)
                marks.put(store, {backup.DONE: got.made})
                purging.note_copy(store, got.origin)
                memories = store.rows("SELECT COUNT(*) FROM memories WHERE state <> 'undone'")[0][0]
                seen = store.rows("SELECT COUNT(*) FROM observations")[0][0]
            aside = replacing.replace(self._home, got.copy, keep=not known.is_empty) or aside
        return Restored(got.label, got.made, memories, seen, str(aside) if aside else None, purged)


_NOTHING = replacing.Standing()
