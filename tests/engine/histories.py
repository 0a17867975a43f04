"""An agent's history as it writes it, and the same turns as its hooks tell them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.capture.transcripts.reading import FIXTURES, RECORDED
from tui_memory.engine.memory import Memory
from tui_memory.model import Filters, Observation


def line(kind: str, content: Any, uuid: str, minute: int, **fields: Any) -> dict[str, Any]:
    """One record of a Claude Code transcript."""
    message = {"role": kind, "content": content, "id": uuid, "stop_reason": fields.pop("stop_reason", None)}
    base = {"type": kind, "message": message, "uuid": uuid, "sessionId": "s1", "cwd": "/home/dev/orderly"}
    return base | {"timestamp": f"2026-01-01T09:{minute:02}:00.000Z", "isSidechain": False} | fields


def turn(number: int, said: str = "done") -> list[dict[str, Any]]:
    """A prompt, a command and the closing message."""
    use, prompt = f"toolu_{number}", {"promptId": f"p{number}"}
    call = [{"type": "tool_use", "id": use, "name": "Bash", "input": {"command": f"make step{number}"}}]
    result = [{"type": "tool_result", "tool_use_id": use, "content": f"step {number} ran"}]
    closing = [{"type": "text", "text": f"{said} {number}"}]
    return [
        line("user", f"please do step {number}", f"u{number}", number * 4, **prompt),
        line("assistant", call, f"a{number}", number * 4 + 1, stop_reason="tool_use"),
        line("user", result, f"r{number}", number * 4 + 2, **prompt),
        line("assistant", closing, f"c{number}", number * 4 + 3, stop_reason="end_turn"),
    ]


def hooks(number: int, events: str = "prompt tool stop") -> list[dict[str, Any]]:
    """What the live hooks would have told of `turn(number)`."""
    base = {"session_id": "s1", "cwd": "/home/dev/orderly", "prompt_id": f"p{number}"}
    every: dict[str, dict[str, Any]] = {
        "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": f"please do step {number}"},
        "tool": {
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": f"toolu_{number}",
            "tool_input": {"command": f"make step{number}"}, "tool_response": f"step {number} ran",
        },
        "stop": {"hook_event_name": "Stop", "last_assistant_message": f"done {number}"},
    }  # fmt: skip
    return [base | every[event] for event in events.split()]


def observed(memory: Memory, **filters: Any) -> list[Observation]:
    """Every observation, oldest first."""
    return memory.observations(Filters(**filters), limit=1000)[::-1]


def recorded(agent: str) -> list[dict[str, Any]]:
    """The payloads of an agent's recorded session."""
    return [json.loads(text) for text in (RECORDED / f"{agent}.hooks.jsonl").read_text("utf-8").splitlines()]


def copied(tmp_path: Path) -> Path:
    """The documented transcripts, in a folder of this test."""
    return Path(shutil.copytree(FIXTURES, tmp_path / "transcripts"))
