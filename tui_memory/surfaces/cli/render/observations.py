"""Observations for people: rows of a list, and one whole (a memory's source)."""

from __future__ import annotations

from collections.abc import Sequence

from tui_memory.model import Observation
from tui_memory.safetext import clean, one_line
from tui_memory.surfaces.cli.render import table
from tui_memory.surfaces.cli.render.ages import age, exact
from tui_memory.surfaces.cli.render.paint import accent, bold, dim

_SNIPPET = 200  # enough for the widest terminals; a body may be 16,000 characters
_COLUMNS = (
    table.Column("ID", right=True, style=accent),
    table.Column("KIND"),
    table.Column("TEXT", gives=True),
    table.Column("STATE", gives=True),
    table.Column("AGENT", style=dim),
    table.Column("REDACTED", right=True),
    table.Column("AGE", right=True, style=dim),
)


def rows(observations: Sequence[Observation], now: int, limit: int | None) -> list[str]:
    """A list's lines, heads first."""
    return table.lines(_COLUMNS, [_row(observation, now) for observation in observations], limit)


def _row(observation: Observation, now: int) -> list[str]:
    first = one_line(observation.text[: _SNIPPET * 4], _SNIPPET) or ", ".join(map(one_line, observation.files))
    reason = f" ({one_line(observation.reason)})" if observation.reason else ""
    redacted = sum(observation.redactions.values())
    return [
        str(observation.id),
        observation.kind,
        first,
        observation.state + reason,
        one_line(observation.agent),
        str(redacted) if redacted else "",
        age(observation.time, now),
    ]


def whole(observation: Observation) -> list[str]:
    """One observation with its text, indented under its memory."""
    standing = [exact(observation.time), one_line(observation.agent), observation.state]
    standing += [f"{count} × {kind} redacted" for kind, count in observation.redactions.items()]
    head = " ".join(part for part in (observation.kind, one_line(observation.tool)) if part)
    text = clean(observation.text).strip("\n") or "(no text kept)"
    return [
        f"{accent(f'#{observation.id}')} {bold(head)}  {dim(' · '.join(standing))}",
        *(f"    {line}" for line in text.split("\n")),
    ]
