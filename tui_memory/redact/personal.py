"""Personal data, validated where there is a checksum: e-mail, phone, cards, IBAN, national numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact import national
from tui_memory.redact.national import digits, luhn
from tui_memory.redact.spans import Span, View, wordset

LOCAL = late(r"[\w.+%-]{1,64}")
DOMAIN = late(r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,5}[A-Za-z]{2,24}(?![\w@-])")
NOBODY = late(
    r"(?:git|no-?reply|do-?not-?reply|root|user(?:name)?|you|your\w*|some(?:one|body)"
    r"|nobody|name|first\.last|john\.doe|jane\.doe|hg|svn|"
    r"x-access-token|oauth2)@|[^@]*@(?:[\w-]+\.)*noreply\.",
    re.IGNORECASE,
)
RESERVED = late(
    r"@(?:[\w-]+\.)*(?:example\.[a-z]{2,6}|[\w-]+\.(?:test|example|invalid|localhost|local"
    r"|internal|lan|localdomain))$"
    r"|@(?:e?mail|domain|your-?domain|your-?company|company|my-?domain|host|server|site"
    r"|test|foo|bar|xyz|abc)\.(?:com|org|net|io|tld)$",
    re.IGNORECASE,
)
FILE_ENDS = wordset(
    "png jpg jpeg gif svg webp ico css js ts tsx jsx mjs cjs json py rb go rs java kt "
    "html htm xml yml yaml md txt sh lock log map "
    "whl gz zip tgz service timer socket mount target path device slice scope conf cfg "
    "toml ini vue scss less woff ttf pdf so dll "
    "exe tar bz xz deb rpm jar war php pl lua dart swift cpp hpp mp"
)
REMOTE = late(r"(?:(?:\b|\\[nrt])(?:ssh|scp|sftp|rsync|ssh-copy-id|mosh|autossh))\s(?:\S+\s){0,6}$")

PHONE = late(
    r"(?:(?<![\w.=-])|(?<=\\[nrt]))(?:\+\d{1,3}[ .\-]?(?:\(\d{1,4}\)[ .\-]?)?\d{1,4}(?:[ "
    r".\-]?\d{2,4}){2,4}|\(\d{3}\) ?\d{3}[-. ]\d{4}|\+\d{10,14})(?![\w.]|-\d)"
)
PHONE_NEAR = late(r"phone|\btel|mobile|\bcell|\bcall\b|\bfax|whatsapp|\bsms\b|\bhandy|\bmobil|msisdn")
PHONE_WORDS = ("phone", "tel", "mobil", "cell", "call", "fax", "whatsapp", "sms", "handy", "msisdn")
LOCAL_PHONE = late(
    r"(?:(?<![\w.+-])|(?<=\\[nrt]))(?:0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,5}|\(?\d{3}\)?[-. "
    r"]\d{3}[-. ]\d{4})(?![\w.-])"
)

NUMBERISH = late(r"[0-9][0-9 ()./-]{5,40}")
CARD = late(
    r"(?:(?<![\w.+-])|(?<=\\[nrt])|(?<=\n[+-])|(?<=\\n[+-]))(?:[2-6]\d{3}[ -]\d{4}[ -]\d{4}[ -]\d{4}|3[47]\d{2}[ "
    r"-]\d{6}[ -]\d{5}|3[068]\d{2}[ -]\d{6}[ -]\d{4}|[2-6]\d{12,18})"
    r"(?![\w-]|\.\d)"
)
IIN = late(r"4|5[0-9]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-59]|[689])|6[0-9]|35" r"(?:2[89]|[3-8])")
IBAN = late(
    r"[A-Z][A-Z](?:(?<![A-Za-z0-9][A-Z][A-Z])|(?<=\\[nrt][A-Z][A-Z]))[0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}"
    r"(?:[ ]?[A-Z0-9]{1,4})?(?![A-Za-z0-9])"
)
LENGTHS = {
    country: int(size)
    for size, countries in (
        part.split(":")
        for part in [
            "15:NO",
            "16:BE",
            "18:DK,FI,FO,GL,NL",
            "19:MK,SI",
            "20:AT,BA,EE,KZ,LT,LU,XK",
            "21:CH,HR,LI,LV",
            "22:BG,BH,CR,DE,GB,GE,IE,ME,RS,VA",
            "23:AE,GI,IL,IQ,TL",
            "24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN,VG",
            "25:LY,PT",
            "26:IS,TR",
            "27:FR,GR,IT,MC,MR,SM",
            "28:AL,AZ,BY,CY,DO,GT,HU,LB,PL,SV",
            "29:BR,EG,PS,QA,UA",
            "30:JO,KW,MU",
            "31:MT,SC",
        ]
    )
    for country in countries.split(",")
}
"""Letters and digits of each country's IBAN (the registry's lengths)."""

KINDS = ("email", "phone", "card", "iban", "ssn", "national-number", "passport")


def card(text: str) -> bool:
    """A payment card: a known issuer, its length, the check digit, and not one digit over and over."""
    number = digits(text)
    if not 13 <= len(number) <= 19 or not IIN.match(number) or len(set(number)) < 2:
        return False
    if number[0] == "3" and number[1] in "47":
        fits = len(number) == 15
    elif number[0] == "4":
        fits = len(number) in (13, 16, 19)
    else:
        fits = len(number) in ((14, 16) if number[0] == "3" else (16,) if number[0] in "25" else (16, 17, 18, 19))
    return fits and luhn(number)


def iban(text: str) -> bool:
    """A bank account: the country's length and the remainder of ISO 7064."""
    plain = text.replace(" ", "")
    if LENGTHS.get(plain[:2]) != len(plain):
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def scan(view: View, off: frozenset[str], identity: frozenset[str]) -> Iterator[Span]:
    """Every piece of personal data whose kind is on; `identity` (lower case) is the user's own e-mail."""
    text, low = view.text, view.lower
    if "email" not in off and "@" in view.plain:
        yield from _emails(text, identity)
    if "iban" not in off:
        yield from _ibans(view.plain)
    numbers = list(NUMBERISH.finditer(view.plain))
    named = bool(numbers) and national.named(view.words)
    phones = bool(numbers) and any(word in view.words for word in PHONE_WORDS)
    for run in numbers:
        start, end = run.span()
        if "card" not in off:
            yield from _cards(text, low, start, end)
        if "phone" not in off:
            yield from _phones(text, low, start, end, named=phones)
        if named:
            yield from national.scan(text, low, start, end, off)
    if "fiscal" in view.words:
        for word in re.finditer("fiscal", low):
            yield from national.scan(text, low, word.end() + 8, word.end() + 24, off)


def _emails(text: str, identity: frozenset[str]) -> Iterator[Span]:
    for found in DOMAIN.finditer(text):
        local = LOCAL.match(text[max(0, found.start() - 65) : found.start()][::-1])
        if not local:
            continue
        start = found.start() - local.end()
        # In serialised JSON the letter of an escape (`\n`) is glued to the address.
        if start and text[start - 1] == "\\" and text[start] in "nrt":
            start += 1
        while start < found.start() and text[start] in ".+%-":
            start += 1
        if start < found.start() and not _in_url(text, start) and _person(text, start, found.end(), identity):
            yield Span(start, found.end(), "email")


def _in_url(text: str, start: int) -> bool:
    """Whether it is the user of a URL (`https://user:word@host`), or part of a path."""
    before = text[max(0, start - 120) : start]
    if before[-1:] == ":":
        words = before.split()
        return bool(words) and "//" in words[-1]
    return before[-1:] in ("/", "\\")


def _person(text: str, start: int, end: int, identity: frozenset[str]) -> bool:
    address = text[start:end]
    if address.lower() in identity or NOBODY.match(address) or RESERVED.search(address):
        return False
    if address.rpartition(".")[2].lower() in FILE_ENDS or address.rpartition("@")[2][:3] in (
        "1x.",
        "2x.",
        "3x.",
    ):
        return False
    if text[end : end + 1] == ":" and (text[end + 1 : end + 2].isalnum() or text[end + 1 : end + 2] in ("/", "~", ".")):
        return False
    return not REMOTE.search(text[max(0, start - 60) : start])


def _ibans(text: str) -> Iterator[Span]:
    for found in IBAN.finditer(text):
        value = found.group()
        size = LENGTHS.get(value[:2], 0)
        plain = 0
        for offset, char in enumerate(value):
            plain += char != " "
            if plain == size and iban(value[: offset + 1]):
                yield Span(found.start(), found.start() + offset + 1, "iban")
                break


def _cards(text: str, low: str, start: int, end: int) -> Iterator[Span]:
    if end - start < 13:
        return
    for found in CARD.finditer(text, start, min(len(text), end + 20)):
        size = len(digits(found.group()))
        usual = size in (15, 16) or (size == 14 and found.group()[0] == "3")
        if card(found.group()) and (usual or "card" in low[max(0, found.start() - 30) : found.start()]):
            yield Span(found.start(), found.end(), "card")


def _phones(text: str, low: str, start: int, end: int, *, named: bool) -> Iterator[Span]:
    begin, stop = max(0, start - 2), min(len(text), end + 20)
    if "+" in text[begin:end] or "(" in text[begin:end]:
        for found in PHONE.finditer(text, begin, stop):
            value = found.group()
            separators = sum(c in " -()" for c in value)
            plus = value[0] == "+" and "." not in value
            if 8 <= len(digits(value)) <= 15 and (
                separators >= 2 or (plus and len(digits(value)) >= 10) or (named and _phone_word(low, found.start()))
            ):
                yield Span(found.start(), found.end(), "phone")
    if named and _phone_word(low, start):
        for found in LOCAL_PHONE.finditer(text, max(0, start - 1), stop):
            yield Span(found.start(), found.end(), "phone")


def _phone_word(low: str, at: int) -> bool:
    return bool(PHONE_NEAR.search(low, max(0, at - 30), at))
