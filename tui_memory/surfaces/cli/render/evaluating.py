"""Judgments, profiles and measurements for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render import table
from tui_memory.surfaces.cli.render.paint import accent, bold, dim
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.evaluating import Evaluation, Tuning
    from tui_memory.engine.qrels import Carried
    from tui_memory.retrieve.profiles import Named

_MISSING = {
    "model": "the embedding model could not be had: only words were searched",
    "index": "some memories have no vectors yet: those were searched by words only",
}


def judged(query: str, memory: int, relevant: bool) -> str:
    """One line: what was said."""
    return f"{accent(f'#{memory}')} {'answers' if relevant else 'does not answer'} “{one_line(query)}”"


def taken_back(query: str, done: bool) -> str:
    """One line."""
    return f"Taken back: what was said of “{one_line(query)}”" if done else "Nothing was said of the two."


def carried(done: Carried, verb: str) -> list[str]:
    """What was written or read, and what was left out."""
    judgments = f"{done.judgments:,} judgment{'' if done.judgments == 1 else 's'}"
    queries = f"{done.queries:,} {'query' if done.queries == 1 else 'queries'}"
    lines = [f"{verb} {judgments} of {queries} · {one_line(done.path)}"]
    lines += [dim(f"what the query ids mean: {one_line(done.queries_path)}")]
    if done.unknown_memories:
        lines.append(f"{done.unknown_memories:,} left out: this store does not have their memories")
    if done.unknown_projects:
        lines.append(f"{done.unknown_projects:,} queries are of projects unknown here: kept as asked everywhere")
    return lines


def profiles(found: Sequence[Named]) -> list[str]:
    """A line a profile: which is in use, whose it is, what it sets otherwise than the default."""
    columns = (
        table.Column(""), table.Column("PROFILE", style=bold), table.Column("FROM", style=dim),
        table.Column("DIFFERS IN", gives=True),
    )  # fmt: skip
    rows = [
        ["●" if one.used else "", one_line(one.name), one.origin, ", ".join(sorted(one.values)) or "–"] for one in found
    ]
    return table.lines(columns, rows, terminal())


def profile(found: Named) -> list[str]:
    """A line a setting; what is not the default's is marked."""
    settings = found.public()["settings"]
    wide = max(len(name) for name in settings)
    rows = []
    for name, value in settings.items():
        shown = " · ".join(f"{kind} {days:g}" for kind, days in value.items()) if isinstance(value, Mapping) else value
        text = f"{shown:g}" if isinstance(shown, float | int) else str(shown)
        rows.append(f"{'*' if name in found.values else ' '} {name.ljust(wide)}  {one_line(text)}")
    return [f"{bold(one_line(found.name))} {dim(found.origin)}", *rows]


def saved(found: Named) -> str:
    """One line: what was saved, and how it is used."""
    return f"Saved the profile {bold(one_line(found.name))} · tui-memory search --profile uses it"


def deleted(name: str) -> str:
    """One line."""
    return f"Deleted the profile {bold(one_line(name))}"


def evaluation(found: Evaluation) -> list[str]:
    """A line a profile, each metric with its interval."""
    shown = found.public()
    head = f"{shown['queries']} {'query' if shown['queries'] == 1 else 'queries'} · mean [95 % interval]"
    return [dim(head), *_measured(shown["profiles"])]


def tuning(done: Tuning) -> list[str]:
    """The weights that changed, then before and after on the half that was not learned from."""
    shown = done.public()
    counted = shown["queries"]
    on = f"{counted['learned_on']} queries, measured on {counted['reported_on']} others"
    lines = [dim(f"{shown['tried']} profiles tried on {on} · mean [95 % interval]")]
    lines += [f"{name:<12}{before:g} → {after:g}" for name, (before, after) in shown["changed"].items()]
    lines += [] if shown["changed"] else ["No better weights were found."]
    lines += _measured({name: shown[name] for name in ("before", "after", "difference")})
    if shown["saved"]:
        lines.append(f"Saved as {bold(one_line(shown['saved']))} · tui-memory search --profile uses it")
    return lines


def notes(left_out: int, degraded: Sequence[str]) -> Iterator[str]:
    """What was less than it could be."""
    if left_out:
        yield f"{left_out} {'query' if left_out == 1 else 'queries'} left out: no memory that could be found answers."
    for missing in degraded:
        yield f"Less than it could be: {_MISSING.get(missing, missing)}."


def _measured(measured: Mapping[str, Mapping[str, Any]]) -> list[str]:
    names = [name for name in next(iter(measured.values())) if name not in ("interval", "by_query")]
    columns = (table.Column(""), *(table.Column(name) for name in names))
    rows = [
        [one_line(title), *(f"{values[name]:.3f} [{_interval(values['interval'][name])}]" for name in names)]
        for title, values in measured.items()
    ]
    return table.lines(columns, rows)


def _interval(pair: Sequence[float]) -> str:
    return f"{pair[0]:.3f}, {pair[1]:.3f}"
