"""Counts by tier, kind, label, file, state, project and place, as a plain list; enter filters by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tui_memory.model import Filters
from tui_memory.tui import formats
from tui_memory.tui.widgets.rows import Cell

ORDER = ("state", "tier", "kind", "label", "file", "project", "where")
QUICK, SLOW = ("state", "tier", "kind", "project"), ("label", "file", "where")
"""What an index counts at once, and what takes a look at every label and path."""
PLACES = {
    "here": "here alone",
    "sync": "your devices",
    "hub": "from the hub",
    "shared": "shared by you",
}
"""Where memories live, in a person's words."""
_GLOB = re.compile(r"[*?\[]")
MOST = 8
"""Values shown of one facet; more are said, not hidden."""


@dataclass(frozen=True, slots=True)
class Facet:
    """One row: a value of a facet with its count. `name` empty: a line that only says something."""

    number: int
    name: str
    value: str
    count: int = 0
    first: bool = False
    """The first of its facet: the facet's name is written before it."""


def rows(counts: Mapping[str, Mapping[str, int]]) -> list[Facet]:
    """The facets in their order, most frequent value first."""
    found: list[Facet] = []
    for name in (*ORDER, *(key for key in counts if key not in ORDER)):
        values = sorted(counts.get(name, {}).items(), key=lambda pair: (-pair[1], pair[0]))
        for index, (value, count) in enumerate(values[:MOST]):
            found.append(Facet(len(found), name, value, count, index == 0))
        if len(values) > MOST:
            found.append(Facet(len(found), "", f"… {len(values) - MOST} more"))
    return found


def draw(facet: Facet, chosen: Iterable[tuple[str, str]], width: int) -> list[Cell]:
    """One row."""
    on = (facet.name, facet.value) in chosen
    return [
        Cell(facet.name if facet.first else "", "accent", width=7),
        Cell("✓" if on else " ", "accent"),
        Cell(
            formats.short(shown(facet.name, facet.value) or "(none)", width),
            "subject" if on else "" if facet.name else "muted",
            flex=True,
        ),
        Cell(formats.number(facet.count) if facet.name else "", "muted", right=True),
    ]


def shown(name: str, value: str) -> str:
    """A facet's value as a person reads it."""
    return PLACES.get(value, value) if name == "where" else value


def filters(project: str, chosen: Iterable[tuple[str, str]]) -> Filters:
    """The filters that the chosen facets ask for, within a project (empty: all)."""
    by_name: dict[str, tuple[str, ...]] = {}
    for name, value in chosen:
        by_name[name] = (*by_name.get(name, ()), value)
    folders = [_GLOB.sub(r"[\g<0>]", value.rstrip("/")) for value in by_name.get("file", ())]
    return Filters(
        project=by_name.get("project") or project or None,
        tier=by_name.get("tier", ()),
        kind=by_name.get("kind", ()),
        label=by_name.get("label", ()),
        where=tuple(place for place in by_name.get("where", ()) if place in PLACES),
        path=tuple(glob for folder in folders for glob in (folder, f"{folder}/*")),
    )
