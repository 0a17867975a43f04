"""The one line a person would write over a memory: from the finding, the way, the commit, or what was asked."""

from __future__ import annotations

import re

from tui_memory.compress import classify, outcome, sentences
from tui_memory.compress.commits import Message
from tui_memory.compress.outcome import Committed
from tui_memory.compress.scene import Scene

_CAUSAL = re.compile(
    r"\b(?:because|since|caused?|cause was|reason|due to|turned out|hence|so that|weil|wegen|which means)\b|, so ", re.I
)
_CHOICE = re.compile(
    r"\b(?:chose|instead of|rather than|rejected|ruled out|decided|must|never|only|no longer|not)\b", re.I
)
_NAME = re.compile(r"`[^`]+`|\b\w+[_./]\w+|\b[a-z]+[A-Z]\w*|\b[A-Z]{2,}\d*\b")
_BARE_DONE = re.compile(
    r"^(?:done|fixed|finished|updated|implemented|added|changed|created|wrote)\b.{0,25}$", re.IGNORECASE
)
_QUESTION = re.compile(
    r"^(?:which|what|where|when|who|does|do|is|are|can|how many|how much|why|was|were|has|have|did|will)\b.*\?$", re.I
)
_TO = re.compile(r"^To [a-z][^:,]{3,70}[:,] ")


def of(scene: Scene, procedure: str = "") -> str:
    """The title of a turn's main memory; `procedure`: the how-to title where the turn is one. "" where none is fit."""
    for found in (
        _disproved(scene),
        _way(scene, procedure),
        _of_commits(scene.commits, least=4),
        _answer(scene),
        _finding(scene),
        _of_commits(scene.commits, least=1),
        *(sentences.title(sentences.split(text)[0]) for _, text in scene.requests[:1]),
        _request(scene),
    ):
        if found:
            return found
    return ""


def of_commit(message: Message) -> str:
    """A commit's subject as a title; a revert says so."""
    subject = message.subject.rstrip(" .")
    if message.is_revert:
        return sentences.fit(f"Reverted: {subject}", sentences.TITLE)
    if message.type == "release":
        subject = f"Release {subject}"
    subject = sentences.capital(subject.replace("`", ""))
    reason = next(iter(sentences.split(message.body)), "").rstrip(".")
    if len(sentences.words(subject)) < 4 and reason and len(subject) + len(reason) + 2 <= sentences.TITLE:
        subject = f"{subject}: {reason}"
    return sentences.fit(subject, sentences.TITLE)


def weight(sentence: str) -> float:
    """How much a sentence tells: causes, choices, names and numbers for it; narration, pronouns, length against."""
    count = len(sentences.words(sentence))
    score = 3.0 * bool(_CAUSAL.search(sentence)) + 2.0 * bool(_CHOICE.search(sentence))
    score += min(len(_NAME.findall(sentence)), 3) + 0.5 * min(len(re.findall(r"\d+", sentence)), 2)
    score -= 4.0 * classify.is_process(sentence) + 2.0 * sentences.leans_on_another(sentence)
    score -= 3.0 * bool(_BARE_DONE.match(sentence)) + 2.0 * sentence.endswith("?")
    return score - 2.0 * (count < 5) - 0.05 * max(count - 35, 0)


def is_causal(sentence: str) -> bool:
    """Whether a sentence explains why."""
    return bool(_CAUSAL.search(sentence))


def best(told: list[str]) -> str:
    """The sentence that tells most; the first of equals, and the first one is preferred a little."""
    if not told:
        return ""
    return max(enumerate(told), key=lambda pair: (weight(pair[1]) - 0.6 * pair[0], -pair[0]))[1]


def _disproved(scene: Scene) -> str:
    if not scene.outcome.disproved:
        return ""
    said = next((text for text in scene.told if outcome.denies_cause(text)), next(iter(scene.told), ""))
    return sentences.title(said)


def _way(scene: Scene, procedure: str) -> str:
    if not procedure:
        return ""
    said = next((text for text in scene.told if _TO.match(text)), "")
    if said and len(said.rstrip(".")) <= sentences.TITLE:
        return sentences.title(said)
    return sentences.fit(procedure, sentences.TITLE)


def _of_commits(made: list[Committed], *, least: int) -> str:
    """The commit that says most, where its subject has at least so many words."""
    if not made:
        return ""
    most = max(made, key=lambda commit: (len(sentences.words(commit.message.body)) > 3, len(commit.message.subject)))
    return of_commit(most.message) if len(sentences.words(most.message.subject)) >= least else ""


def _answer(scene: Scene) -> str:
    """A question and its answer in one line, where both are short."""
    asked = sentences.split(scene.prompt.text)[-1:] if scene.prompt else []
    if not asked or not scene.told or not _QUESTION.match(asked[0]) or len(asked[0]) > 60:
        return ""
    answer = sentences.fit(scene.told[0].rstrip(".").replace("`", ""), max(sentences.TITLE - len(asked[0]) - 1, 18))
    line = f"{sentences.capital(asked[0])} {answer}"
    return line if len(line) <= sentences.TITLE and not answer.endswith("…") else ""


def _finding(scene: Scene) -> str:
    said = best([text for text in scene.told if not text.endswith("?")])
    if not said or weight(said) < 0:
        return ""
    return sentences.title(said)


def _request(scene: Scene) -> str:
    """What was asked, as the title of a turn without words at its end that changed something."""
    if not scene.prompt or not (scene.outcome.edited or scene.outcome.commits):
        return ""
    first = next(iter(sentences.split(scene.prompt.text)), "")
    return sentences.title(first) if len(sentences.words(first)) >= 3 else ""
