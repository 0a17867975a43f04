"""Prose as sentences: taken out of Markdown, split, cut at clauses, made into titles."""

from __future__ import annotations

import re
from functools import lru_cache

TITLE = 80
"""Characters that a title may have."""

MOST = 300
"""Sentences that are read of one text: nobody closes a turn with more."""
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")
_EMPHASIS = re.compile(r"(?<![\w*])\*{1,3}(?=\S)([^*\n]{1,300}?)(?<=\S)\*{1,3}(?![\w*])")
_MARK = re.compile(r"^\s{0,12}(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+|>\s?)")
_SPAN = re.compile(r"`[^`\n]{1,300}`")
_END = re.compile(r"(?<![ .!?])[.!?。！？]+[\"'”’)\]]*(?=\s+[^\sa-z]|\s*$)")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|z\.B|bzw|Nr|ca|Mr|Mrs|Dr)|\b[A-Z])\.$")
_STRONG = re.compile(r"; |: | \(| [-–—] ")
_WEAK = re.compile(r", | (?:because|so that|since|which|where|while|when|until|and|but|instead of) ")
_LEADS = re.compile(
    r"^(?:(?:done|fixed|finished|good|great|ok(?:ay)?|sure|noted|right|perfect|yes|well|so|also|and|then|next|finally|"
    r"summary|in short|in summary|tl;?dr|all set|all done)\b[,:.!]*\s+|(?:i|we)(?:'ve| have)? (?:now |also |just )?"
    r"(?=[a-z]+(?:ed|ose|ade|ote|ut|ook|ound|ent|an|ept)\b))",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"^(?:it|its|this|that|these|those|they|there|he|she|both|which|es|das|dies)\b", re.IGNORECASE)


def plain(text: str) -> str:
    """Prose without Markdown: fenced code dropped, links and emphasis as their words, list items as lines."""
    text = _FENCE.sub("\n", text.replace("\r\n", "\n"))
    text = _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in text.split("\n"))).strip()


def split(text: str) -> list[str]:
    """The sentences of a text, each on one line; a list item or heading is a sentence of its own."""
    return list(_split(text))


@lru_cache(maxsize=64)
def _split(text: str) -> tuple[str, ...]:
    """`split`, remembered: the rules come back to the same few texts of a turn."""
    found: list[str] = []
    for block in _blocks(plain(text)):
        found.extend(_sentences(block))
        if len(found) >= MOST:
            break
    return tuple(found[:MOST])


def _blocks(text: str) -> list[str]:
    blocks: list[list[str]] = [[]]
    for line in text.split("\n"):
        bare = _MARK.sub("", line).strip()
        if _MARK.match(line) or not bare or _is_table(bare):
            blocks.append([])
        if bare and not _is_table(bare):
            blocks[-1].append(bare)
    return [" ".join(block) for block in blocks if block]


def _is_table(line: str) -> bool:
    return line.startswith("|") or not re.search(r"\w", line)


def _sentences(block: str) -> list[str]:
    spans = [match.span() for match in _SPAN.finditer(block)]
    found, start = [], 0
    for match in _END.finditer(block):
        if any(a < match.start() < b for a, b in spans) or _ABBREVIATION.search(
            block[max(start, match.end() - 12) : match.end()]
        ):
            continue
        found.append(block[start : match.end()].strip())
        start = match.end()
        if len(found) > MOST:
            return found
    found.append(block[start:].strip())
    return [sentence for sentence in found if re.search(r"\w", sentence)]


def leans_on_another(sentence: str) -> bool:
    """Whether a sentence begins with a word that points back, so that it says little alone."""
    return bool(_PRONOUN.match(sentence))


def words(text: str) -> list[str]:
    """The words of a text, numbers and identifiers included."""
    return re.findall(r"\w[\w'’.:/-]*", text)


def fit(text: str, limit: int) -> str:
    """A text in at most `limit` characters: whole where it fits, else cut after its longest fitting clause."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    for clause in (_STRONG, _WEAK):
        for at in range(limit, limit // 3, -1):
            if clause.match(text, at) and _is_balanced(text[:at]):
                return text[:at].rstrip(" ,;:")
    cut = text[: limit - 1]
    return cut[: cut.rfind(" ")].rstrip(" ,;:") + "…" if " " in cut else cut + "…"


def _is_balanced(text: str) -> bool:
    return text.count("`") % 2 == 0 and text.count("(") == text.count(")")


def fit_sentences(sentences: list[str], limit: int) -> str:
    """As many whole sentences, from the first, as fit `limit` characters; at least a part of the first."""
    if not sentences:
        return ""
    text = fit(sentences[0], limit)
    for sentence in sentences[1:]:
        if len(text) + 1 + len(sentence) > limit:
            break
        text += " " + sentence
    return text


def title(sentence: str) -> str:
    """A sentence as a title of at most 80 characters: no lead-in, no `I`, no full stop, no quoting of code."""
    text, before = " ".join(plain(sentence).split()), ""
    while text != before and len(words(text)) > 3:
        before, text = text, _LEADS.sub("", text)
    text = fit(text.replace("`", "").rstrip(" .:;,!"), TITLE)
    return capital(text)


def capital(text: str) -> str:
    """With a capital first letter, unless the first word is code (a path, a call, an option) or an area (cli: …)."""
    first = text.split(" ", 1)[0]
    is_code = first.endswith(":") or bool(re.search(r"[_./(\d=]|^-|[a-z][A-Z]", first.rstrip(".,:;-")))
    return text if is_code or not text else text[0].upper() + text[1:]
