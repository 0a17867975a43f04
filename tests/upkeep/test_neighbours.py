"""Every near pair is found, in whatever order the memories are compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tui_memory.index.faiss_index import FaissIndex
from tui_memory.model import Body, NewMemory
from tui_memory.store import chunks, rows, vectors
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store
from tui_memory.upkeep import neighbours

COUNT, DIMENSION = 2_400, 32


def test_those_of_one_topic_stand_together_and_no_near_pair_is_lost(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    topics = random.standard_normal((COUNT // 4, DIMENSION))
    made = np.repeat(topics, 4, axis=0) + 0.2 * random.standard_normal((COUNT, DIMENSION))
    made = (made / np.linalg.norm(made, axis=1, keepdims=True))[random.permutation(COUNT)].astype(np.float32)
    with Store(tmp_path / "s") as store:
        ids = Changes(store).add([NewMemory(Body(f"n{n}")) for n in range(COUNT)])
        states = rows.states_of(store.connection, ids)
        placed = chunks.add(store, [(states[id_]["version_id"], 0, "") for id_ in ids])
        model = vectors.model(store, "made-up", DIMENSION)
        vectors.put(store, model, list(zip(placed, (row.tobytes() for row in made.astype("<f2")), strict=True)))
        index = FaissIndex(store, model)
        layout = index.refresh()
        order = np.flatnonzero(layout.heads)
        together = neighbours.grouped(index, layout, order)
        assert sorted(together.tolist()) == order.tolist()

        def pairs(positions: NDArray[np.int64]) -> dict[tuple[int, int], int]:
            """Each near pair, and how far apart its two stand in the list."""
            found = {}
            for near in neighbours.all_pairs(index, layout, positions):
                for one, other in zip(near.one.tolist(), near.other.tolist(), strict=True):
                    low, high = sorted((int(positions[one]), int(positions[other])))
                    found[low, high] = other - one
            return found

        apart, beside = pairs(order), pairs(together)
        assert set(beside) == set(apart) and len(beside) > COUNT
        assert np.mean(list(beside.values())) * 3 < np.mean(list(apart.values()))
