"""Assignments to secret-like names: `NAME=value`, `"name": "value"`, `--name value`, `set_name("value")`, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.redact import grammar, values
from tui_memory.redact.names import kind_of
from tui_memory.redact.spans import Span, View

Hit = re.Match[str]
PATTERNS = tuple((stem.rstrip("=: "), re.compile(re.escape(stem.rstrip("=: ")) + grammar.TAIL)) for stem in dict.fromkeys(grammar.STEMS))
SHELL_VERB = re.compile(r"(?:^|[\s;&|(\"'])(?:env|arg|set|setx|set -\w{1,3}|export|declare -x|setenv|typeset -x|defaults write|add)$")
CALL = re.compile(r"[A-Za-z_$][\w.$:>?!-]*[(\[]")
FLAG = re.compile(r"(?:^|[\s\"'`,\[=(;|])(?:--?|/)$")
FLAG_BEFORE = ("", *" \t\n\"'`,[=(;|")
EXTENDED_LIMIT = 100_000


def scan(view: View) -> Iterator[Span]:
    """Every value that stands after a secret's name."""
    text, low = view.text, view.lower
    hits: dict[int, Hit] = {}
    for stem, pattern in PATTERNS:
        if stem in low:
            for hit in pattern.finditer(low):
                # Stems overlap (`auth_token`, `pass_key`): the last one of a name decides.
                hits[hit.end()] = hit
    done = -1
    for end in sorted(hits):
        hit = hits[end]
        if hit.start() < done:
            continue
        span, end = _judge(text, low, hit)
        done = end
        if span:
            yield span


def _name(text: str, hit: Hit) -> tuple[str, int]:
    """The whole identifier around a hit, and where it starts."""
    start, stop = hit.start(), hit.end("tail")
    window = text[max(0, start - 64) : start][::-1]
    found = grammar.LEFT.match(window)
    left = found.group() if found else ""
    begin = start - len(left)
    alone = text[start:stop]
    if left and begin and text[begin - 1] == "\\" and text[begin] in "nrtbfu":
        begin += 1
    if begin == start and kind_of(alone) != "password":
        word = grammar.SPACED.match(window)
        if word and word.group(1)[::-1].lower() in grammar.QUALIFIERS:
            return f"{word.group(1)[::-1]}_{alone}", start - word.end()
    return text[begin:stop].strip(".-$"), begin


def _judge(text: str, low: str, hit: Hit) -> tuple[Span | None, int]:
    """The value's span, if it is a secret, and how far the text need not be looked at again."""
    name, begin = _name(text, hit)
    kind = kind_of(name)
    if not kind:
        return None, 0
    at = hit.end()
    while at < len(text) and text[at] == "\0":
        at += 1
    prefix = grammar.PREFIX.match(low, at)
    opened = prefix.end() if prefix else at
    quote = grammar.QUOTE.match(text, opened)
    if quote:
        span = _quoted(text, hit, kind, quote)
        return span, span.end if span else 0
    scalar = grammar.BLOCK_SCALAR.match(text, at) if hit["sign"] else None
    if scalar:
        at = scalar.end()
    return _unquoted(text, hit, kind, (name, begin, at))


def closing(text: str, quote: re.Match[str]) -> int:
    """Where the string ends that `quote` opens, counting the backslashes of its escape level; -1 if never.

    A quote behind k backslashes is closed by one behind at most k, or behind k plus an even number of whole
    escapes (a literal backslash at the end).
    """
    depth, mark = len(quote.group(1)), quote.group()[len(quote.group(1)) :]
    unit = depth + 1
    limit = min(len(text), quote.end() + 8_000)
    at = text.find(mark, quote.end(), limit)
    while at >= 0:
        behind = at
        while behind > quote.end() and text[behind - 1] == "\\":
            behind -= 1
        count = at - behind
        if count <= depth:
            return at - count
        if ((count - depth) // unit) % 2 == 0:
            return at - depth
        at = text.find(mark, at + 1, limit)
    return -1


def _quoted(text: str, hit: Hit, kind: str, quote: re.Match[str]) -> Span | None:
    if hit["space"] and not values_allowed_after_space(text, hit, kind):
        return None
    start = quote.end()
    end = closing(text, quote)
    if end < 0:
        run = grammar.RUN.match(text, start)
        end = run.end() if run else start
    elif "\n" in text[start:end] and len(quote.group(2)) == len(quote.group()) - len(quote.group(1)):
        cut = text.find("\n", start, end)
        end = cut if kind == "password" or cut - start < 16 else end
    value = text[start:end].strip("\0")
    if not value or "\0" in value:
        return None
    if hit["comma"] and not re.search(r"[\"'`]", hit["close"]):
        return None
    return Span(start, end, kind) if secret(value, kind, quoted=True, loose=False) else None


def values_allowed_after_space(text: str, hit: Hit, kind: str) -> bool:
    """Whether a quoted string straight after a name is its value: after a flag, a shell verb, or a password's name."""
    before = text[max(0, hit.start() - 64) : hit.start()]
    return kind == "password" or kind == "token" or bool(re.search(r"(?:--?|/)[\w-]*$", before))


def _unquoted(text: str, hit: Hit, kind: str, where: tuple[str, int, int]) -> tuple[Span | None, int]:
    name, begin, at = where
    run = grammar.RUN.match(text, at)
    if not run or hit["call"] or (hit["comma"] and not hit["close"]):
        return None, 0
    start, end = run.span()
    if end - start >= 1024:
        rest = grammar.REST.match(text, end, end + EXTENDED_LIMIT)
        end = rest.end() if rest else end
    skip = end if end - start >= 1024 else 0
    value = text[start:end]
    stripped = value.rstrip(".,;:?" if not hit["sign"] or hit["gap"] else ",;")
    end -= len(value) - len(stripped)
    loose = _loose(text, hit, name, begin)
    if hit["space"] and not loose and not _netrc(text, begin, end, stripped):
        return None, skip
    if not stripped or CALL.match(stripped):
        return None, skip
    return (Span(start, end, kind), end) if secret(stripped, kind, quoted=False, loose=loose) else (None, skip)


def _loose(text: str, hit: Hit, name: str, begin: int) -> bool:
    """Whether only a literal can stand here: an environment file, a flag, a shell's own assignment."""
    before = text[max(0, begin - 40) : begin]
    if FLAG.search(before) or (text[begin : begin + 1] == "-" and before[-1:] in FLAG_BEFORE):
        return bool(hit["space"] or hit["sign"])
    if hit["space"]:
        return bool(SHELL_VERB.search(before.lower().rstrip())) and before[-1:] in (" ", "\t")
    return bool(hit["sign"]) and hit["sign"] == "=" and not hit["gap"] and (name.isupper() or before.lower().endswith("export "))


def _netrc(text: str, begin: int, end: int, value: str) -> bool:
    """`login NAME password VALUE`, on one line or several, and `password VALUE` alone on a line with a digit."""
    before = text[max(0, begin - 160) : begin].lower()
    if re.search(r"(?:login|user|username|machine|account)[ \t]+\S+(?:\s|\\[nrt]){1,12}$", before):
        return True
    alone = re.search(r"(?:^|\n|\\n)[ \t+\-]{0,8}$", before)
    return bool(alone) and text[end : end + 1] in ("", "\n", "\r", "\\") and values.has_digit(value) and values.has_letter(value)


def secret(value: str, kind: str, *, quoted: bool, loose: bool) -> bool:
    if kind == "password":
        return values.password(value, quoted=quoted, loose=loose)
    if kind == "auth":
        return values.basic(value) or values.opaque(value, 20)
    if kind == "secret" or kind == "secret-key" or kind == "private-key":
        if values.public(value):
            return False
        return values.opaque(value, 6) or (
            (quoted or loose) and values.has_digit(value) and values.password(value, quoted=quoted, loose=loose)
        ) or (len(value) >= 10 and values.password(value, quoted=quoted, loose=loose) and not values.wordlike(value))
    return values.opaque(value, 8) or (loose and len(value) >= 6 and values.password(value, quoted=False, loose=True) and (values.has_digit(value)))
