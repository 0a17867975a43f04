"""Reading a Zstandard file as if it were not packed: Codex packs rollouts that have lain idle for a week.

Nothing is unpacked to the disk, and no more of it is in memory than the block at hand.
"""

from __future__ import annotations

import io
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST = 4 << 30
"""Bytes that are read of one file: a few kilobytes can unpack to any size."""


class Unpacked(io.RawIOBase):
    """The unpacked bytes of an open file; OSError where it is damaged or too large."""

    def __init__(self, packed: IO[bytes]) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd  # the same module, for the versions of Python that come without it

        self._packed, self._error = packed, zstd.ZstdError
        self._file = zstd.ZstdFile(packed)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """Forwards by reading on, backwards by beginning again."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """The next bytes; none at the end, which is also where a file that was cut short ends."""
        if self._file.tell() > LARGEST:
            raise OSError(f"{self._packed.name} unpacks to more than {LARGEST >> 30} GB")
        try:
            return self._file.readinto1(buffer)
        except EOFError:
            return 0
        except self._error as error:
            raise OSError(f"{self._packed.name} is no whole Zstandard file: {error}") from error

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """As of any file."""
        try:
            return self._file.seek(offset, whence)
        except EOFError:
            return self._file.tell()
        except self._error as error:
            raise OSError(f"{self._packed.name} is no whole Zstandard file: {error}") from error

    def tell(self) -> int:
        """The place in the unpacked bytes."""
        return self._file.tell()

    def close(self) -> None:
        """The packed file is closed with it."""
        self._packed.close()
        super().close()
