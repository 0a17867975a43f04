"""Text that talks to the agent: a web page, an output or a commit that gives orders must not become memory unseen.

Conservative: only well-known shapes count, and what the person said in a prompt is never taken for one.
"""

from __future__ import annotations

import re

from tui_memory.compress import reading
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
    """Hold a memory whose own words give a stranger's orders: it waits for a person."""
    if any(
        reads_as_orders(text) for text in _lines(made.body) if not _is_own(text, turn) and not _REPORTED.search(text)
    ):
        made.state = MemoryState.HELD
        made.body.grounding.flagged.append(FLAG)


def _lines(body: Body) -> list[str]:
    """The prose of a memory; changed lines of code are quoted as such and are not."""
    parts = [body.title, body.summary, *body.facts, *body.text.split("\n")]
    return [line for line in parts if line.strip() and not line.startswith("Changed: ")]


def _is_own(text: str, turn: Turn) -> bool:
    """Whether the order was given by the person, or is a line that the agent itself wrote or ran."""
    found = _ORDERS.search(text)
    own = [item.text for item in [*turn.earlier, *turn.of(Kind.PROMPT, Kind.EDIT)]]
    own += [reading.command(item) for item in turn.of(Kind.COMMAND, Kind.ERROR)]
    return found is not None and _flat(found.group()) in _flat(" ".join(own))


def _flat(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
