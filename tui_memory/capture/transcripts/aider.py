"""Aider's chat history: a Markdown file that it only appends to, with its own marks at the lines' beginnings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tui_memory.capture import diffs
from tui_memory.capture.shapes import clean, fingerprint
from tui_memory.capture.transcripts.dialect import Scene
from tui_memory.capture.transcripts.records import TOO_LONG, lines
from tui_memory.capture.transcripts.steps import NOTHING, Step, Tally
from tui_memory.model import Draft, Kind

_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,40}) (.*)")
_APPLIED = re.compile(r"Applied edit to (.+)")
_SEARCH, _DIVIDES, _REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
_LARGEST_TURN = 2_000_000  # characters of one turn; what is over it is counted, not kept


@dataclass(slots=True)
class _Turn:
    """One prompt and all that followed."""

    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """Aider's own lines: what it ran, applied, committed."""
    size: int = 0


def read(path: Path, start: int, tally: Tally) -> Iterator[Step]:
    """The steps of one history from a session's beginning on: sessions are told whole."""
    reading = _Reading(path, start, tally)
    tally.end = start
    for at, end, data in lines(path, start):
        if data is None:
            tally.skipped[TOO_LONG] += 1
        else:
            yield from reading.line(at, clean(data.decode("utf-8", "replace")).rstrip("\n"))
        tally.end = end
    yield from reading.turn()
    tally.resume = reading.began


class _Reading:
    def __init__(self, path: Path, start: int, tally: Tally) -> None:
        self._tally = tally
        self._scene = Scene("aider", cwd=str(path.absolute().parent))
        self.began = start
        self._time = 0
        self._turns = 0
        self._turn = _Turn()

    def line(self, at: int, line: str) -> Iterator[Step]:
        """Take one line; the steps of the turn that it ends."""
        if started := _STARTED.match(line):
            yield from self.turn()
            self._start(at, started.group(1))
        elif line.startswith("#### "):
            if self._turn.said or self._turn.told:
                yield from self.turn()
            self._keep(self._turn.asked, line[5:].rstrip())
        elif line.startswith("> ") and (line.endswith("  ") or not self._turn.said):
            self._keep(self._turn.told, line[2:].rstrip())
        elif line.strip() or self._turn.said:
            self._keep(self._turn.said, line)

    def _start(self, at: int, started: str) -> None:
        self._tally.records += 1
        self.began, self._turns = at, 0
        try:
            self._time = round(datetime.fromisoformat(started).timestamp() * 1000)  # aider writes local time
        except (ValueError, OverflowError, OSError):
            self._time = 0
        self._scene.session = f"aider-{started.replace(' ', 'T')}"

    def _keep(self, into: list[str], line: str) -> None:
        self._turn.size += len(line) + 1
        if self._turn.size > _LARGEST_TURN:
            self._tally.skipped["line of a turn over 2 MB"] += 1
        else:
            into.append(line)

    def turn(self) -> Iterator[Step]:
        """The steps of the turn that is at its end."""
        turn, self._turn = self._turn, _Turn()
        asked = "\n".join(line for line in turn.asked if line != "<blank>").strip()
        if not asked:
            self._tally.skipped[NOTHING] += 1
            return
        self._tally.records += 1
        self._turns += 1
        if asked.startswith(("/run ", "!")):
            yield from self._step(self._command(asked, turn), "command")
            return
        prompt = f"{self._turns}"
        answer, changes = _taken_apart(turn.said)
        yield from self._step(self._draft("UserPromptSubmit", prompt=asked, prompt_id=prompt), "prompt")
        for number, line in enumerate(turn.told):
            yield from self._step(self._told(line, changes), f"told:{number}")
        yield from self._step(self._draft("Stop", last_assistant_message=answer, prompt_id=prompt), "stop")

    def _draft(self, event: str, **fields: Any) -> Draft | None:
        self._time += 1 if self._time else 0  # the history has no times of its own: only the order is known
        return self._scene.draft(event, self._time, **fields)

    def _command(self, asked: str, turn: _Turn) -> Draft | None:
        command = asked.removeprefix("/run ").removeprefix("!").strip()
        output = "\n".join([*turn.told, *turn.said])
        made = self._draft("PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_response=output)
        if made is not None:
            made.detail.pop("exit_code", None)  # aider does not say
        return made

    def _told(self, line: str, changes: dict[str, list[str]]) -> Draft | None:
        """A commit or an applied edit; None for what aider says about itself."""
        if found := _COMMIT.fullmatch(line):
            sha, subject = found.groups()
            made = self._draft("Commit")
            if made is not None:
                made.kind, made.light, made.text = Kind.COMMIT, False, f"commit {sha}\n{subject}"
                made.detail |= {"sha": sha, "subject": subject}
            return made
        if found := _APPLIED.fullmatch(line):
            return self._edit(found.group(1), changes.get(found.group(1), []))
        return None

    def _edit(self, path: str, changes: list[str]) -> Draft | None:
        """An edit, told from the blocks of the answer that name the file."""
        made = self._draft("PostToolUse", tool_name="Edit", tool_input={"file_path": path})
        if made is not None:
            made.text = diffs.described(path, changes)
            made.detail["added"], made.detail["removed"] = diffs.counts(changes)
        return made

    def _step(self, made: Draft | None, what: str) -> Iterator[Step]:
        if made is None:
            self._tally.skipped[NOTHING] += 1
            return
        made.key = ""  # counted turns are no identity of the agent's own
        identity = f"{self._scene.session}:{self._turns}:{what}:{fingerprint(made.text)}"
        yield Step(made, identity, self.began)


def _taken_apart(said: list[str]) -> tuple[str, dict[str, list[str]]]:
    """(an answer's words, the changed lines by file): its SEARCH/REPLACE blocks are told as edits. Linear."""
    words: list[str] = []
    changes: dict[str, list[str]] = {}
    path = ""
    at = 0
    while at < len(said):
        block = _block(said, at) if said[at].strip() == _SEARCH else None
        if block is None:
            words.append(said[at])
            at += 1
            continue
        old, new, at = block
        if words and words[-1].startswith("```"):
            words.pop()
            path = words.pop().strip() if words else path
        changes.setdefault(path, []).extend(diffs.from_texts(old, new))
        if at < len(said) and said[at].startswith("```"):
            at += 1
    return "\n".join(words).strip(), changes


def _block(lines: list[str], at: int) -> tuple[str, str, int] | None:
    """(old text, new text, the line after it) of the block that begins here; None where it is not closed."""
    divides = end = 0
    for number in range(at + 1, len(lines)):
        mark = lines[number].strip()
        if mark == _DIVIDES and not divides:
            divides = number
        elif mark == _REPLACE and divides:
            end = number
            break
        elif mark == _SEARCH:
            break  # never closed: the next one is another block
    if not end:
        return None
    return "\n".join(lines[at + 1 : divides]), "\n".join(lines[divides + 1 : end]), end + 1
