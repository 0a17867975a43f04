"""Personal data, validated where there is a checksum: e-mail, phone, cards, IBAN, national numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tui_memory.redact.spans import Span, View

LOCAL = re.compile(r"[\w.+%-]{1,64}")
DOMAIN = re.compile(r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,5}[A-Za-z]{2,24}(?![\w@-])")
NOBODY = re.compile(r"(?:git|noreply|no-reply|donotreply|do-not-reply|root|user|username|you|your|someone|nobody|name|hg|svn|x-access-token|oauth2)@|.*@(?:users\.noreply\.)", re.I)
RESERVED = re.compile(r"@(?:[\w-]+\.)*(?:example\.(?:com|org|net|edu)|[\w-]+\.(?:test|example|invalid|localhost|local|internal|lan|localdomain)|localhost)$|@example\.[a-z]{2,6}$|@(?:email|domain|yourdomain|yourcompany|company|mydomain|host|server|test|foo|bar)\.(?:com|org|net|io)$", re.I)
FILE_ENDS = frozenset("png jpg jpeg gif svg webp ico css js ts tsx jsx mjs cjs json py rb go rs java kt html htm xml yml yaml md txt sh lock log map whl gz zip tgz service timer socket mount target path device slice scope conf cfg toml ini vue scss less woff woff2 ttf pdf so dll exe".split())

PHONE = re.compile(r"(?<![\w.+/=-])(?:\+\d{1,3}[ .\-]?(?:\(\d{1,4}\)[ .\-]?)?\d{1,4}(?:[ .\-]?\d{2,4}){2,4}|\(\d{3}\)[ ]\d{3}[-.]\d{4}|\+\d{10,14})(?![\w.]|-\d)")
DIFF_PHONE = re.compile(r"(?<=[\n])[+-](?=\+?\d)")
PHONE_NEAR = re.compile(r"(?:phone|\btel|mobile|cell|\bcall\b|\bfax|whatsapp|\bsms\b|\bhandy|telefon|tel\.)")
LOCAL_PHONE = re.compile(r"(?<![\w.+-])(?:0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,5}|\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4})(?![\w.-])")

CARD = re.compile(r"(?<![\w.+-])(?:[3-6]\d{3}[ -]\d{4}[ -]\d{4}[ -]\d{4}(?:[ -]\d{1,3})?|3[47]\d{2}[ -]\d{6}[ -]\d{5}|[2-6]\d{12,18})(?![\w-]|\.\d)")
IIN = re.compile(r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[68])|6(?:011|4[4-9]|5|2)|35(?:2[89]|[3-8])|50|5[6-9]|6[0-9]")
IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,4})?(?![A-Za-z0-9])")
IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "CH": 21, "CR": 22, "CY": 28,
    "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TN": 24,
    "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}
"""Letters and digits of each country's IBAN (SWIFT's registry)."""


def digits(text: str) -> str:
    """The ASCII digits of a text."""
    return "".join(c for c in text if "0" <= c <= "9")


def luhn(number: str) -> bool:
    """The check digit of cards, Canadian and Swedish numbers."""
    total = 0
    for index, char in enumerate(reversed(number)):
        value = int(char) * (2 if index % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def card(text: str) -> bool:
    """A payment card: a known issuer, its length, the check digit, and not one digit over and over."""
    number = digits(text)
    lengths = {"34": (15,), "37": (15,), "4": (13, 16, 19)}.get(number[:2], {"4": (13, 16, 19), "3": (14, 16), "2": (16,), "5": (16, 18, 19)}.get(number[:1], (16, 17, 18, 19)))
    return len(number) in lengths and bool(IIN.match(number)) and len(set(number)) > 2 and luhn(number)


def iban(text: str) -> bool:
    """A bank account: the country's length and the remainder of ISO 7064."""
    plain = text.replace(" ", "")
    if IBAN_LENGTHS.get(plain[:2]) != len(plain):
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


class National(NamedTuple):
    """A national number: its kind, words one of which must stand near, its form, its check."""

    kind: str
    gates: tuple[str, ...]
    near: str
    pattern: str
    check: Callable[[str], bool]


def _ssn(text: str) -> bool:
    number = digits(text)
    return number[:3] not in ("000", "666") and number[3:5] != "00" and number[5:] != "0000"


def _weights(weights: tuple[int, ...], modulus: int, good: Callable[[int, int], bool]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        number = digits(text)
        total = sum(int(d) * w for d, w in zip(number, weights, strict=False))
        return len(number) == len(weights) + 1 and good(total % modulus, int(number[-1]))

    return check


def _spanish(text: str) -> bool:
    plain = text.upper().replace("-", "").replace(" ", "")
    number = {"X": "0", "Y": "1", "Z": "2"}.get(plain[0], plain[0]) + plain[1:-1]
    return plain[-1] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def _french(text: str) -> bool:
    number = digits(text)
    return len(number) == 15 and 97 - int(number[:13]) % 97 == int(number[13:])


def _brazilian(text: str) -> bool:
    number = digits(text)
    if len(number) != 11 or len(set(number)) == 1:
        return False
    for size in (9, 10):
        total = sum(int(d) * w for d, w in zip(number, range(size + 1, 1, -1), strict=False))
        if (total * 10 % 11) % 10 != int(number[size]):
            return False
    return True


def _aadhaar(text: str) -> bool:
    return len(digits(text)) == 12 and digits(text)[0] not in "01"


NATIONALS = (
    National("ssn", ("ssn", "social", "itin", "tax"), r"\bssn\b|social.?security|\bssn_|_ssn|socialsecurity|\bitin\b|tax.?id", r"(?<![\d-])(?:\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|\d{9})(?![\d-])", _ssn),
    National("national-number", ("nino", "insurance", "ni num"), r"\bnino\b|national.?insurance|ni.?number", r"(?<![A-Za-z0-9])[A-CEGHJ-PR-TW-Za-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-Da-d](?![A-Za-z0-9])", lambda t: True),
    National("national-number", ("sin", "social ins"), r"\bsin\b|social.?insurance", r"(?<![\d-])\d{3}[ -]\d{3}[ -]\d{3}(?![\d-])", lambda t: luhn(digits(t))),
    National("national-number", ("aadha", "uidai"), r"aadhaar|aadhar|uidai", r"(?<!\d)\d{4}[ -]?\d{4}[ -]?\d{4}(?!\d)", _aadhaar),
    National("national-number", ("dni", "nie", "nif"), r"\bdni\b|\bnie\b|\bnif\b", r"(?<![A-Za-z0-9])[XYZxyz\d]-?\d{7}-?[A-Za-z](?![A-Za-z0-9])", _spanish),
    National("national-number", ("insee", "nir", "sociale", "nss"), r"\binsee\b|\bnir\b|s[ée]curit[ée] sociale|\bnss\b", r"(?<!\d)[12][ ]?\d{2}[ ]?\d{2}[ ]?\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{2}(?!\d)", _french),
    National("national-number", ("cpf",), r"\bcpf\b", r"(?<![\d.])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)", _brazilian),
    National("national-number", ("pesel",), r"\bpesel\b", r"(?<!\d)\d{11}(?!\d)", _weights((1, 3, 7, 9, 1, 3, 7, 9, 1, 3), 10, lambda r, d: (10 - r) % 10 == d)),
    National("national-number", ("bsn", "burgerserv", "sofinum"), r"\bbsn\b|burgerservice|sofinummer", r"(?<!\d)\d{9}(?!\d)", _weights((9, 8, 7, 6, 5, 4, 3, 2), 11, lambda r, d: r == d)),
    National("national-number", ("personnummer", "personal"), r"personnummer|personal.?identity", r"(?<!\d)(?:19|20)?\d{6}[-+]?\d{4}(?!\d)", lambda t: luhn(digits(t)[-10:])),
    National("national-number", ("codice", "fiscal"), r"codice.?fiscale|fiscal.?code", r"(?<![A-Za-z0-9])[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z](?![A-Za-z0-9])", lambda t: True),
    National("national-number", ("steuer", "idnr"), r"steuer.?id|steueridentifikation|\bidnr\b", r"(?<!\d)\d{2} ?\d{3} ?\d{3} ?\d{3}(?!\d)", lambda t: len(digits(t)) == 11),
    National("passport", ("passport",), r"passport", r"(?<![A-Za-z0-9])(?:[A-Z]{1,2}\d{6,8}|\d{9})(?![A-Za-z0-9])", lambda t: True),
)
NEAR = 60
NUMBERISH = re.compile(r"\d[\d ()./-]{6,40}")
PHONE_LITERALS = ("phone", "tel", "mobile", "cell", "call", "fax", "whatsapp", "sms", "handy")
KINDS = ("email", "phone", "card", "iban", "ssn", "national-number", "passport")


def scan(view: View, off: frozenset[str], identity: frozenset[str]) -> Iterator[Span]:
    """Every piece of personal data whose kind is on; `identity` (lower case) is the user's own e-mail."""
    text, low = view.text, view.lower
    if "email" not in off and "@" in text:
        yield from _emails(text, identity)
    if "iban" not in off:
        yield from _ibans(text)
    for run in NUMBERISH.finditer(text):
        if "card" not in off:
            yield from _cards(text, low, run)
        if "phone" not in off:
            yield from _phones(text, low, run)
    for rule in NATIONALS:
        if rule.kind not in off and any(word in low for word in rule.gates):
            yield from _near(text, low, rule)


def _cards(text: str, low: str, run: re.Match[str]) -> Iterator[Span]:
    for found in CARD.finditer(text, run.start(), min(len(text), run.end() + 20)):
        number = digits(found.group())
        usual = len(number) in (15, 16) or (len(number) == 14 and number[0] == "3")
        if card(number) and (usual or "card" in low[max(0, found.start() - 30) : found.start()]):
            yield Span(found.start(), found.end(), "card")


def _emails(text: str, identity: frozenset[str]) -> Iterator[Span]:
    for found in DOMAIN.finditer(text):
        local = LOCAL.match(text[max(0, found.start() - 65) : found.start()][::-1])
        if not local:
            continue
        start = found.start() - local.end()
        # In serialised JSON the letter of an escape (`\n`) is glued to the address.
        if start and text[start - 1] == "\\" and text[start] in "nrt":
            start += 1
        if not _in_url(text, start) and _person(text, start, found.end(), identity):
            yield Span(start, found.end(), "email")


def _in_url(text: str, start: int) -> bool:
    """Whether it is the user of a URL (`https://user:word@host`), or part of a path."""
    before = text[max(0, start - 120) : start]
    return before[-1:] == "/" or (before[-1:] == ":" and "//" in before.split()[-1])


def _person(text: str, start: int, end: int, identity: frozenset[str]) -> bool:
    address = text[start:end].lstrip(".+%-")
    if address[:1] == "@" or address.lower() in identity or NOBODY.match(address) or RESERVED.search(address):
        return False
    if address.rpartition(".")[2].lower() in FILE_ENDS or address.rpartition("@")[2].startswith(("2x.", "3x.", "1x.")):
        return False
    after = text[end : end + 2]
    if after[:1] == ":" and after[1:2] and (after[1].isalnum() or after[1] in "/~"):
        return False
    return not re.search(r"(?:\bssh|\bscp|\bsftp|\brsync|ssh-copy-id|mosh)\s(?:-\S+\s(?:\S+\s)?){0,3}$", text[max(0, start - 60) : start])


def _ibans(text: str) -> Iterator[Span]:
    for found in IBAN.finditer(text):
        value = found.group()
        if iban(value):
            yield Span(found.start(), found.end(), "iban")
            continue
        size = IBAN_LENGTHS.get(value[:2], 0)
        plain = ""
        for offset, char in enumerate(value):
            plain += char if char != " " else ""
            if len(plain) == size and value[offset + 1 : offset + 2] == " " and iban(plain):
                yield Span(found.start(), found.start() + offset + 1, "iban")
                break


def _phones(text: str, low: str, run: re.Match[str]) -> Iterator[Span]:
    start, end = max(0, run.start() - 2), min(len(text), run.end() + 20)
    if text[start : run.start()].strip("0123456789 .,"):
        yield from _international(text, low, start, end)
    if PHONE_NEAR.search(low, max(0, start - 30), run.start()):
        for found in LOCAL_PHONE.finditer(text, start, end):
            yield Span(found.start(), found.end(), "phone")


def _international(text: str, low: str, low_end: int, high_end: int) -> Iterator[Span]:
    for found in PHONE.finditer(text, low_end, high_end):
        value = found.group()
        separators = sum(c in " -()" for c in value)
        near = PHONE_NEAR.search(low, max(0, found.start() - 30), found.start())
        if 8 <= len(digits(value)) <= 15 and (near or separators >= 2 or (value[0] == "+" and "." not in value and len(digits(value)) >= 10)):
            yield Span(found.start(), found.end(), "phone")


def _near(text: str, low: str, rule: National) -> Iterator[Span]:
    for word in _pattern(rule.near).finditer(low):
        for found in _pattern(rule.pattern).finditer(text, word.end(), word.end() + NEAR):
            if rule.check(found.group()):
                yield Span(found.start(), found.end(), rule.kind)


_CACHE: dict[str, re.Pattern[str]] = {}


def _pattern(source: str) -> re.Pattern[str]:
    found = _CACHE.get(source)
    if found is None:
        found = _CACHE[source] = re.compile(source)
    return found
