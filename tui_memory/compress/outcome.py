"""What came of a turn, read from its events: tests that failed and passed, commits, edits taken back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tui_memory.compress import commits, reading, requests
from tui_memory.compress.turns import Turn
from tui_memory.model import Kind, Observation

_TEST = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|gotestsum)\b|"
    r"\b(?:cargo|go|npm|pnpm|yarn|bun|mvn|gradle|gradlew|make|just|dotnet|mix|swift|bazel|deno|rails|rake|sbt)"
    r" (?:run )?test|"
    r"\bgh (?:run watch|workflow run)\b"
)
_CHECK = re.compile(r"\b(?:ruff|mypy|pyright|eslint|tsc|clippy|flake8|golangci-lint|build|lint|check|compile)\b")
_COUNTS = re.compile(r"\b(\d+) (passed|failed|errors?|skipped)\b|\b(ok|FAIL)\s+\d+ tests?")
_TAKEN_BACK = re.compile(
    r"\bgit (?:checkout (?:-q )?(?:HEAD )?-- |restore (?!--staged)|reset --hard|revert\b|stash\b(?! pop| apply| list))"
)
_CAUSE_DENIED = re.compile(
    r"\b(?:(?:is|was|were|are)(?: not|n't) (?:the |a |to )?(?:cause|reason|culprit|problem|blame|it)\b|"
    r"(?:is|was|are|were) not to blame|"
    r"(?:did|does|do)(?: not|n't) (?:help|fix|solve|change anything|make a difference)|made no difference|ruled? out|"
    r"(?:turned out|proved|proven) (?:to be )?(?:wrong|false)|(?:still|also) (?:fails?|failed|happens|the same)|"
    r"had nothing to do with|red herring|dead end|wrong (?:track|guess|hypothesis))",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Run:
    """One test, build or check: its command, whether it went well, what it counted, the error it named."""

    source: int
    command: str
    ok: bool
    counted: str
    error: str


@dataclass(slots=True)
class Committed:
    """One commit of the turn, seen by its hook or in the agent's own command."""

    source: int
    message: commits.Message
    sha: str
    files: list[str]
    changes: list[reading.Change]
    shown_by: list[int] = field(default_factory=list)
    """The calls that showed its pull request, where the message says less of it."""


@dataclass(slots=True)
class Outcome:
    """What came of it. `edited`: files whose edits stayed; `undone`: files whose edits were taken back."""

    runs: list[Run] = field(default_factory=list)
    failures: list[Observation] = field(default_factory=list)
    commits: list[Committed] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)
    taken_back_by: list[int] = field(default_factory=list)
    denied: bool = False
    """The agent's closing message says that the suspected cause was not the cause."""

    @property
    def recovered(self) -> bool:
        """Something failed, and the last run went well."""
        return bool(self.failures) and bool(self.runs) and self.runs[-1].ok

    @property
    def disproved(self) -> bool:
        """The attempt came to nothing: taken back, or denied, with nothing committed after it."""
        return not self.commits and (bool(self.undone) or (self.denied and not self.recovered))

    def sentences(self) -> list[str]:
        """The outcome in words, for a prompt or a memory's text."""
        said = []
        bad = next((run for run in self.runs if not run.ok), None)
        if bad:
            said.append(f"{bad.command} failed{f': {bad.error}' if bad.error else ''}.")
        if self.undone:
            said.append(f"The change to {', '.join(self.undone[:4])} was taken back.")
        if self.runs and self.runs[-1].ok and (bad or self.runs[-1].counted):
            last = self.runs[-1]
            said.append(f"{last.command} {'then ' if bad else ''}passed{f' ({last.counted})' if last.counted else ''}.")
        return said


def read(turn: Turn) -> Outcome:
    """The outcome of a turn."""
    outcome = Outcome(commits=_commits(turn))
    for item in turn.observations:
        if item.kind == Kind.EDIT:
            outcome.edited += reading.files(item)
        elif item.kind in (Kind.COMMAND, Kind.ERROR):
            _command(outcome, item)
    outcome.undone = list(dict.fromkeys(outcome.undone))
    outcome.edited = [path for path in dict.fromkeys(outcome.edited) if path not in outcome.undone]
    closing = turn.last_of(Kind.RESPONSE)
    outcome.denied = bool(closing and _CAUSE_DENIED.search(closing.text))
    return outcome


_NOT_SO = re.compile(r"\b(?:(?:is|was|are|were|does|did)(?: not|n't)|never was|was never)\b", re.IGNORECASE)


def disproves_guess(told: list[str]) -> bool:
    """Whether the first telling sentence, which answers a guess, says no to it."""
    return bool(told and _NOT_SO.search(told[0]))


def denies_cause(sentence: str) -> bool:
    """Whether a sentence says that something is not the cause, or did not help."""
    return bool(_CAUSE_DENIED.search(sentence))


_REMOVED = re.compile(r"(?:^|&& |; )(?:git )?rm (?:-\w+ )*(?P<paths>[^&;|]+)")


def _command(outcome: Outcome, item: Observation) -> None:
    line = reading.command(item)
    bad = reading.failed(item)
    if bad:
        outcome.failures.append(item)
    if _TEST.search(line) or (_CHECK.search(line) and "git " not in line):
        counted = ", ".join(f"{n} {what}" for n, what, _ in _COUNTS.findall(reading.output(item))[-3:] if n)
        outcome.runs.append(Run(item.id, _short(line), not bad, counted, reading.error_line(item) if bad else ""))
    if not bad and _TAKEN_BACK.search(line):
        named = [path for path in outcome.edited if path in line or path.rsplit("/", 1)[-1] in line]
        outcome.undone += named or (outcome.edited if re.search(r"reset --hard|stash|(?:--|restore) \.", line) else [])
        outcome.taken_back_by.append(item.id)
    elif not bad and (removed := _REMOVED.search(line)):
        outcome.undone += [path for path in outcome.edited if path in removed.group("paths").split()]


def _short(line: str) -> str:
    """A command without its `cd` and what follows a pipe, on one line."""
    line = re.sub(r"^cd \S+ && ", "", " ".join(line.split()))
    return line.split(" | ")[0][:120]


def _commits(turn: Turn) -> list[Committed]:
    """The turn's commits; one that both the hook and the agent's own command showed counts once, as the hook's."""
    found: dict[str, Committed] = {}
    for item in turn.observations:
        if "replaced_by" in item.detail:  # amended: the commit that took its place says it all
            continue
        made = _from_hook(item, turn) if item.kind in (Kind.COMMIT, Kind.MERGE) else _from_command(item)
        if made is None:
            continue
        key = made.message.subject
        if key not in found or item.kind in (Kind.COMMIT, Kind.MERGE):
            found[key] = made
    return list(found.values())


def _from_hook(item: Observation, turn: Turn) -> Committed:
    message, shown_by = requests.completed(
        commits.read(reading.message(item)), item, [*turn.of(Kind.COMMAND, Kind.TOOL_USE), *turn.requests]
    )
    sha = str(item.detail.get("sha") or "")
    return Committed(item.id, message, sha, reading.files(item), reading.changes(item), shown_by)


def _from_command(item: Observation) -> Committed | None:
    """A commit that the agent made itself: its message is in the command (-m, or a here-document)."""
    line = reading.command(item)
    if item.kind != Kind.COMMAND or "git" not in line or "commit" not in line or reading.failed(item):
        return None
    text = _message_argument(line)
    if not text:
        return None
    sha = re.search(r"^\[\S+(?: \([^)]*\))? ([0-9a-f]{7,40})\]", reading.output(item), re.MULTILINE)
    return Committed(item.id, commits.read(text), sha.group(1) if sha else "", [], [])


def _message_argument(line: str) -> str:
    if heredoc := re.search(r"<<-?\s*['\"]?(\w+)['\"]?\n(.*?)\n\s*\1\b", line, re.DOTALL):
        return heredoc.group(2)
    for argv in reading.programs(line):
        if argv[0] != "git" or "commit" not in argv:
            continue
        parts = [
            argv[n + 1] for n, word in enumerate(argv[:-1]) if word == "--message" or re.match(r"^-[a-zA-Z]*m$", word)
        ]
        return "\n\n".join(parts).replace("\\n", "\n")
    return ""
