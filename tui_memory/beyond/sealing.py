"""Bytes on their way out and back in: compressed with zstd, encrypted with age where asked, and counted.

What is encrypted is encrypted to a key made for it alone, so that it can be proved to open again before that key is
forgotten. A passphrase locks that key, not the data: `age` and `zstd` undo both without this program.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from tui_memory.errors import RemoteError, UsageError

if TYPE_CHECKING:
    from pyrage.x25519 import Identity, Recipient

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd  # the same module, for the versions of Python that come without it

_CHUNK = 1 << 20
_LEVEL = 6
"""Halves the time of the highest levels and loses a few percent."""

Tick = Callable[[int], object]
"""Told how many plain bytes went through; what it raises ends the work."""


class Source(Protocol):
    """What bytes are read from."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""


class Target(Protocol):
    """What bytes are written to."""

    def write(self, data: bytes, /) -> int:
        """Take bytes."""


@dataclass(slots=True)
class Sum:
    """How much, and its SHA-256."""

    bytes: int = 0
    sha256: str = ""


class _Pipe:
    """What both directions share: sums of both ends, and an error that another language's library may not swallow."""

    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self._plain, self._packed = hashlib.sha256(), hashlib.sha256()
        self._plain_bytes = self._packed_bytes = 0
        self.failed: BaseException | None = None

    def _saw_plain(self, data: bytes) -> None:
        self._plain.update(data)
        self._plain_bytes += len(data)
        self._tick(self._plain_bytes)

    def _saw_packed(self, data: bytes) -> None:
        self._packed.update(data)
        self._packed_bytes += len(data)

    def _fail(self, error: BaseException) -> NoReturn:
        self.failed = error
        raise OSError("the other end failed") from error

    @property
    def sums(self) -> tuple[Sum, Sum]:
        """(plain, packed)."""
        plain = Sum(self._plain_bytes, self._plain.hexdigest())
        return plain, Sum(self._packed_bytes, self._packed.hexdigest())


class _Out(_Pipe):
    def __init__(self, source: Source, target: Target, tick: Tick) -> None:
        super().__init__(tick)
        self._source, self._target = source, target
        self._zstd = zstd.ZstdCompressor(_LEVEL)
        self._left, self._ended = bytearray(), False

    def read(self, size: int = _CHUNK) -> bytes:
        """Compressed bytes; empty at the end."""
        try:
            while len(self._left) < size and not self._ended:
                data = self._source.read(_CHUNK)
                self._saw_plain(data)
                self._ended = not data
                self._left += self._zstd.compress(data) if data else self._zstd.flush()
        except BaseException as error:
            self._fail(error)
        given = bytes(self._left[:size])
        del self._left[:size]
        return given

    def write(self, data: bytes) -> int:
        """Sealed bytes, on their way."""
        try:
            self._saw_packed(data)
            self._target.write(bytes(data))
            return len(data)
        except BaseException as error:
            self._fail(error)

    def flush(self) -> None:
        """Nothing is held back."""


class _In(_Pipe):
    def __init__(self, source: Source, target: Target, most: int, tick: Tick) -> None:
        super().__init__(tick)
        self._source, self._target, self._most = source, target, most
        self._zstd = zstd.ZstdDecompressor()

    def read(self, size: int = _CHUNK) -> bytes:
        """Sealed bytes as they lie there; empty at the end."""
        try:
            data = self._source.read(max(size, _CHUNK) if size < 0 else size)
            self._saw_packed(data)
            return data
        except BaseException as error:
            self._fail(error)

    def write(self, data: bytes) -> int:
        """Compressed bytes, unpacked into the target; never more than was said to be in them."""
        try:
            rest = bytes(data)
            while True:
                plain = self._zstd.decompress(rest, _CHUNK)
                rest = b""
                self._saw_plain(plain)
                if self._plain_bytes > self._most:
                    raise RemoteError("It unpacks to more than its manifest says.")
                self._target.write(plain)
                if self._zstd.eof or self._zstd.needs_input:
                    return len(data)
        except BaseException as error:
            self._fail(error)

    def flush(self) -> None:
        """Nothing is held back."""


def seal(source: Source, target: Target, recipients: Sequence[Recipient], tick: Tick) -> tuple[Sum, Sum]:
    """Compress, and encrypt where there are recipients: the sums of what came in and what went out."""
    pipe = _Out(source, target, tick)
    if not recipients:
        _guarded(pipe, lambda: _copy(pipe))
        return pipe.sums
    import pyrage

    _guarded(pipe, lambda: pyrage.encrypt_io(pipe, pipe, list(recipients)))
    return pipe.sums


def unseal(source: Source, target: Target, identities: Sequence[Any], most: int, tick: Tick) -> tuple[Sum, Sum]:
    """The way back: the sums of (what came out, what was read). RemoteError where it is damaged or the key is wrong."""
    pipe = _In(source, target, most, tick)
    if not identities:
        _guarded(pipe, lambda: _copy(pipe))
        return pipe.sums
    import pyrage

    _guarded(pipe, lambda: pyrage.decrypt_io(pipe, pipe, list(identities)))
    while pipe.read(_CHUNK):
        continue  # whatever lies behind the end counts for the sum
    return pipe.sums


def _copy(pipe: _Out | _In) -> None:
    while data := pipe.read(_CHUNK):
        pipe.write(data)


def _guarded(pipe: _Out | _In, work: Callable[[], object]) -> None:
    """Do the work; what failed at one of its ends is raised as it was there."""
    try:
        work()
    except Exception as error:
        cause = pipe.failed or error
        if isinstance(cause, zstd.ZstdError | EOFError):
            raise RemoteError("Its bytes are damaged: they do not unpack.") from cause
        if pipe.failed is None:
            raise RemoteError(
                f"It cannot be decrypted: the key is another one's, or its bytes are damaged ({error})."
            ) from error
        raise cause from None


def identity() -> Identity:
    """A new key."""
    from pyrage import x25519

    return x25519.Identity.generate()


def recipients(given: Sequence[str]) -> list[Any]:
    """Public keys as `age` (age1…) or SSH writes them. UsageError where one is none."""
    import pyrage

    found: list[Any] = []
    for text in given:
        kind = pyrage.ssh if text.startswith("ssh-") else pyrage.x25519
        try:
            found.append(kind.Recipient.from_str(text.strip()))
        except Exception as error:
            raise UsageError(
                f"“{text[:20]}…” is no public key of age (age1…) or SSH. Nothing was sent; `age-keygen` makes one."
            ) from error
    return found


def identities(text: str) -> list[Any]:
    """The private keys in a file's text, as `age-keygen` or SSH writes them. UsageError where there is none."""
    import pyrage

    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("AGE-SECRET-KEY-")]
    try:
        found: list[Any] = [pyrage.x25519.Identity.from_str(line) for line in lines]
        if "PRIVATE KEY-----" in text:
            found.append(pyrage.ssh.Identity.from_buffer(text.encode()))
    except Exception as error:
        raise UsageError("The file's private key cannot be read. Nothing was changed.") from error
    if not found:
        raise UsageError("The file holds no private key of age or SSH. Nothing was changed.")
    return found


def lock(key: Identity, passphrase: str) -> str:
    """A key under a passphrase, as armoured text. It takes about a second on purpose: so does every guess."""
    from pyrage import passphrase as phrases

    locked: bytes = phrases.encrypt(str(key).encode(), passphrase, armored=True)
    return locked.decode()


def unlock(locked: str, passphrase: str) -> Identity:
    """The key again. RemoteError where the passphrase is another one."""
    import pyrage
    from pyrage import passphrase as phrases

    try:
        return pyrage.x25519.Identity.from_str(phrases.decrypt(locked.encode(), passphrase).decode())
    except Exception as error:
        raise RemoteError("The passphrase is not the one it was made with.") from error
