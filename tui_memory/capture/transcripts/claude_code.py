"""Claude Code's transcripts: a session's own file, its sub-agents' files, and older ones with both in one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui_memory.capture.shapes import items, mapping, string, text_of
from tui_memory.capture.transcripts.dialect import Scene
from tui_memory.capture.transcripts.records import records
from tui_memory.capture.transcripts.steps import (
    BY_PROGRAM,
    LONGEST_SAID,
    NO_CALL,
    NOTHING,
    UNKNOWN,
    Calls,
    Step,
    Tally,
    moment,
)
from tui_memory.model import Draft

_NOTES = """
attachment file-history-snapshot file-history-delta queue-operation last-prompt mode agent-name pr-link summary
ai-title custom-title permission-mode progress
"""
_NOISE = frozenset(_NOTES.split())
# Commands of the program itself: nobody works on them, and no hook tells of them.
_COMMANDS = """
/clear /compact /config /context /cost /doctor /exit /help /hooks /login /logout /mcp /memory /model /permissions
/quit /resume /rewind /stats /status /theme /usage
"""
_OWN_COMMANDS = frozenset(_COMMANDS.split())
_INTERRUPTED = "[Request interrupted by user"
_REFUSED = ("The user doesn't want to", "User rejected", _INTERRUPTED)


@dataclass(slots=True)
class _Chain:
    """One line of work: the session's own, or a sub-agent's. What is open in it."""

    parent: str = ""
    began: int = 0
    """The byte where its turn begins."""
    prompt_id: str = ""
    calls: Calls = field(default_factory=Calls)
    said: str = ""
    """What may be the closing message: text that no tool call has followed yet."""
    said_in: str = ""
    said_by: str = ""
    said_at: int = 0
    ended: bool = True
    """Whether the agent said that its turn is over."""


def read(path: Path, start: int, tally: Tally) -> Iterator[Step]:
    """The steps of one file; records of any kind it does not know are counted."""
    reading = _Reading(path, start, tally)
    for at, record in records(path, start, tally):
        yield from reading.record(at, record)
    yield from reading.finish()


class _Reading:
    def __init__(self, path: Path, start: int, tally: Tally) -> None:
        self._tally = tally
        sub = path.parent.name == "subagents"
        self._scene = Scene("claude-code", path.parent.parent.name if sub else path.stem)
        self._agent_file = path.stem.removeprefix("agent-") if sub else ""
        self._chains: dict[str, _Chain] = {"": _Chain(began=start)}
        self._roots: dict[str, str] = {}
        self._recent: deque[str] = deque(maxlen=64)
        self._trigger = ""

    def record(self, at: int, record: dict[str, Any]) -> Iterator[Step]:
        """The steps that one record completes."""
        kind, uuid = string(record, "type"), string(record, "uuid")
        if kind not in ("user", "assistant", "system"):
            self._tally.skipped[NOTHING if kind in _NOISE else UNKNOWN] += 1
            return
        if uuid and uuid in self._recent:
            self._tally.skipped["written twice"] += 1
            return
        self._recent.append(uuid)
        chain = self._chain(at, record, uuid)
        self._place(record, chain)
        if kind == "system":
            self._trigger = string(mapping(record, "compactMetadata"), "trigger")
            self._tally.skipped[NOTHING] += 1
        elif kind == "assistant":
            yield from self._assistant(chain, record, uuid)
        else:
            yield from self._user(at, chain, record, uuid)

    def finish(self) -> Iterator[Step]:
        """The closing messages at the file's end, and where a later reading may start."""
        open_at = [chain.began for chain in self._chains.values() if chain.calls or not chain.ended]
        self._tally.resume = min([self._tally.end, *open_at])
        for chain in self._chains.values():
            self._scene.parent = chain.parent
            yield from self._closing(chain)

    def _chain(self, at: int, record: dict[str, Any], uuid: str) -> _Chain:
        """The line of work of a record. Only roots are kept, so no cycle of parents can hold anyone up."""
        parent = self._agent_file
        if not parent and record.get("isSidechain") is True:
            above = string(record, "parentUuid")
            parent = string(record, "agentId") or self._roots.get(above, uuid)
            self._roots[uuid] = parent
        return self._chains.setdefault(parent, _Chain(parent, began=at))

    def _place(self, record: dict[str, Any], chain: _Chain) -> None:
        scene = self._scene
        scene.session = string(record, "sessionId") or scene.session
        scene.cwd = string(record, "cwd") or scene.cwd
        scene.branch = string(record, "gitBranch") or scene.branch
        scene.parent = chain.parent

    def _assistant(self, chain: _Chain, record: dict[str, Any], uuid: str) -> Iterator[Step]:
        message = mapping(record, "message")
        if record.get("isApiErrorMessage") is True:
            yield from self._broken(chain, record, uuid)
            return
        stopped = string(message, "stop_reason")
        chain.ended = stopped in ("end_turn", "stop_sequence")
        for block in items(message, "content"):
            kind = string(block, "type")
            if kind == "tool_use":
                chain.calls.put(string(block, "id"), string(block, "name"), mapping(block, "input"), self._tally.length)
                chain.said = ""
            elif kind == "text" and (text := string(block, "text")):
                same = chain.said and chain.said_in == string(message, "id")
                if same and len(chain.said) > LONGEST_SAID:
                    continue
                chain.said = f"{chain.said}\n{text}" if same else text
                chain.said_in, chain.said_by = string(message, "id"), uuid
                chain.said_at = moment(record.get("timestamp"))

    def _broken(self, chain: _Chain, record: dict[str, Any], uuid: str) -> Iterator[Step]:
        said = text_of(mapping(record, "message").get("content"))
        made = self._scene.draft(
            "StopFailure", moment(record.get("timestamp")), error=string(record, "error"), last_assistant_message=said
        )
        yield from self._closing(chain)
        yield from self._step(made, f"{uuid}:broken", chain)

    def _user(self, at: int, chain: _Chain, record: dict[str, Any], uuid: str) -> Iterator[Step]:
        content = mapping(record, "message").get("content")
        blocks = content if isinstance(content, list) else []
        results = [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_result"]
        if results:
            chain.prompt_id = string(record, "promptId") or chain.prompt_id
            for number, block in enumerate(results):
                whole = record.get("toolUseResult") if len(results) == 1 else None
                yield from self._result(chain, record, block, whole, f"{uuid}:{number}")
        elif record.get("isCompactSummary") is True:
            yield from self._closing(chain)
            made = self._scene.draft(
                "PostCompact", moment(record.get("timestamp")), trigger=self._trigger, compact_summary=_words(content)
            )
            yield from self._step(made, f"{uuid}:compact", chain)
        elif self._is_prompt(record, chain, _words(content)):
            yield from self._prompt(at, chain, record, _words(content), uuid)
        else:
            self._tally.skipped[BY_PROGRAM] += 1

    def _is_prompt(self, record: dict[str, Any], chain: _Chain, text: str) -> bool:
        """Whether a person wrote it: no note of the program, no sub-agent's task (the call that started it has it)."""
        origin = string(mapping(record, "origin"), "kind")
        if record.get("isMeta") is True or chain.parent or origin not in ("", "human"):
            return False
        command = text.partition("<command-name>")[2].partition("</command-name>")[0].strip()
        return bool(text) and not text.startswith(_INTERRUPTED) and command not in _OWN_COMMANDS

    def _prompt(self, at: int, chain: _Chain, record: dict[str, Any], text: str, uuid: str) -> Iterator[Step]:
        yield from self._close_all(chain)
        chain.began, chain.ended, chain.prompt_id = at, False, string(record, "promptId")
        chain.calls.clear()  # a call of an earlier turn gets no answer any more
        made = self._scene.draft(
            "UserPromptSubmit", moment(record.get("timestamp")), prompt=text, prompt_id=chain.prompt_id
        )
        yield from self._step(made, f"{uuid}:prompt", chain)

    def _close_all(self, main: _Chain) -> Iterator[Step]:
        """The closing messages before a new prompt; sub-agents told in this file have ended with their turn."""
        for chain in [one for one in self._chains.values() if one is not main] + [main]:
            self._scene.parent = chain.parent
            yield from self._closing(chain)
        self._chains = {"": main}

    def _result(
        self, chain: _Chain, record: dict[str, Any], block: dict[str, Any], whole: Any, identity: str
    ) -> Iterator[Step]:
        use = string(block, "tool_use_id")
        if use not in chain.calls:
            self._tally.skipped[NO_CALL] += 1
            return
        tool, given = chain.calls.take(use)
        fields: dict[str, Any] = {"tool_name": tool, "tool_input": given, "tool_use_id": use}
        said = text_of(block.get("content"))
        if block.get("is_error") is True:
            event = "PostToolUseFailure"
            fields |= {"error": said, "is_interrupt": said.startswith(_REFUSED)}
        else:
            event = "PostToolUse"
            fields["tool_response"] = block.get("content") if whole is None or isinstance(whole, str) else whole
        yield from self._step(self._scene.draft(event, moment(record.get("timestamp")), **fields), identity, chain)

    def _closing(self, chain: _Chain) -> Iterator[Step]:
        """The turn's last message, if it ended with one."""
        if not chain.said:
            return
        event = "SubagentStop" if chain.parent else "Stop"
        made = self._scene.draft(event, chain.said_at, last_assistant_message=chain.said, prompt_id=chain.prompt_id)
        chain.said = ""
        yield from self._step(made, f"{chain.said_by}:stop", chain)

    def _step(self, made: Draft | None, identity: str, chain: _Chain) -> Iterator[Step]:
        if made is None:
            self._tally.skipped[NOTHING] += 1
        else:
            yield Step(made, identity, min(one.began for one in self._chains.values()))


def _words(content: Any) -> str:
    """What was typed, without pictures, as the hooks hand it."""
    blocks = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(filter(None, (string(block, "text") for block in blocks))).strip()
