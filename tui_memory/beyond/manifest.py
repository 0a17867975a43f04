"""What lies beside a back-up and says what it is: written last, so that a back-up without one is none.

It holds numbers, names of tables, versions and a locked key; never a text of the store.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from tui_memory.beyond.sealing import Sum
from tui_memory.clock import iso
from tui_memory.errors import RemoteError
from tui_memory.store.joining import short

FORMAT = "tui-memory-backup"
VERSION = 1
LARGEST = 1 << 20
"""Bytes that are read of a manifest."""

PLAIN, PASSPHRASE, RECIPIENTS = "none", "passphrase", "recipients"
_NAME = re.compile(r"(tui-memory-\d{8}T\d{9}Z-([0-9a-f]{8})-[0-9a-f]{4})(\.json|\.db\.zst(?:\.age)?)")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One back-up."""

    name: str
    """What its files are called, without their endings."""
    made: int
    """When the snapshot was taken, ms."""
    device: str
    """Which store it is of."""
    program: str
    schema: int
    plain: Sum
    """The database."""
    packed: Sum
    """The file as it lies there."""
    counts: dict[str, int] = field(default_factory=dict)
    """Rows by table."""
    encryption: str = PLAIN
    key: str = ""
    """Of one with a passphrase: the key, locked with it."""
    listed: int | None = None
    """Its memories, without those whose creation was taken back; None in one of an earlier program."""

    @property
    def data(self) -> str:
        """The name of the file that holds the database."""
        return data_name(self.name, self.encryption != PLAIN)

    @property
    def memories(self) -> int:
        """How many memories a person would find in it."""
        return self.counts.get("memories", 0) if self.listed is None else self.listed

    def text(self) -> bytes:
        """As it is written."""
        return json.dumps({"format": FORMAT, "version": VERSION} | asdict(self), indent=1).encode()

    def public(self) -> dict[str, Any]:
        """JSON for people and programs."""
        return {
            "name": self.name, "made": iso(self.made), "device": self.device, "program": self.program,
            "schema": self.schema, "bytes": self.packed.bytes, "unpacked": self.plain.bytes,
            "encryption": self.encryption, "counts": self.counts | {"memories": self.memories},
        }  # fmt: skip

    @classmethod
    def read(cls, text: bytes, name: str) -> Self:
        """A manifest's text. RemoteError where it is none, or a newer program's."""
        try:
            found = json.loads(text)
            version = found["version"] if found["format"] == FORMAT else 0
            if not isinstance(version, int) or version < 1:
                raise ValueError("format")
            if version > VERSION:
                raise RemoteError(
                    f"The back-up {name} was made by a newer version of tui-memory (its manifest is of version"
                    f" {version}, this program knows {VERSION}). Nothing was changed; upgrade tui-memory."
                )
            return cls._checked(found, name)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise RemoteError(
                f"{name}.json is no manifest of a back-up, or is damaged. Nothing was changed; --list shows the others."
            ) from error

    @classmethod
    def _checked(cls, found: dict[str, Any], name: str) -> Self:
        sums = {end: Sum(int(found[end]["bytes"]), str(found[end]["sha256"])) for end in ("plain", "packed")}
        counts = {str(table): int(count) for table, count in found["counts"].items()}
        if found["encryption"] not in (PLAIN, PASSPHRASE, RECIPIENTS) or found["name"] != name:
            raise ValueError("encryption or name")
        return cls(
            name, int(found["made"]), str(found["device"]), str(found["program"]), int(found["schema"]),
            counts=counts, encryption=found["encryption"], key=str(found["key"]),
            listed=None if found.get("listed") is None else int(found["listed"]), **sums,
        )  # fmt: skip


def data_name(name: str, encrypted: bool) -> str:
    """What the database's file is called."""
    return f"{name}.db.zst{'.age' if encrypted else ''}"


def new_name(made: int, device: str, mark: str) -> str:
    """A name that sorts by time and says whose it is; `mark`: four digits that tell two of one moment apart."""
    digits = "".join(sign for sign in iso(made) if sign.isdigit())
    return f"tui-memory-{digits[:8]}T{digits[8:17]}Z-{short(device)}-{mark}"


def named(files: Iterable[str]) -> list[str]:
    """The back-ups that have a manifest among these files, oldest first; what is somebody else's is left out."""
    found = (_NAME.fullmatch(file) for file in files)
    return sorted(match[1] for match in found if match and match[3] == ".json")


def orphans(files: Iterable[str], device: str) -> list[str]:
    """A device's files of back-ups that never got, or no longer have, their manifest."""
    files = list(files)
    whole = set(named(files))
    found = (_NAME.fullmatch(file) for file in files)
    return [match[0] for match in found if match and match[1] not in whole and match[2] == short(device)]


def is_of(file: str, device: str) -> bool:
    """Whether a name is a device's."""
    match = _NAME.fullmatch(file)
    return match is not None and match[2] == short(device)
