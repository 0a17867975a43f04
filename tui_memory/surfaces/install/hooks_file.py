"""A JSON file in which an agent lists its hooks by event: ours are added at the ends, and taken out again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui_memory.errors import ConfigError
from tui_memory.surfaces.install import jsontext

_MARKS = ("tui_memory/hook.py", "tui-memory hook ")


@dataclass(frozen=True, slots=True)
class Form:
    """How one agent writes its hooks."""

    agent: str
    """The agent's name for people."""
    events: Mapping[str, Mapping[str, Any]]
    """The events that are captured, and what stands beside the handlers of each (a matcher)."""
    handler: Callable[[str], dict[str, Any]]
    """How the hook is run at an event."""
    nested: bool = True
    """Whether an event lists groups of handlers, not the handlers themselves."""
    head: Mapping[str, Any] = field(default_factory=dict)
    """What a file must say beside its hooks."""
    comments: bool = False
    """Whether the agent reads comments in this file."""
    commas: bool = False
    """Whether it reads a comma after the last item, too."""

    def entry(self, event: str) -> dict[str, Any]:
        """What is listed under an event."""
        beside = dict(self.events[event])
        return beside | ({"hooks": [self.handler(event)]} if self.nested else self.handler(event))


def with_hooks(form: Form, text: str, path: Path) -> str:
    """A file's text with our hooks; unchanged where they are there as they should be."""
    if _is_blank(text):
        return _fresh(form)
    if is_installed(form, _checked(form, text, path)):
        return text
    text = without_hooks(form, text, path)
    if _is_blank(text):
        return _fresh(form)
    root = jsontext.begin(text)
    for key, value in form.head.items():
        if jsontext.find(text, root, key) is None:
            text = jsontext.append(text, root, value, key)
    if jsontext.find(text, root, "hooks") is None:
        return jsontext.append(text, root, json.loads(_fresh(form))["hooks"], "hooks")
    for event in form.events:
        hooks = _inside(text, "hooks")
        listed = jsontext.find(text, hooks, event)
        if listed is None:
            text = jsontext.append(text, hooks, [form.entry(event)], event)
        else:
            text = jsontext.append(text, listed.value_start, form.entry(event))
    return text


def without_hooks(form: Form, text: str, path: Path) -> str:
    """A file's text without our handlers, and without the groups and events that are empty then.

    '' where nothing but ours, and what every such file must say, was in it.
    """
    if _is_blank(text):
        return text
    value = _checked(form, text, path)
    listed = value.get("hooks", {})
    if not any(is_ours(one) for entries in listed.values() for entry in entries for one in _handlers(form, entry)):
        return text
    for event, entries in listed.items():
        for number in reversed(range(len(entries))):
            handlers = _handlers(form, entries[number])
            ours = [at for at, one in enumerate(handlers) if is_ours(one)]
            if ours and len(ours) == len(handlers):
                text = jsontext.remove(text, _event_at(text, event), number)
                continue
            for at in reversed(ours):
                text = jsontext.remove(text, _handlers_at(text, event, number), at)
        if entries and jsontext.is_empty(text, _event_at(text, event)):
            text = jsontext.without(text, _inside(text, "hooks"), event)
    if jsontext.is_empty(text, _inside(text, "hooks")):
        text = jsontext.without(text, jsontext.begin(text), "hooks")
    return "" if form.head and json.loads(jsontext.loose(text).removeprefix("\ufeff")) == form.head else text


def is_ours(value: Any) -> bool:
    """Whether a handler runs our hook, by whatever interpreter or command it was installed."""
    if not isinstance(value, dict):
        return False
    words = [str(value.get(name, "")) for name in ("command", "exec", "bash")] + [*map(str, value.get("args") or [])]
    said = f"{' '.join(words)} ".replace("\\", "/")
    return any(mark in said for mark in _MARKS)


def _fresh(form: Form) -> str:
    """A file of nothing but our hooks."""
    groups = {event: [form.entry(event)] for event in form.events}
    return json.dumps(dict(form.head) | {"hooks": groups}, indent=2, ensure_ascii=False) + "\n"


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def _handlers(form: Form, entry: Any) -> list[Any]:
    """The handlers in what an event lists once; [] where it is not understood (and not ours)."""
    if not form.nested:
        return [entry]
    found = entry.get("hooks", []) if isinstance(entry, dict) else []
    return found if isinstance(found, list) else []


def is_installed(form: Form, value: dict[str, Any]) -> bool:
    """Whether exactly our present handler stands once under each event, and nowhere else."""
    found = [
        (event, _beside(form, entry), one)
        for event, entries in value.get("hooks", {}).items()
        for entry in entries
        for one in _handlers(form, entry)
        if is_ours(one)
    ]
    wanted = [(event, _beside(form, form.entry(event)), _handlers(form, form.entry(event))[0]) for event in form.events]
    head = all(name in value for name in form.head)
    return head and len(found) == len(wanted) and all(one in wanted for one in found)


def _beside(form: Form, entry: Any) -> dict[str, Any]:
    """What a group says beside its handlers."""
    return {name: part for name, part in entry.items() if name != "hooks"} if form.nested else {}


def _checked(form: Form, text: str, path: Path) -> dict[str, Any]:
    """The file's value; ConfigError where it is not what the agent would read, with the line."""
    value = jsontext.read(text, path, comments=form.comments, commas=form.commas)
    hooks = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(entries, list) for entries in hooks.values()):
        raise ConfigError(
            f"{path}: `hooks` is not what {form.agent} reads (event → list). Nothing was changed; mend it first."
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
