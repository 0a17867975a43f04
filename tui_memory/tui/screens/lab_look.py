"""What the Lab draws: a row of what can be chosen, and a configuration's column as text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from tui_memory.model import Body, Observation
from tui_memory.safetext import clean, one_line
from tui_memory.tui import describe, formats
from tui_memory.tui.widgets import empty
from tui_memory.tui.widgets.rows import Cell

if TYPE_CHECKING:
    from tui_memory.compress.made import Made
    from tui_memory.engine.lab import Column, Estimate

Part = tuple[str, str]
STATES = {
    "waiting": ("○", "waits", "$tm-muted"),
    "running": ("◌", "at work", "$text-accent"),
    "done": ("●", "done", "$text-success"),
    "cancelled": ("–", "cancelled", "$text-warning"),
    "failed": ("✗", "failed", "$text-error"),
    "adopted": ("●", "adopted", "$text-success"),
}
"""A column's state: glyph, word, style."""
TRIED = ("", "Get a model:", "$ ollama serve", "$ tui-memory compress --pull qwen2.5-coder:1.5b")


WORD = 200
"""Characters of one word that is looked for in a text, to be underlined."""


@dataclass(slots=True)
class Run:
    """One configuration's column as it stands: how far it is, what it made, or why it could not."""

    name: str
    state: str = "waiting"
    done: int = 0
    total: int = 0
    column: Column | None = None
    trouble: str = ""


def draw(row: Observation, width: int) -> list[Cell]:
    """An observation to choose from: when, whose turn, what, its first line, tokens."""
    glyph, _, role = describe.STATES.get(row.state, ("·", "", "muted"))
    subject = row.detail.get("subject")
    first = describe.line(str(subject) if subject else row.text.strip().partition("\n")[0], width)
    return [
        Cell(formats.clock(row.time), "muted", width=8, needs=56),
        Cell(f"{formats.session(row.session)}·{row.turn}", "muted", width=7),
        Cell(glyph, role, width=1, needs=44),
        Cell(describe.line(describe.kind(row.kind), 8), "accent" if row.kind == "prompt" else "muted", width=8),
        Cell(first, "subject" if row.kind in ("prompt", "response", "commit") else "", flex=True),
    ]


def title(run: Run) -> Content:
    """A column's border: the configuration."""
    return Content(describe.line(run.name, 60))


def subtitle(run: Run) -> Content:
    """A column's lower border: its state, a glyph and a word, and how far it is."""
    glyph, word, style = STATES[run.state]
    far = f" {run.done:,} of {run.total:,}" if run.state == "running" and run.total else ""
    hint = " · esc cancels" if run.state == "running" else ""
    return Content.assemble((f"{glyph} {word}{far}", style), (hint, "$tm-muted"))


def column(run: Run) -> Content:
    """A column's text: its figures, then each memory, then what failed and what taught nothing."""
    if run.trouble:
        lines = (run.trouble, "", "Nothing was stored.")
        return empty.Notice("This did not run.", lines, "✗", "bad").content()
    if run.column is None:
        return Content.assemble(("Nothing is stored until you adopt.", "$tm-muted"))
    told = run.column
    parts = _figures(told)
    for made in told.made:
        parts += _memory(made)
    for why in told.failures:
        parts.append((f"\n\n✗ failed: {one_line(why, 300)}", "$text-error"))
    skipped = [one.found.skipped_reason for one in told.results if one.found.skipped_reason]
    for why in dict.fromkeys(skipped):
        parts.append((f"\n\n○ nothing of {skipped.count(why):,}: {one_line(why, 200)}", "$tm-muted"))
    if not told.made and not told.failures and not skipped:
        parts.append(("\n\n○ nothing was compressed", "$tm-muted"))
    return Content.assemble(*parts)


def _figures(told: Column) -> list[Part]:
    found = told.public()
    flagged = len(told.flagged)
    given = f"{found['tokens_in']:,} → {found['tokens_out']:,} tokens asked of the model" if found["tokens_in"] else ""
    return [
        (f"{formats.count(len(told.made), 'memory', 'memories')} · {told.tokens_made:,} tokens", "bold"),
        (f" · ratio {told.ratio:.2f}\n", ""),
        (f"retained {told.retained:.2f} · ", ""),
        (f"▲ {flagged:,} flagged" if flagged else "0 flagged", "$text-warning" if flagged else ""),
        (f" · {found['seconds']:.1f} s", ""),
        (f"\n{given}" if given else "\nno model was asked", "$tm-muted"),
    ]


def _memory(made: Made) -> list[Part]:
    """One memory; where something was taken out, as the model wrote it, that underlined."""
    flagged = made.body.grounding.flagged
    body = made.written if made.written is not None and flagged else made.body
    parts: list[Part] = [("\n\n", ""), *_marked(body.title, flagged, "bold")]
    held = " · ▲ held" if str(made.state) == "held" else ""
    parts.append((f"\n{one_line(str(body.kind))} · {one_line(str(body.tier))}{held}\n", "$tm-muted"))
    for text in _texts(body):
        parts += [*_marked(text, flagged, ""), ("\n", "")]
    for fact in body.facts:
        parts += [("· ", "$tm-muted"), *_marked(fact, flagged, ""), ("\n", "")]
    if made.body.files:
        parts.append((one_line(", ".join(made.body.files), 300) + "\n", "$tm-muted"))
    if flagged:
        said = ", ".join(f"“{one_line(word, 80)}”" for word in flagged[:12])
        parts.append((f"▲ not in the sources, left out with its sentence: {said}\n", "$text-warning"))
    return parts


def _texts(body: Body) -> list[str]:
    return [text for text in (body.summary, body.text) if text and text != body.title]


def _marked(text: str, flagged: list[str], style: str) -> list[Part]:
    """A text in pieces, with what its sources do not hold underlined."""
    shown = clean(text[: describe.MOST]).expandtabs(4)
    words = {clean(word)[:WORD] for word in flagged} - {""}
    wanted = [re.escape(word) for word in sorted(words, key=len, reverse=True)]
    if not wanted:
        return [(shown, style)]
    pieces = re.split(f"({'|'.join(wanted)})", shown)
    return [(piece, f"underline {style}".strip() if at % 2 else style) for at, piece in enumerate(pieces) if piece]


def estimate(cost: Estimate) -> str:
    """What recompressing would take, in a sentence."""
    if not cost.tokens:
        took = "No model is asked; it takes a moment."
    elif cost.seconds is None:
        took = f"About {cost.tokens:,} tokens to read; how long is not known yet: no model was ever asked."
    else:
        took = f"About {cost.tokens:,} tokens to read, about {_time(cost.seconds)} by what it took before."
    return f"{took} New versions in place; what you wrote yourself stays; u takes all of it back."


def _time(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds >= 90 else f"{max(round(seconds), 1)} s"
