"""The index's files: a cache beside the store that any process may write, none trusts unseen, all can rebuild.

A header (JSON, renamed into place last) names the files that belong together. Old ones are unlinked: whoever
still maps them keeps reading what they mapped.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tui_memory import places
from tui_memory.index import approximate
from tui_memory.store import filelock
from tui_memory.store.connection import make_directory

if TYPE_CHECKING:
    from tui_memory.index.serving import Vectors
    from tui_memory.index.vector_index import Ints

_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Header:
    """What a snapshot says of itself; everything in it is checked before the files are used."""

    model: str
    dimension: int
    count: int
    size: int
    checksum: int
    last: int
    """The highest chunk id it knows of, with a vector or without."""
    stem: str
    probes: int = 0
    """How many inverted lists a search looks into; 0: the vectors stand one after the other, every search is exact."""
    recall: float = 1.0
    """The share of the exact ten best that was found when it was written, over vectors of this store."""
    format: int = _FORMAT


class SnapshotError(Exception):
    """Why a snapshot is not used; the message goes into the index's notes."""


class Snapshots:
    """The snapshot files of one model inside one directory."""

    def __init__(self, directory: Path, model_id: int, model: str, dimension: int) -> None:
        self._directory = directory
        self._prefix = f"model-{model_id}"
        self._model, self._dimension = model, dimension

    @property
    def _header(self) -> Path:
        return self._directory / f"{self._prefix}.json"

    def stamp(self) -> tuple[int, ...]:
        """What differs once another snapshot has taken this one's place; empty where there is none."""
        try:
            found = self._header.stat()
        except FileNotFoundError:
            return ()
        return found.st_ino, found.st_mtime_ns

    def header(self) -> Header | None:
        """What the snapshot says of itself, unchecked; None where there is none, or it cannot be read."""
        try:
            return Header(**json.loads(self._header.read_text("utf-8")))
        except (ValueError, TypeError, OSError):
            return None  # `read` says why

    def read(self) -> tuple[Any, Ints, Ints, Header] | None:
        """(mapped index, chunk ids, version ids, its header), or None where there is none. Raises SnapshotError."""
        try:
            header = Header(**json.loads(self._header.read_text("utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, OSError) as error:
            raise SnapshotError("its header cannot be read") from error
        if header.format != _FORMAT:
            raise SnapshotError("another version of the program wrote it")
        if (header.model, header.dimension) != (self._model, self._dimension):
            raise SnapshotError(f"it holds {header.dimension} numbers a vector of {header.model}")
        return *self._open(header), header

    def _open(self, header: Header) -> tuple[Any, Ints, Ints]:
        import numpy as np

        faiss = approximate.library()
        path = self._directory / f"{Path(header.stem).name}.faiss"
        try:
            if (path.stat().st_size, _checksum(path)) != (header.size, header.checksum):
                raise SnapshotError("its bytes are not the ones that were written")
            flag = faiss.IO_FLAG_MMAP if header.probes else faiss.IO_FLAG_MMAP_IFC
            index = faiss.read_index(str(path), flag | faiss.IO_FLAG_READ_ONLY)
            index = approximate.mapped(index) if header.probes else index
            ids = np.load(path.with_suffix(".npy"), allow_pickle=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise SnapshotError("its files are missing or cannot be read") from error
        if ids.shape != (2, header.count) or (index.ntotal, index.d) != (header.count, header.dimension):
            raise SnapshotError("its files do not belong together")
        return index, ids[0], ids[1]

    def write(self, index: Any, chunks: Ints, versions: Ints, last: int, probes: int = 0, recall: float = 1.0) -> None:
        """Write a whole snapshot aside and put it in place. Raises OSError; what was there stays then."""
        import faiss
        import numpy as np

        stem = f"{self._prefix}-{uuid4().hex[:12]}"
        path = self._directory / f"{stem}.faiss"
        with _private_umask():
            try:
                faiss.write_index(index, str(path))
            except RuntimeError as error:  # what faiss makes of a full disk
                path.unlink(missing_ok=True)
                raise OSError(f"the index could not be written to {path}: {error}") from error
            np.save(path.with_suffix(".npy"), np.stack([chunks, versions]))
            header = Header(
                self._model, self._dimension, len(chunks), path.stat().st_size, _checksum(path), last, stem,
                probes, recall,
            )  # fmt: skip
            aside = self._directory / f"{stem}.json"
            aside.write_text(json.dumps(asdict(header)), "utf-8")
            _flush(path, path.with_suffix(".npy"), aside)
            os.replace(aside, self._header)
        self._drop_others(stem)

    def _drop_others(self, keep: str) -> None:
        for path in self._directory.glob(f"{self._prefix}-*"):
            if path.stem != keep:
                path.unlink(missing_ok=True)

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Whether this process may write now: one writer at a time, the others need not wait for it."""
        make_directory(self._directory)
        with filelock.held(self._directory / "lock") as mine:
            yield mine


def described(home: Path, model: Vectors) -> Header | None:
    """What a model's snapshot in a store says of itself; None where there is none that can be read."""
    return Snapshots(places.vectors_dir(home), model.id, model.name, model.dimension).header()


def _checksum(path: Path) -> int:
    """CRC-32 of a whole file (77 MB: about 0.1 s), mapped so that it costs no memory of ours."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return 0
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            return zlib.crc32(mapped)


def _flush(*paths: Path) -> None:
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())


@contextmanager
def _private_umask() -> Iterator[None]:
    """Files made inside are the owner's alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
