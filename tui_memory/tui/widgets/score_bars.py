"""A score as a stacked bar and as a sum: every part has a hue, a letter and its number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual.content import Content

from tui_memory.safetext import one_line
from tui_memory.tui.widgets.rows import Span


@dataclass(frozen=True, slots=True)
class Part:
    """How one part of a score is drawn: its letter, its fill, the theme's variable of its hue."""

    letter: str
    fill: str
    hue: str


PARTS: dict[str, Part] = {
    "dense": Part("d", "▆", "score-dense"),
    "passage": Part("s", "▄", "score-passage"),
    "lexical": Part("w", "▆", "score-lexical"),
    "names": Part("i", "▄", "score-names"),
    "coverage": Part("c", "▂", "score-coverage"),
    "title": Part("t", "▇", "score-names"),
    "phrase": Part("h", "▅", "score-lexical"),
    "neighbours": Part("n", "▃", "score-neighbours"),
    "age": Part("a", "▁", "score-age"),
    "use": Part("u", "▅", "score-use"),
    "pin": Part("p", "▇", "score-pin"),
    "affinity": Part("f", "▂", "score-affinity"),
}
_OTHER = Part("·", "▪", "score-other")
_WORDS = {"dense": "meaning", "lexical": "words", "affinity": "files"}
NOT_PARTS = frozenset({"cosine", "fused", "final", "score", "rank", "diversity"})
"""Sums of other parts and raw signals: never stacked, never added."""


def part(name: str) -> Part:
    """How a part is drawn; one we do not know gets a dot."""
    return PARTS.get(name, _OTHER)


def parts(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """The parts that add up, in the order they are drawn, without those that add nothing."""
    order = list(PARTS)
    named = [(name, value) for name, value in scores.items() if name not in NOT_PARTS and abs(value) >= 0.0005]
    return sorted(named, key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order))


def widths(scores: Mapping[str, float], width: int, full: float) -> list[tuple[str, int]]:
    """How many cells each part gets in a bar of `width` cells that stands for `full`; never more in all."""
    shown: list[tuple[str, int]] = []
    left, carried = width, 0.0
    for name, value in parts(scores):
        if value <= 0 or full <= 0:
            continue
        exact = value / full * width + carried
        cells = min(round(exact), left)
        carried = exact - cells
        left -= cells
        if cells > 0:
            shown.append((name, cells))
    return shown


def bar(scores: Mapping[str, float], width: int, full: float) -> tuple[Span, ...]:
    """The parts stacked in `width` cells: each with its letter, its fill and its hue."""
    spans: list[Span] = []
    used = 0
    for name, cells in widths(scores, width, full):
        look = part(name)
        spans.append((look.letter + look.fill * (cells - 1), look.hue))
        used += cells
    return (*spans, ("·" * max(width - used, 0), "muted"))


def written(scores: Mapping[str, float], total: float) -> Content:
    """`meaning 0.52 + words 0.21 − age 0.03 = 0.70`, each part in its hue behind its letter."""
    pieces: list[tuple[str, str]] = []
    for index, (name, value) in enumerate(parts(scores)):
        look, word = part(name), one_line(_WORDS.get(name, name), 24)
        sign = "−" if value < 0 else "+"
        lead = f" {sign} " if index else ("−" if value < 0 else "")
        pieces.append((lead, "$tm-muted"))
        pieces.append((f"{look.letter}{look.fill} ", f"${look.hue}"))
        pieces.append((f"{word} ", ""))
        pieces.append((f"{abs(value):.2f}", "bold"))
    pieces.append((f"{' = ' if pieces else ''}{total:.2f}", "bold"))
    rest = total - sum(value for _, value in parts(scores))
    if abs(rest) >= 0.005 and len(pieces) > 1:
        pieces.append((f"   (scaled: the parts above sum to {total - rest:.2f})", "$tm-muted"))
    return Content.assemble(*pieces)
