"""Documented and recorded payloads of agents, and the drafts of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tui_memory import capture
from tui_memory.model import MOMENT, Draft

FIXTURES = Path(__file__).parent.parent / "fixtures"


def payload(agent: str, name: str, **changes: Any) -> dict[str, Any]:
    """A documented payload by its file's name, with some fields changed."""
    value: dict[str, Any] = json.loads((FIXTURES / agent / f"{name}.json").read_text())
    if agent == "copilot" and "hook_event_name" not in value:
        value = {"hook_event_name": name.split(".")[0]} | value  # as `--event` puts it there
    return value | changes


def names(agent: str) -> list[str]:
    """Every documented payload of an agent."""
    return sorted(file.stem for file in (FIXTURES / agent).glob("*.json"))


def maybe(agent: str, value: dict[str, Any], **given: str) -> Draft | None:
    """The draft of a payload, or None."""
    return capture.normalise(agent, value, 7, **given)


def draft(agent: str, value: dict[str, Any] | str, **changes: Any) -> Draft:
    """The draft of a payload, or of a documented one by its name."""
    made = maybe(agent, payload(agent, value, **changes) if isinstance(value, str) else value | changes)
    assert made is not None
    return made


def has_id(made: Draft) -> bool:
    """Whether an event has an identity of the agent's own, not only its moment's."""
    return bool(made.key) and MOMENT not in made.key


def recorded(agent: str) -> list[Draft]:
    """The drafts of a session recorded from the agent's own program."""
    lines = (FIXTURES / "recorded" / f"{agent}.hooks.jsonl").read_text().splitlines()
    values = [json.loads(line) for line in lines]
    if agent == "copilot":
        values = [{"hook_event_name": value["event"]} | value["payload"] for value in values]
    if agent == "opencode":
        values = [value | {"directory": "/home/dev/orderly"} for value in values if value["hook"] != "event"]
    return [made for value in values if (made := maybe(agent, value)) and not made.dropped]
