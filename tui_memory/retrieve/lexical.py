"""Search by words: which memories hold the query's rarer words, then exact BM25 over those that may matter.

FTS5's own ranking costs 0.5 µs a posting and scores every memory that holds any word. Here SQLite only says who
holds a word (0.04 µs a posting, joined), rarest words first within a budget, so that common ones cannot take long;
the few candidates are then scored over all words from their stored tokens, by field.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tui_memory.store import search_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.columns import Columns
    from tui_memory.store.db import Store

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

K1, B = 1.2, 0.4
BUDGET = 60_000  # postings read for one query: about 6 ms
_HELD = 4_000_000  # postings kept between queries: 16 MB
_MOST_TERMS = 256  # of a pasted log or diff the rarest are enough

# What a question is built with and says nothing of what it is about.
_FUNCTION_WORDS = """
a about after again all also am an and any are aren't as at be because been before being both but by can can't could
couldn't did didn't do does doesn't doing don't done each either else ever for from get gets getting give given go
goes going gone got had has hasn't have haven't having he her here hers him his how i if in into is isn't it it's its
itself just know let like make many may me might more most much must my no nor not of off on once only or other our
ours out over own please same shall she should so some such than that that's the their theirs them then there these
they this those through to too under until up us very was wasn't we were weren't what what's when where which while
who whom whose why will with won't would wouldn't yet you your yours
"""


@dataclass(frozen=True, slots=True)
class Words:
    """What a query asks for: its terms that any memory holds, with their weights."""

    terms: tuple[str, ...]
    """Rarest first."""
    found: tuple[int, ...]
    """How many versions hold each."""
    idf: Floats
    mass: float
    """The idf of all the query's terms, of those that nobody holds too."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The lexical signals of some versions, arrays of one length."""

    lexical: Floats
    """BM25 over title, summary, text and facts."""
    names: Floats
    """BM25 over title, files, labels and identifiers."""
    coverage: Floats
    """The share of the query's idf mass that the version holds, 0..1."""


class Lexicon:
    """Term statistics and postings of a store, kept between queries and extended as versions come."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._found: dict[str, int] = {}
        self._postings: OrderedDict[str, tuple[Ints, int]] = OrderedDict()
        self._held = 0
        self._counted = 0

    def words(self, query: str) -> Words:
        """The query's terms by the one analyser, without function words unless it has no others."""
        import numpy as np

        asked = search_text.terms(query)
        asked = [term for term in asked if term not in function_words()] or asked
        total, _ = self.lengths()
        counts = {term: self._count(term, total) for term in asked}
        weights = {
            term: float(np.log1p((max(total - count, 0) + 0.5) / (count + 0.5))) for term, count in counts.items()
        }
        held = sorted((term for term in asked if counts[term]), key=lambda term: counts[term])[:_MOST_TERMS]
        idf = np.array([weights[term] for term in held], dtype=np.float32)
        return Words(tuple(held), tuple(counts[term] for term in held), idf, sum(weights.values()))

    def _count(self, term: str, total: int) -> int:
        """How many rows hold a term; a known number is asked again when the store has grown by a tenth."""
        with self._lock:
            if not self._counted <= total <= 1.1 * self._counted:
                self._found.clear()
                self._counted = total
            known = self._found.get(term)
        if known is not None:
            return known
        rows = self._store.rows("SELECT doc FROM search_terms WHERE term = ?", (term,))
        if not rows:
            return 0  # not kept: the next memory may hold it
        with self._lock:
            self._found[term] = int(rows[0][0])
        return int(rows[0][0])

    def lengths(self) -> tuple[int, tuple[float, float, float]]:
        """How many rows the search text has, and the mean tokens of its title, body and names."""
        rows = self._store.rows("SELECT block FROM search_text_data WHERE id = 1")
        numbers = list(_varints(rows[0][0])) if rows else []
        if len(numbers) < 4 or not numbers[0]:
            return 0, (1.0, 1.0, 1.0)
        total, title, body, names = numbers[:4]
        return total, (max(title / total, 1.0), max(body / total, 1.0), max(names / total, 1.0))

    def candidates(self, words: Words, columns: Columns, mask: NDArray[np.bool_], depth: int) -> Ints:
        """Up to `depth` allowed rows that hold most of the query's weight, as far as the budget reads."""
        import numpy as np

        sums = np.zeros(len(columns), dtype=np.float32)
        left = BUDGET
        for term, count, idf in zip(words.terms, words.found, words.idf, strict=True):
            if left <= 0:
                break
            rows = columns.rows_of_versions(self._holders(term, min(count, left) if count > left else 0))
            rows = rows[rows >= 0]
            sums[rows] += idf
            left -= count
        lengths = columns.numbers["tokens"].astype(np.float32)
        sums *= mask / (1 + K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1.0))) if len(lengths) else 1
        return best(sums, depth)

    def _holders(self, term: str, newest: int) -> Ints:
        """The versions that hold a term, only the newest so many where it is too common to read whole."""
        with self._lock:
            held = self._postings.get(term)
            if held is not None:
                self._postings.move_to_end(term)
        known, upto = held if held is not None else (None, 0)
        top = self._store.rows("SELECT MAX(id) FROM versions")[0][0] or 0
        if known is not None and upto >= top:
            return known
        if known is None and newest:
            return self._read("ORDER BY rowid DESC LIMIT ?", term, newest)
        fresh = self._read("AND rowid > ?", term, upto)
        return self._keep(term, known, fresh, top)

    def _read(self, rest: str, term: str, value: int) -> Ints:
        import numpy as np

        holders = f"SELECT rowid FROM search_text WHERE search_text MATCH ? {rest}"
        row = self._store.rows(f"SELECT group_concat(rowid) FROM ({holders})", (search_text.quote(term), value))[0]
        return np.fromstring(row[0], dtype=np.int64, sep=",") if row[0] else np.zeros(0, dtype=np.int64)

    def _keep(self, term: str, known: Ints | None, fresh: Ints, top: int) -> Ints:
        import numpy as np

        whole = fresh if known is None else np.concatenate([known, fresh])
        with self._lock:
            self._held += len(whole) - (len(self._postings[term][0]) if term in self._postings else 0)
            self._postings[term] = (whole, top)
            self._postings.move_to_end(term)
            while self._held > _HELD and len(self._postings) > 1:
                _, (dropped, _) = self._postings.popitem(last=False)
                self._held -= len(dropped)
        return whole

    def score(self, words: Words, versions: Ints) -> Scored:
        """The exact signals of these versions for all of the query's terms."""
        import numpy as np

        count, width = len(versions), len(words.terms)
        if not count or not width:
            nothing = np.zeros(count, dtype=np.float32)
            return Scored(nothing, nothing, nothing)
        title, body, names, lengths = self._frequencies(words, versions)
        _, (title_mean, body_mean, names_mean) = self.lengths()
        prose = _bm25(title + body, lengths[:, 0] + lengths[:, 1], title_mean + body_mean, words.idf)
        named = _bm25(title + names, lengths[:, 0] + lengths[:, 2], title_mean + names_mean, words.idf)
        held = (title + body + names) > 0
        return Scored(prose, named, (held @ words.idf / max(words.mass, 1e-9)).astype(np.float32))

    def _frequencies(self, words: Words, versions: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        """How often each version's title, body and names hold each term, and how long the three are."""
        import numpy as np

        place = {term: at for at, term in enumerate(words.terms)}
        width, row_of = len(words.terms), {int(version): at for at, version in enumerate(versions)}
        hits: tuple[list[int], list[int], list[int]] = ([], [], [])
        lengths = np.zeros((len(versions), 3), dtype=np.float32)
        for row in self._store.rows(
            "SELECT rowid, title, body, names FROM search_text WHERE rowid IN (SELECT value FROM json_each(?))",
            (json.dumps(list(row_of)),),
        ):
            at = row_of[row[0]]
            for field in range(3):
                tokens = row[field + 1].split()
                lengths[at, field] = len(tokens)
                hits[field].extend([at * width + place[token] for token in tokens if token in place])
        shape = (len(versions), width)
        counted = [np.bincount(np.array(found, dtype=np.int64), minlength=shape[0] * width) for found in hits]
        title, body, names = (numbers.reshape(shape).astype(np.float32) for numbers in counted)
        return title, body, names, lengths


def best(values: Floats, count: int) -> Ints:
    """The places of the highest positive values, best first."""
    import numpy as np

    some = np.argpartition(-values, count - 1)[:count] if 0 < count < len(values) else np.arange(len(values))
    some = some[values[some] > 0]
    ordered: Ints = some[np.argsort(-values[some], kind="stable")]
    return ordered


def _bm25(frequency: Floats, length: Floats, mean: float, idf: Floats) -> Floats:
    norm = K1 * (1 - B + B * length / mean)
    scores: Floats = (frequency * (K1 + 1) / (frequency + norm[:, None])).astype("float32") @ idf
    return scores


def _varints(block: bytes) -> Iterator[int]:
    """SQLite's variable-length integers; FTS5 keeps its row and token counts as a run of them."""
    value = 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            yield value
            value = 0


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """The function words as the analyser writes them."""
    return frozenset(search_text.terms(_FUNCTION_WORDS))
