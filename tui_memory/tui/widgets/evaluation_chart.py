"""An evaluation as a chart: each metric's mean and interval on a track, its number, and the figure before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual.content import Content

from tui_memory.safetext import one_line
from tui_memory.tui import formats

METRICS = ("recall@5", "recall@10", "precision@5", "mrr", "ndcg@10")
_LEAST_TRACK = 12
Piece = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Figures:
    """What an evaluation came to: whose, over how many queries, each metric's mean and interval."""

    name: str
    queries: int
    metrics: Mapping[str, tuple[float, float, float]]
    """Mean, low, high."""

    def kept(self) -> dict[str, Any]:
        """As JSON values, to be remembered."""
        return {"name": self.name, "queries": self.queries, "metrics": {k: list(v) for k, v in self.metrics.items()}}

    @classmethod
    def of(cls, name: str, shown: Mapping[str, Any], queries: int) -> Figures:
        """From a profile's part of an evaluation's JSON shape."""
        return cls(name, queries, {one: (shown[one], *shown["interval"][one]) for one in METRICS})

    @classmethod
    def recalled(cls, value: object) -> Figures | None:
        """What was kept, where it is still that."""
        try:
            assert isinstance(value, dict)
            metrics = {name: tuple(map(float, value["metrics"][name])) for name in METRICS}
            assert all(len(numbers) == 3 for numbers in metrics.values())
            return cls(one_line(str(value["name"]), 60), int(value["queries"]), metrics)  # type: ignore[arg-type]
        except (AssertionError, KeyError, TypeError, ValueError):
            return None


def chart(now: Figures, was: Figures | None, width: int, height: int) -> Content:
    """A line a metric; with room for it, its track below; `width`, `height`: of the pane, in cells."""
    pieces: list[Piece] = []
    whose = f"{one_line(now.name, 30)} · {formats.count(now.queries, 'query', 'queries')}"
    pieces.append((whose, "bold"))
    if was is not None:
        pieces.append((f" · was {one_line(was.name, 20)}", "$tm-muted"))
    beside = width >= 48
    below = not beside and height > 2 * len(METRICS)
    for name in METRICS:
        pieces.append(("\n", ""))
        if beside:
            drawn = track(now.metrics[name], _former(was, name), width - 36)
            pieces += [(f"{name:<12}", "$tm-muted"), *drawn, (" ", "")]
        else:
            pieces.append((f"{name:<12}", "$tm-muted"))
        pieces += number(now.metrics[name], _former(was, name))
        if below:
            pieces += [("\n", ""), *track(now.metrics[name], _former(was, name), max(width - 1, _LEAST_TRACK))]
    return Content.assemble(*pieces)


def _former(was: Figures | None, name: str) -> float | None:
    return was.metrics[name][0] if was is not None else None


def number(values: Sequence[float], former: float | None) -> list[Piece]:
    """`0.81 ±.06 ▲ was 0.74`."""
    mean, low, high = values
    around = f" ±{(high - low) / 2:.2f}".replace("0.", ".")
    pieces: list[Piece] = [(f"{mean:.2f}", "bold"), (around, "$tm-muted")]
    if former is not None:
        moved = round(mean - former, 4)
        up = ("▲", "$text-success") if moved > 0 else ("▼", "$text-error")
        glyph, style = up if moved else ("—", "$tm-muted")
        pieces += [(f" {glyph}", style), (f" was {former:.2f}", "$tm-muted")]
    return pieces


def track(values: Sequence[float], former: float | None, width: int) -> list[Piece]:
    """`───├──●──┤──`: the mean within its interval, on 0..1; `○` where the mean was before."""
    width = max(width, _LEAST_TRACK)
    mean, low, high = (round(min(max(value, 0.0), 1.0) * (width - 1)) for value in values)
    cells: list[Piece] = [("─", "$tm-line")] * width
    for at in range(low, high + 1):
        cells[at] = ("━", "$text-accent")
    cells[low], cells[high] = ("├", "$text-accent"), ("┤", "$text-accent")
    if former is not None:
        cells[round(min(max(former, 0.0), 1.0) * (width - 1))] = ("○", "$tm-muted")
    cells[mean] = ("●", "bold $text-accent")
    return cells


def by_query(shown: Mapping[str, Any]) -> str:
    """Every query with its metrics and intervals, the worst first, as plain text."""
    rows = sorted(shown["by_query"], key=lambda row: (row["ndcg@10"], row["mrr"]))
    lines = ["Worst first. Behind a number its 95 % interval, from the query's relevant memories drawn again.", ""]
    for row in rows:
        lines.append(one_line(row["query"], 300))
        parts = [f"{name} {row[name]:.2f} [{row['interval'][name][0]:.2f}, {row['interval'][name][1]:.2f}]"
                 for name in METRICS]  # fmt: skip
        lines += ["  " + "  ".join(parts), ""]
    return "\n".join(lines)
