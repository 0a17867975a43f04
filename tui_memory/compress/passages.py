"""A memory's text by rule: what its title and its summary do not say yet, each thing once, the finding first."""

from __future__ import annotations

import re

from tui_memory.compress import changed_lines, classify, facts, grounding, phrases, reading, sentences, titles
from tui_memory.compress.outcome import Committed
from tui_memory.compress.scene import Scene

_FINDING, _ASKED, _WHY, _WRITTEN, _CODE = 420, 260, 220, 240, 120
"""Characters of each part of an ordinary turn's text."""
_SAID_ALREADY = 0.7
"""The share of a sentence's telling words from which on it is a repetition."""
_LONGEST = 1_500


def unsaid(texts: list[str], *said: str) -> list[str]:
    """The texts that say something which neither these nor the ones before them have said."""
    known = set().union(*map(grounding.terms, said))
    kept = []
    for text in texts:
        own = grounding.terms(text)
        if own and len(own & known) < _SAID_ALREADY * len(own):
            kept.append(text)
            known |= own
    return kept


def of_turn(seen: Scene, title: str, summary: str) -> str:
    """The rest of a turn: the finding, what was asked, why, what was written down, what came of it."""
    parts: list[str] = []

    def add(label: str, texts: list[str], room: int) -> None:
        left = unsaid(texts, title, summary, *parts)
        if left:
            parts.append(label + sentences.fit_sentences(left, room))

    finding = _telling(unsaid(_findings(seen), title, summary), _FINDING)
    parts += [finding] if finding else []
    guess = seen.prompt.text if seen.prompt and seen.outcome.disproved else ""
    parts += [f"Disproved: {sentences.fit(guess, _ASKED)}"] if guess else []  # said even where the title says no to it
    add("Asked: ", _asked(seen.asked) if seen.context or not guess else [], _ASKED)
    for commit in seen.commits:
        add("", sentences.split(commit.message.body), _WHY)
    for _, text in seen.requests[:2]:
        add("Pull request: ", sentences.split(text), _WRITTEN)
    add("Written down: ", seen.written, _WRITTEN)
    add("", _came(seen), _WHY)
    if not finding:
        add("Changed: ", [code] if (code := changed_lines.code(seen.changes, _CODE)) else [], _CODE)
    return joined(parts) or summary


def of_commit(commit: Committed, title: str, summary: str) -> str:
    """The rest of a commit's message, what it wrote into documents, and the line that tells most of its diff."""
    message = commit.message
    reasons = _telling(unsaid(sentences.split(message.body), title, summary), 2 * _FINDING)
    written = unsaid(changed_lines.prose(commit.changes), title, summary, reasons)
    code = changed_lines.code(commit.changes, _CODE)
    parts = [
        reasons,
        f"Written down: {sentences.fit_sentences(written, _WRITTEN)}" if written else "",
        f"Takes back commit {message.reverts[:12]}." if message.reverts else "",
        f"Changed: {code}" if code else "",
    ]
    return joined(parts) or summary


def joined(parts: list[str]) -> str:
    """Paragraphs in their order, the last ones left out where the whole would be too long."""
    text = ""
    for part in filter(None, parts):
        if len(text) + len(part) + 2 <= _LONGEST:
            text = f"{text}\n\n{part}" if text else part
    return text


def _findings(seen: Scene) -> list[str]:
    """What the agent said in the end about the project, not about its work."""
    return [text for text in seen.told if not classify.is_process(text) and not text.endswith("?")]


def _telling(texts: list[str], room: int) -> str:
    """The sentences that tell most, as many as there is room for, in their own order."""
    kept: list[str] = []
    for text in sorted(texts, key=titles.weight, reverse=True):
        if not kept or sum(map(len, kept)) + len(kept) + len(text) <= room:
            kept.append(text if kept else sentences.fit(text, room))
            texts = [kept[-1] if other == text else other for other in texts]
    return " ".join(text for text in texts if text in kept)


def _asked(text: str) -> list[str]:
    """What was asked without the errands in it ("find out why", "test first"), where it says anything beside them."""
    every = sentences.split(text)
    return [sentence for sentence in every if not phrases.ERRAND.match(sentence)] or every


def _came(seen: Scene) -> list[str]:
    """What failed on the way, by the name of its error, and what was taken back."""
    named = [line for item in seen.outcome.failures if facts.NAMES.search(line := reading.error_line(item))]
    found = [f"Failed on the way: {sentences.fit(line, 140)}" for line in dict.fromkeys(named[:1])]
    if seen.outcome.undone:
        found.append(f"The change to {', '.join(seen.outcome.undone[:4])} was taken back.")
    return [text if re.search(r"[.!?]$", text) else f"{text}." for text in found]
