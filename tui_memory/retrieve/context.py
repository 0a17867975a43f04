"""What a session's neighbours hold of the query: a turn is understood with the one before and the one after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.columns import Columns
    from tui_memory.retrieve.query_words import Words

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]


def around(
    columns: Columns, rows: Ints, words: Words, holders: Sequence[NDArray[np.int32]], has: NDArray[np.bool_]
) -> Floats:
    """The share of the query's weight that the memories beside each row hold and it does not itself, 0..1.

    `holders`: by term, who holds it; words too common for the budget are left out. `has`: (rows, terms), what each
    row holds itself.
    """
    import numpy as np

    before, after = (beside[rows] for beside in columns.beside)
    lacking = np.zeros(len(rows), dtype=np.float32)
    if not ((before >= 0) | (after >= 0)).any():
        return lacking
    holds = np.zeros(len(columns) + 1, dtype=bool)  # the last place is for -1: no neighbour
    for at, held in enumerate(holders):
        holds[held] = True
        lacking += words.weights[at] * ((holds[before] | holds[after]) & ~has[:, at])
        holds[held] = False
    return (lacking / max(words.mass, 1e-9)).astype(np.float32)
