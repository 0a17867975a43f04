"""The search: gather candidates by meaning and by words, rank them by a profile, give the memories with their parts."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms
from tui_memory.index import serving
from tui_memory.model import EVERYTHING, Filters
from tui_memory.retrieve import as_of, ranking
from tui_memory.retrieve import filters as masks
from tui_memory.retrieve.candidates import NOWHERE, Candidates, Near
from tui_memory.retrieve.columns import ColumnCache, Columns
from tui_memory.retrieve.context import around
from tui_memory.retrieve.elsewhere import NAME, Answer, Elsewhere, Question, joined
from tui_memory.retrieve.lexical import Lexicon
from tui_memory.retrieve.owners import OwnersCache
from tui_memory.retrieve.profile import DEFAULT, MEANING, SIGNALS, Profile
from tui_memory.retrieve.query_words import Words
from tui_memory.retrieve.result import Hit, SearchResult
from tui_memory.retrieve.timed import Pending
from tui_memory.retrieve.word_scores import Text, score_texts
from tui_memory.store import memories

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.index.faiss_index import FaissIndex
    from tui_memory.store.db import Store

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]

Embed = Callable[[Sequence[str], bool], "NDArray[np.float32] | None"]
"""(texts, whether they are queries) → unit vectors, or None where no model can be had."""

PARTS = (*SIGNALS, "neighbours", "age", "use", "pin", "affinity", "hub", "superseded")
"""The parts of a hit's `scores` that add up to its score; `fused` is the sum of the signals' own."""

_WHOLE = 0.4  # the whole text's share in the vector of a query of many lines
_CHUNKS_A_MEMORY = 2.0  # at most so many chunks are asked of the index for each memory wanted


class Searcher:
    """One per process: what it keeps between queries follows the store. Safe to share between threads."""

    def __init__(self, store: Store, *, embed: Embed) -> None:
        self._store, self._embed = store, embed
        self._columns = ColumnCache(store)
        self._lexicon = Lexicon(store)
        self._lock = threading.Lock()
        self._indexes: dict[int, FaissIndex] = {}
        self._owners = OwnersCache()
        self._filters = masks.FilterCache(store)
        self.took = Pending()

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: Filters = EVERYTHING,
        profile: Profile = DEFAULT,
        min_score: float | None = None,
        near: Near = NOWHERE,
        moment: int | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> SearchResult:
        """Hits best first; none where nothing is near. Raises StoreError; a missing model only degrades.

        `moment`: as the store stood then (ms): ages are those of then, uses and what is at hand count for nothing.
        `elsewhere`: a place that is asked at the same time; where it does not answer, that only degrades.
        """
        found = self.gather(
            query, filters=filters, profile=profile, near=near, moment=moment, elsewhere=elsewhere
        )  # fmt: skip
        result = self.rank(found, limit=limit, profile=profile, min_score=min_score, now=moment)
        self.took.add(result.took_ms / 1000)
        return result if found.past is None else replace(result, as_of=moment, purged=found.past.purged)

    def gather(
        self,
        query: str,
        *,
        filters: Filters = EVERYTHING,
        profile: Profile = DEFAULT,
        near: Near = NOWHERE,
        moment: int | None = None,
        vector: Floats | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> Candidates:
        """The candidates of a query with their signals; only the profile's depth is used, and whether a hub is.

        `vector`: the query's own, where it is known already; the model is then not asked.
        """
        started, waiting = perf_counter(), None
        words = self._lexicon.words(query)
        if elsewhere is not None and moment is None and profile.hub and words.terms:
            vector = self._vector(query) if vector is None else vector
            terms = dict(zip(words.terms, words.weights.tolist(), strict=True))
            waiting = elsewhere.ask(Question(terms, vector, filters))
        past = as_of.at(self._store, moment) if moment is not None else None
        columns = self._columns.refresh() if past is None else past.columns
        if words.asked and len(columns):  # signs or function words alone: whatever came up would be chance
            if past is None:
                mask, beside = self._filters.allowed(columns, filters), near
            else:
                mask, beside = as_of.allowed(self._store, past, filters), None
            found = self._signals(query, words, columns, mask, int(profile.depth), beside, vector)
        else:
            found = _nothing(query, words, columns)
        found.past = past
        if waiting is not None:
            found = self._joined(found, vector, waiting())
        found.took_ms = (perf_counter() - started) * 1000
        return found

    def rank(
        self,
        found: Candidates,
        *,
        limit: int = 10,
        profile: Profile = DEFAULT,
        min_score: float | None = None,
        now: int | None = None,
    ) -> SearchResult:
        """Candidates by a profile: no model, no index, no words are asked again."""
        started = perf_counter()
        places, given, scores = _placed(found, limit, profile, min_score, now)
        results = self._hits(found, places, given, scores)
        took = found.took_ms + (perf_counter() - started) * 1000
        return SearchResult(found.query, took, list(found.degraded), results)

    def ids(self, found: Candidates, *, limit: int, profile: Profile = DEFAULT, now: int | None = None) -> list[int]:
        """As `rank`, the memories' ids alone: for many profiles, one after the other."""
        places, _, _ = _placed(found, limit, profile, None, now)
        return [int(id_) for id_ in found.columns.ids[found.rows[places]]]

    def indexes(self) -> list[FaissIndex]:
        """The vector indexes that are open: for snapshots and for what they have to say."""
        with self._lock:
            return list(self._indexes.values())

    def save(self, *, least: int = 2000) -> int:
        """Write a snapshot of each index with at least so many new vectors: how many. The worker's to do."""
        return sum(index.snapshot() for index in self.indexes() if index.unsaved >= least)

    # gathering

    def _joined(self, found: Candidates, vector: Floats | None, answer: Answer | None) -> Candidates:
        """The candidates with those of elsewhere among them; what did not answer in time is missing, and said."""
        if vector is None and "model" not in found.degraded:
            found.degraded.insert(0, "model")
        if answer is None:
            return replace(found, degraded=[*found.degraded, NAME])
        if not len(found) and vector is None:  # an empty store has every signal, of nothing
            found.signals = {name: values for name, values in found.signals.items() if name not in MEANING}
        texts = [
            Text.of(at, one.tokens, one.memory.title, (one.memory.files, one.memory.labels))
            for at, one in enumerate(answer.found)
        ]
        scored = score_texts(found.words, texts, len(texts), self._lexicon.lengths()[1])
        return joined(replace(found, vector=vector), answer, scored)

    def _signals(
        self,
        query: str,
        words: Words,
        columns: Columns,
        mask: Mask,
        depth: int,
        near: Near | None,
        vector: Floats | None,
    ) -> Candidates:
        """`near` None: nothing of today counts (a moment of the past is asked about)."""
        import numpy as np

        holders = self._lexicon.holders(words, columns)
        words = self._lexicon.among(words, holders, mask)
        rows = self._lexicon.candidates(words, holders, columns, mask, depth)
        dense, degraded = None, list[str]()
        vector = self._vector(query) if vector is None else vector
        if vector is None:
            degraded.append("model")
        else:
            dense = self._dense(vector, columns, mask, depth, rows, exact=near is None)
            if dense is None:
                degraded.append("index")
        if dense is not None:
            rows, signals, heads, lacking = dense
            if lacking:
                degraded.append("index")
        else:
            rows, signals, heads = self._with_successors(columns, rows, mask), {}, None
        scored = self._lexicon.score(words, columns.numbers["version_id"][rows])
        signals |= {name: getattr(scored, name) for name in SIGNALS if name not in MEANING}
        signals["context"] = around(columns, rows, words, holders, scored.has)
        uses = files = np.zeros(len(rows), dtype=np.float32)
        if near is not None:
            uses, files = self._live(columns, rows, near)
        here = near.branch if near is not None else ""
        branch = (columns.words["branch"][rows] == columns.code("branch", here)) & bool(here)
        at_hand = branch.astype(np.float32)
        searched = int(np.count_nonzero(mask))
        return Candidates(
            query, columns, rows, signals, words, searched, uses, at_hand, files, heads, degraded, 0.0,
            vector=vector,
        )  # fmt: skip

    def _vector(self, query: str) -> Floats | None:
        """The query's vector; of a text of many lines, mostly its first line's, which says what it is about."""
        import numpy as np

        first, _, rest = query.strip().partition("\n")
        vectors = self._embed([query, first] if rest else [query], True)
        if vectors is None:
            return None
        mixed = vectors[0] if not rest else _WHOLE * vectors[0] + (1 - _WHOLE) * vectors[1]
        unit: Floats = (mixed / max(float(np.linalg.norm(mixed)), 1e-9)).astype(np.float32)
        return unit

    def _index(self, dimension: int) -> FaissIndex | None:
        """The index of the model whose vectors serve, where they can be compared with the query's."""
        found = serving.model(self._store)
        if found is None or found.dimension != dimension:
            return None
        with self._lock:
            if found.id not in self._indexes:
                from tui_memory.index.faiss_index import FaissIndex

                self._indexes[found.id] = FaissIndex(self._store, found.id)
            return self._indexes[found.id]

    def _dense(
        self, vector: Floats, columns: Columns, mask: Mask, depth: int, by_words: Ints, *, exact: bool
    ) -> tuple[Ints, dict[str, Floats], Floats, bool] | None:
        """(rows of both searches, meaning's signals, head vectors, whether memories lack vectors); None: no index."""
        import numpy as np

        index = self._index(len(vector))
        if index is None:
            return None
        layout = index.refresh()
        owners = self._owners.of(layout, columns)
        inside = owners.inside(mask)
        # Without a selector the scan is a third quicker.
        several = min(max(len(inside) / max(len(columns), 1), 1.0), _CHUNKS_A_MEMORY)
        _, positions = index.search(
            vector, int(several * depth), None if inside.all() else inside, layout=layout, exact=exact
        )
        near = np.unique(owners.rows[positions], return_index=True)
        nearest = near[0][np.argsort(near[1])][:depth]
        rows = self._with_successors(columns, np.union1d(by_words, nearest), mask)
        mine, at = owners.positions(rows)
        vectors = index.vectors(mine, layout=layout)
        similar = vectors @ vector
        passage = np.full(len(rows), -1, dtype=np.float32)
        np.maximum.at(passage, at, similar)
        dense, heads = np.full(len(rows), -1, dtype=np.float32), np.zeros((len(rows), len(vector)), dtype=np.float32)
        first = layout.heads[mine]
        dense[at[first]], heads[at[first]] = similar[first], vectors[first]
        signals = {"dense": np.maximum(dense, 0), "passage": np.maximum(passage, 0)}
        return rows, signals, heads, bool((mask & owners.without).any())

    def _with_successors(self, columns: Columns, rows: Ints, mask: Mask) -> Ints:
        """The rows, and what replaced any of them: a superseded memory never stands without its successor."""
        import numpy as np

        successors = columns.rows_of_ids(columns.numbers["superseded_by"][rows])
        successors = successors[successors >= 0]
        return np.union1d(rows, successors[mask[successors]]).astype(np.int64)

    def _live(self, columns: Columns, rows: Ints, near: Near) -> tuple[Floats, Floats]:
        """Uses and shared files of the rows: counters and files are read, not kept."""
        import numpy as np

        ids = columns.ids[rows]
        place = {int(id_): at for at, id_ in enumerate(ids)}
        uses, files = np.zeros(len(rows), dtype=np.float32), np.zeros(len(rows), dtype=np.float32)
        listed = json.dumps(ids.tolist())
        for id_, count in self._store.rows(
            "SELECT id, uses FROM memories WHERE uses > 0 AND id IN (SELECT value FROM json_each(?))", (listed,)
        ):
            uses[place[id_]] = count
        if near.files:
            shared = self._store.rows(
                "SELECT memory_id, COUNT(*) FROM memory_files WHERE memory_id IN (SELECT value FROM json_each(?))"
                " AND path IN (SELECT value FROM json_each(?)) GROUP BY memory_id",
                (listed, json.dumps(near.files)),
            )
            for id_, count in shared:
                files[place[id_]] = count / len(near.files)
        return uses, files

    # giving

    def _hits(self, found: Candidates, places: Ints, given: dict[str, Floats], scores: Floats) -> list[Hit]:
        ids = [int(id_) for id_ in found.columns.ids[found.rows[places]]]
        missing = [id_ for id_ in ids if id_ not in found.memories]
        if missing:
            past = found.past
            read = memories.get(self._store, missing) if past is None else as_of.load(self._store, past, missing)
            found.memories.update((memory.id, memory) for memory in read)
        hits = []
        for id_, at in zip(ids, places, strict=True):
            own = {name: round(float(given[name][at]), 6) for name in PARTS if name in given}
            own["fused"] = round(sum(own[name] for name in SIGNALS if name in own), 6)
            if "dense" in found.signals:
                own["cosine"] = round(float(max(found.signals["dense"][at], found.signals["passage"][at])), 6)
            hits.append(Hit(id_, round(float(scores[at]), 6), own, replace(found.memories[id_])))
        return hits


def _placed(
    found: Candidates, limit: int, profile: Profile, min_score: float | None, now: int | None
) -> tuple[Ints, dict[str, Floats], Floats]:
    """(places of the candidates that are given, best first; the parts of each score; the scores)."""
    import numpy as np

    given = ranking.parts(found, profile, now_ms() if now is None else now)
    scores = sum(given.values(), start=np.zeros(len(found), dtype=np.float32))
    lowest = profile.threshold if min_score is None else min_score
    # As a person sees them: asking for a score that was shown gives what had it.
    keep = ranking.near(found, profile) & (scores.astype(np.float64).round(6) >= lowest - 1e-9)
    return ranking.order(found, scores, keep, min(limit, int(profile.cap)), profile.diversity), given, scores


def _nothing(query: str, words: Words, columns: Columns) -> Candidates:
    """No candidates: nothing was asked."""
    import numpy as np

    none = np.zeros(0, dtype=np.float32)
    signals = {name: none for name in (*SIGNALS, "context")}
    return Candidates(query, columns, none.astype(np.int64), signals, words, 0, none, none, none, None, [], 0.0)
