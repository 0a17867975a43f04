"""A model's answer as notes, or what is wrong with it in words that the model can be shown."""

from __future__ import annotations

import json
import re

from pydantic import ValidationError

from tui_memory.compress.schema import Note, Notes
from tui_memory.errors import CompressError

_THINK = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_PLACEHOLDER = re.compile(
    r"^(?:string|title|summary|text|fact|facts|label|example|placeholder|n/?a|none|null|\W*|<[^>]*>|\.\.\.)$", re.I
)
_FOREIGN = re.compile(r"[\u0400-\u04ff\u0590-\u06ff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def parse(answer: str, sources: str = "") -> Notes:
    """The notes in an answer; CompressError says what is wrong. `sources`: what the notes are about."""
    notes = _shape(value(answer))
    for note in notes.memories:
        _check(note, sources)
    if len({note.title.strip().casefold() for note in notes.memories}) * 2 < len(notes.memories):
        raise CompressError("the answer gives the same memory again and again")
    return notes


def value(answer: str) -> object:
    """The JSON of an answer, without its fence and its thinking; CompressError says what is wrong."""
    text = _THINK.sub("", answer).strip()
    if re.match(r"<think(?:ing)?>", text, re.IGNORECASE):
        raise CompressError("the answer is only thinking, without an end")
    if fenced := _FENCE.match(text):
        text = fenced.group(1).strip()
    if not text:
        raise CompressError("the answer is empty")
    try:
        return json.loads(text)
    except ValueError as error:
        what = "prose instead of JSON" if not text.startswith(("{", "[")) else f"broken JSON ({error})"
        raise CompressError(f"the answer is {what}") from None


def _shape(answer: object) -> Notes:
    if isinstance(answer, dict) and ("properties" in answer or "$schema" in answer or "$defs" in answer):
        raise CompressError("the answer repeats the schema instead of following it")
    if isinstance(answer, dict) and isinstance(answer.get("memories"), dict):
        raise CompressError("memories must be a list")
    try:
        return Notes.model_validate(answer)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise CompressError(f"the answer has the wrong shape: {where}: {first['msg']}") from None


def _check(note: Note, sources: str) -> None:
    if _PLACEHOLDER.match(note.title.strip()):
        raise CompressError(f"the title “{note.title}” is a placeholder, not a statement")
    if note.title.strip().endswith("?"):
        raise CompressError(f"the title “{note.title}” is a question, not a statement of what was learned")
    if not (note.summary.strip() or note.text.strip() or note.facts):
        raise CompressError(f"the memory “{note.title}” says nothing beside its title")
    whole = "\n".join((note.title, note.summary, note.text, *note.facts))
    if repeats(whole) or len(set(note.facts)) * 2 < len(note.facts):
        raise CompressError("the answer repeats itself")
    if is_foreign(whole, sources):
        raise CompressError("the answer is in another language than the events")


def is_foreign(text: str, sources: str) -> bool:
    """Whether a text is in a script that its sources, where they are known, do not have."""
    return bool(sources and _FOREIGN.search(text) and not _FOREIGN.search(sources))


def repeats(text: str) -> bool:
    """Whether a text is caught in a loop: some run of words comes again and again."""
    words = text.lower().split()
    for size in (1, 3, 8):
        most = {1: 12, 3: 6, 8: 4}[size]
        runs = [" ".join(words[at : at + size]) for at in range(0, len(words) - size + 1)]
        in_a_row = sum(a == b for a, b in zip(runs, runs[size:], strict=False))
        if in_a_row >= most * size:
            return True
    return False
