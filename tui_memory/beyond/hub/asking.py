"""The hub as a search asks it: in a thread, beside the store's own search, never longer than its deadline."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from fnmatch import fnmatchcase
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from tui_memory.beyond.hub import session, shapes
from tui_memory.beyond.hub.link import Link
from tui_memory.beyond.hub.session import SCHEMA
from tui_memory.beyond.hub.showing import Showing
from tui_memory.errors import RemoteError, TuiMemoryError
from tui_memory.model import Filters, Memory
from tui_memory.retrieve.elsewhere import Answer, Foreign, Question, Waiting

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import DictRow

WANTED = 40
"""Candidates from each of meaning and words."""
BUDGET = 2_000
"""Rows that words may make the hub look at."""
_REST_S = 30.0
"""Seconds for which a hub that failed is not asked: every search would wait for it."""
SEARCH = (
    f"SELECT * FROM {SCHEMA}.search(%s::int, %s::text, %s::text[], %s::real[], %s::uuid[], %s::text[], %s::text[],"
    " %s::text[], %s::bigint, %s::bigint, %s::int, %s::int)"
)
"""Asks the hub's function of that name, as `m002_search` takes it."""


class _About(NamedTuple):
    """What the store says of a question."""

    model: str
    """Whose vector it has."""
    place: tuple[list[str], list[str]] | None
    """The uids and the addresses of the projects asked for; None: every project."""


class Asking:
    """One link, one connection, kept from search to search.

    `deadline_s`: how long a search waits for it.
    """

    def __init__(self, link: Link, deadline_s: float, showing: Showing) -> None:
        self._link, self._deadline_s, self._showing = link, deadline_s, showing
        self._lock = threading.Lock()
        self._connection: Connection[Any] | None = None
        self._told: dict[str, str] = {}
        self._rests_until = 0.0

    def is_of(self, link: Link) -> bool:
        """Whether it asks what this link means; what is remembered beside that does not matter here."""
        mine = self._link
        return (mine.parameters, mine.team, mine.password) == (link.parameters, link.team, link.password)

    def ask(self, question: Question) -> Waiting:
        """Begin; the answer is waited for as long as the deadline says, counted from now."""
        until = monotonic() + self._deadline_s
        if monotonic() < self._rests_until:
            return lambda: None
        filters = question.filters
        if filters.agent or filters.session or filters.branch or filters.where:
            return Answer  # nobody else's sessions, agents and branches are known there, and `where` is this store's
        about = _About(self._showing.model(), self._showing.place(filters))  # here: the store's is this thread's
        box: list[Answer] = []
        done = threading.Event()
        threading.Thread(target=self._run, args=(question, about, until, box, done), daemon=True).start()

        def wait() -> Answer | None:
            done.wait(max(until - monotonic(), 0))
            if not box:
                return None
            return Answer(self._showing.theirs(list(box[0].found)), box[0].among)

        return wait

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._let_go()

    def _run(
        self, question: Question, about: _About, until: float, box: list[Answer], done: threading.Event
    ) -> None:  # fmt: skip
        try:
            # One that hangs is waited for by one thread only.
            if self._lock.acquire(timeout=max(until - monotonic(), 0)):
                try:
                    box.append(self._answer(question, about))
                except TuiMemoryError:
                    self._rests_until = monotonic() + _REST_S
                    self._let_go()
                finally:
                    self._lock.release()
        finally:
            done.set()

    def _answer(self, question: Question, about: _About) -> Answer:
        filters = question.filters
        rows = self._rows(question, about)
        found = [_foreign(row) for row in rows if shapes.is_sound(row)]
        return Answer([one for one in found if _fits(one.memory, filters)], rows[0]["among"] if rows else 0)

    def _rows(self, question: Question, about: _About) -> Sequence[DictRow]:
        """What the hub answers; a connection that has lain for long may be gone, and is made anew once."""
        if self._connection is not None:
            try:
                return self._asked(self._connection, question, about)
            except RemoteError:
                if not self._connection.broken:
                    raise
                self._let_go()
        parameters, wait_ms = self._link.parameters, max(int(self._deadline_s * 4_000), 1_000)
        self._connection = session.connect(parameters, self._link.password, connect_s=2, statement_ms=wait_ms)
        self._told = session.check(self._connection, parameters)
        return self._asked(self._connection, question, about)

    def _asked(self, connection: Connection[Any], question: Question, about: _About) -> Sequence[DictRow]:
        from pgvector import HalfVector
        from psycopg.rows import dict_row

        filters, near = question.filters, None
        if question.vector is not None and self._told["model"] == about.model:
            near = HalfVector(question.vector).to_text()
        uids, remotes = about.place if about.place is not None else (None, None)
        values = (
            self._link.team, near, list(question.terms), list(question.terms.values()), uids, remotes,
            list(filters.kind), list(filters.tier), filters.since, filters.until, WANTED, BUDGET,
        )  # fmt: skip
        with session.explained(self._link.parameters), connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(SEARCH.encode(), values).fetchall()

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _foreign(row: DictRow) -> Foreign:
    tokens = (row["title_terms"], row["body_terms"], row["name_terms"])
    return Foreign(shapes.memory(row), tokens, row["cosine"])


def _fits(memory: Memory, filters: Filters) -> bool:
    """What the hub itself does not look at."""
    globs: Sequence[str] = [*filters.path, *(f"*.{ext.lstrip('.')}" for ext in filters.ext)]
    by_label = not filters.label or bool({*filters.label} & {*memory.labels})
    by_file = not globs or any(
        fnmatchcase(file, glob) or fnmatchcase(file, f"*/{glob}") for file in memory.files for glob in globs
    )
    return by_label and by_file
