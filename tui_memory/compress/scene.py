"""A turn laid out for the rules: what was asked, what the agent said in the end, what was changed, what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tui_memory.compress import changed_lines, classify, outcome, reading, requests, sentences
from tui_memory.compress.commits import noise
from tui_memory.compress.outcome import Committed, Outcome
from tui_memory.compress.reading import Change
from tui_memory.compress.turns import Turn
from tui_memory.model import Kind, Observation

_LEANS = re.compile(r"\b(?:it|that|this|them|then|there|those|these|one|same|again|das|es|dann)\b", re.IGNORECASE)
_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@dataclass(slots=True)
class Scene:
    """One turn, laid out. Texts are on one line; lists are oldest first."""

    turn: Turn
    outcome: Outcome
    prompt: Observation | None
    asked: str
    """What was asked, with the question that it goes on from."""
    context: list[int]
    """Earlier prompts that `asked` quotes."""
    closing: Observation | None
    told: list[str]
    """The telling sentences of the closing message."""
    commits: list[Committed] = field(default_factory=list)
    """The commits that say something."""
    changes: list[Change] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    """Sentences that were added to documents."""
    requests: list[tuple[int, str]] = field(default_factory=list)
    """(observation, text) of the pull requests that were opened, with their descriptions."""

    @property
    def files(self) -> list[str]:
        """The files that were changed and stayed so, else the few that were read."""
        changed = [path for path in self.outcome.edited]
        for commit in self.outcome.commits:
            changed += commit.files
        if not changed and not self.outcome.undone:
            read = [path for item in self.turn.of(Kind.READ) for path in reading.files(item)]
            changed = read if len(set(read)) <= 3 else []
        return list(dict.fromkeys(changed or self.outcome.undone))

    @property
    def came_to_something(self) -> bool:
        """Whether anything is otherwise than before: a commit, a change that stayed, a guess that proved wrong."""
        return bool(self.commits or self.outcome.edited or self.outcome.disproved)

    def sources(self) -> list[int]:
        """The observations that carry what was learned: prompt, changes, failures, decisive runs, commits, closing."""
        said = [item.id for item in (self.prompt, self.closing) if item]
        runs = [run.source for run in self.outcome.runs]
        found = {*said, *runs, *(change.source for change in self.changes), *self.outcome.taken_back_by}
        found |= {item.id for item in self.outcome.failures} | {commit.source for commit in self.outcome.commits}
        found |= {source for commit in self.outcome.commits for source in commit.shown_by}
        found |= {source for source, _ in self.requests}
        return sorted(found)


def lay_out(turn: Turn) -> Scene:
    """A turn as a scene."""
    came = outcome.read(turn)
    prompt, closing = turn.last_of(Kind.PROMPT), turn.last_of(Kind.RESPONSE)
    asked, context = _asked(turn, prompt)
    scene = Scene(
        turn, came, prompt, asked, context, closing, classify.telling(_clean(closing.text)) if closing else []
    )
    if prompt and classify.is_hypothesis(prompt.text) and outcome.disproves_guess(scene.told):
        came.denied = True
    scene.requests = requests.opened(turn.of(Kind.COMMAND, Kind.TOOL_USE))
    scene.commits = [commit for commit in came.commits if not noise(commit.message, commit.files)]
    edits = [change for item in turn.of(Kind.EDIT) for change in reading.changes(item)]
    scene.changes = edits or [change for commit in came.commits for change in commit.changes]
    scene.written = changed_lines.prose([change for change in scene.changes if change.path not in came.undone])
    return scene


def _asked(turn: Turn, prompt: Observation | None) -> tuple[str, list[int]]:
    """What the turn asks. A short prompt that points back is quoted after the last one that stands alone."""
    if prompt is None:
        return "", []
    text = _clean(prompt.text)
    if not _goes_on(text):
        return text, []
    for item in reversed(turn.earlier):
        before = _clean(item.text)
        if len(sentences.words(before)) >= 8 and not _goes_on(before):
            return f"{sentences.fit(before, 240)} … {text}", [item.id]
    return text, []


def _goes_on(text: str) -> bool:
    """Whether a prompt is short and points back to something said before."""
    count = len(sentences.words(text))
    return count < 6 or (count < 25 and bool(_LEANS.search(text)))


def _clean(text: str) -> str:
    """A text without invisible characters and the quotes that a command line leaves around it."""
    text = _INVISIBLE.sub("", text).strip()
    return text[1:-1].strip() if len(text) > 2 and text[0] == text[-1] == '"' else text
