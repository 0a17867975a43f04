"""What a pane says when it has nothing to list: what happened, what was and was not changed, what to do next."""

from __future__ import annotations

from textual.content import Content

from tui_memory.errors import TuiMemoryError
from tui_memory.light import dataclass
from tui_memory.safetext import clean, one_line
from tui_memory.tui.widgets.rows import Span, wrap


@dataclass(frozen=True, slots=True)
class Notice:
    """A heading with its glyph, and lines under it; a line that starts with `$ ` is a command to type."""

    title: str
    lines: tuple[str, ...] = ()
    glyph: str = ""
    role: str = "subject"

    def spans(self, width: int) -> list[list[Span]]:
        """Its lines in rows of at most `width` terminal cells."""
        heading = f"{self.glyph} {self.title}" if self.glyph else self.title
        rows: list[list[Span]] = [[(line, self.role)] for line in wrap(clean(heading), width)]
        rows.append([("", "")])
        for line in self.lines:
            role = "accent" if line.startswith("$ ") else "muted"
            rows.extend([(piece, role)] for piece in wrap(clean(line.removeprefix("$ ")), width))
        return rows

    def content(self) -> Content:
        """The same as text that wraps by itself."""
        heading = f"{self.glyph} {self.title}" if self.glyph else self.title
        parts: list[tuple[str, str]] = [(clean(heading), "bold"), ("\n\n", "")]
        for line in self.lines:
            style = "$text-accent" if line.startswith("$ ") else "$text-muted"
            parts.append((clean(line.removeprefix("$ ")) + "\n", style))
        return Content.assemble(*parts)


def loading(what: str) -> Notice:
    """While the first page is on its way."""
    return Notice(f"Reading {what}…", glyph="◌", role="muted")


def failed(error: TuiMemoryError) -> Notice:
    """Where reading did not work."""
    return Notice(
        error.title,
        (error.message, "", "What was on screen may be older than the store.", "ctrl+l tries again."),
        glyph="✗",
        role="bad",
    )


def unmeasured(error: TuiMemoryError) -> Notice:
    """Where measuring did not work; with too few judgments that is no mistake, and the keys that judge are named."""
    from tui_memory.retrieve.judgments import TooFewJudgedError  # only here: an application begins without it

    judging = "Ask something, then r (it answers) and i (it does not) on a result judge it for the query in the box."
    if isinstance(error, TooFewJudgedError):
        return Notice(error.title, (error.needed, "Nothing was measured, nothing was changed.", "", judging), "○")
    return Notice(error.title, (error.message,), "✗", "bad")


def no_match(query: str) -> Notice:
    """A filter or a search that finds nothing: an answer, not an error."""
    return Notice(
        f"Nothing matches “{query}”.",
        ("Nothing was changed. esc shows everything again.", "Fewer or other words find more."),
        glyph="○",
    )


def nothing_of(project: str) -> Notice:
    """A project that holds nothing, in a store that may hold much."""
    return Notice(f"Nothing of {one_line(project, 60)} is here yet.", ("P chooses another project, or all.",), "○")


def no_events() -> Notice:
    """Memories are there, but no event of an agent."""
    return Notice(
        "No agent has been seen here yet.",
        (
            "What people and imports wrote is on Memories (2).",
            "ctrl+p, start: First steps: install an agent's hooks, or read its past sessions.",
        ),
        "○",
    )


def first_run() -> Notice:
    """A store that holds nothing yet."""
    return Notice(
        "Nothing is remembered yet.",
        (
            "ctrl+p, start: First steps: install an agent's hooks, read its past sessions, or look at a sample.",
            "The same by commands, each of which shows what it would change before it does:",
            "$ tui-memory install claude-code",
            "$ tui-memory import-transcripts --dry-run",
            "$ tui-memory ui --demo",
            "",
            "What agents do appears on Live as it happens; nothing leaves this machine.",
        ),
        glyph="○",
    )
