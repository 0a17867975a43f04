"""Every weight of a profile as a slider: a drawn list, one row a weight, moved by keys and by the mouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events
from textual.message import Message
from textual.widget import Widget

from tui_memory.retrieve.profile import FUSIONS, MEANING, RANGES, Range
from tui_memory.tui import bindings
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell, Span

DAYS = Range(1, 3650, 5)
"""Of a half-life: what it may be, and a step of its slider."""
_LIFE, _FUSION = "half_life.", "fusion"
_NAME, _VALUE = 12, 6
_LEFT = 1 + _NAME + 1
"""Cells before a slider's track: the list's margin, the name, a space."""
_LEAST_TRACK = 4
SAYS: dict[str, str] = {
    "dense": "meaning: the query beside title and start", "passage": "meaning: beside the best passage",
    "lexical": "words in title and text", "names": "words in title, files, labels",
    "coverage": "how much of the query it has", "title": "how much of its title is asked for",
    "phrase": "words side by side, as asked", "trust": "coverage from which words count in full",
    "context": "words of the memories beside it", "neighbours": "score lent by those beside it",
    "fusion": "weighted scores, or ranks", "rank_constant": "how gently ranks fall off", "age": "gain of the new",
    "use": "gain of the often fetched", "pin": "gain of the pinned", "branch": "gain of the branch at hand",
    "files": "gain of the files at hand", "superseded": "loss of the superseded",
    "hub": "share of its score that the team's hub keeps",
    "near_meaning": "cosine that is near enough", "near_words": "coverage that is near enough",
    "threshold": "score below which nothing is given", "diversity": "loss for being like a better one",
    "depth": "candidates asked of each search", "cap": "the most that is given",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Weight:
    """One setting: its place in the list, its value and the profile's; `idle`: it has nothing to weigh now."""

    number: int
    name: str
    value: Any
    base: Any
    idle: bool = False

    @property
    def label(self) -> str:
        """As it is written before its track."""
        if self.name.startswith(_LIFE):
            return f"· {self.name.removeprefix(_LIFE)}"
        return "rank const." if self.name == "rank_constant" else self.name.replace("_", " ")

    @property
    def says(self) -> str:
        """What it does."""
        if self.name.startswith(_LIFE):
            return f"days in which the gain of a new {self.name.removeprefix(_LIFE)} halves"
        return SAYS.get(self.name, "")

    @property
    def range(self) -> Range:
        """What it may be; of a choice, the numbers of its answers."""
        if self.name == _FUSION:
            return Range(0, len(FUSIONS) - 1, 1)
        return DAYS if self.name.startswith(_LIFE) else RANGES[self.name]

    @property
    def written(self) -> str:
        """The value in at most six cells."""
        if self.name == _FUSION:
            return "rank" if self.value == "rank" else "scores"
        if self.name.startswith(_LIFE):
            return f"{self.value:g} d"
        return f"{self.value:.2f}" if self.range.high <= 1 else f"{self.value:g}"

    def at(self, value: Any) -> float:
        """Where a value lies in the range, 0..1; half-lives by their logarithm, for ten days and ten years."""
        import math

        low, high, _ = self.range
        number = float(FUSIONS.index(value)) if self.name == _FUSION else float(value)
        if self.name.startswith(_LIFE):
            return math.log(max(number, low) / low) / math.log(high / low)
        return (number - low) / (high - low)

    def placed(self, share: float) -> Any:
        """The value at a place of the range."""
        low, high, step = self.range
        share = min(max(share, 0.0), 1.0)
        if self.name.startswith(_LIFE):
            return self._kept(low * (high / low) ** share)
        return self._kept(low + round(share * (high - low) / step) * step)

    def moved(self, steps: int, big: bool) -> Any:
        """The value some steps on; a big one is a tenth of the range, of half-lives thirty days."""
        low, high, step = self.range
        if self.name == _FUSION:
            return self._kept(FUSIONS.index(self.value) + steps)
        tenth = 30.0 if self.name.startswith(_LIFE) else max(round((high - low) / 10 / step), 1) * step
        return self._kept(float(self.value) + steps * (tenth if big else step))

    def _kept(self, number: float) -> Any:
        low, high, _ = self.range
        inside = min(max(round(number, 4), low), high)
        if self.name == _FUSION:
            return FUSIONS[int(inside)]
        return float(round(inside)) if self.name.startswith(_LIFE) else inside


def weights(values: Mapping[str, Any], base: Mapping[str, Any], degraded: Sequence[str]) -> list[Weight]:
    """A profile's settings, one a row, in the profile's order; half-lives last, one a kind."""
    alone = [name for name in values if name in RANGES or name == _FUSION]
    rows = [
        Weight(number, name, values[name], base[name], name in MEANING and "model" in degraded)
        for number, name in enumerate(alone)
    ]
    lives = values.get("half_life", {})
    return rows + [
        Weight(len(rows) + number, f"{_LIFE}{kind}", days, base["half_life"][kind])
        for number, (kind, days) in enumerate(lives.items())
    ]


def put(values: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The settings with one changed."""
    if name.startswith(_LIFE):
        return values | {"half_life": values["half_life"] | {name.removeprefix(_LIFE): value}}
    return values | {name: value}


class WeightSliders(RecordList[Weight], inherit_bindings=False):
    """Posts `Weighed` whenever a weight moves; it holds nothing itself but where the cursor is."""

    HELP = (
        "Every weight of the profile. up and down choose, left and right move, with shift far; = goes back to the"
        " profile's value. The results are ranked again at each step. The mouse drags."
    )
    BINDINGS: ClassVar[bindings.BindingList] = [*bindings.LIST[:-1], *bindings.WEIGHTS]

    @dataclass
    class Weighed(Message):
        """A weight is to have another value."""

        origin: WeightSliders
        name: str
        value: Any

        @property
        def control(self) -> Widget:
            """The sliders."""
            return self.origin

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  (Textual's own name)
        super().__init__(lambda weight: weight.number, draw, what="weights", id=id)
        self._dragging = False

    def put(self, rows: Sequence[Weight]) -> None:
        """Show these; the cursor stays."""
        self.show(ListSource(list(rows)), keep=True)

    def _say(self, weight: Weight, value: Any) -> None:
        if value != weight.value:
            self.post_message(self.Weighed(self, weight.name, value))

    def action_move(self, steps: int) -> None:
        """So many steps right, left where negative."""
        if self.record is not None:
            self._say(self.record, self.record.moved(steps, big=False))

    def action_leap(self, steps: int) -> None:
        """The same in big steps."""
        if self.record is not None:
            self._say(self.record, self.record.moved(steps, big=True))

    def action_reset(self) -> None:
        """Back to the profile's value."""
        if self.record is not None:
            self._say(self.record, self.record.base)

    def action_open(self) -> None:
        """A weight has no text to open."""

    # the mouse

    def _drag_to(self, event: events.MouseEvent) -> bool:
        """Put the row's weight where the pointer is; whether it is on a track."""
        at = event.get_content_offset_capture(self)
        wide = track_width(self.scrollable_content_region.width - 2)
        if self.record is None or not (self._dragging or _LEFT <= at.x < _LEFT + wide):
            return False
        self._say(self.record, self.record.placed((at.x - _LEFT) / max(wide - 1, 1)))
        return True

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Choose the row; on its track, begin to drag."""
        index = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if 0 <= index < self.total:
            self.go(index)
            if self._drag_to(event):
                self._dragging = True
                self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag."""
        if self._dragging:
            self._drag_to(event)

    def on_mouse_up(self) -> None:
        """Let go."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()


def track_width(width: int) -> int:
    """How many cells a track has in a row of `width` cells."""
    return max(width - _NAME - _VALUE - 4, _LEAST_TRACK)


def draw(weight: Weight, width: int) -> list[Cell]:
    """Name, track, value; `*` where it is not the profile's, `▲` where it weighs nothing now."""
    wide = track_width(width)
    differs = weight.value != weight.base
    return [
        Cell(weight.label, "muted" if weight.idle else "", width=_NAME),
        Cell("", width=wide, spans=track(weight, wide)),
        Cell(weight.written, "muted" if weight.idle else "accent" if differs else "subject", width=_VALUE, right=True),
        Cell("▲" if weight.idle else "*" if differs else " ", "warn" if weight.idle else "accent", width=1),
    ]


def track(weight: Weight, width: int) -> tuple[Span, ...]:
    """`━━━●──┊──`: up to the knob filled; the profile's own value is a mark where it lies elsewhere."""
    knob, own = (round(weight.at(value) * (width - 1)) for value in (weight.value, weight.base))
    cells = ["━" if at < knob else "─" for at in range(width)]
    if own != knob:
        cells[own] = "┊"
    left, right = "".join(cells[:knob]), "".join(cells[knob + 1 :])
    role = "muted" if weight.idle else "accent"
    return ((left, role), ("○" if weight.idle else "●", role), (right, "muted"))
