"""What a memory says, made comparable: a key of its normalised text, its sentences, its stems, the names in it."""

from __future__ import annotations

import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import Stemmer

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_SENTENCES, _MOST_CHARACTERS = 12, 1_500

_UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_MOMENT = r"\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:z|[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?"
_HASH = r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
_PASSING = re.compile(f"{_UUID}|{_MOMENT}|{_HASH}")  # what differs each time the same thing is told

_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[^\s])|\n+")
_NOT_SAID = re.compile(r"(?:asked|changed|outcome|disproved|written down|learned|done|left open):", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# Names: what stands in backticks, paths, options, and words that hold a digit, a dot, an underscore or a hump.
_NAME = re.compile(
    r"`[^`\n]{1,80}`|--[a-z][\w-]+|[@\w~.-]*/[\w./@~-]*\w|\w+(?:[._]\w+)+(?:\(\))?|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*"
)
_NUMBER = re.compile(r"(?<![\w.])v?\d+(?:[.,:]\d+)*")


def listed(text: str) -> frozenset[str]:
    """The words of a list, parted by spaces."""
    return frozenset(text.split())


_ROW = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",)
_NUMERALS = {word: str(number) for row in _ROW for number, word in enumerate(row.split())} | {
    "twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100", "once": "1", "twice": "2", "half": "0.5",
}  # fmt: skip
STOP = listed(
    "a an the of to in on at by for with from and or is are was were be been it its this that these those as so than"
    " then they them their he she we us our you your i there here has have had do does did will would can could may"
    " might must should into onto which who whom whose what when where why how if because since while also just only"
    " each every all any some more most other such own same"
)
"""Words that say nothing by themselves."""

_local = threading.local()  # a stemmer is one thread's


@dataclass(frozen=True, slots=True)
class Said:
    """One memory's statement, prepared once for many comparisons."""

    sentences: tuple[str, ...]
    text: str
    """All sentences, normalised."""
    stems: frozenset[str]
    """Of the words that mean something."""
    names: frozenset[str]
    """Identifiers, paths, options: lower case."""
    numbers: frozenset[str]
    """Numbers and versions."""
    files: frozenset[str] = frozenset()
    """The paths of the memory itself."""


def key(texts: Iterable[str]) -> bytes:
    """16 bytes that are equal where the texts are, but for white space, case, Unicode form, ids, hashes and times."""
    whole = "\n".join(normal(text) for text in texts)
    return blake2b(_PASSING.sub("~", whole).encode(), digest_size=16).digest()


def normal(text: str) -> str:
    """NFKC, without case, white space as single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def said(title: str, summary: str, text: str) -> Said:
    """What a memory says: its title, summary and the beginning of its text, each sentence once."""
    found: dict[str, str] = {}
    length = 0
    for part in (title, summary, text):
        for sentence in _sentences(part):
            if len(found) >= _MOST_SENTENCES or length > _MOST_CHARACTERS:
                break
            if found.setdefault(normal(sentence).rstrip("."), sentence) is sentence:
                length += len(sentence)
    whole = "\n".join(found.values())
    return Said(tuple(found.values()), " ".join(found), stems(whole), names(whole), numbers(whole))


def _sentences(text: str) -> Iterable[str]:
    """The sentences of what a memory tells, without what was only asked, or quoted from a change."""
    for paragraph in text.split("\n\n"):
        if not _NOT_SAID.match(paragraph.strip()):
            yield from (part.strip() for part in _SENTENCE.split(paragraph) if part.strip())


@lru_cache(1 << 13)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's words that mean something, numbers left out."""
    return frozenset(stem_of(word) for word in words(text) if word not in STOP and not word[0].isdigit())


def words(text: str) -> list[str]:
    """A text's words in lower case, in their order; numerals as numbers."""
    return [_NUMERALS.get(word, word) for word in _WORD.findall(text.casefold())]


@lru_cache(1 << 16)
def stem_of(word: str) -> str:
    """The stem of a word in lower case."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    found: str = stemmer.stemWord(word)
    return found


@lru_cache(1 << 13)
def names(text: str) -> frozenset[str]:
    """Identifiers, paths and options in a text, in lower case, without quotes and calls' brackets."""
    found = (match.strip("`").removesuffix("()").strip(".").casefold() for match in _NAME.findall(text))
    return frozenset(name for name in found if name and not _NUMBER.fullmatch(name))


@lru_cache(1 << 13)
def numbers(text: str) -> frozenset[str]:
    """Numbers, versions and times of day in a text, numerals among them; without the units that follow."""
    found = {match.removeprefix("v") for match in _NUMBER.findall(text.casefold())}
    found |= {_NUMERALS[word] for word in _WORD.findall(text.casefold()) if word in _NUMERALS}
    return frozenset(found)
