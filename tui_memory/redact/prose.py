"""Secrets in sentences and dialogues: `X is the password`, `changed from X to Y`, `credentials: robin / X`, logins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact import values
from tui_memory.redact.assign import strong
from tui_memory.redact.names import kind_of
from tui_memory.redact.spans import Span, View, gate

NAMED = (" password", " passphrase", " passcode", " api key", " token", " secret", " pw")
ENDS = late(r"(?: key)?(?!\w|[-_]| (?!for|of|to|on|in|at|is|and|here|there|now|please|but|from|with|-)\w)")
LEADS = late(
    r"(?: [a-z]{1,20}){0,2} (?:eht|ym|ruoy?|na?|a|rieht|sih|reh|sti|wen|dlo) (?:(?:ym|ruoy?|wen) )?(?:si|saw|sa|=) "
    r"|(?: [a-z]{1,20})? sa "
)
"""What leads from a value to its name, read backwards: ` is the admin`."""
BACK = late(r"[\"'`」”]{0,2}(?P<v>[^\s\"'`\\\0<>「」“”]{6,200})")
CHANGED = late(r" from (?P<a>[^\s\0]{4,120}) to (?P<b>[^\s\0]{4,120})")
CHANGING = late(r"(?:password|passphrase|secret|token|api key)\w{0,2}(?: [a-z]{1,20}){0,5}$")
PAIRS = late(
    r"(?:entials?|enciales|s|name| name)?(?: [a-z]{1,12}){0,3}(?: (?:are|is|with|as|using))?\\*[\"'*`]{0,3}"
    r"[ \t]{0,2}[:=：]?[ \t]{0,3}[\"'`*]{0,2}(?P<user>[\w.@+-]{2,60})(?:[ \t]{1,2}(?:/|\||and|with)[ \t]{1,2}|:)[\"'`]?"
    r"(?P<v>[^\s\"'`\\\0/|,]{6,100})(?=[\s\"'`\\,.)]|$)"
)
PAIR_NAMES = tuple(
    (gate(name), name)
    for name in ("cred", "login", "log in", "log-in", "logged in", "sign in", "signed in", "user", "zugangsdaten")
)
DIALOGUE = late(
    r"(?:password|passphrase|passcode)[\w .@'-]{0,40}[:：?]?[\\\"')\]]{0,6}[;,]?"
    r"(?:\s|\\+[nrt]|[+>#│|-]|\d{1,6}[→\t]){1,40}"
    r"(?:[\w.]{0,30}\.)?send(?:_?line)?[ \t(]{1,3}(?:-- )?b?\\*[\"'](?P<v>[^\s\"'\0\\]{4,100})"
)
SMTP = late(
    r"UGFzc3dvcmQ6(?:\s|\\+[nrt]|[+>#│|-]|[a-zA-Z]: |\d{1,6}[→\t:]|[<>] ){1,30}(?P<v>[A-Za-z0-9+/]{6,200}={0,2})"
)
WIFI = late(r"WIFI:(?:[^\n\0]{0,120};)?P:(?P<v>(?:\\[;,:\\]|[^;\n\0\"'\\]){3,100});")
BEFORE = 260  # characters before ` is the password` in which its value ends


def scan(view: View) -> Iterator[Span]:
    """Every secret that a sentence or a dialogue gives away."""
    text, low = view.text, view.plain_lower
    if "WIFI:" in view.plain:
        for found in WIFI.finditer(text):
            yield Span(found.start("v"), found.end("v"), "password")
    if "UGFzc3dvcmQ6" in view.plain:
        for found in SMTP.finditer(text):
            if found["v"] != "UGFzc3dvcmQ6":
                yield Span(found.start("v"), found.end("v"), "password")
    words = view.words
    if "pass" in words or "token" in words or "secret" in words or "api" in words:
        yield from _reversed(text, low)
        if "from" in words:
            yield from _changed(text, view.lower, low)
        if "send" in words and "expect" in words:
            for found in DIALOGUE.finditer(view.lower):
                if values.password(text[found.start("v") : found.end("v")], quoted=True):
                    yield Span(found.start("v"), found.end("v"), "password")
    names = [name for word, name in PAIR_NAMES if word in words]
    yield from _pairs(text, view.lower, low, names)


def _good(value: str, kind: str) -> bool:
    return strong(value) if kind == "password" else values.opaque(value, 16) and not values.wordlike(value)


def _reversed(text: str, low: str) -> Iterator[Span]:
    """`X is the password`, `use X as our token`."""
    for name in NAMED:
        at = low.find(name)
        while at >= 0:
            end = at + len(name)
            leads = LEADS.match(" " + low[max(0, at - 70) : at][::-1]) if ENDS.match(low, end) else None
            if leads:
                stop = at - leads.end() + 1
                kind = kind_of(name.strip().replace(" ", "_")) or "password"
                back = BACK.match(text[max(0, stop - BEFORE) : stop][::-1])
                value = back["v"][::-1].lstrip("([") if back else ""
                if back and _good(value, kind):
                    last = stop - back.start("v")
                    yield Span(last - len(value), last, kind)
            at = low.find(name, end)


def _changed(text: str, low: str, plain: str) -> Iterator[Span]:
    at = plain.find(" from ")
    while at >= 0:
        found = CHANGED.match(low, at) if CHANGING.search(low, max(0, at - 130), at) else None
        for group in ("a", "b") if found else ():
            assert found
            start = found.start(group)
            value = text[start : found.end(group)]
            start += len(value) - len(value.lstrip("\"'`"))
            value = re.split(r"[\"'`\\<>]", value.strip("\"'`"))[0].rstrip(".,;:!)")
            if strong(value):
                yield Span(start, start + len(value), "password")
        at = plain.find(" from ", at + 5)


def _pairs(text: str, low: str, plain: str, names: list[str]) -> Iterator[Span]:
    for name in names:
        at = plain.find(name)
        while at >= 0:
            end = at + len(name)
            if found := PAIRS.match(low, end):
                value = text[found.start("v") : found.end("v")].rstrip(".,;:)")
                if strong(value) and not values.public(value) and not re.search(r"@[\w-]{1,60}\.|=", value):
                    yield Span(found.start("v"), found.start("v") + len(value), "password")
            at = plain.find(name, end)
