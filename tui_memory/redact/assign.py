"""Assignments to secret-like names: `NAME=value`, `"name": "value"`, `--name value`, `set_name("value")`, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tui_memory.light import late
from tui_memory.redact import grammar, values
from tui_memory.redact.names import KEY_BEFORE, kind_of, words
from tui_memory.redact.spans import BLANK, Span, View, gate, wordset

Hit = re.Match[str]
TAIL = late(grammar.TAIL)
SHELL_VERB = late(
    r"(?:^|[\s;&|(\"'→│`+:>-]|\\[nrt])(?:(?P<sure>ENV|ARG|setx|set -\w{1,3}|export|declare -x"
    r"|setenv|typeset -x)|env|arg|set|SET|add)$"
)
MASKED = late(r"([\"'`]?)\0{1,400}+(?:\1(?=[\s,;&)]|$))")
MERE_WORD = late(r"[\"'`]?(?!new )([a-z]{3,20})(?=[,;)]|[\"'`](?:\s|[,;)\\]|$)|\s(?!\s?(?:or|\|\||\?\?|\?:)\s)|$)")
LOGGED_IN = late(r"login|user|account|machine|set |export|env")
LOGIN = late(r"(?:login|user|username|machine|account)[ \t]+\S+(?:\s|\\[nrt]){1,12}(?:/ )?$")
NETRC = late(r"(?:machine|default)[ \t]\S{0,80}\s{0,12}login[ \t]\S{1,80}\s{1,12}$")
SETTING = late(
    r"--?(?:from-literal|set(?:-string)?|build-arg|env|e|var|extra-vars)[= ][\"']?"
    r"(?:[\w.-]{1,40}=[^\s,]{0,40},)?[\w.]{0,40}$"
)
"""A flag whose value is itself an assignment."""
ENCODED = late(r"[0-9A-F]{2}")
PERCENT_END = late(r"%2[026cC]|%7[dD]|%0[aAdD]|&")
ALONE = late(r"(?:\n|\\n|\")[ \t+\-#>│/]{0,8}(?:\d{1,6}(?:[→:|]|\t|\\+t)[ \t]{0,8})?$")
LINE_END = late(r"[ \t]{0,4}(?:$|[\r\n\"]|\\+[nr]|```)")
PHRASE = late(r"(?:[A-Za-z]{3,12}-){3,12}[A-Za-z]{3,12}\d{0,3}$")
HASH = late(r"[0-9a-f]{40}|[0-9a-f]{64}")
CONSTANT = late(r"[A-Z_][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z_]+(?:_[A-Za-z]+)*_?[a-z]?\d{0,2}")
CODE = late(r"(?:self|this|[a-z]{1,2}|[A-Za-z_$][\w$]{0,40})(?:\.[a-zA-Z_$][\w$]{0,40}){1,8}(?:[,;)(\[]|$)")
OF_CODE = wordset("key keys token tokens password passwords secret credentials types private public")
NAME_BEFORE = frozenset("_.$- \t")
ANY_NAME = late(r"[A-Za-z_][A-Za-z0-9_]{2,80}$")
CALL = late(r"[A-Za-z_$][\w.$:>?!-]*[(\[]")
FLAG = late(r"(?:^|[\s\"'`,\[=(;|])(?:--?|/)$")
FLAG_BEFORE = ("", *" \t\n\"'`,[=(;|")
EXTENDED_LIMIT = 100_000
STEMS = tuple((stem, gate(stem)) for stem in grammar.STEMS)


def scan(view: View) -> Iterator[Span]:
    """Every value that stands after a secret's name."""
    text, low = view.text, view.lower
    hits: dict[int, tuple[int, Hit]] = {}
    looks = [(view.plain_lower, [stem for stem, word in STEMS if word in view.words])]
    if not text.isascii():
        looks.append((low, list(grammar.FOREIGN_STEMS)))
    for searched, stems in looks:
        for stem in stems:
            at = searched.find(stem)
            while at >= 0:
                # Longer stems begin with this one, too: they have been looked at.
                longer = stem == "pass" and searched.startswith(("word", "wd"), at + 4)
                hit = None if longer else TAIL.match(low, at + len(stem))
                if hit:
                    # Stems overlap (`auth_token`, `pass_key`): the last one of a name decides.
                    hits[hit.end("tail")] = (at, hit)
                at = searched.find(stem, at + len(stem))
    done = -1
    for end in sorted(hits):
        at, hit = hits[end]
        if at < done or _says_nothing(low, hit):
            continue
        span, done = _judge(text, low, at, hit)
        if span:
            yield span
            if text.find("[", hit.start(), span.start) >= 0:
                yield from _siblings(text, span)


def _says_nothing(low: str, hit: Hit) -> bool:
    """Whether a mere word follows (`password = password`), as it mostly does, or what is masked already."""
    end = hit.end()
    if BLANK in low[end : end + 2]:
        return MASKED.match(low, end) is not None
    word = MERE_WORD.match(low, end)
    return word is not None and word[1] in values.PLACEHOLDER_WORDS and not hit["space"]


def _siblings(text: str, first: Span) -> Iterator[Span]:
    """The other strings of a list whose first is secret."""
    end = first.end
    while found := grammar.NEXT_ITEM.match(text, end):
        end = found.end("v")
        if secret(found["v"], first.kind, quoted=True, loose=False):
            yield Span(found.start("v"), end, first.kind)


def _name(text: str, start: int, stop: int) -> tuple[str, int]:
    """The whole identifier around a stem, and where it starts."""
    before = text[start - 1 : start]
    if not before.isalnum() and before not in NAME_BEFORE:
        return text[start:stop].strip(".-$"), start
    window = text[max(0, start - 64) : start][::-1]
    found = grammar.LEFT.match(window)
    left = found.group() if found else ""
    begin = start - len(left)
    alone = text[start:stop]
    if left and begin and text[begin - 1] == "\\" and text[begin] in "nrtbfu":
        begin += 1
    if text[begin - 1 : begin] == "%" and ENCODED.match(text, begin, start):
        begin += 2
    if begin == start and kind_of(alone) != "password":
        word = grammar.SPACED.match(window)
        beside = word.group(1)[::-1] if word else ""
        if word and window[word.end() : word.end() + 1] == "\\" and beside[0] in "nrt":
            beside = beside[1:]
        if beside.lower() in grammar.QUALIFIERS or (alone.lower() == "key" and beside.lower() in KEY_BEFORE):
            return f"{beside}_{alone}", start - 1 - len(beside)
        if alone.lower() == "key" and beside.lower() in ("the", "my", "our", "your", "this"):
            return f"{beside}_{alone}".upper(), start - 1 - len(beside)
    return text[begin:stop].strip(".-$"), begin


def _judge(text: str, low: str, stem: int, hit: Hit) -> tuple[Span | None, int]:
    """The value's span, if it is a secret, and how far the text need not be looked at again."""
    name, begin = _name(text, stem, hit.end("tail"))
    kind = kind_of(name)
    if not kind:
        return None, 0
    sign = hit["sign"]
    if sign == ":" and not hit["gap"] and text[begin - 1 : begin] == ":":
        return None, 0  # a path of colons, as in `arn:…:secret:name`
    if sign and sign != sign.lstrip() and sign.endswith(":") and not hit["gap"]:
        return None, 0  # `pass :class:`, a role in running text
    at = hit.end()
    if hit["below"]:
        return _below(text, at, kind)
    if hit["space"] and _running_text(text, low, (name, begin, at)):
        return None, 0
    while at < len(text) and text[at] == "\0":
        at += 1
    if at > hit.end() and not text[at : at + 1].isalnum():
        return None, 0  # masked before, and nothing was added to it
    prefix = grammar.PREFIX.match(low, at)
    opened = prefix.end() if prefix else at
    quote = grammar.QUOTE.match(text, opened)
    if quote:
        span = None
        if not hit["space"] or values_allowed_after_space(text, begin, kind):
            span = _quoted(text, hit, kind, quote, atom=kind == "password" and text[begin - 1 : begin] == "{")
        return span, span.end if span else 0
    scalar = grammar.BLOCK_SCALAR.match(text, at) if hit["sign"] else None
    if scalar:
        at = scalar.end()
    return _unquoted(text, hit, kind, (name, begin, at))


def _below(text: str, at: int, kind: str) -> tuple[Span | None, int]:
    """A value alone on the line below its name: only one that no word, label or key of a document could be."""
    run = grammar.RUN.match(text, at)
    if not run or not LINE_END.match(text, run.end()):
        return None, 0
    value = run.group().rstrip(".,;")
    good = strong(value) if kind == "password" else values.opaque(value, 16) and not values.wordlike(value)
    return (Span(at, at + len(value), kind), run.end()) if good and value[-1] != ":" and value[0] != "-" else (None, 0)


@lru_cache(maxsize=512)
def strong(value: str) -> bool:
    """Whether a word in running text can only be a password: letters and digits that no word or name has together."""
    count = sum(c.isdigit() for c in value)
    plain = re.search(r"[(=/\\<>]|^[A-Za-z]{1,9}[-_]?\d{1,3}$|^v?\d+[\d.]*\w{0,3}$", value)
    return (
        len(value) >= 8
        and not plain
        and (count >= 2 or (count == 1 and values.mixed(value)))
        and values.has_letter(value)
        and values.password(value, quoted=False)
        and not HASH.fullmatch(value)
    )


def _running_text(text: str, low: str, where: tuple[str, int, int]) -> bool:
    """Whether a secret word merely stands in a sentence: no digit after it, no flag, no verb, no login before it."""
    name, begin, at = where
    if name.isupper() or text[begin : begin + 1] in ("-", "/") or values.DIGIT.search(text, at, at + 80):
        return False
    return LOGGED_IN.search(low, max(0, begin - 80), begin) is None


def _quoted(text: str, hit: Hit, kind: str, quote: re.Match[str], *, atom: bool = False) -> Span | None:
    start = quote.end()
    end = grammar.closing(text, quote)
    if end < 0:
        run = grammar.RUN.match(text, start)
        end = run.end() if run else start
    elif "\n" in text[start:end] and len(quote.group(2)) == len(quote.group()) - len(quote.group(1)):
        cut = text.find("\n", start, end)
        end = cut if kind == "password" or cut - start < 16 else end
    value = text[start:end].replace("\0", "")
    if not value:
        return None
    if (hit["comma"] or hit["call"] or (hit["space"] and kind == "password")) and not values.random(value):
        return None
    if hit["comma"] and not any(mark in hit["close"] for mark in "\"'`") and not atom:
        return None
    if hit["comma"] and (_code(value) or (CONSTANT.fullmatch(value) and ("_" in value or len(value) < 12))):
        return None
    if hit["call"] and kind != "password" and not values.opaque(value, 16):
        return None
    return Span(start, end, kind) if secret(value, kind, quoted=True, loose=False) else None


def values_allowed_after_space(text: str, begin: int, kind: str) -> bool:
    """Whether a quoted string straight after a name is its value: after a flag, a shell verb, or a password's name."""
    return kind in ("password", "token", "secret", "secret-key") or text[begin : begin + 1] in ("-", "/")


def _unquoted(text: str, hit: Hit, kind: str, where: tuple[str, int, int]) -> tuple[Span | None, int]:
    name, begin, at = where
    if hit["call"] or hit["comma"]:
        return None, 0
    run = grammar.RUN.match(text, at)
    if not run or (hit["tag"] and not _tag(text, begin, hit, run.end())):
        return None, 0
    start, end = run.span()
    if end - start >= 1024:
        rest = grammar.REST.match(text, end, end + EXTENDED_LIMIT)
        end = rest.end() if rest else end
    skip = end if end - start >= 1024 else 0
    if "%" in (hit["sign"] or "") and (cut := PERCENT_END.search(text, start, end)):
        end = cut.start()
    value = text[start:end]
    stripped = value.rstrip(".,;:?" if not hit["sign"] or hit["gap"] else ",;")
    end -= len(value) - len(stripped)
    if len(stripped) < 3 or stripped.lower() in values.PLACEHOLDER_WORDS:
        return None, skip
    loose = _loose(text, hit, name, begin)
    if hit["part"] and not loose:
        return None, skip
    if (hit["space"] or hit["cell"]) and not loose and not _netrc(text, begin, end, stripped):
        return (Span(start, end, kind), end) if _told(stripped, kind, name) else (None, skip)
    if kind == "password" and name.lower().endswith("phrase") and PHRASE.match(stripped):
        return Span(start, end, kind), end
    if not loose and _code(stripped):
        return None, skip
    if hit["of"] and not (strong(stripped) if kind == "password" else values.opaque(stripped, 16)):
        return None, skip
    if (
        CALL.match(stripped)
        or stripped[:2] == "--"
        or (kind == "token" and "badge" in text[max(0, begin - 120) : begin])
    ):
        return None, skip
    return (Span(start, end, kind), end) if secret(stripped, kind, quoted=False, loose=loose) else (None, skip)


def _code(value: str) -> bool:
    """A member of something, or a name that itself speaks of keys and passwords: `t.password`, `Ed25519PrivateKey`."""
    member = CODE.match(value)
    if member and (sum(c.isdigit() for c in member.group()) <= 1 or len(value) > 2 * len(member.group())):
        return True
    return (member or ANY_NAME.match(value)) is not None and not OF_CODE.isdisjoint(words(value))


def _loose(text: str, hit: Hit, name: str, begin: int) -> bool:
    """Whether only a literal can stand here: an environment file, a flag, a shell's own assignment."""
    before = text[max(0, begin - 40) : begin]
    # One dash at a line's very beginning is more often a diff's than a flag's.
    dashes = "--" if before[-1:] in ("", "\n") else "-"
    if FLAG.search(before) or (text.startswith(dashes, begin) and before[-1:] in FLAG_BEFORE):
        return bool(hit["space"] or hit["sign"]) and "`" not in hit["close"]
    if hit["part"]:
        return '"' in hit["close"]
    if hit["space"]:
        if name == "password" and NETRC.search(text, max(0, begin - 180), begin):
            return True
        verb = SHELL_VERB.search(before.rstrip()) if before[-1:] in (" ", "\t") else None
        return bool(verb and (verb["sure"] or name.isupper()))
    bare = hit["sign"] == "=" and not hit["gap"]
    if (hit["sign"] or "").startswith("%") or (bare and SETTING.search(before)):
        return True
    return bool(bare) and (name.isupper() or before[-1:] == ";" or before.lower().endswith("export "))


def _tag(text: str, begin: int, hit: Hit, end: int) -> bool:
    """Whether `>` closes an element or attribute of that name and a tag follows the value."""
    return (text[begin - 1 : begin] in ("<", ":") or bool(hit["close"])) and text[end : end + 1] in (
        "<",
        "\\",
    )


def _told(value: str, kind: str, name: str) -> bool:
    """A value right after its name in running text or a table's next cell: only one that no word could be."""
    if HASH.fullmatch(value):
        return kind != "password"
    if kind == "password":
        return words(name)[-1:] not in (["pass"], ["pw"]) and strong(value)
    count = sum(c.isdigit() for c in value)
    return count >= 3 and values.opaque(value, 20 if kind == "auth" else 16) and "." not in value[:-1]


def _netrc(text: str, begin: int, end: int, value: str) -> bool:
    """`login NAME password VALUE`, on one line or several, and `password VALUE` alone on a line with a digit."""
    before = text[max(0, begin - 160) : begin].lower()
    if any(word in before for word in ("login", "user", "machine", "account")) and LOGIN.search(before):
        return True
    alone = ALONE.search(before[-40:] if begin > 40 else "\n" + before)
    return (
        bool(alone)
        and text[end : end + 1] in ("", "\n", "\r", "\\", '"')
        and values.has_digit(value)
        and values.has_letter(value)
    )


@lru_cache(maxsize=512)
def secret(value: str, kind: str, *, quoted: bool, loose: bool) -> bool:
    """Whether a value is a secret of this kind."""
    if kind == "password":
        return values.password(value, quoted=quoted, loose=loose)
    if kind == "opaque-key":
        return values.opaque(value, 20) and not values.UUID.match(value) and not HASH.fullmatch(value)
    if kind == "auth":
        return values.basic(value) or values.opaque(value, 20)
    if kind == "secret" or kind == "secret-key" or kind == "private-key":
        if values.public(value):
            return False
        return (
            values.opaque(value, 6)
            or ((quoted or loose) and values.has_digit(value) and values.password(value, quoted=quoted, loose=loose))
            or (len(value) >= 10 and values.password(value, quoted=quoted, loose=loose) and not values.wordlike(value))
        )
    return values.opaque(value, 8) or (
        loose and len(value) >= 6 and values.password(value, quoted=False, loose=True) and (values.has_digit(value))
    )


def forget() -> None:
    """Empties the caches of `secret` and `strong`: values may be secrets, none is held for longer than its text."""
    secret.cache_clear()
    strong.cache_clear()
