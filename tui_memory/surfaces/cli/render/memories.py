"""Memories for people: rows of a list, and one whole."""

from __future__ import annotations

from collections.abc import Sequence

from tui_memory.model import Body, Memory, MemoryState, Where
from tui_memory.safetext import clean, one_line
from tui_memory.surfaces.cli.render import table
from tui_memory.surfaces.cli.render.ages import age, ago, exact
from tui_memory.surfaces.cli.render.paint import accent, bold, dim

PIN = "▲ "
_COLUMNS = (
    table.Column("ID", right=True, style=accent),
    table.Column("TITLE", gives=True),
    table.Column("STATE"),
    table.Column("PROJECT", style=dim),
    table.Column("KIND"),
    table.Column("TOKENS", right=True),
    table.Column("AGE", right=True, style=dim),
)


def rows(memories: Sequence[Memory], now: int, limit: int | None, *, marked: int = 0) -> list[str]:
    """A list's lines, heads first; each one's project where they differ. `marked`: the id to point at."""
    projects = len({memory.project for memory in memories}) > 1
    return table.lines(_COLUMNS, [_row(memory, now, projects, marked) for memory in memories], limit)


def _row(memory: Memory, now: int, projects: bool, marked: int) -> list[str]:
    point = "▸ " if memory.id == marked else ""
    return [
        str(memory.id),  # bare, to be typed again: a shell takes # for a comment
        point + (PIN if memory.pinned else "") + one_line(memory.title),
        "" if memory.state == MemoryState.ACTIVE else memory.state,
        project(memory) if projects else "",
        memory.kind,
        f"{memory.tokens:,}",
        age(memory.created, now),
    ]


def project(memory: Memory) -> str:
    """The project's name, or that it belongs to all of them."""
    return one_line(memory.project) if memory.project else "all projects"


def whole(memory: Memory, now: int) -> list[str]:
    """Everything of one memory, the body first, then where it comes from."""
    standing = [memory.name, memory.kind, memory.tier, project(memory)]
    standing += [one_line(memory.branch)] if memory.branch else []
    standing += [memory.state] + ([PIN + "pinned"] if memory.pinned else [])
    return [
        bold(one_line(memory.title)),
        dim(" · ".join(standing)),
        *_content(memory.summary, memory.text, memory.facts),
        "",
        *_pairs(_origin(memory, now)),
    ]


def body(value: Body) -> list[str]:
    """The content of a version that is not stored: a preview."""
    pairs = [("labels", _joined(value.labels)), ("files", _joined(value.files))]
    return [
        bold(one_line(value.title)),
        dim(f"{value.kind} · {value.tier}"),
        *_content(value.summary, value.text, value.facts),
        *([""] if value.labels or value.files else []),
        *_pairs(pairs),
    ]


def _content(summary: str, text: str, facts: Sequence[str]) -> list[str]:
    made = ["", one_line(summary)] if summary.strip() else []
    made += ["", clean(text).strip("\n")] if text.strip() else []
    return made + (["", "Facts", *(f"  · {one_line(fact)}" for fact in facts)] if facts else [])


def _origin(memory: Memory, now: int) -> list[tuple[str, str]]:
    made = memory.made_by
    by = " ".join(one_line(part) for part in (made.route, made.model) if part)
    used = f"{memory.uses} ×" + (f", last {ago(memory.last_used, now)}" if memory.last_used else "")
    changed = f"{exact(memory.updated)} ({ago(memory.updated, now)})" if memory.updated != memory.created else ""
    return [
        ("labels", _joined(memory.labels)),
        ("files", _joined(memory.files)),
        ("created", f"{exact(memory.created)} ({ago(memory.created, now)})"),
        ("changed", changed),
        ("made by", f"{by} · grounded {memory.grounding.retained:.2f}"),
        ("flagged", _joined(memory.grounding.flagged)),
        ("tokens", f"{memory.tokens:,}"),
        ("used", used if memory.uses else "never"),
        ("learned in", one_line(memory.promoted_from or "")),
        ("shared by", one_line(memory.shared_by or "")),
        ("lives", _lives(memory)),
        ("session", one_line(memory.session)),
        ("sources", " ".join(f"#{source}" for source in memory.sources)),
        ("replaced by", _replaced(memory, now)),
        ("gone", _joined(memory.gone)),
        ("merged from", " ".join(f"#{original}" for original in memory.merged_from)),
        ("uid", memory.uid),
    ]


def _lives(memory: Memory) -> str:
    """Where else than here; nothing where that is nowhere."""
    words = {
        Where.SYNC: f"from your device {one_line(memory.device)}" if memory.device else "on your other devices too",
        Where.HUB: "in the team's hub",
        Where.SHARED: "shared with the team's hub",
    }
    return ", ".join(words[place] for place in words if place in memory.where)


def _replaced(memory: Memory, now: int) -> str:
    """By which memory, and when."""
    if not memory.superseded_by:
        return ""
    when = f", {exact(memory.superseded_at)} ({ago(memory.superseded_at, now)})" if memory.superseded_at else ""
    return f"#{memory.superseded_by}{when}"


def _joined(values: Sequence[str]) -> str:
    return ", ".join(one_line(value) for value in values)


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[str]:
    shown = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in shown), default=0)
    return [f"{dim(name.ljust(width))}  {value}" for name, value in shown]
