"""Search results for people: place, score, title, summary; and how each score came about."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from tui_memory.model import Hit
from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render import width
from tui_memory.surfaces.cli.render.ages import age
from tui_memory.surfaces.cli.render.memories import PIN, project
from tui_memory.surfaces.cli.render.paint import accent, bold, dim

_INDENT = "      "
_TIED = "\N{NO-BREAK SPACE}"  # between what must stand on one line


def lines(hits: Sequence[Hit], now: int, *, explain: bool = False) -> list[str]:
    """Two or three lines a hit, best first."""
    limit = width.terminal()
    return [line for hit in hits for line in _hit(hit, now, limit, explain)]


def _hit(hit: Hit, now: int, limit: int | None, explain: bool) -> list[str]:
    memory = hit.memory
    title = (PIN if memory.pinned else "") + one_line(memory.title)
    beside = f"#{memory.id} · {memory.kind} · {project(memory)} · {memory.tokens:,} t · {age(memory.created, now)}"
    made = [f"{hit.score:4.2f}  {bold(_cut(title, limit))}"]
    made += [_INDENT + _cut(one_line(memory.summary), limit)] if memory.summary.strip() else []
    made += [_INDENT + accent(f"#{memory.id}") + dim(_cut(beside, limit).removeprefix(f"#{memory.id}"))]
    return made + (_parts(hit, limit) if explain else [])


def _cut(text: str, limit: int | None) -> str:
    return text if limit is None else width.cut(text, limit - len(_INDENT))


def _parts(hit: Hit, limit: int | None) -> list[str]:
    """The score as the sum that it is, then the numbers that are shown beside it."""
    from tui_memory.retrieve.search import PARTS  # not for --help

    addends = [(name, hit.scores[name]) for name in PARTS if name in hit.scores]
    terms = [f"{'−' if value < 0 else '+'} {name}{_TIED}{abs(value):.3f}" for name, value in addends]
    beside = [f"{name} {value:.3f}" for name, value in hit.scores.items() if name not in PARTS]
    total = " ".join(terms).removeprefix("+ ") + f" = {hit.score:.3f}"
    lines = [total, *([f"({', '.join(beside)})"] if beside else [])]
    columns = 10_000 if limit is None else limit
    folded = [textwrap.wrap(line, columns, initial_indent=_INDENT, subsequent_indent=_INDENT) for line in lines]
    return [part.replace(_TIED, " ") for line in folded for part in line]
