"""What prompts and closing messages are: rules a person states, how-tos, decisions, thanks; and a memory's kind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui_memory.compress import phrases, sentences
from tui_memory.compress.outcome import Outcome
from tui_memory.model import MemoryKind, Tier


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule or a preference that a person stated."""

    kind: str
    """convention or preference"""
    sentence: str
    """As it was said, without lead-in and without `put that in`."""


def rules(prompt: str) -> list[Rule]:
    """The lasting rules and preferences in a prompt; what holds for one task only is none."""
    found: list[Rule] = []
    for sentence in sentences.split(prompt):
        kind = _rule_kind(sentence, prompt)
        if kind:
            found.append(Rule(kind, _bare(sentence)))
    return found


def _rule_kind(sentence: str, prompt: str) -> str:
    if phrases.NOT_A_RULE.search(sentence) or not 3 <= len(sentences.words(sentence)) <= 60:
        return ""
    if phrases.PREFERENCE.search(sentence) and phrases.LASTING.search(prompt):
        return MemoryKind.PREFERENCE
    bare = phrases.LEAD.sub("", sentence)
    if phrases.RULE.search(sentence) or phrases.CONVENTION.match(sentence) or phrases.CONVENTION.match(bare):
        return MemoryKind.CONVENTION
    return ""


def _bare(sentence: str) -> str:
    text = phrases.STORE_TAIL.sub("", sentence.rstrip(" .!")).strip()
    text = phrases.LEAD.sub("", text) if len(sentences.words(phrases.LEAD.sub("", text))) >= 3 else text
    return re.sub(r",? please\b", "", sentences.capital(text))


def beside_rules(prompt: str) -> str:
    """What a prompt asks besides stating rules and saying to write them down."""
    rest = [
        sentence
        for sentence in sentences.split(prompt)
        if not _rule_kind(sentence, prompt)
        and not phrases.STORE_IT.match(sentence)
        and not phrases.ACKNOWLEDGEMENT.match(sentence)
    ]
    return " ".join(rest)


def is_hypothesis(prompt: str) -> bool:
    """Whether a prompt guesses at a cause."""
    return bool(phrases.HYPOTHESIS.search(prompt))


def is_acknowledgement(text: str) -> bool:
    """Whether a text only thanks, agrees or says to go on."""
    text = text.strip()
    return not text or (len(text) < 80 and bool(phrases.ACKNOWLEDGEMENT.match(text)))


def is_status_request(prompt: str) -> bool:
    """Whether a prompt only asks to run, show or read something."""
    return len(prompt) < 120 and bool(phrases.STATUS.match(prompt.strip()))


def telling(text: str) -> list[str]:
    """The sentences of a closing message that tell something: no narration, no offers, no thanks."""
    found = [sentence for sentence in sentences.split(text) if not phrases.NARRATION.match(sentence)]
    bare = [(sentence, phrases.DONE.sub("", sentence)) for sentence in found if not is_acknowledgement(sentence)]
    return [sentence if rest == sentence else sentences.capital(rest) for sentence, rest in bare]


def is_process(sentence: str) -> bool:
    """Whether a sentence is about the work (tests pass, committed) rather than about the project."""
    return bool(phrases.PROCESS.match(sentence))


def how_to(prompt: str) -> str:
    """`How to …` where a prompt asks for a way of doing something, else ""."""
    found = phrases.HOW.search(prompt)
    if not found:
        return ""
    what = re.split(r" (?:and|so|as|because|und) (?=\w)", found.group("what").strip())[0]
    if found.group("one"):
        verb, _, rest = what.partition(" ")
        if not re.match(r"[a-z]+(?<!s)s$", verb) and found.group("one").lower() == "one":
            return ""
        what = f"{verb.removesuffix('s') if found.group('one').lower() == 'one' else verb} {rest}"
    return "" if phrases.VAGUE.search(what) else f"How to {what.strip()}"


def asks_for_steps(prompt: str) -> bool:
    """Whether a prompt asks to write steps down."""
    return bool(phrases.STEPS.search(prompt))


def kind_of(prompt: str, closing: str, outcome: Outcome) -> str:
    """The kind of what happened, by commit type, then by what failed, was asked, and was said."""
    types = {commit.message.type for commit in outcome.commits}
    if phrases.INCIDENT.search(prompt) or any(
        re.search(r"^Incident\b", commit.message.body, re.MULTILINE) for commit in outcome.commits
    ):
        return MemoryKind.INCIDENT
    if outcome.disproved:
        return MemoryKind.DISCOVERY
    if types & {"fix", "bugfix", "hotfix", "bug", "security"}:
        return MemoryKind.BUGFIX
    if re.search(r"\bdeci(?:sion|de)\b", prompt, re.IGNORECASE):
        return MemoryKind.DECISION
    if types & {"feat", "feature"}:
        return MemoryKind.FEATURE
    if types & {"refactor", "perf"}:
        return MemoryKind.REFACTOR
    if types == {"docs"} and not phrases.DECISION.search(closing):
        return MemoryKind.DISCOVERY
    return _kind_by_words(prompt, closing, outcome)


def _kind_by_words(prompt: str, closing: str, outcome: Outcome) -> str:
    changed = bool(outcome.commits or outcome.edited)
    if outcome.recovered or (phrases.BROKEN.search(prompt) and changed):
        return MemoryKind.BUGFIX
    if phrases.DECISION.search(prompt) or phrases.DECISION.search(closing):
        return MemoryKind.DECISION
    if phrases.REFACTOR.search(prompt) and changed:
        return MemoryKind.REFACTOR
    return MemoryKind.FEATURE if changed else MemoryKind.DISCOVERY


def tier_of(kind: str) -> str:
    """Which part of memory a kind belongs to."""
    if kind in (MemoryKind.CONVENTION, MemoryKind.PREFERENCE, MemoryKind.DECISION):
        return Tier.SEMANTIC
    return Tier.PROCEDURAL if kind == MemoryKind.PROCEDURE else Tier.EPISODIC
