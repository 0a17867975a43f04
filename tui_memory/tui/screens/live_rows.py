"""What Live lists: observations in the order they came, under a head wherever the session or the turn changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tui_memory.light import dataclass, replace
from tui_memory.model import Observation
from tui_memory.safetext import one_line
from tui_memory.tui import describe, formats
from tui_memory.tui.screens.live_sieve import Sieve
from tui_memory.tui.widgets.rows import Cell

MOST = 2_000
"""Observations kept on screen; older ones are read again when scrolled to."""
SLACK = 200
KEPT_TEXT = 2_000
"""Characters kept of each for its row and the filter; the detail reads the whole again."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where another session or turn begins: the first observation under it, and how many follow."""

    first: Observation
    events: int = 1


Row = Head | Observation


def key(row: Row) -> int:
    """A row's identity: an observation's id; a head's is that of its first, negative."""
    return -row.first.id if isinstance(row, Head) else row.id


class LiveRows:
    """The rows, bounded; heads are made here and nowhere else."""

    def __init__(self, sieve: Sieve | None = None, most: int = MOST) -> None:
        """`most`: so many observations are kept, and at times a tenth more."""
        self.rows: list[Row] = []
        self.most, self._slack = most, SLACK * most // MOST
        self.shown = 0
        """Observations among the rows."""
        self._seen: list[Observation] = []
        self.sieve = sieve or Sieve()
        self.complete = False
        """Nothing older is in the store."""

    @property
    def newest(self) -> int:
        """The id of the last observation that came; 0 before the first."""
        return self._seen[-1].id if self._seen else 0

    @property
    def oldest(self) -> int:
        """The id of the first observation that is here; 0 where there is none."""
        return self._seen[0].id if self._seen else 0

    @property
    def read(self) -> int:
        """How many observations are here, shown or not."""
        return len(self._seen)

    @property
    def full(self) -> bool:
        """As many are here as are kept."""
        return len(self._seen) >= self.most

    def append(self, arrived: Iterable[Observation]) -> int:
        """Put newer ones at the end, oldest first: how many rows left the beginning to make room."""
        fresh = [_light(row) for row in arrived if row.id > self.newest]
        self._seen += fresh
        self._extend([row for row in fresh if self.sieve.passes(row)])
        if len(self._seen) <= self.most + self._slack:
            return 0
        self._seen = self._seen[-self.most :]
        self.complete = False
        return self._trim(self.oldest)

    def _trim(self, oldest: int) -> int:
        """Take away the rows of what is not kept any more; a run that is cut gets a head of its own."""
        cut = next((i for i, row in enumerate(self.rows) if _id(row) >= oldest), len(self.rows))
        before = len(self.rows)
        self.shown -= sum(1 for row in self.rows[:cut] if isinstance(row, Observation))
        self.rows = self.rows[cut:]
        first = self.rows[0] if self.rows else None
        if isinstance(first, Observation):
            events = next((i for i, row in enumerate(self.rows) if isinstance(row, Head)), len(self.rows))
            self.rows.insert(0, Head(first, events))
        return before - len(self.rows)

    def prepend(self, older: Sequence[Observation]) -> int:
        """Put older ones at the beginning, given newest first: how many rows were put in."""
        before, behind, shown = len(self.rows), self.rows, self.shown
        older_first = [_light(row) for row in reversed(older)]
        self._seen = [*older_first, *self._seen]
        self.rows, self.shown = [], 0
        self._extend([row for row in older_first if self.sieve.passes(row)])
        self.rows, self.shown = _joined(self.rows, behind), self.shown + shown
        return len(self.rows) - before

    def unsettled(self, most: int) -> list[int]:
        """The ids of the newest observations that may still change their state."""
        return [row.id for row in self._seen[-most:] if row.state == "captured"]

    def settle(self, now: Mapping[int, tuple[str, str, str | None]]) -> bool:
        """Take over states, reasons and projects that changed since, by id: whether any did."""
        changed: dict[int, Observation] = {}
        first = min(now, default=0)
        for index in range(len(self._seen) - 1, -1, -1):
            old = self._seen[index]
            if not now or old.id < first:
                break
            if (new := now.get(old.id)) is not None and new != (old.state, old.reason, old.project):
                self._seen[index] = changed[old.id] = replace(old, state=new[0], reason=new[1], project=new[2])
        if not changed:
            return False
        if self.sieve.looks_inside:
            self._rebuild()
            return True
        oldest = min(changed)
        for index in range(len(self.rows) - 1, -1, -1):
            row = self.rows[index]
            if _id(row) < oldest:
                break
            if isinstance(row, Observation):
                self.rows[index] = changed.get(row.id, row)
        return True

    def sift(self, sieve: Sieve) -> None:
        """Show another part of what is here."""
        self.sieve = sieve
        self._rebuild()

    def _rebuild(self) -> None:
        self.rows, self.shown = [], 0
        self._extend([row for row in self._seen if self.sieve.passes(row)])

    def _extend(self, arrived: Iterable[Observation]) -> None:
        """Heads are immutable, so that a row that is drawn never changes under the drawing."""
        head = next((i for i in range(len(self.rows) - 1, -1, -1) if isinstance(self.rows[i], Head)), -1)
        for row in arrived:
            last = self.rows[-1] if self.rows else None
            if isinstance(last, Observation) and _run(last) == _run(row):
                old = self.rows[head]
                assert isinstance(old, Head)
                self.rows[head] = Head(old.first, old.events + 1)
            else:
                head = len(self.rows)
                self.rows.append(Head(row))
            self.rows.append(row)
            self.shown += 1


def _joined(before: list[Row], behind: list[Row]) -> list[Row]:
    """Two lists as one: a run that goes on from the one into the other stands under one head."""
    if not before or not behind:
        return before or behind
    last, head = before[-1], behind[0]
    assert isinstance(last, Observation) and isinstance(head, Head)
    if _run(last) != _run(head.first):
        return [*before, *behind]
    place = next(index for index in range(len(before) - 1, -1, -1) if isinstance(before[index], Head))
    old = before[place]
    assert isinstance(old, Head)
    return [*before[:place], Head(old.first, old.events + head.events), *before[place + 1 :], *behind[1:]]


def _id(row: Row) -> int:
    return row.first.id if isinstance(row, Head) else row.id


def _run(row: Observation) -> tuple[str, int]:
    """What stands under one head: a turn, with the commits made in it."""
    return row.session, row.turn


def _light(row: Observation) -> Observation:
    return replace(row, text=row.text[:KEPT_TEXT]) if len(row.text) > KEPT_TEXT else row


GLYPHS = {"prompt": "▸", "response": "◂", "error": "✗", "edit": "±", "commit": "◆", "merge": "◆", "note": "✎"}
LOUD = ("prompt", "commit", "merge")
"""Kinds that the eye is to find first."""


def draw(row: Row, width: int) -> list[Cell]:
    """A head, or one observation: time, kind, what, state, redactions, tokens."""
    if isinstance(row, Head):
        return _head(row, width)
    glyph, word, role = describe.STATES.get(row.state, ("·", row.state, "muted"))
    hidden = sum(row.redactions.values())
    return [
        Cell(formats.clock(row.time), "muted", width=8),
        Cell(GLYPHS.get(row.kind, " "), "bad" if row.kind == "error" else "accent", width=1),
        Cell(describe.kind(row.kind), "bad" if row.kind == "error" else "muted", width=8),
        Cell(describe.line(summary(row), width) or "–", "subject" if row.kind in LOUD else "", flex=True),
        Cell(f"■{hidden}" if hidden else "", "warn"),
        Cell(glyph, role, width=1, needs=0),
        Cell(one_line(word), role, width=10, needs=70),
        Cell(formats.tokens(row.tokens), "muted", width=7, right=True, needs=62),
    ]


def draw_narrow(row: Row, width: int) -> list[Cell]:
    """The same in a column of one session: its title says whose it is, so heads say only the turn."""
    if isinstance(row, Head):
        label = f"─ turn {row.first.turn} " if row.first.turn else "─ start "
        return [
            Cell(label, "head", flex=True, fill="─"),
            Cell(formats.count(row.events, "event"), "muted"),
            Cell(formats.day(row.first.time), "muted", needs=30),
        ]
    glyph, _, role = describe.STATES.get(row.state, ("·", row.state, "muted"))
    bad = row.kind == "error"
    return [
        Cell(formats.clock(row.time)[: 8 if width >= 60 else 5], "muted", width=8 if width >= 60 else 5, needs=26),
        Cell(GLYPHS.get(row.kind, " "), "bad" if bad else "accent", width=1),
        Cell(describe.kind(row.kind), "bad" if bad else "muted", width=8),
        Cell(describe.line(summary(row), width) or "–", "subject" if row.kind in LOUD else "", flex=True),
        Cell("■" if row.redactions else "", "warn"),
        Cell(glyph, role, width=1),
        Cell(formats.tokens(row.tokens), "muted", width=7, right=True, needs=56),
    ]


def summary(row: Observation) -> str:
    """What one line says of an observation: the file, the command, or the text's first words."""
    if row.kind in ("read", "edit") and row.files:
        more = f" and {len(row.files) - 1} more" if len(row.files) > 1 else ""
        return f"{row.files[0]}{more}"
    if row.kind in ("command", "error") and row.detail.get("command"):
        code = row.detail.get("exit_code")
        failed = f"  ✗ exit {code}" if code not in (None, 0) else ""
        return f"{row.detail['command']}{failed}"
    subject = row.detail.get("subject")
    return str(subject) if row.kind in ("commit", "merge") and subject else row.text


def _head(row: Head, width: int) -> list[Cell]:
    first = row.first
    branch = f" · {describe.line(first.branch, 24)}" if first.branch else ""
    turn = f"turn {first.turn}" if first.turn else "start"
    label = f"─ {one_line(first.agent)} · {formats.session(first.session)}{branch} · {turn} "
    return [
        Cell(label, "head", flex=True, fill="─"),
        Cell(formats.count(row.events, "event"), "muted"),
        Cell(formats.day(first.time), "muted"),
    ]
