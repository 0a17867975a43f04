"""The way into a place of segments: whether it is encrypted, and with which key; said by a small file of its own.

The first device that comes writes it, and all keep to it. Two that come first at once write two, each under a name of
its own: both stay, and both open. Whoever may write there could exchange it, so it is never trusted to open a place
that was closed, nor to say for whom: what a device knew of a place stays, and public keys are given with each sync.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tui_memory.beyond import manifest, sealing, segments
from tui_memory.beyond.place import Place
from tui_memory.errors import RefusedError, RemoteError, UsageError

FORMAT = "tui-memory-sync-place"
VERSION = 1
_NAME = re.compile(r"tui-memory-sync-place-[0-9a-f]{8}\.json")


@dataclass(frozen=True, slots=True)
class Asked:
    """How a person wants a place to be closed, and what opens it. `passphrase` is asked for only where it is needed."""

    encrypt: bool = False
    recipients: tuple[str, ...] = ()
    passphrase: Callable[[bool], str] = lambda _new: ""
    """Told whether it is a new one."""
    identities: str = ""
    """The text of a file with private keys."""


@dataclass(frozen=True, slots=True)
class Door:
    """What segments are sealed for, and what opens them; both empty where the place is not encrypted."""

    keys: Sequence[Any] = ()
    identities: Sequence[Any] = ()
    encryption: str = manifest.PLAIN


def enter(place: Place, names: Sequence[str], asked: Asked, known: str) -> Door:
    """Open a place, or be the first that comes; `known`: how it was encrypted when this device last saw it, else empty.

    RefusedError, UsageError or RemoteError where that cannot be; nothing was changed then.
    """
    if asked.encrypt and asked.recipients:
        raise UsageError("A place takes a passphrase or public keys, not both. Nothing was sent.")
    said = [_read(place, name) for name in names if _NAME.fullmatch(name)]
    if not said and any(map(segments.named, names)):
        raise RemoteError(
            f"{place.shown} holds segments, and nothing that says how they are encrypted. Nothing was changed; bring"
            " its tui-memory-sync-place file back, or sync to an empty place."
        )
    found = next((one["encryption"] for one in said if one["encryption"] != manifest.PLAIN), manifest.PLAIN)
    wanted = _wanted(asked) if said == [] else found
    if known not in ("", wanted):
        raise RefusedError(
            f"{place.shown} was encrypted otherwise ({known}) when this device last saw it, and is {wanted} now."
            " Nothing was sent; somebody may have exchanged what lies there. Give the same options as then, or sync to"
            " another place."
        )
    if not said:
        return _first(place, asked)
    if found == manifest.PLAIN and _wanted(asked) != manifest.PLAIN:
        raise RefusedError(
            f"{place.shown} was begun without encryption, and what lies there can be read. Nothing was sent; sync to an"
            " empty place with --encrypt, with each device, and remove this one."
        )
    if found == manifest.PASSPHRASE:
        opened = _unlocked(place, [one["key"] for one in said if one["encryption"] == found], asked.passphrase(False))
        return Door([opened[0].to_public()], opened, found)
    return _for_keys(place, asked) if found == manifest.RECIPIENTS else Door()


def _unlocked(place: Place, locked: Sequence[str], phrase: str) -> list[Any]:
    try:
        return [sealing.unlock(key, phrase) for key in locked]
    except RemoteError as error:
        raise RemoteError(f"{place.shown} was not opened. {error.message} Nothing was changed.") from error


def _wanted(asked: Asked) -> str:
    return manifest.PASSPHRASE if asked.encrypt else manifest.RECIPIENTS if asked.recipients else manifest.PLAIN


def _for_keys(place: Place, asked: Asked) -> Door:
    if not asked.identities or not asked.recipients:
        raise RefusedError(
            f"{place.shown} is for public keys. Nothing was changed; name those of all your devices with --recipient,"
            " and with --identity the file that has this one's private key."
        )
    return Door(sealing.recipients(asked.recipients), sealing.identities(asked.identities), manifest.RECIPIENTS)


def _first(place: Place, asked: Asked) -> Door:
    """Say how this place is closed."""
    encryption, locked, door = _wanted(asked), "", Door()
    if encryption == manifest.PASSPHRASE:
        key = sealing.identity()
        locked, door = sealing.lock(key, asked.passphrase(True)), Door([key.to_public()], [key], encryption)
    elif encryption == manifest.RECIPIENTS:
        door = _for_keys(place, asked)
    said = {"format": FORMAT, "version": VERSION, "encryption": encryption, "key": locked}
    place.put(f"tui-memory-sync-place-{os.urandom(4).hex()}.json", json.dumps(said, indent=1).encode())
    return door


def _read(place: Place, name: str) -> dict[str, Any]:
    try:
        said: dict[str, Any] = json.loads(place.get(name, manifest.LARGEST))
        if said["format"] != FORMAT or not isinstance(said["version"], int):
            raise ValueError("format")
        if said["version"] > VERSION:
            raise RemoteError(
                f"{place.shown} was begun by a newer version of tui-memory (its form is {said['version']}, this"
                f" program knows {VERSION}). Nothing was changed; upgrade tui-memory."
            )
        kinds = (manifest.PLAIN, manifest.PASSPHRASE, manifest.RECIPIENTS)
        if said["encryption"] not in kinds:
            raise ValueError("encryption")
        return said | {"key": str(said["key"])}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise RemoteError(
            f"{name} in {place.shown} is damaged, or no file of this program. Nothing was changed; without it nobody"
            " can tell how that place is encrypted."
        ) from error
