"""Search by words: which memories hold the query's rarer words, then exact BM25 over those that may matter.

FTS5's own ranking costs 0.5 µs a posting and scores every memory that holds any word. Here SQLite only says who
holds a word (0.04 µs a posting, joined), rarest words first within a budget, so that common ones cannot take long;
the few candidates are then scored over all words from their stored tokens, by field.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from tui_memory.retrieve.query_words import Words, query_weights, words_of
from tui_memory.retrieve.word_scores import B_PROSE, K1, Scored, Text, given_tokens, score_texts
from tui_memory.store import search_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.columns import Columns
    from tui_memory.store.db import Store

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Rows = NDArray[np.int32]
    Versions = NDArray[np.int32]

BUDGET = 60_000  # postings read for one query: about 6 ms
_WHOLE = 4 * BUDGET  # a list up to this long is read whole, once, and kept; of a longer one the newest are read
_HELD = 8_000_000  # postings kept between queries: 32 MB
_MOST_TERMS = 256  # of a pasted log or diff the rarest are enough
_TOKENS = """
SELECT t.rowid, t.title, t.body, t.names, v.files, v.labels, v.title NOT LIKE '%…'
FROM search_text t JOIN versions v ON v.id = t.rowid WHERE t.rowid IN (SELECT value FROM json_each(?))
"""


class Lexicon:
    """Term statistics and postings of a store, kept between queries and extended as versions come."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._found: dict[str, int] = {}
        self._postings: OrderedDict[str, tuple[Versions, int]] = OrderedDict()
        self._held = 0
        self._counted = 0

    def words(self, query: str) -> Words:
        """The query's terms by the one analyser, without function words; as rare as they are in all of the store."""
        asked, (total, _) = query_weights(query), self.lengths()
        return words_of(query, asked, {term: self._count(term, total) for term in asked}, total, _MOST_TERMS)

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

    def holders(self, words: Words, columns: Columns) -> list[Rows]:
        """By term, in the order of the words: the rows that hold it, as far as the budget reads."""
        import numpy as np

        left = BUDGET
        held: list[Rows] = []
        for term, count in zip(words.terms, words.found, strict=True):
            if left <= 0:
                break
            versions = self._holders(term, left if count > _WHOLE else 0) if count else np.zeros(0, dtype=np.int32)
            rows = columns.rows_of_versions(versions)
            held.append(rows[rows >= 0])
            left -= count
        return held

    def among(self, words: Words, holders: Sequence[Rows], mask: NDArray[np.bool_]) -> Words:
        """The words as rare as they are among the allowed rows."""
        import numpy as np

        searched, (total, _) = int(np.count_nonzero(mask)), self.lengths()
        everything = searched == len(mask)
        counts = [found * searched / max(total, 1) for found in words.found]  # where they were not read
        for at, rows in enumerate(holders):
            inside = len(rows) if everything else int(np.count_nonzero(mask[rows]))
            partly = words.found[at] > _WHOLE  # the newest of them stand for all
            counts[at] = inside * (words.found[at] / max(len(rows), 1) if partly else 1)
        return words.among(counts, searched, total)

    def candidates(
        self, words: Words, holders: Sequence[Rows], columns: Columns, mask: NDArray[np.bool_], depth: int
    ) -> Ints:
        """Up to `depth` allowed rows that hold most of the query's weight."""
        import numpy as np

        sums = np.zeros(len(columns), dtype=np.float32)
        for rows, weight in zip(holders, words.weights, strict=False):
            sums[rows] += weight
        some = np.flatnonzero((sums > 0) & mask)
        lengths = columns.numbers["tokens"][some] / max(columns.mean_tokens, 1.0)
        held = sums[some] / (1 + K1 * (1 - B_PROSE + B_PROSE * lengths))
        return some[best(held.astype(np.float32), depth)]

    def _holders(self, term: str, newest: int) -> Versions:
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

    def _read(self, rest: str, term: str, value: int) -> Versions:
        import numpy as np

        holders = f"SELECT rowid FROM search_text WHERE search_text MATCH ? {rest}"
        row = self._store.rows(f"SELECT group_concat(rowid) FROM ({holders})", (search_text.quote(term), value))[0]
        return np.fromstring(row[0], dtype=np.int32, sep=",") if row[0] else np.zeros(0, dtype=np.int32)

    def _keep(self, term: str, known: Versions | None, fresh: Versions, top: int) -> Versions:
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
        place = {int(version): at for at, version in enumerate(versions)}
        texts = (
            Text(place[version], title, body, names, given_tokens(files) + given_tokens(labels), bool(own))
            for version, title, body, names, files, labels, own in (
                self._store.rows(_TOKENS, (json.dumps(list(place)),)) if len(words.terms) and place else ()
            )
        )
        return score_texts(words, texts, len(versions), self.lengths()[1])


def best(values: Floats, count: int) -> Ints:
    """The places of the highest positive values, best first."""
    import numpy as np

    some = np.argpartition(-values, count - 1)[:count] if 0 < count < len(values) else np.arange(len(values))
    some = some[values[some] > 0]
    ordered: Ints = some[np.argsort(-values[some], kind="stable")]
    return ordered


def _varints(block: bytes) -> Iterator[int]:
    """SQLite's variable-length integers; FTS5 keeps its row and token counts as a run of them."""
    value = 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            yield value
            value = 0
