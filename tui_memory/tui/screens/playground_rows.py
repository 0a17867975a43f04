"""What the Playground lists: hits with their places and moves, what has no place, two profiles side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tui_memory.model import Filters
from tui_memory.retrieve.profile import Profile
from tui_memory.retrieve.result import Hit
from tui_memory.safetext import one_line
from tui_memory.tui import describe
from tui_memory.tui.widgets import score_bars
from tui_memory.tui.widgets.rows import Cell, fit

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.trying import Asked, Ranking
    from tui_memory.retrieve.standing import Out

NEW = 10_000
"""The move of a hit that had no place before."""
_RULES = {
    "threshold": "below the threshold", "near": "too little to do with it", "cap": "over the cap",
    "diversity": "like one above",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit with its place, how far it moved (None: nothing to compare with), and what a person said of it."""

    rank: int
    hit: Hit
    move: int | None = None
    judged: bool | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A candidate that has no place, and the rule that kept it out."""

    out: Out
    judged: bool | None = None
    moving: bool = False
    """Whether the hits above it have a column for how far they moved."""

    @property
    def hit(self) -> Hit:
        """The candidate."""
        return self.out.hit


@dataclass(frozen=True, slots=True)
class Line:
    """The line between what is given and what is not."""

    threshold: float
    number: int = -1


@dataclass(frozen=True, slots=True)
class Pair:
    """One place in two rankings."""

    rank: int
    left: Hit | None
    right: Hit | None
    move: int | None

    @property
    def hit(self) -> Hit:
        """The one that a key acts on: the right one, or the left where there is none."""
        hit = self.right or self.left
        assert hit is not None
        return hit


Row = Ranked | Kept | Line | Pair


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked, and by which weights: as they stand, as the profile has them, and those of the other one."""

    query: str
    filters: Filters
    values: Mapping[str, Any]
    base: Mapping[str, Any]
    other: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The rankings of what was asked, and what a person said of the query's memories."""

    wanted: Wanted
    asked: Asked
    now: Ranking
    then: Ranking
    """By the weights that it is compared with."""
    judged: Mapping[int, bool]
    fresh: bool
    """Whether the query was asked for it; else only ranked again."""


def answer(memory: Memory, wanted: Wanted, before: Asked | None) -> Answer:
    """Ask, unless `before` is the same query asked as deep; then only rank. Blocks, for a thread."""
    now, other = Profile.from_dict(wanted.values), Profile.from_dict(wanted.other or wanted.base)
    asked = before
    if asked is None or asked.query != wanted.query or asked.depth != int(now.depth):
        asked = memory.trying.ask(wanted.query, now, wanted.filters, before=before)
    other = replace(other, depth=now.depth)
    ranking = memory.trying.rank(asked, now)
    then = ranking if other == now else memory.trying.rank(asked, other)
    return Answer(wanted, asked, ranking, then, memory.evaluating.judged(wanted.query), asked is not before)


def rows(given: Answer) -> list[Row]:
    """The hits, the line, and the best of what is below it."""
    moves = _moves(given.then, given.now) if given.then is not given.now else {}
    listed: list[Row] = [
        Ranked(place, hit, moves.get(hit.id), given.judged.get(hit.id)) for place, hit in enumerate(given.now.hits, 1)
    ]
    if given.now.out:
        listed.append(Line(given.now.profile.threshold))
        listed += [Kept(out, given.judged.get(out.hit.id), bool(moves)) for out in given.now.out]
    return listed


def pairs(given: Answer) -> list[Row]:
    """Two rankings side by side, place by place; the older, or other, one left."""
    left, right = (given.now, given.then) if given.wanted.other is not None else (given.then, given.now)
    moves = _moves(left, right)
    most = max(len(left.hits), len(right.hits))
    listed: list[Row] = []
    for at in range(most):
        one, two = (side.hits[at] if at < len(side.hits) else None for side in (left, right))
        listed.append(Pair(at + 1, one, two, moves.get(two.id) if two is not None else None))
    return listed


def _moves(before: Ranking, after: Ranking) -> dict[int, int]:
    from tui_memory.engine.trying import moves

    found = moves([hit.id for hit in before.hits], [hit.id for hit in after.hits])
    return {memory: NEW if by is None else by for memory, by in found.items()}


def key(row: Row) -> int:
    """A row's identity."""
    return row.number if isinstance(row, Line) else -1 - row.rank if isinstance(row, Pair) else row.hit.id


def move(by: int | None) -> tuple[str, str]:
    """`▲2`, `▼1`, `—`, `new`, and its role."""
    if by is None:
        return "", ""
    if by == NEW:
        return "new", "good"
    return (f"▲{by}", "good") if by > 0 else (f"▼{-by}", "bad") if by < 0 else ("—", "muted")


def mark(judged: bool | None) -> tuple[str, str]:
    """`r`, `i` or a dot, and its role."""
    return ("·", "muted") if judged is None else ("r", "good") if judged else ("i", "bad")


def draw(row: Row, width: int, full: float) -> list[Cell]:
    """One row; `full`: the score that fills a bar."""
    if isinstance(row, Line):
        said = f"── kept out · threshold {row.threshold:.2f} "
        return [Cell(fit(said, width, fill="─"), "muted", flex=True)]
    if isinstance(row, Pair):
        return _pair(row, width)
    if isinstance(row, Kept):
        return _kept(row, width)
    wide = 14 if width >= 60 else 8
    said, role = move(row.move)
    letter, tone = mark(row.judged)
    return [
        Cell(str(row.rank), "muted", width=3, right=True),
        Cell(_title(row.hit, width), "subject", flex=True),
        Cell(describe.line(row.hit.memory.kind, 12), "muted", width=10, needs=76),
        Cell("", width=wide, spans=score_bars.bar(row.hit.scores, wide, full), needs=34),
        Cell(f"{row.hit.score:.2f}", "accent", width=5, right=True),
        Cell(said, role, width=3 if said else 0, right=True),
        Cell(letter, tone, width=1),
    ]


def _why(out: Out) -> str:
    """By which rule it has no place, and by how much: a difference too small for two digits is `just`."""
    rule, short = one_line(_RULES.get(out.rule, out.rule)), f"{out.short:.2f}"
    if short == "0.00":
        return f"just {rule}" if out.short else rule
    return f"{rule} by {short}"


def _kept(row: Kept, width: int) -> list[Cell]:
    letter, tone = mark(row.judged)
    return [
        Cell(str(row.out.place), "muted", width=3, right=True),
        Cell(_title(row.hit, width), "muted", flex=True),
        Cell(_why(row.out) if width >= 64 else one_line(row.out.rule), "warn"),
        Cell(f"{row.hit.score:.2f}", "muted", width=5, right=True),
        Cell("", width=3 if row.moving else 0),
        Cell(letter, tone, width=1),
    ]


def _pair(row: Pair, width: int) -> list[Cell]:
    said, role = move(row.move)
    half = max((width - 22) // 2, 1)
    return [
        Cell(str(row.rank), "muted", width=3, right=True),
        Cell(_title(row.left, half), "", width=half),
        Cell(_score(row.left), "muted", width=4, right=True),
        Cell("│", "muted", width=1),
        Cell(said, role, width=3, right=True),
        Cell(_title(row.right, half), "subject", flex=True),
        Cell(_score(row.right), "accent", width=4, right=True),
    ]


def _title(hit: Hit | None, width: int) -> str:
    return "" if hit is None else describe.line(hit.memory.title, max(width, 1)) or "(no title)"


def _score(hit: Hit | None) -> str:
    return f"{hit.score:.2f}" if hit is not None else ""
