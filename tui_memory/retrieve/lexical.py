"""Search by words: which memories hold the query's rarer words, then exact BM25 over those that may matter.

FTS5's own ranking costs 0.5 µs a posting and scores every memory that holds any word. Here SQLite only says who
holds a word (0.04 µs a posting, joined), rarest words first within a budget, so that common ones cannot take long;
the few candidates are then scored over all words from their stored tokens, by field.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tui_memory.retrieve.function_words import function_words
from tui_memory.retrieve.query_words import Words, idf, pairs_of, query_weights
from tui_memory.store import search_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.columns import Columns
    from tui_memory.store.db import Store

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Versions = NDArray[np.int32]

K1 = 1.0
B_PROSE, B_NAMES = 0.4, 0.75  # how much a long text, a long list of names, counts against itself
BUDGET = 60_000  # postings read for one query: about 6 ms
_WHOLE = 4 * BUDGET  # a list up to this long is read whole, once, and kept; of a longer one the newest are read
_HELD = 8_000_000  # postings kept between queries: 32 MB
_MOST_TERMS = 256  # of a pasted log or diff the rarest are enough
_PIECE = re.compile(r"[A-Za-z]+|\d+")
_TOKENS = """
SELECT t.rowid, t.title, t.body, t.names, v.files, v.labels, v.title NOT LIKE '%…'
FROM search_text t JOIN versions v ON v.id = t.rowid WHERE t.rowid IN (SELECT value FROM json_each(?))
"""


@dataclass(frozen=True, slots=True)
class Held:
    """Which rows hold a query's words, as far as the budget read."""

    rows: Ints
    """The rows that hold most of the query's weight."""
    holders: list[NDArray[np.int32]]
    """By term, in the order of the words: the rows that hold it."""


class Text(NamedTuple):
    """A memory's tokens, as the analyser writes them."""

    at: int
    """Its row among what is scored."""
    title: str
    body: str
    names: str
    few: int
    """How many of the names are of its files and labels."""
    own: bool
    """Whether the title is more than the text's beginning."""

    @classmethod
    def of(cls, at: int, tokens: tuple[str, str, str], title: str, listed: Sequence[Sequence[str]]) -> Text:
        """A text from elsewhere; `listed`: its files and its labels."""
        few = sum(_given_tokens(json.dumps(names, separators=(",", ":"))) for names in listed)
        return cls(at, *tokens, few, not title.endswith("…"))


@dataclass(frozen=True, slots=True)
class Scored:
    """The lexical signals of some versions, arrays of one length."""

    lexical: Floats
    """BM25 over title, summary, text and facts."""
    names: Floats
    """BM25 over title, files and labels."""
    coverage: Floats
    """The share of the query's weight that the version holds, 0..1."""
    title: Floats
    """The share of the title that the query has, 0..1; 0 for one that is only the text's beginning."""
    phrase: Floats
    """The share of the query's pairs of words that stand side by side in title or text too, 0..1."""
    has: NDArray[np.bool_]
    """(versions, terms): whether it holds the term."""


class Lexicon:
    """Term statistics and postings of a store, kept between queries and extended as versions come."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._found: dict[str, int] = {}
        self._postings: OrderedDict[str, tuple[Versions, int]] = OrderedDict()
        self._held = 0
        self._counted = 0

    def words(self, query: str, *, unknown: bool = False) -> Words:
        """The query's terms by the one analyser, without function words; `unknown`: also those that nobody holds."""
        import numpy as np

        asked = query_weights(query)
        total, _ = self.lengths()
        counts = {term: self._count(term, total) for term in asked}
        weights = {term: asked[term] * idf(count, total) for term, count in counts.items()}
        held = sorted((term for term in asked if counts[term] or unknown), key=lambda term: counts[term])[:_MOST_TERMS]
        pairs = pairs_of(query, {term: idf(counts[term], total) for term in held})
        return Words(
            tuple(held),
            tuple(counts[term] for term in held),
            np.array([weights[term] for term in held], dtype=np.float32),
            sum(weights.values()),
            len(asked),
            tuple(pairs),
            tuple(pairs.values()),
        )

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

    def candidates(self, words: Words, columns: Columns, mask: NDArray[np.bool_], depth: int) -> Held:
        """Up to `depth` allowed rows that hold most of the query's weight, and who holds what."""
        import numpy as np

        sums = np.zeros(len(columns), dtype=np.float32)
        left = BUDGET
        holders: list[NDArray[np.int32]] = []
        for term, count, weight in zip(words.terms, words.found, words.weights, strict=True):
            if left <= 0:
                break
            rows = columns.rows_of_versions(self._holders(term, left if count > _WHOLE else 0))
            holders.append(rows[rows >= 0])
            sums[holders[-1]] += weight
            left -= count
        some = np.flatnonzero((sums > 0) & mask)
        lengths = columns.numbers["tokens"][some] / max(columns.mean_tokens, 1.0)
        held = sums[some] / (1 + K1 * (1 - B_PROSE + B_PROSE * lengths))
        return Held(some[best(held.astype(np.float32), depth)], holders)

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
            Text(place[version], title, body, names, _given_tokens(files) + _given_tokens(labels), bool(own))
            for version, title, body, names, files, labels, own in (
                self._store.rows(_TOKENS, (json.dumps(list(place)),)) if len(words.terms) and place else ()
            )
        )
        return self.score_texts(words, texts, len(versions))

    def score_texts(self, words: Words, texts: Iterable[Text], count: int) -> Scored:
        """The signals of `count` texts, wherever they are from; one that is not given holds nothing."""
        import numpy as np

        width = len(words.terms)
        if not count or not width:
            nothing = np.zeros(count, dtype=np.float32)
            return Scored(nothing, nothing, nothing, nothing, nothing, np.zeros((count, width), dtype=bool))
        title, body, names, lengths, phrase = _frequencies(words, texts, count)
        _, (title_mean, body_mean, _) = self.lengths()
        prose = _bm25(title + body, lengths[:, 0] + lengths[:, 1], title_mean + body_mean, words.weights, B_PROSE)
        own = lengths[:, 3:4]  # 1 where the title says something that the text does not begin with
        named_length = own[:, 0] * lengths[:, 0] + lengths[:, 2]
        named = _bm25(own * title + names, named_length, max(float(named_length.mean()), 1.0), words.weights, B_NAMES)
        has = (title + body + names) > 0
        covered = (has @ words.weights / max(words.mass, 1e-9)).astype(np.float32)
        asked = own[:, 0] * (title > 0).sum(axis=1) / (lengths[:, 4] + 1)  # + 1: a title of one word says little
        return Scored(prose, named, covered, np.minimum(asked, 1).astype(np.float32), phrase, has)


def _frequencies(words: Words, texts: Iterable[Text], count: int) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """How often each text's title, body and names hold each term; (n, 5): their lengths, whether the title is
    its own, and how many words with a meaning it has; and the share of the query's pairs that it holds."""
    import numpy as np

    place = {term: at for at, term in enumerate(words.terms)}
    terms = frozenset(place)
    counts = np.zeros((3, count, len(place)), dtype=np.float32)
    lengths, phrase = np.zeros((count, 5), dtype=np.float32), np.zeros(count, dtype=np.float32)
    whole, empty = sum(words.pair_weights), function_words()
    cells: list[tuple[int, int, int, int]] = []  # one assignment of all is quicker than one each
    for at, title, body, names, few, own in texts:
        titled, said = title.split(), body.split()
        given = names.split(None, few)[:few] if few else []
        for field, tokens in enumerate((titled, said, given)):
            cells += [(field, at, place[term], tokens.count(term)) for term in terms.intersection(tokens)]
        meant = len(set(titled).difference(empty))
        lengths[at] = len(titled), len(said), len(given), own and title != body, meant
        if whole and cells and cells[-1][1] == at:
            phrase[at] = _beside(words, f" {title} | {body} ") / whole
    if cells:
        fields, rows, columns, times = zip(*cells, strict=True)
        counts[fields, rows, columns] = times
    return counts[0], counts[1], counts[2], lengths, phrase


def _beside(words: Words, text: str) -> float:
    """The weight of the query's pairs that stand side by side in a text of tokens, a space at both its ends."""
    return sum([weight for pair, weight in zip(words.phrases, words.pair_weights, strict=True) if pair in text])


def _given_tokens(listed: str) -> int:
    """About how many tokens the analyser makes of a JSON list of files or labels: they come first among the names."""
    return 0 if listed == "[]" else len(_PIECE.findall(listed)) + 4 * (listed.count('","') + 1)


def best(values: Floats, count: int) -> Ints:
    """The places of the highest positive values, best first."""
    import numpy as np

    some = np.argpartition(-values, count - 1)[:count] if 0 < count < len(values) else np.arange(len(values))
    some = some[values[some] > 0]
    ordered: Ints = some[np.argsort(-values[some], kind="stable")]
    return ordered


def _bm25(frequency: Floats, length: Floats, mean: float, weights: Floats, b: float) -> Floats:
    norm = K1 * (1 - b + b * length / mean)
    scores: Floats = (frequency * (K1 + 1) / (frequency + norm[:, None])).astype("float32") @ weights
    return scores


def _varints(block: bytes) -> Iterator[int]:
    """SQLite's variable-length integers; FTS5 keeps its row and token counts as a run of them."""
    value = 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            yield value
            value = 0
