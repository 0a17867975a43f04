"""A second place that a search asks at the same time, and its answers ranked among the store's own by the same numbers.

What is asked and how is the place's; here is what a search needs of it, and how its rows become candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tui_memory.model import Filters, Memory
from tui_memory.retrieve.candidates import Candidates
from tui_memory.retrieve.columns import Columns
from tui_memory.retrieve.profile import MEANING, SIGNALS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.word_scores import Scored

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

NAME = "hub"
"""How a result says that it was not there, or not in time."""


class Question(NamedTuple):
    """What a place is asked: the query's terms with their weights, its vector (None without a model), the filters."""

    terms: Mapping[str, float]
    vector: Floats | None
    filters: Filters


class Foreign(NamedTuple):
    """A memory of another place; its id is negative."""

    memory: Memory
    tokens: tuple[str, str, str]
    """Title, prose and names as the analyser writes them."""
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a place has, without what this store has itself; `among`: of about how many."""

    found: Sequence[Foreign] = ()
    among: int = 0


Waiting = Callable[[], Answer | None]
"""Waits for an answer, at most until the place's deadline: None where there is none by then."""


class Elsewhere(Protocol):
    """A place that can be asked."""

    def ask(self, question: Question) -> Waiting:
        """Begin to ask; returns at once, and never raises."""


class Away:
    """A place that cannot be asked."""

    def ask(self, _question: Question) -> Waiting:
        """Nothing comes of it."""
        return lambda: None


@dataclass(frozen=True)
class _Few(Columns):
    """The rows of the candidates alone, which know who stood beside them among all."""

    next_to: tuple[Ints, Ints] = field(default=())  # type: ignore[assignment]  # always given

    @property
    def beside(self) -> tuple[Ints, Ints]:  # there it is kept, here it is given
        """As in the whole columns, of what is a candidate."""
        return self.next_to


def joined(found: Candidates, answer: Answer, scored: Scored) -> Candidates:
    """The candidates of both places; `scored`: the words' signals of the answer's rows, in their order."""
    import numpy as np

    order = np.argsort([one.memory.id for one in answer.found])  # ids ascend, as columns want them
    foreign = [answer.found[at] for at in order]
    count, own = len(foreign), len(found)
    zeros = np.zeros(count, dtype=np.float32)
    cosines = np.array([max(one.cosine or 0.0, 0.0) for one in foreign], dtype=np.float32)
    signals = {}
    for name, values in found.signals.items():
        theirs = cosines if name in MEANING else getattr(scored, name)[order] if name in SIGNALS else zeros
        signals[name] = np.concatenate([theirs.astype(np.float32), values])
    heads = found.heads
    if heads is not None:
        heads = np.concatenate([np.zeros((count, heads.shape[1]), dtype=np.float32), heads])
    return replace(
        found,
        columns=_columns(found, foreign),
        everything=found.columns,
        rows=np.arange(count + own, dtype=np.int64),
        signals=signals,
        searched=found.searched + answer.among,
        uses=np.concatenate([zeros, found.uses]),
        branch=np.concatenate([zeros, found.branch]),
        files=np.concatenate([zeros, found.files]),
        heads=heads,
        memories=found.memories | {one.memory.id: one.memory for one in foreign},
        elsewhere=np.concatenate([np.ones(count, dtype=np.float32), np.zeros(own, dtype=np.float32)]),
    )


def _columns(found: Candidates, foreign: Sequence[Foreign]) -> Columns:
    import numpy as np

    columns, count = found.columns, len(foreign)
    given = {
        "id": [one.memory.id for one in foreign], "created": [one.memory.created for one in foreign],
        "tokens": [one.memory.tokens for one in foreign],
    }  # fmt: skip
    numbers = {
        name: np.concatenate([np.array(given.get(name, [0] * count), dtype=np.int64), values[found.rows]])
        for name, values in columns.numbers.items()
    }
    codes = {name: dict(known) for name, known in columns.codes.items()}
    words = {}
    for name, values in columns.words.items():
        theirs = [codes[name].setdefault(str(getattr(one.memory, name)), len(codes[name])) for one in foreign]
        words[name] = np.concatenate([np.array(theirs, dtype=np.int32), values[found.rows]])
    place = np.full(len(columns) + 1, -1, dtype=np.int64)  # the last place is for -1: no neighbour
    place[found.rows] = np.arange(len(found.rows)) + count
    nobody = np.full(count, -1, dtype=np.int64)
    before, after = (np.concatenate([nobody, place[side[found.rows]]]) for side in columns.beside)
    return _Few(numbers, words, codes, next_to=(before, after))
