"""Getting a back-up: which there are, and one of them fetched, opened and proved in a folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_memory.beyond import manifest as manifests
from tui_memory.beyond import sealing, snapshot
from tui_memory.beyond.backup import Tell, create, is_database
from tui_memory.beyond.manifest import Manifest
from tui_memory.beyond.place import Place
from tui_memory.clock import now_ms
from tui_memory.errors import NotFoundError, RefusedError, RemoteError, TuiMemoryError
from tui_memory.store.migrations import ALL


@dataclass(frozen=True, slots=True)
class Keys:
    """What may open a back-up: a passphrase, asked for only where it is needed, or private keys."""

    passphrase: Callable[[], str] = str
    identities: str = ""
    """The text of a file with private keys."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The back-ups of a place, oldest first, and the names of those whose manifest cannot be read."""

    found: list[Manifest]
    unreadable: list[str]

    def public(self) -> dict[str, Any]:
        """JSON."""
        return {"backups": [one.public() for one in self.found], "unreadable": self.unreadable}


def listed(place: Place) -> Listed:
    """What there is."""
    found, unreadable = [], []
    for name in manifests.named(place.names()):
        try:
            found.append(_manifest(place, name))
        except RemoteError:
            unreadable.append(name)
    return Listed(found, unreadable)


def _manifest(place: Place, name: str) -> Manifest:
    return Manifest.read(place.get(f"{name}.json", manifests.LARGEST), name)


def choose(place: Place, device: str, name: str = "") -> Manifest:
    """The back-up of this name; without one the newest of this device, or of the only device there is.

    NotFoundError where there is none, RefusedError where it cannot be told which is meant.
    """
    names = manifests.named(place.names())
    if name:
        if name not in names:
            raise NotFoundError(
                f"{place.shown} holds no back-up {name}. Nothing was changed; --list shows what it has."
            )
        return _manifest(place, name)
    mine = [one for one in names if manifests.is_of(f"{one}.json", device)]
    if not mine and len({one.rsplit("-", 2)[1] for one in names}) > 1:
        raise RefusedError(
            f"{place.shown} holds back-ups of several stores, and none of this one. Nothing was changed; --list shows"
            " them, --name NAME says which."
        )
    if not names:
        raise NotFoundError(f"{place.shown} holds no back-up of this program. Nothing was changed.")
    return _manifest(place, (mine or names)[-1])


def fetch(place: Place, wanted: Manifest, keys: Keys, folder: Path, tell: Tell) -> Path:
    """Fetch a back-up into a folder, as `memory.db`, and prove that it is what was sent. RemoteError if not."""
    _check_version(wanted.schema, wanted.name)
    target = folder / "memory.db"
    size = wanted.plain.bytes
    try:
        lies = place.size(wanted.data)
        if lies != wanted.packed.bytes:
            raise RemoteError(f"It is cut short or changed: {lies:,} of {wanted.packed.bytes:,} bytes are there.")
        opening = _identities(wanted, keys)
        with place.reading(wanted.data) as source, create(target) as plain:
            sums = sealing.unseal(source, plain, opening, size, lambda done: tell("fetching", done, size))
        if sums != (wanted.plain, wanted.packed):
            raise RemoteError("Its bytes are damaged: their checksum is not its manifest's.")
        if snapshot.look(target) != (wanted.schema, wanted.counts, "ok"):
            raise RemoteError("What is in it is not what its manifest says.")
    except RemoteError as error:
        raise RemoteError(
            f"The back-up {wanted.name} cannot be restored. {error.message} Nothing was changed, here or there;"
            " --list shows the others."
        ) from error
    return target


def _identities(wanted: Manifest, keys: Keys) -> Sequence[Any]:
    if wanted.encryption == manifests.PASSPHRASE:
        return [sealing.unlock(wanted.key, keys.passphrase())]
    if wanted.encryption == manifests.PLAIN:
        return ()
    if not keys.identities:
        raise RefusedError(
            f"The back-up {wanted.name} is encrypted for a public key. Nothing was changed; --identity FILE names the"
            " file with the private one."
        )
    return sealing.identities(keys.identities)


def take_file(file: Path, folder: Path) -> tuple[Path, int]:
    """A plain copy of a database, as the store keeps them in `backups/`: (its copy in a folder, when it was made)."""
    target = folder / "memory.db"
    try:
        if not is_database(file):
            raise RemoteError(f"{file} is no back-up: neither a folder of them nor a copy of a store's database.")
        with create(target) as plain, open(file, "rb") as source:
            shutil.copyfileobj(source, plain)
        made = min(int(file.stat().st_mtime * 1000), now_ms())
    except OSError as error:
        raise RemoteError(f"{file} cannot be read: {error.strerror}. Nothing was changed.") from error
    schema, counts, verdict = snapshot.look(target)
    if verdict != "ok" or "observations" not in counts:
        raise RemoteError(f"{file} is no sound copy of a store ({verdict}). Nothing was changed.")
    _check_version(schema, str(file))
    return target, made


def _check_version(schema: int, name: str) -> None:
    newest = ALL[-1][0]
    if schema > newest:
        raise TuiMemoryError(
            f"The back-up {name} was made by a newer version of tui-memory (schema {schema}, this program knows"
            f" {newest}). Nothing was changed; upgrade tui-memory."
        )
