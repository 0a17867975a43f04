"""An oversized memory made small by rule: nothing is reworded, the text is cut at the end of a paragraph."""

from __future__ import annotations

from dataclasses import replace

from tui_memory.model import Body
from tui_memory.tokens import count_tokens

KEPT = 400
"""Tokens of text that stay, about."""
MARK = "[… shortened; the whole is in this memory's history]"


def shortened(body: Body) -> Body:
    """The body with its text cut to its beginning; title, summary, facts, labels and files stay."""
    kept: list[str] = []
    room = KEPT
    for paragraph in body.text.split("\n\n"):
        cost = count_tokens(paragraph)
        if cost > room:
            if not kept:
                kept.append(_beginning(paragraph, room))
            break
        kept.append(paragraph)
        room -= cost
    text = "\n\n".join(kept)
    return replace(body, text=f"{text}\n\n{MARK}") if text != body.text else _fewer_facts(body)


def _beginning(paragraph: str, room: int) -> str:
    """Whole lines of a paragraph while there is room; at least a piece of the first."""
    lines: list[str] = []
    for line in paragraph.split("\n"):
        cost = count_tokens(line) + 1
        if cost > room:
            break
        lines.append(line)
        room -= cost
    return "\n".join(lines) or paragraph[: KEPT * 3].rsplit(" ", 1)[0] + " …"


def _fewer_facts(body: Body) -> Body:
    """Where the text is short already, it is the facts that are many: the first ones stay."""
    kept: list[str] = []
    room = KEPT
    for fact in body.facts:
        room -= count_tokens(fact)
        if room < 0:
            break
        kept.append(fact)
    return replace(body, facts=[*(kept or body.facts[:1]), MARK])
