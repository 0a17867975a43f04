"""Facts: single statements that stand alone, taken from the closing message, documents, errors and commands."""

from __future__ import annotations

import re

from tui_memory.compress import classify, reading, sentences, titles
from tui_memory.compress.scene import Scene
from tui_memory.model import Kind

MOST = 6
_SAID, _RULES = 3, 3
_LONGEST = 260


def of(scene: Scene, text: str, *, procedure: bool = False) -> list[str]:
    """What is to be looked up by itself and the text does not say: what a document now says, the commands that worked.

    `procedure`: the turn answers how something is done.
    """
    known = set(sentences.words(text.lower()))
    found = [line for line in scene.written[:6] if not set(sentences.words(line.lower())) <= known]
    if procedure:
        found += [f"`{line}` works." for line in worked(scene)[:4] if line not in text]
    return distinct(found)[: MOST if procedure else _RULES]


def standing_alone(told: list[str]) -> list[str]:
    """Sentences that tell something; one that points back is joined to the one before it."""
    found: list[str] = []
    for sentence in told:
        if classify.is_process(sentence) or sentence.endswith("?"):
            continue
        if sentences.leans_on_another(sentence) and found and len(found[-1]) + len(sentence) < _LONGEST:
            found[-1] += " " + sentence
        elif not sentences.leans_on_another(sentence) and len(sentences.words(sentence)) >= 4:
            found.append(sentence)
    return [sentences.fit(text, _LONGEST) for text in found]


def most_telling(texts: list[str]) -> list[str]:
    """The few statements that tell most, in their own order."""
    ranked = sorted(texts, key=titles.weight, reverse=True)[:_SAID]
    return [text for text in texts if text in ranked]


def worked(scene: Scene) -> list[str]:
    """The commands of the turn that went well and did something, short ones, each once."""
    found = []
    for item in scene.turn.of(Kind.COMMAND):
        line = re.sub(r"^cd \S+ && ", "", " ".join(reading.command(item).split()))
        if not reading.failed(item) and 4 < len(line) <= 120 and not _LOOKS.match(line):
            found.append(line)
    return list(dict.fromkeys(found))


NAMES = re.compile(r"^(?!Assertion)(?:[\w.]*(?:Error|Exception|Timeout)|(?:\S+: )?(?:error|fatal|ERROR|FATAL))\b.*: \S")
_LOOKS = re.compile(
    r"^(?:git (?:add|commit|status|diff|log|show|checkout|ls-files)|cat|ls|sed -n|head|tail|"
    r"grep|rg|find|echo|pwd|wc|tree)\b"
)


def distinct(texts: list[str]) -> list[str]:
    """Texts without those whose words another, earlier one holds already."""
    kept: list[str] = []
    seen: list[set[str]] = []
    for text in texts:
        terms = {word.lower() for word in sentences.words(text) if len(word) > 3}
        if terms and any(len(terms & other) >= 0.75 * len(terms) for other in seen):
            continue
        kept.append(text)
        seen.append(terms)
    return kept
