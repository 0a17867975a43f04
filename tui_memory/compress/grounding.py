"""Whether a memory holds to its sources: names, paths, numbers and quotes of its own are taken out and flagged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from tui_memory.compress import reading, sentences
from tui_memory.compress.made import Made
from tui_memory.compress.turns import Turn
from tui_memory.model import Body, Grounding, Kind, Observation
from tui_memory.safetext import strip_ansi

_EDGES = "\"'`“”‘’„«»()[]{}<>,;:!?*…"
_SPECIAL = re.compile(r"[_/\\\d@]|\w\.\w|::|\w[A-Z]|^--?\w|^[.~]\w")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»\n]{3,120})[\"”“»]|`([^`\n]{2,160})`")
_SALIENT = re.compile(r"[.~]?\w[\w./:@\\-]*")
_COMMON = frozenset(
    {
        "about", "after", "again", "also", "because", "been", "before", "being", "between", "both",
        "could", "does", "done", "from", "have", "having", "here", "into", "itself", "just", "like",
        "made", "make", "many", "more", "most", "much", "must", "need", "none", "only", "other", "over",
        "same", "should", "since", "some", "such", "than", "that", "their", "them", "then", "there",
        "these", "they", "this", "those", "through", "under", "until", "very", "were", "what", "when",
        "where", "which", "while", "will", "with", "without", "would", "your", "yours",
    }
)  # fmt: skip


def tokens(text: str) -> list[str]:
    """The words of a text that must not be invented: with a digit, `_`, `/`, `.`, `::`, `@` or an inner capital."""
    found = [word.strip(_EDGES).rstrip(".").strip(_EDGES) for word in text.split()]
    return [word.removesuffix("'s").removesuffix("’s") for word in found if _SPECIAL.search(word)]


def source_text(observations: Iterable[Observation]) -> str:
    """Everything the sources say: texts, files, branches, small facts."""
    parts: list[str] = []
    for item in observations:
        parts += [strip_ansi(item.text), " ".join(item.files), item.branch, item.tool, item.agent]
        parts += [str(value) for value in item.detail.values() if isinstance(value, str | int | float)]
    return "\n".join(parts)


def invented(text: str, sources: str) -> list[str]:
    """The tokens and quoted strings of a text that its sources do not contain."""
    flat = _flat(sources)
    found = [word for word in tokens(text) if not _stands_in(_plain(word), flat)]
    for match in _QUOTED.finditer(text):
        quote = match.group(1) or match.group(2)
        if _plain(quote) not in flat:
            found.append(quote)
    return list(dict.fromkeys(found))


def _stands_in(word: str, flat: str) -> bool:
    """Whether the sources hold a word; a number has to stand alone there, 25 is not in 250."""
    if word[:1].isdigit() or word[-1:].isdigit():
        return re.search(rf"(?<!\d){re.escape(word)}(?!\d)", flat) is not None
    return word in flat


@lru_cache(maxsize=16)
def _flat(text: str) -> str:
    """`_plain`, remembered: each sentence of a memory is held against the same sources."""
    return _plain(text)


def _plain(text: str) -> str:
    """A text on one line, its quotes straight."""
    text = text.replace("’", "'").replace("“", '"').replace("”", '"')
    return " ".join(re.sub(r"(?<=\d)\s+(?=%)", "", text).split())


def ground(body: Body, sources: str, files: Sequence[str]) -> Body | None:
    """The body without the sentences that need an invention, files from tool inputs only; None: no title is left.

    What was taken out is named in `grounding.flagged`.
    """
    flagged: list[str] = []

    def kept(text: str) -> str:
        lines = [_kept_line(line, sources, flagged) for line in text.split("\n")]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    text, summary = kept(body.text), kept(body.summary)
    facts = [fact for fact in map(kept, body.facts) if fact]
    title = kept(body.title) or sentences.title(next(iter(sentences.split(summary or text)), ""))
    if not title or not (text or summary or facts):
        return None
    labels = [label for label in body.labels if not invented(label, sources)]
    return replace(
        body,
        title=title,
        summary=summary or title,
        text=text or summary or "\n".join(facts),
        facts=facts,
        labels=labels,
        files=[path for path in body.files if path in files],
        grounding=Grounding(body.grounding.retained, list(dict.fromkeys([*body.grounding.flagged, *flagged]))),
    )


def _kept_line(line: str, sources: str, flagged: list[str]) -> str:
    found = invented(line, sources)
    if not found:
        return line
    flagged.extend(found)
    return " ".join(sentence for sentence in sentences.split(line) if not invented(sentence, sources))


def carriers(body: Body, cited: Sequence[int], said: Sequence[Observation]) -> list[int]:
    """The cited observations, and those that its names, paths and numbers come from where the cited lack them."""
    wanted = set(cited)
    known = _flat(source_text(item for item in said if item.id in wanted))
    text = "\n".join((body.title, body.summary, body.text, *body.facts, *body.labels))
    missing = {word for word in map(_plain, tokens(text)) if not _stands_in(word, known)}
    for item in said:
        if item.id not in wanted and missing:
            flat = _plain(source_text([item]))
            if held := {word for word in missing if _stands_in(word, flat)}:
                wanted.add(item.id)
                missing -= held
    return sorted(wanted)


def salient(observations: Iterable[Observation]) -> set[str]:
    """The words that make these sources what they are: of prompts, commits, closing messages, errors, changed files."""
    found: set[str] = set()
    for item in observations:
        if item.kind in (Kind.PROMPT, Kind.RESPONSE, Kind.NOTE):
            found |= terms(item.text)
        elif item.kind in (Kind.COMMIT, Kind.MERGE):
            found |= terms(reading.message(item))
        elif item.kind == Kind.ERROR:
            found |= terms(reading.error_line(item))
        elif item.kind == Kind.EDIT:
            found |= {path.rsplit("/", 1)[-1].lower() for path in item.files}
    return found


def terms(text: str) -> set[str]:
    """The words of a text that tell something, in small letters."""
    words = (word.lower().rstrip("./:@\\-") for word in _SALIENT.findall(text))
    return {word for word in words if (len(word) > 3 or re.search(r"[\d_]", word)) and word not in _COMMON}


def retained(body: Body, observations: Iterable[Observation]) -> float:
    """The share (0..1) of the sources' salient words that the memory kept; 1 where they have none."""
    wanted = salient(observations)
    if not wanted:
        return 1.0
    said = "\n".join((body.title, body.summary, body.text, *body.facts, *body.files, *body.labels)).lower()
    return round(sum(word in said for word in wanted) / len(wanted), 3)


def measure(made: Made, turn: Turn) -> None:
    """Write into a memory how much of its sources it kept."""
    wanted = set(made.sources)
    made.body.grounding.retained = retained(made.body, [item for item in turn.observations if item.id in wanted])
