"""A record in full, as text for the detail pane: pure functions from the model to `Content`, no markup anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.content import Content

from tui_memory.model import Body, Entry, Memory, Observation
from tui_memory.safetext import clean, one_line
from tui_memory.tui import formats

MOST = 20_000
"""Characters of one text that a pane shows; the whole opens in a view that draws line by line."""
ORDERS = "reads as instructions to an agent"
"""The flag of a compressor that held a memory; a test holds it to that one, whose patterns would cost a start 5 ms."""
Part = tuple[str, str]
STATES = {
    "captured": ("○", "captured", "muted"),
    "compressed": ("●", "compressed", "good"),
    "skipped": ("–", "skipped", "muted"),
    "failed": ("✗", "failed", "bad"),
}
"""An observation's state: glyph, word, role."""
KINDS = {"lifecycle": "session", "tool_use": "tool"}
"""Kinds of observations that have a shorter name for people."""
REASONS = {
    "lifecycle": "it only marks where a session begins, ends or is shortened",
    "unscanned": "it could not be searched for secrets, so only its size and names are kept",
    "oversize": "it was larger than one event may be, so only its size and names are kept",
}
"""What a state's reason means, where the store keeps a word of its own for it."""
MEMORY_GLYPHS = {"active": "●", "superseded": "◌", "merged": "◌", "held": "▲", "trash": "✗"}


def line(text: str, limit: int = 200) -> str:
    """One clean line of outside text."""
    return formats.short(text, limit)


def kind(name: str) -> str:
    """A kind of observation, as a person calls it."""
    return KINDS.get(name) or one_line(name)


def reason(word: str) -> str:
    """Why an observation is in its state, as a clause."""
    return REASONS.get(word) or line(word, 300)


def passage(text: str) -> list[Part]:
    """Clean text of several lines, capped, with what was left out said."""
    shown = clean(text[:MOST]).expandtabs(4)
    parts: list[Part] = [(shown, "")]
    if len(text) > MOST:
        parts.append(
            (
                f"\n… {formats.number(len(text) - MOST)} characters more; enter in the list opens all",
                "$tm-muted",
            )
        )
    return parts


def heading(text: str) -> Part:
    """A small title over a group of lines."""
    return (f"\n\n{text}\n", "bold $text-accent")


def memory(row: Memory) -> Content:
    """A memory: title, what it is, its text, facts, files, and where it came from."""
    parts: list[Part] = [(line(row.title) or "(no title)", "bold")]
    if row.pinned:
        parts.append(("  ▲ pinned", "$text-accent"))
    if row.state != "active":
        parts.append((f"  {MEMORY_GLYPHS.get(row.state, '·')} {one_line(row.state)}", "$text-warning"))
    if row.superseded_by:
        parts.append((f" by #{row.superseded_by}", "$text-warning"))
    if row.state == "held":
        parts.append((f"\n\n{_why_held(row)}\n", "$text-warning"))
    if row.summary and row.summary != row.title and not row.text.startswith(row.summary):
        parts.append((f"\n{clean(row.summary[:MOST])}", "$tm-muted"))
    if row.text:
        parts += [("\n\n", ""), *passage(row.text)]
    parts += _listed("Facts", row.facts)
    parts += _listed("Files", row.files)
    if row.labels:
        parts += [heading("Labels"), ("  ".join(line(label, 40) for label in row.labels), "")]
    return Content.assemble(*parts, *_provenance(row))


def _why_held(row: Memory) -> str:
    """Why a memory waits for a person, what that means, and the keys that end it."""
    orders = ORDERS in row.grounding.flagged
    why = "It holds text from outside that reads as instructions to an agent." if orders else "It was held back."
    return f"▲ held: {why} No agent is given it until you accept it. a accepts · d deletes · s shows its sources"


def _listed(title: str, values: Sequence[str]) -> list[Part]:
    if not values:
        return []
    lines = "\n".join(f"· {line(value, 400)}" for value in values[:50])
    more = f"\n… {len(values) - 50} more" if len(values) > 50 else ""
    return [heading(f"{title}"), (lines, ""), (more, "$tm-muted")]


def _provenance(row: Memory) -> list[Part]:
    made = row.made_by
    used = f"used {row.uses}×" + (f", last {formats.age(row.last_used)}" if row.last_used else "")
    lines = [
        f"{row.name} · {one_line(row.tier)} · {one_line(row.kind)} · {formats.tokens(row.tokens)}",
        f"{line(row.project or 'all projects', 60)}" + (f" · {line(row.branch, 60)}" if row.branch else ""),
        f"made {formats.moment(row.created)}"
        + (f" by {line(made.route, 20)}" if made.route else "")
        + (f" ({line(made.model, 40)})" if made.model else ""),
        f"{used} · {_retained(row)}",
    ]
    if row.shared_by:
        where = "in the team's hub alone" if row.id < 0 else "through the team's hub"
        lines.append(f"from {line(row.shared_by, 40)}, {where}")
    lines += _lives(row)
    if row.merged_from:
        lines.append(f"merged from {', '.join(f'#{one}' for one in row.merged_from)}")
    if invented := [word for word in row.grounding.flagged if word != ORDERS]:
        lines.append(f"▲ not in its sources: {', '.join(line(word, 40) for word in invented[:8])}")
    return [("\n\n" + "\n".join(lines), "$tm-muted")]


def _lives(row: Memory) -> list[str]:
    """Where else of one's own it lives: a line each; nothing of what never left."""
    device = f"from your device {line(row.device, 20)}, by a sync" if row.device else "also on your other devices"
    words = {"sync": device, "shared": "shared by you through the team's hub: a push sends it"}
    return [words[place] for place in words if place in row.where]


def _retained(row: Memory) -> str:
    return f"{formats.count(len(row.sources), 'source')} · grounded {row.grounding.retained:.2f}"


def observation(row: Observation, became: Sequence[Memory] = ()) -> Content:
    """An observation: what happened, what was done to it on its way and what it became, its text."""
    glyph, word, role = STATES.get(row.state, ("·", row.state, "muted"))
    style = {"good": "$text-success", "bad": "$text-error"}.get(role, "$tm-muted")
    parts: list[Part] = [(kind(row.kind), "bold")]
    if row.tool:
        parts.append((f" · {line(row.tool, 60)}", ""))
    parts += [(f"\n{glyph} {one_line(word)}", style)]
    if row.reason:
        parts.append((f": {reason(row.reason)}", "$tm-muted"))
    parts.append((f" · {_redacted(row)}", "$tm-muted"))
    for made in became[:5]:
        parts += [
            ("\n→ ", "$text-accent"),
            (f"“{line(made.title, 120)}”", ""),
            (f"  {line(made.kind, 20)} #{made.id}", "$tm-muted"),
        ]
        if made.state != "active":
            parts.append((f"  {MEMORY_GLYPHS.get(made.state, '·')} {one_line(made.state)}", "$text-warning"))
    if len(became) > 5:
        parts.append((f"\n→ and {len(became) - 5} more", "$tm-muted"))
    parts += [("\n\n", ""), *passage(row.text or "(no text is kept of this event)")]
    parts += _listed("Files", row.files)
    facts = [
        f"{line(str(key), 40)}: {line(str(value), 200)}" for key, value in row.detail.items() if value not in ("", None)
    ]
    parts += _listed("Details", facts)
    where = f"{line(row.project or 'no project yet', 60)}" + (f" · {line(row.branch, 60)}" if row.branch else "")
    foot = [
        f"#{row.id} · {formats.moment(row.time)} · {formats.tokens(row.tokens)} · {formats.size(row.size)}",
        where,
        f"{line(row.agent, 30)} · session {line(row.session, 40)} · turn {row.turn}",
    ]
    if row.parent:
        foot.append(f"inside sub-agent {line(row.parent, 40)}")
    return Content.assemble(*parts, ("\n\n" + "\n".join(foot), "$tm-muted"))


def _redacted(row: Observation) -> str:
    total = sum(row.redactions.values())
    kinds = ", ".join(f"{line(kind, 30)} {n}" for kind, n in sorted(row.redactions.items()))
    return f"redacted {total} ({kinds})" if total else "nothing to redact"


def sources(title: str, rows: Sequence[Observation]) -> Content:
    """The observations a memory came from, oldest first."""
    parts: list[Part] = [(f"Sources of “{line(title, 80)}”", "bold"), ("  s goes back", "$tm-muted")]
    if not rows:
        parts.append(("\n\nNone: a person or an agent wrote it, or they were removed since.", "$tm-muted"))
    for row in rows:
        head = f"{formats.clock(row.time)} {kind(row.kind)}" + (f" · {line(row.tool, 40)}" if row.tool else "")
        parts += [
            heading(f"{head} · {formats.tokens(row.tokens)}"),
            (clean(row.text[:2_000]).expandtabs(4), ""),
        ]
        if len(row.text) > 2_000:
            parts.append((" …", "$tm-muted"))
    return Content.assemble(*parts)


def history(title: str, entries: Sequence[Entry], told: Mapping[int, str]) -> Content:
    """Every change to a memory, newest first; `told`: by entry what it changed, in words."""
    parts: list[Part] = [(f"History of “{line(title, 80)}”", "bold"), ("  h goes back\n", "$tm-muted")]
    for entry in entries:
        undone = "  (taken back)" if entry.undone else ""
        parts.append((f"\n{formats.moment(entry.time)}  ", "$tm-muted"))
        parts.append((f"{one_line(entry.action)}", "bold"))
        parts.append((f"  by {line(entry.actor, 40)}{undone}", ""))
        parts.append((f"  {one_line(told.get(entry.id, ''), 300)}", "$tm-muted"))
    return Content.assemble(*parts)


def body(value: Body) -> Content:
    """What a merge would make: text, facts, files."""
    parts: list[Part] = [(clean(value.summary[:MOST]), "$tm-muted"), ("\n\n", ""), *passage(value.text)]
    parts += _listed("Facts", value.facts)
    parts += _listed("Files", value.files)
    return Content.assemble(*parts)


def whole_memory(row: Memory) -> str:
    """A memory as plain text, for the view of whole texts."""
    facts = "\n".join(f"· {fact}" for fact in row.facts)
    files = "\n".join(row.files)
    blocks = [
        row.title,
        row.summary,
        row.text,
        f"Facts\n{facts}" if facts else "",
        f"Files\n{files}" if files else "",
    ]
    return "\n\n".join(block for block in blocks if block)


def observation_text(row: Observation) -> str:
    """An observation as plain text, for the view of whole texts."""
    return (
        "\n\n".join(block for block in (row.text, "\n".join(row.files)) if block) or "(no text is kept of this event)"
    )
