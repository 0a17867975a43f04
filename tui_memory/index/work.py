"""The work of embedding: versions become chunks, chunks become vectors, a batch at a time, resumable at any point."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from tui_memory.index import serving, snapshot
from tui_memory.index.chunking import split
from tui_memory.store import chunks
from tui_memory.store import vectors as store_vectors

if TYPE_CHECKING:
    from tui_memory.index.embedders import Embedder, Vectors
    from tui_memory.store.db import Store

_STEP = 256  # chunks encoded and stored at once: some seconds
_SHARE = 0.05  # of the vectors that are saved, new ones that are worth another file

OnBatch = Callable[[int], None]
"""Called after each batch with how many versions are done."""


def embed_missing(store: Store, embedder: Embedder, *, batch: int = 128, on_batch: OnBatch | None = None) -> int:
    """Chunk and embed every version that has no chunks, and every chunk this model has not seen: how many versions.

    The model runs outside any transaction; a batch's chunks and vectors come into the store together, so a kill
    loses at most the batch at hand. Raises ModelError and StoreError; what was stored stays stored.
    """
    model = store_vectors.model(store, embedder.name, embedder.dimension)
    done = 0
    while waiting := chunks.missing(store, batch):
        for texts in _steps([(version, split(title, summary, text)) for version, title, summary, text in waiting]):
            vectors = embedder.encode([chunk for _, parts in texts for chunk in parts])
            _store(store, model, texts, vectors)
            done += len(texts)
            if on_batch is not None:
                on_batch(done)
    _embed_chunks(store, embedder, model, batch)
    return done


def _steps(texts: list[tuple[int, list[str]]]) -> Iterator[list[tuple[int, list[str]]]]:
    """Versions and their chunks in steps of some chunks, at least one version each: long ones hold up no others."""
    step, size = list[tuple[int, list[str]]](), 0
    for version, parts in texts:
        if step and size + len(parts) > _STEP:
            yield step
            step, size = [], 0
        step.append((version, parts))
        size += len(parts)
    if step:
        yield step


def save_index(store: Store) -> bool:
    """Write the vector index's files anew where many vectors are in none: whether that was done.

    Processes that start then map them instead of reading every vector from the store. By an index of its own, so
    that no search waits for it. Raises OSError and StoreError; what was there stays then.
    """
    from tui_memory.index.faiss_index import WORTH, FaissIndex

    found = serving.model(store)
    if found is None:
        return False
    header = snapshot.described(store.home, found)
    last, count = (header.last, header.count) if header is not None else (0, 0)
    fresh = store.rows("SELECT COUNT(*) FROM chunks WHERE id > ?", (last,))[0][0]
    return fresh >= max(WORTH, _SHARE * count) and FaissIndex(store, found.id).snapshot()


def rebuild_index(store: Store, on_progress: Callable[[int, int], None] | None = None) -> int | None:
    """Write the vector index's files anew from the store alone; how many vectors, None where another process writes.

    Searches go on with what they have mapped. Raises OSError and StoreError; what was there stays then.
    """
    from tui_memory.index.faiss_index import FaissIndex

    found = serving.model(store)
    if found is None:
        return 0
    index = FaissIndex(store, found.id, files=False)
    if on_progress is not None:
        total = int(store.rows("SELECT COUNT(*) FROM vectors WHERE model_id = ?", (found.id,))[0][0])
        index.on_taken = lambda done: on_progress(min(done, total), total)
    return len(index.refresh().chunks) if index.snapshot() else None


def blobs(vectors: Vectors) -> list[bytes]:
    """Vectors as the store keeps them: little-endian float16."""
    half = vectors.astype("<f2")
    return [row.tobytes() for row in half]


def _store(store: Store, model: int, texts: Sequence[tuple[int, list[str]]], vectors: Vectors) -> None:
    """One transaction for a batch; what another process has chunked meanwhile is left as it is."""
    packed = iter(blobs(vectors))
    with store.transaction():
        taken = _chunked(store, [version for version, _ in texts])
        rows, kept = [], []
        for version, parts in texts:
            for n, chunk in enumerate(parts):
                blob = next(packed)
                if version not in taken:
                    rows.append((version, n, chunk))
                    kept.append(blob)
        ids = chunks.add(store, rows)
        store_vectors.put(store, model, list(zip(ids, kept, strict=True)))


def _chunked(store: Store, versions: list[int]) -> set[int]:
    """Which of these versions have chunks, or are gone, by now."""
    found = store.rows(
        "SELECT j.value FROM json_each(?) j LEFT JOIN versions v ON v.id = j.value"
        " WHERE v.id IS NULL OR EXISTS (SELECT 1 FROM chunks c WHERE c.version_id = j.value)",
        (json.dumps(versions),),
    )
    return {int(row[0]) for row in found}


def _embed_chunks(store: Store, embedder: Embedder, model: int, batch: int) -> None:
    """Vectors of this model for chunks that were embedded by another one."""
    while rows := store_vectors.missing(store, model, batch):
        vectors = embedder.encode([text for _, text in rows])
        store_vectors.put(store, model, list(zip((chunk for chunk, _ in rows), blobs(vectors), strict=True)))
