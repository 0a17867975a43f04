"""Private keys in blocks: PEM, OpenSSH, PGP, PuTTY, OpenVPN, in any escaping, whole or cut off at either end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact.spans import BLANK, Span, View

BEGIN = late(r"-{4,5} ?BEGIN ([A-Z0-9][A-Za-z0-9 ]{0,40}?)(?: BLOCK)? ?-{4,5}")
END = late(r"-{4,5} ?END ([A-Z0-9][A-Za-z0-9 ]{0,40}?)(?: BLOCK)? ?-{4,5}")
SECRET_LABEL = late(r"PRIVATE KEY|Static key|PRIVATE RSA KEY", re.IGNORECASE)
BODY = late(r"[A-Za-z0-9+/=]{16}|\A\W*[A-Za-z0-9+/=]{8,}\W*\Z")
LONGEST = 100_000

BASE = "A-Za-z0-9+/="
LONE = rf"(?<![{BASE}])[+/=]{{1,3}}(?![{BASE}])"
JUNK = rf"(?:\\+[nrt]|[^{BASE}\0]|{LONE}|(?<=[^{BASE}])\d{{1,6}}(?=[\t→:|│ ])){{0,60}}"
"""What may stand between a key's lines: breaks (or their escapes), quotes, `+`, line numbers, comment marks."""
BACK_JUNK = rf"(?:[nrt]\\+|[^{BASE}\0]|{LONE}|(?<=[\t→:|│ ])\d{{1,6}}(?=[^{BASE}])){{0,60}}"
"""The same, read from the end."""
BACK_RUN = late(rf"{BACK_JUNK}[{BASE}]{{20,}}")
BACK_LAST = late(rf"{BACK_JUNK}[{BASE}]{{1,76}}(?=(?:[nrt]\\+|[^{BASE}]){{1,60}}[{BASE}]{{20}})")

RUN = late(
    rf"(?:{JUNK}"
    r"(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash): ?[^\n\\]{1,120}|[A-Za-z0-9+/=]{16,}))"
)
TAIL = late(r"(?:[ \t+\-|>\"',]{0,24}(?:\r?\n|\\+n)[ \t+\-|>\"',]{0,24})([A-Za-z0-9+/=]{1,76})" r"(?=[\s\"'`\\,]|$)")
PPK_LINES = late(r"Private-Lines: ?(\d{1,4})")
PPK_MAC = late(r"Private-(?:MAC|Hash): ?([0-9a-fA-F]{16,128})")
PPK_BODY = late(rf"(?:{JUNK}[A-Za-z0-9+/=]{{16,80}}(?![:\w-])){{1,200}}")
XML_PARTS = late(r"<(D|P|Q|DP|DQ|InverseQ)>([A-Za-z0-9+/=\s]{16,2000})</\1>")
JWK_PARTS = late(r"\"(?:d|p|q|dp|dq|qi|k)\\*\"\s{0,4}:\s{0,4}\\*\"([A-Za-z0-9_-]{20,2000})\\*\"")


def scan(view: View) -> Iterator[Span]:
    """The secret part of every key block; header and footer stay, so a reader knows what stood there."""
    text = view.text
    if "BEGIN" in text:
        yield from _begun(text)
    if "--END " in text or "-- END" in text:
        yield from _headless(text)
    if "Private-Lines" in text or "Private-MAC" in text or "Private-Hash" in text:
        yield from _putty(text)
    if "<RSAKeyValue>" in text:
        for found in XML_PARTS.finditer(text):
            yield Span(found.start(2), found.end(2), "private-key")
    if '"kty' in text:
        for found in JWK_PARTS.finditer(text):
            yield Span(found.start(1), found.end(1), "private-key")


def _begun(text: str) -> Iterator[Span]:
    at = text.find("BEGIN")
    while at >= 0:
        found = (
            BEGIN.match(text, max(0, at - 6)) or BEGIN.match(text, max(0, at - 5)) or BEGIN.match(text, max(0, at - 4))
        )
        if found and SECRET_LABEL.search(found.group(1)):
            end = _body_end(text, found.end())
            if end > found.end():
                yield Span(found.end(), end, "private-key")
            at = text.find("BEGIN", max(end, at + 1))
        else:
            at = text.find("BEGIN", at + 1)


def _body_end(text: str, start: int) -> int:
    """Where the key's body ends: at its END, or, cut off, where lines stop looking like one."""
    dashes = text.find("----", start, start + LONGEST)
    stop = text.find("----", start)
    if dashes >= 0 and END.match(text, dashes) and BLANK not in text[start:dashes]:
        return _trimmed(text, start, dashes)
    end = start
    limit = stop if stop >= 0 else len(text)
    while True:
        found = RUN.match(text, end, limit)
        if not found:
            break
        end = found.end()
    tail = TAIL.match(text, end, limit) if end > start else None
    if tail and (
        tail.end(1) == len(text) or any(c.isdigit() or c in "+/=" for c in tail.group(1)) or _mixed(tail.group(1))
    ):
        end = tail.end(1)
    return end


def _trimmed(text: str, start: int, end: int) -> int:
    """Leaves the line break (or its escape) before END in place."""
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    return end if BODY.search(text, start, end) else start


def _mixed(word: str) -> bool:
    return not (word.islower() or word.isupper() or word.istitle())


def _headless(text: str) -> Iterator[Span]:
    """A key whose head was cut off: the lines of base64 right before its END."""
    at = text.find("END ")
    low = 0
    while at >= 0:
        found = next((m for i in (6, 5, 4) if (m := END.match(text, max(0, at - i)))), None)
        if found and SECRET_LABEL.search(found.group(1)):
            start = _body_start(text, low, found.start())
            low = found.end()
            if start < found.start():
                yield Span(start, _trimmed(text, start, found.start()), "private-key")
        at = text.find("END ", at + 4)


def _body_start(text: str, low: int, end: int) -> int:
    """Where the body before a footer begins: read backwards while lines look like base64."""
    back = text[max(low, end - 20_000) : end][::-1]
    first = BACK_RUN.match(back) or BACK_LAST.match(back)
    at = first.end() if first else 0
    while found := BACK_RUN.match(back, at):
        at = found.end()
    start = end - at
    # The letter of an escape (`\n`) looks like the first of the line: it stays with its backslash.
    return start + 1 if at and text[start - 1 : start] == "\\" and text[start] in "nrt" else start


def _putty(text: str) -> Iterator[Span]:
    for found in PPK_LINES.finditer(text):
        body = PPK_BODY.match(text, found.end())
        if body:
            yield Span(found.end(), body.end(), "private-key")
    for found in PPK_MAC.finditer(text):
        yield Span(found.start(1), found.end(1), "private-key")
