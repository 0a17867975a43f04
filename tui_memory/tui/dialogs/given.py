"""Exactly what an agent would be given, what each part of it costs, and what was cut by which rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from tui_memory.safetext import one_line
from tui_memory.tui import bindings, describe, formats
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from tui_memory.retrieve.disclose import Disclosure

RULES = {
    "budget": "no room left in the budget", "score": "below the least score for a prompt",
    "most": "more than a prompt is given", "shown": "shown to the session before", "state": "not active",
}  # fmt: skip
MOST = 200
"""Cut memories that are listed."""


class Given(ModalScreen[None]):
    """The text above, its account below; esc closes."""

    CSS_PATH = "dialogs.tcss"
    HELP = "Above, the text as an agent would read it; below, its tokens by section and what was cut. esc closes."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.DIALOG[:2]

    def __init__(self, when: str, given: Disclosure) -> None:
        super().__init__()
        self._when, self._given = when, given

    def compose(self) -> ComposeResult:
        """Text and account."""
        given = self._given
        with Vertical(classes="dialog whole") as dialog:
            dialog.border_title = Content(one_line(f"What the agent is given {self._when}", 100))
            count = formats.count(len(given.memories), "memory", "memories")
            dialog.border_subtitle = Content(f"{given.tokens} tokens · {count} · esc closes")
            yield LineView(given.text or "Nothing: no memory is worth its tokens here.")
            yield Detail(id="account")

    def on_mount(self) -> None:
        """The account, once there is a width to wrap it in."""
        self.query_one("#account", Detail).show(account(self._given))

    def action_cancel(self) -> None:
        """Close."""
        self.dismiss()


def account(given: Disclosure) -> Content:
    """Tokens by section, then what was cut, by rule."""
    parts: list[tuple[str, str]] = [("Tokens by section\n", "bold $text-accent")]
    for share in given.shares:
        held = formats.count(share.memories, "memory", "memories")
        parts.append((f"{share.tokens:>6}  {one_line(share.heading).rstrip(':')} · {held}\n", ""))
    frame = given.tokens - sum(share.tokens for share in given.shares)
    parts.append((f"{frame:>6}  the frame: what it is, and how to fetch more\n", "$tm-muted"))
    parts.append((f"{given.tokens:>6}  in all\n", "bold"))
    if not given.cut:
        return Content.assemble(*parts, ("\nNothing was cut.", "$tm-muted"))
    by_rule: dict[str, list[tuple[str, str]]] = {}
    for one in given.cut[:MOST]:
        score = f"{one.score:.2f}  " if one.score is not None else ""
        said = f"  {score}{one.memory.name} {describe.line(one.memory.title, 100)} ({one.memory.tokens} t)\n"
        by_rule.setdefault(one.rule, []).append((said, "$tm-muted"))
    for rule, lines in by_rule.items():
        parts += [(f"\nCut: {RULES.get(rule, one_line(rule))} · {len(lines)}\n", "bold $text-accent"), *lines]
    if len(given.cut) > MOST:
        parts.append((f"\n… and {len(given.cut) - MOST} more", "$tm-muted"))
    return Content.assemble(*parts)
