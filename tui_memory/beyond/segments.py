"""Segments: what one device said of memories, in a file that never changes, named by device, clock and checksum.

A name with a checksum makes a file visible only when it is whole, whoever copies it: what does not match its name is
no segment yet. Inside are JSON lines, packed with zstd and encrypted where the place is.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tui_memory import __version__
from tui_memory.beyond import sealing
from tui_memory.clock import iso
from tui_memory.errors import RemoteError
from tui_memory.store.joining import PARTS, Record, short

FORMAT = "tui-memory-sync"
VERSION = 1
LARGEST = 1 << 28
"""Bytes that a segment may unpack to; one that is written stops long before."""
_NAME = re.compile(r"tui-memory-sync-([0-9a-f]{8})-(\d{15}-\d{6})-([0-9a-f]{32})\.jsonl\.zst(\.age)?")
_FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "memory": {
        "uid": str, "created": str, "updated": str, "texts": list, **dict.fromkeys(PARTS, list),
    },
    "project": {"uid": str, "name": str, "remotes": list, "roots": list, "trunks": list},
    "tomb": {"kind": str, "name": str},
    "observation": {"uid": str, "session": str, "agent": str, "time": str, "text": str, "of": list},
}  # fmt: skip
_TEXT = ("stamp", "over", "created", "title", "text", "facts", "tier", "kind", "labels", "files")
_STAMP = re.compile(r"\d{15}-\d{6} \S+")


class Name(NamedTuple):
    """What a segment's name says."""

    device: str
    """The last eight digits of the device's identity."""
    clock: str
    sum: str
    encrypted: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """One, opened. `sent`: what its device's own clock showed when it was written (ms)."""

    name: str
    device: str
    clock: str
    sent: int
    records: list[Record]


def named(file: str) -> Name | None:
    """What a file's name says; None for what is no segment."""
    match = _NAME.fullmatch(file)
    return Name(match[1], match[2], match[3], bool(match[4])) if match else None


def pack(records: Iterable[Record], device: str, clock: str, sent: int, keys: Sequence[Any]) -> tuple[str, bytes]:
    """(name, bytes) of a segment."""
    lines = [json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records]
    head = {
        "format": FORMAT, "version": VERSION, "program": __version__, "device": device, "clock": clock,
        "sent": iso(sent), "ms": sent, "records": len(lines),
    }  # fmt: skip
    plain = "\n".join([json.dumps(head), *lines, ""]).encode("utf-8", "replace")
    target = io.BytesIO()
    sealing.seal(io.BytesIO(plain), target, keys, lambda _done: None)
    packed = target.getvalue()
    name = f"tui-memory-sync-{short(device)}-{clock}-{_sum(packed)}.jsonl.zst{'.age' if keys else ''}"
    return name, packed


def unpack(file: str, packed: bytes, identities: Sequence[Any]) -> Segment:
    """Open and check one. RemoteError where it is cut short, damaged, another's, or a newer program's."""
    known = named(file)
    assert known is not None
    try:
        if _sum(packed) != known.sum:
            raise RemoteError(
                "It is cut short or changed: its bytes are not those of its name. Where a program still copies it, wait"
                " for that; else remove it, and the device that wrote it sends its state again."
            )
        if known.encrypted and not identities:
            raise RemoteError("It is encrypted, and the rest of the place is not: it is somebody else's. Remove it.")
        if identities and not known.encrypted:
            raise RemoteError("It is not encrypted, and the place is: it is none of your devices'. Remove it.")
        target = io.BytesIO()
        sealing.unseal(io.BytesIO(packed), target, identities, LARGEST, lambda _done: None)
        return _read(file, target.getvalue(), known)
    except RemoteError as error:
        raise RemoteError(f"The segment {file} cannot be used. {error.message} Nothing was changed.") from error


def _read(file: str, plain: bytes, known: Name) -> Segment:
    try:
        lines = [json.loads(line) for line in plain.decode().split("\n")[:-1]]
        head, records = lines[0], lines[1:]
        if head["format"] != FORMAT or not isinstance(head["version"], int):
            raise ValueError("format")
        if head["version"] > VERSION:
            raise RemoteError(
                f"It was written by a newer version of tui-memory ({head['program']}; its form is {head['version']},"
                f" this program knows {VERSION}). Upgrade tui-memory."
            )
        if head["records"] != len(records) or short(head["device"]) != known.device or head["clock"] != known.clock:
            raise ValueError("records")
        for record in records:
            _check(record)
        return Segment(file, str(head["device"]), known.clock, int(head["ms"]), records)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise RemoteError("What is in it is no segment of this program.") from error


def _check(record: Record) -> None:
    """ValueError or LookupError where a record is of no shape that is known."""
    for name, kind in _FIELDS[record["type"]].items():
        if not isinstance(record[name], kind):
            raise ValueError(name)
    if record["type"] != "memory":
        return
    if [len(record[part]) for part in PARTS] != [4, 2, 3]:
        raise ValueError("parts")
    for text in record["texts"]:
        if any(name not in text for name in _TEXT):
            raise ValueError("text")
    stamps = [record[part][0] for part in PARTS] + [text["stamp"] for text in record["texts"]]
    if not all(_STAMP.fullmatch(name) for name in stamps):
        raise ValueError("stamp")


def _sum(packed: bytes) -> str:
    return hashlib.sha256(packed).hexdigest()[:32]
