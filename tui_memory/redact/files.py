"""Secrets that only a file's own form gives away: pgpass, crypt hashes, Kubernetes secrets, shadow, WireGuard."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact import values
from tui_memory.redact.spans import Span, View, wordset

HOST = late(r"[\w.*-]{1,100}")
PGPASS = late(
    r":(?P<port>\d{4,5}|\*):[\w*.-]{1,63}:[\w*.@-]{1,63}:"
    r"(?P<v>[^\s:\"'\\\0]{4,200})(?=[\s\"'\\]|$)"
)
CRYPT = late(
    r"\$(?:apr1|1|2[abxy]?|5|6|7|y|gy|sha1|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?"
    r"|bcrypt(?:-sha256)?)\$[A-Za-z0-9./=,$+_-]{20,250}"
)
SCHEMES = late(
    r"\{(?:S?SHA\d{0,3}|S?MD5|BCRYPT|CRYPT|PBKDF2[\w-]{0,12}|ARGON2\w{0,3}|CLEARTEXT"
    r"|PLAIN)\}([A-Za-z0-9+/=$.,-]{8,200})",
    re.IGNORECASE,
)
DERIVED = late(
    r"(?:pbkdf2_sha\d{1,3}|bcrypt_sha256|scrypt|argon2|pbkdf2:sha\d{1,3}"
    r"|scrypt:\d{1,8}:\d{1,4}:\d{1,4}|SCRAM-SHA-\d{1,3})\$[A-Za-z0-9+/=$:.,_-]{20,300}"
)
NTLM = late(r"[\w.\\$-]:\d{3,6}:([0-9a-fA-F]{32}:[0-9a-fA-F]{32})$")

PHRASE = late(
    r"(?:mnemonic|phrase|seed|wallet)[\\\"'`\s:=>|*(]{1,20}(?:is )?[\\\"'`]{0,8}("
    r"(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])"
)
SASL_MAP = late(r"\]:\d{2,5}[ \t]{1,12}[^\s:\"']{1,80}:([^\s\"'\\\0]{4,200})")
KIND = late(r"kind\\*[\"']?[ \t]{0,3}:[ \t]{0,3}\\*[\"']?secret(?![\w])")
REACH = 30_000  # characters around `kind: Secret` that its document may take
DATA = late(r"(?:(?<![\w-])|(?<=\\n))(?:string)?data\\*[\"']?[ \t]{0,3}:[ \t]{0,3}(?P<brace>\{)?")
ENTRY = late(
    r"(?:\\+[nrt]|[\s+\-|>,#│→/]|\d{1,6}(?=[\t→|│])){0,60}(?:\\*[\"'])?"
    r"(?P<k>[A-Za-z0-9_.-]{1,120})\\*[\"']?[ \t]{0,4}:[ \t]{0,4}(?P<bar>[|>][+-]?[ "
    r"\t]{0,3}(?:\n|\\n)[ \t+\-]{1,40})?"
    r"(?P<q>\\*[\"'])?(?P<v>[^\s\"'\\\0,}]{2,20000})(?:\\*[\"'])?"
)
STOP = wordset(
    "kind apiversion metadata type immutable name namespace labels annotations status spec creationtimestamp"
)


def scan(view: View) -> Iterator[Span]:
    """Every secret that its file's form gives away."""
    text, low = view.text, view.plain_lower
    if low.count(":") >= 4:
        yield from _pgpass(text, low)
    if "]:" in text:
        for found in SASL_MAP.finditer(text):
            yield Span(found.start(1), found.end(1), "password")
    if "$" in low:
        for found in CRYPT.finditer(text):
            yield Span(found.start(), found.end(), "password-hash")
        if any(word in view.words for word in ("pbkdf", "crypt", "argon", "scram")):
            for found in DERIVED.finditer(text):
                yield Span(found.start(), found.end(), "password-hash")
    if "}" in low:
        for found in SCHEMES.finditer(text):
            yield Span(found.start(1), found.end(1), "password-hash")
    at = low.find(":::")
    while at >= 0:
        if hashes := NTLM.search(text, max(0, at - 80), at):
            yield Span(hashes.start(1), hashes.end(1), "password-hash")
        at = low.find(":::", at + 3)
    if any(word in view.words for word in ("mnemonic", "phrase", "seed", "wallet")):
        yield from _phrases(text, low)
    if "secret" in view.words and "kind" in view.words:
        yield from _kubernetes(text, low)


def _phrases(text: str, low: str) -> Iterator[Span]:
    for found in PHRASE.finditer(low):
        yield Span(found.start(1), found.end(1), "seed-phrase")


def _pgpass(text: str, low: str) -> Iterator[Span]:
    named = "pgpass" in low
    for found in PGPASS.finditer(text):
        value = found["v"]
        backwards = HOST.match(text[max(0, found.start() - 100) : found.start()][::-1])
        host = backwards.group()[::-1] if backwards else ""
        if not host or (not host.strip("0123456789") and not named):
            continue
        database = found["port"] in ("*", "5432", "5433", "5434", "6432", "15432", "25060", "26257", "5439")
        if (named or database or (values.has_digit(value) and "." in host)) and not values.placeholder(value):
            yield Span(found.start("v"), found.end("v"), "password")


def _kubernetes(text: str, low: str) -> Iterator[Span]:
    """All values under `data` and `stringData` of every Secret in the text, YAML or JSON, escaped or not."""
    done = 0
    for kind in KIND.finditer(low):
        if kind.start() < done:
            continue
        head = max(low.rfind("\n---", done, kind.start()), low.rfind("\\n---", done, kind.start()), done)
        head = max(head, kind.start() - REACH)
        ends = [low.find(mark, kind.end(), kind.end() + REACH) for mark in ("\n---", "\\n---")]
        # Documents are read once: what lies before `done` has been.
        done = min([i for i in ends if i >= 0] or [min(len(low), kind.end() + REACH)])
        for block in DATA.finditer(low, head, done):
            yield from _entries(text, block.end(), done, braced=bool(block["brace"]))


def _entries(text: str, at: int, stop: int, *, braced: bool) -> Iterator[Span]:
    for _ in range(200):
        entry = ENTRY.match(text, at, stop)
        if not entry or entry["k"].lower() in STOP:
            return
        value = entry["v"]
        if value not in ("{", "[", "|", ">") and not re.match(r"[{$<]", value):
            yield Span(entry.start("v"), entry.end("v"), "secret")
        at = entry.end()
        if braced and text[at : at + 40].lstrip(" \t\r\n\\n").startswith("}"):
            return
