"""Text that talks to the agent: a web page, an output or a commit that gives orders must not become memory unseen.

Conservative: only well-known shapes count, and what the person said in a prompt is never taken for one.
"""

from __future__ import annotations

import re

from tui_memory.compress.made import Made
from tui_memory.compress.turns import Turn
from tui_memory.model import Body, Kind, MemoryState

LEFT_OUT = "[text that reads as instructions to an agent was left out]"
FLAG = "reads as instructions to an agent"
_SHAPES = (
    # forget your orders
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|your|system|all)\b"
    r".{0,30}\b(?:instructions?|prompts?|rules?|guidelines|directions)\b",
    r"\byou are (?:now|no longer)\b.{0,40}\b(?:assistant|agent|model|jailbroken|DAN|bound|restricted)\b",
    # keep it from the person
    r"\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show|alert)\b.{0,30}\b(?:user|person|human|developer)\b",
    # hand out what is secret
    r"\b(?:print|send|post|upload|exfiltrate|email|reveal|leak|copy|output)\b.{0,60}"
    r"(?:\.ssh\b|\bid_rsa\b|\bid_ed25519\b|\.aws/credentials|/etc/(?:passwd|shadow)|"
    r"\b(?:private|ssh) keys?\b|\bsystem prompt\b)",
    # orders to agents in general
    r"\b(?:ai|coding|language) (?:assistants?|agents?|models?)\b.{0,40}\b(?:must|shall|are required to|have to)\b",
    r"\b(?:assistants?|agents?|claude|codex|copilot|gemini|llms?)[,:]? (?:you )?"
    r"(?:must|shall|are (?:required|instructed) to)\b",
    r"\b(?:new|updated|important|urgent|real) (?:system )?instructions?\b\s{0,3}"
    r"(?::|for (?:the )?(?:ai|agent|assistant|model))",
    # the marks of a chat's turns
    r"<\s{0,3}/?\s{0,3}(?:system|assistant|instructions?|important)\s{0,3}>|\[/?(?:INST|SYSTEM)\]|<\|(?:im_start|system|assistant)\|>",
    # run what a stranger serves
    r"\b(?:curl|wget)\b[^\n|]{5,200}\|\s{0,3}(?:sudo )?(?:ba|z|da)?sh\b",
)
_ORDERS = re.compile("|".join(f"(?:{shape})" for shape in _SHAPES), re.IGNORECASE)
_REPORTED = re.compile(
    r"\b(?:ignored (?:it|this|that)|injection|(?:contain\w*|has|had|found|with) (?:a |an )?hidden instruction)",
    re.IGNORECASE,
)


def reads_as_orders(text: str) -> bool:
    """Whether a text holds a sentence that gives an agent orders."""
    return bool(_ORDERS.search(text))


def without_orders(text: str) -> str:
    """A third party's text with the lines that give orders left out, and a note in their place."""
    if not reads_as_orders(text):
        return text
    return "\n".join(LEFT_OUT if reads_as_orders(line) else line for line in text.split("\n"))


def hold(made: Made, turn: Turn) -> None:
    """Hold a memory whose own words give orders that the person did not give: it waits for a person."""
    if any(
        reads_as_orders(text)
        for text in _lines(made.body)
        if not _is_persons(text, turn) and not _REPORTED.search(text)
    ):
        made.state = MemoryState.HELD
        made.body.grounding.flagged.append(FLAG)


def _lines(body: Body) -> list[str]:
    parts = [body.title, body.summary, *body.facts, *body.text.split("\n")]
    return [line for line in parts if line.strip()]


def _is_persons(text: str, turn: Turn) -> bool:
    """Whether the words come from what a person asked."""
    said = _flat(" ".join(item.text for item in [*turn.earlier, *turn.of(Kind.PROMPT)]))
    found = _ORDERS.search(text)
    return bool(found) and _flat(found.group()) in said if found else False


def _flat(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
