"""Claude Code's settings.json: which events run the hook, and how."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from tui_memory.errors import ConfigError
from tui_memory.surfaces.install import jsontext

# Seconds, though the hook ends itself within one. All are waited for: at the end of a `-p` run Claude Code kills
# hooks that still run in the background, and the closing message is the last event of all.
TIMEOUT = 10
EVENTS: dict[str, str | None] = {
    "SessionStart": "startup|resume|clear|compact|fork",
    "UserPromptSubmit": None,
    "PostToolUse": "*",
    "PostToolUseFailure": "*",
    "PreCompact": None,
    "SubagentStop": None,
    "Stop": None,
    "SessionEnd": None,
}
"""The events that are captured, and what each one's matcher is."""


def settings_path(scope: str, project: Path) -> Path:
    """The settings file of a scope: the user's (CLAUDE_CONFIG_DIR counts) or the project's shared one."""
    if scope == "project":
        return project / ".claude" / "settings.json"
    given = os.environ.get("CLAUDE_CONFIG_DIR", "")
    return (Path(given) if given else Path.home() / ".claude") / "settings.json"


def handler() -> dict[str, Any]:
    """How the hook is run: this interpreter, no shell, no site-packages."""
    hook = Path(__file__).resolve().parent.parent.parent / "hook.py"
    return {
        "type": "command",
        "command": sys.executable,
        "args": ["-I", "-S", str(hook), "claude-code"],
        "timeout": TIMEOUT,
    }


def with_hooks(text: str, path: Path) -> str:
    """A settings file's text with our hooks; unchanged where they are there as they should be."""
    if _is_blank(text):
        groups = {event: [_group(event)] for event in EVENTS}
        return json.dumps({"hooks": groups}, indent=2, ensure_ascii=False) + "\n"
    if _is_installed(_checked(text, path)):
        return text
    text = without_hooks(text, path)
    root = jsontext.begin(text)
    if jsontext.find(text, root, "hooks") is None:
        return jsontext.append(text, root, {event: [_group(event)] for event in EVENTS}, "hooks")
    for event in EVENTS:
        hooks = _inside(text, "hooks")
        listed = jsontext.find(text, hooks, event)
        if listed is None:
            text = jsontext.append(text, hooks, [_group(event)], event)
        else:
            text = jsontext.append(text, listed.value_start, _group(event))
    return text


def without_hooks(text: str, path: Path) -> str:
    """A settings file's text without our handlers, and without the groups and events that are empty then."""
    if _is_blank(text):
        return text
    value = _checked(text, path)
    for event, groups in value.get("hooks", {}).items():
        for number in reversed(range(len(groups))):
            handlers = groups[number].get("hooks", []) if isinstance(groups[number], dict) else []
            ours = [at for at, one in enumerate(handlers) if _is_ours(one)]
            for at in reversed(ours):
                text = jsontext.remove(text, _handlers_at(text, event, number), at)
            if ours and len(ours) == len(handlers):
                text = jsontext.remove(text, _event_at(text, event), number)
        text = _dropped_if_empty(text, event, bool(groups))
    hooks = jsontext.find(text, jsontext.begin(text), "hooks")
    if hooks and value["hooks"] and not list(jsontext.items(text, hooks.value_start)):
        return _without_member(text, jsontext.begin(text), "hooks")
    return text


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def _dropped_if_empty(text: str, event: str, was_filled: bool) -> str:
    """The text without an event whose groups were all ours."""
    if was_filled and not list(jsontext.items(text, _event_at(text, event))):
        return _without_member(text, _inside(text, "hooks"), event)
    return text


def _group(event: str) -> dict[str, Any]:
    matcher = EVENTS[event]
    return ({"matcher": matcher} if matcher else {}) | {"hooks": [handler()]}


def _is_ours(value: Any) -> bool:
    """Whether a handler runs our hook, by whatever interpreter or command it was installed."""
    if not isinstance(value, dict):
        return False
    words = [str(value.get("command", "")), *map(str, value.get("args") or [])]
    return any(word.replace("\\", "/").endswith("tui_memory/hook.py") for word in words) or (
        "tui-memory hook " in f"{' '.join(words)} "
    )


def _is_installed(value: dict[str, Any]) -> bool:
    """Whether exactly our present handler stands once under each event, and nowhere else."""
    found = [
        (event, {name: part for name, part in group.items() if name != "hooks"}, one)
        for event, groups in value.get("hooks", {}).items()
        for group in groups
        if isinstance(group, dict)
        for one in group.get("hooks", [])
        if _is_ours(one)
    ]
    wanted = [(event, {"matcher": matcher} if matcher else {}, handler()) for event, matcher in EVENTS.items()]
    return len(found) == len(wanted) and all(one in wanted for one in found)


def _checked(text: str, path: Path) -> dict[str, Any]:
    """The file's value; ConfigError where it is not what Claude Code would read, with the line."""
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        where = f", line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else f": {error}"
        raise ConfigError(
            f"{path}{where}. Nothing was changed; mend the file (JSON knows no comments) and try again."
        ) from error
    hooks = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise ConfigError(
            f"{path}: `hooks` is not what Claude Code reads (event → list). Nothing was changed; mend it first."
        )
    return value if isinstance(value, dict) else {}


def _inside(text: str, key: str) -> int:
    found = jsontext.find(text, jsontext.begin(text), key)
    assert found is not None
    return found.value_start


def _event_at(text: str, event: str) -> int:
    found = jsontext.find(text, _inside(text, "hooks"), event)
    assert found is not None
    return found.value_start


def _handlers_at(text: str, event: str, number: int) -> int:
    group = list(jsontext.items(text, _event_at(text, event)))[number]
    found = jsontext.find(text, group.value_start, "hooks")
    assert found is not None
    return found.value_start


def _without_member(text: str, at: int, key: str) -> str:
    names = [item.key for item in jsontext.items(text, at)]
    return jsontext.remove(text, at, names.index(key))
