"""A folder or a bucket as a flat set of named files, each whole or not there.

Whatever its library raises is a RemoteError that says of which place; what a caller raises goes through as it is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tui_memory.beyond import address as addresses
from tui_memory.beyond.address import Address
from tui_memory.errors import NotFoundError, RemoteError, TuiMemoryError
from tui_memory.safetext import one_line
from tui_memory.store.connection import make_directory

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_BLOCK = 8 << 20
"""Bytes that are read or sent at once: S3 wants parts of five megabytes at least."""


class Stream:
    """A file of a place: `read` or `write`, whose troubles are RemoteErrors."""

    def __init__(self, file: IO[bytes], place: Place) -> None:
        self._file, self._place = file, place

    def read(self, size: int = -1) -> bytes:
        """The next bytes, empty at the end."""
        with self._place.explained("read"):
            return self._file.read(size)

    def write(self, data: bytes) -> int:
        """Take bytes; how many."""
        with self._place.explained("written"):
            return self._file.write(data)


class Place:
    """An opened address."""

    def __init__(self, address: Address, allowed: Sequence[str]) -> None:
        self.address = address
        self.shown = address.shown
        with self.explained("reached"):
            self._fs = _opened(address, allowed)
            self._root = str(self._fs._strip_protocol(address.path)).rstrip("/")

    def make(self) -> None:
        """Make the folder, for its owner alone; of a bucket there is nothing to make."""
        with self.explained("made"):
            if self.address.is_local:
                if not os.path.isdir(self._root):
                    make_directory(Path(self._root))
            elif self.address.scheme != addresses.S3:
                self._fs.makedirs(self._root, exist_ok=True)

    def names(self) -> list[str]:
        """The names of its files, sorted; none where the folder is not there."""
        with self.explained("listed"):
            try:
                found = self._fs.ls(self._root, detail=True)
            except FileNotFoundError:
                if self.address.scheme == addresses.S3:
                    self._fs.ls(self._root.partition("/")[0])  # nothing under a prefix is well, a missing bucket is not
                return []
            return sorted(one["name"].rstrip("/").rpartition("/")[2] for one in found if one["type"] == "file")

    def size(self, name: str) -> int:
        """Bytes of a file."""
        with self.explained("read"):
            return int(self._fs.size(self._at(name)) or 0)

    @contextmanager
    def reading(self, name: str) -> Iterator[Stream]:
        """A file to read from."""
        with self.explained("read"):
            file = self._fs.open(self._at(name), "rb", block_size=_BLOCK, cache_type="readahead")
        try:
            yield Stream(file, self)
        finally:
            file.close()

    @contextmanager
    def writing(self, name: str) -> Iterator[Stream]:
        """A new file to write to, readable by its owner alone; where the body fails it is gone again."""
        with self.explained("written"):
            if self.address.is_local:
                os.close(os.open(self._at(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            file = self._fs.open(self._at(name), "wb", block_size=_BLOCK)
        try:
            yield Stream(file, self)
            with self.explained("written"):
                _settle(file, self.address)
        except BaseException:
            self._give_up(file, name)
            raise

    def _give_up(self, file: Any, name: str) -> None:
        """Take back what was begun, as far as the other side still lets us: a later run clears the rest."""
        with suppress(Exception):
            if self.address.is_local:
                file.close()
            else:
                file.closed = True  # closing it, or forgetting it, would finish the upload
                file.discard()
        with suppress(Exception):
            self._fs.rm_file(self._at(name))

    def put(self, name: str, content: bytes) -> None:
        """Write a small file, in one step as whoever reads sees it."""
        with self.explained("written"):
            if not self.address.is_local:
                self._fs.pipe_file(self._at(name), content)
                return
        part = f".{name}.part"
        with suppress(OSError):
            os.unlink(self._at(part))
        with self.writing(part) as stream:
            stream.write(content)
        with self.explained("written"):
            os.replace(self._at(part), self._at(name))

    def get(self, name: str, most: int) -> bytes:
        """The first `most` bytes of a file."""
        with self.reading(name) as stream:
            return stream.read(most)

    def remove(self, name: str) -> None:
        """Remove a file; one that is gone already is no mistake."""
        with self.explained("removed"), suppress(FileNotFoundError):
            self._fs.rm_file(self._at(name))

    def abandon(self, is_ours: Callable[[str], bool]) -> None:
        """Give up uploads that something killed left half done."""
        if self.address.scheme == addresses.S3:
            from tui_memory.beyond import s3

            with self.explained("cleared"):
                s3.abandon(self._fs, self._root, is_ours)

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def explained(self, what: str) -> Iterator[None]:
        """Whatever goes wrong on the other side, as a RemoteError."""
        try:
            yield
        except (TuiMemoryError, ImportError) as error:
            if isinstance(error, ImportError):
                raise RemoteError(f"{self.shown} needs a library that is not installed: {error}.") from error
            raise
        except Exception as error:  # every library of every kind of address has errors of its own
            raise RemoteError(f"{self.shown} could not be {what}: {_reason(error)}.") from error


def opened(url: str, allowed: Sequence[str]) -> Place:
    """The place of an address. UsageError, RefusedError or RemoteError where it cannot be used; nothing was sent."""
    return Place(addresses.parse(url, allowed), allowed)


def existing(url: str, allowed: Sequence[str]) -> Place:
    """As `opened`. NotFoundError where it is a folder of this machine that is not there."""
    place = opened(url, allowed)
    if place.address.is_local and not os.path.isdir(place.address.path):
        raise NotFoundError(f"There is no folder {place.shown}. Nothing was changed.")
    return place


def _opened(address: Address, allowed: Sequence[str]) -> AbstractFileSystem:
    if address.scheme == addresses.S3:
        from tui_memory.beyond import s3

        return s3.open_bucket(allowed)
    import fsspec

    if address.is_local:
        return fsspec.filesystem("file", skip_instance_cache=True)
    return fsspec.url_to_fs(address.path, skip_instance_cache=True)[0]


def _settle(file: Any, address: Address) -> None:
    """Close, with the bytes on the disk where it is one of this machine."""
    if address.is_local:
        file.flush()
        os.fsync(file.fileno())
    file.close()


def _reason(error: Exception) -> str:
    """An error in words: the system's own where it has any."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "there is no room left"
    said = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return one_line(said, 300).rstrip(".")
