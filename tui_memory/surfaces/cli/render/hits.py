"""Search results for people: place, score, title, summary; and how each score came about."""

from __future__ import annotations

from collections.abc import Sequence

from tui_memory.retrieve.result import Hit
from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render import width
from tui_memory.surfaces.cli.render.ages import age
from tui_memory.surfaces.cli.render.memories import PIN, project
from tui_memory.surfaces.cli.render.paint import accent, bold, dim

_INDENT = "      "


def lines(hits: Sequence[Hit], now: int, *, explain: bool = False) -> list[str]:
    """Two or three lines a hit, best first; with `explain` the score as a sum under it."""
    whole = width.terminal()
    room = None if whole is None else whole - len(_INDENT)
    return [line for hit in hits for line in _hit(hit, now, room, explain)]


def _hit(hit: Hit, now: int, room: int | None, explain: bool) -> list[str]:
    memory = hit.memory
    title = (PIN if memory.pinned else "") + one_line(memory.title)
    beside = f" · {memory.kind} · {project(memory)} · {memory.tokens:,} t · {age(memory.created, now)}"
    beside += f" · from {one_line(memory.shared_by)}" if memory.shared_by else ""
    made = [f"{hit.score:4.2f}  {bold(_cut(title, room))}"]
    made += [_INDENT + _cut(one_line(memory.summary), room)] if memory.summary.strip() else []
    made += [f"{_INDENT}{accent(memory.name)}{dim(beside)}"]
    return made + ([_INDENT + part for part in (*_sum(hit, room), *_promoted(hit, room))] if explain else [])


def _promoted(hit: Hit, room: int | None) -> list[str]:
    """Why a memory that was learned in another project is here at all."""
    source = hit.memory.promoted_from
    return [_cut(f"(learned in {one_line(source)}, promoted to all projects)", room)] if source else []


def _cut(text: str, room: int | None) -> str:
    return text if room is None else width.cut(text, room)


def _sum(hit: Hit, room: int | None) -> list[str]:
    """The score as the sum that it is, then the numbers that stand beside it."""
    from tui_memory.retrieve.search import PARTS  # not for --help

    addends = [(name, hit.scores[name]) for name in PARTS if name in hit.scores]
    terms = [f"{'−' if value < 0 else '+'} {name}{width.TIED}{abs(value):.3f}" for name, value in addends]
    beside = [f"{name} {value:.3f}" for name, value in hit.scores.items() if name not in PARTS]
    total = " ".join(terms).removeprefix("+ ") + f" = {hit.score:.3f}"
    return width.fold(total, room) + (width.fold(f"({', '.join(beside)})", room) if beside else [])
