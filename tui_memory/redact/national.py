"""National numbers: only beside a word that names them, and only where their own check holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from tui_memory.light import NamedTuple, late
from tui_memory.redact.spans import Span

DIGITS = frozenset("0123456789")
DOUBLED = str.maketrans("0123456789", "0246813579")
"""Twice a digit, its own digits added."""
BEFORE = 70  # characters in which the naming word must stand


def digits(text: str) -> str:
    """The ASCII digits of a text."""
    return "".join(filter(DIGITS.__contains__, text))


def luhn(number: str) -> bool:
    """The check digit of cards, Canadian and Swedish numbers."""
    return (sum(map(int, number[-1::-2])) + sum(map(int, number[-2::-2].translate(DOUBLED)))) % 10 == 0


class National(NamedTuple):
    """A national number: its kind, words one of which must stand before it, its form, its check."""

    kind: str
    near: str
    pattern: str
    check: Callable[[str], bool]


def _ssn(text: str) -> bool:
    number = digits(text)
    return number[:3] not in ("000", "666") and number[3:5] != "00" and number[5:] != "0000"


def _weighted(weights: tuple[int, ...], modulus: int, good: Callable[[int, int], bool]) -> Callable[[str], bool]:
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


def _yes(text: str) -> bool:
    return True


NATIONALS = (
    National(
        "ssn",
        r"\bssn|_ssn|social.?security|socialsec|\bitin\b|tax.?(?:payer.?)?id",
        r"(?<![\d-])(?:\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|\d{9})(?![\d-])",
        _ssn,
    ),
    National(
        "national-number",
        r"\bnino\b|national.?insurance|\bni.?(?:number|no)\b",
        r"(?<![A-Za-z0-9])[A-CEGHJ-PR-TW-Za-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-Da-d](?![A-Za-z0-9])",
        _yes,
    ),
    National(
        "national-number",
        r"\bsin\b|social.?insurance",
        r"(?<![\d-])\d{3}[ -]?\d{3}[ -]?\d{3}(?![\d-])",
        lambda t: luhn(digits(t)),
    ),
    National(
        "national-number",
        r"aadhaar|aadhar|uidai",
        r"(?<!\d)[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}(?!\d)",
        _yes,
    ),
    National(
        "national-number",
        r"\b(?:dni|nie|nif)\b",
        r"(?<![A-Za-z0-9])[XYZxyz\d]-?\d{7}-?[A-Za-z](?![A-Za-z0-9])",
        _spanish,
    ),
    National(
        "national-number",
        r"\binsee\b|\bnir\b|s[ée]curit[ée] sociale|\bnss\b|secu",
        r"(?<!\d)[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}(?!\d)",
        _french,
    ),
    National("national-number", r"\bcpf\b", r"(?<![\d.])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)", _brazilian),
    National(
        "national-number",
        r"\bpesel\b",
        r"(?<!\d)\d{11}(?!\d)",
        _weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3), 10, lambda rest, last: (10 - rest) % 10 == last),
    ),
    National(
        "national-number",
        r"\bbsn\b|burgerservice|sofinummer",
        r"(?<!\d)\d{9}(?!\d)",
        _weighted((9, 8, 7, 6, 5, 4, 3, 2), 11, lambda rest, last: rest == last),
    ),
    National(
        "national-number",
        r"person(?:al)?.?(?:nummer|identity|id)",
        r"(?<!\d)(?:19|20)?\d{6}[-+]?\d{4}(?!\d)",
        lambda t: luhn(digits(t)[-10:]),
    ),
    National(
        "national-number",
        r"codice.?fiscale|fiscal.?code",
        r"(?<![A-Za-z0-9])[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z](?![A-Za-z0-9])",
        _yes,
    ),
    National(
        "national-number",
        r"steuer.?id|steueridentifikation|\bidnr\b",
        r"(?<!\d)\d{2} ?\d{3} ?\d{3} ?\d{3}(?!\d)",
        _yes,
    ),
    National("passport", r"passport", r"(?<![A-Za-z0-9])(?:[A-Z]{1,2}\d{6,8}|\d{9})(?![A-Za-z0-9])", _yes),
)
ESCAPE = late(r"\\[nrt]")
NAMED = late("|".join(f"(?:{rule.near})" for rule in NATIONALS))
WORDS = (
    "ssn",
    "social",
    "itin",
    "tax",
    "nino",
    "insur",
    "ni n",
    "ni_n",
    "sin",
    "aadha",
    "uidai",
    "dni",
    "nie",
    "nif",
    "insee",
    "nir",
    "nss",
    "secu",
    "cpf",
    "pesel",
    "bsn",
    "burgerserv",
    "sofinum",
    "person",
    "codice",
    "fiscal",
    "steuer",
    "idnr",
    "passport",
)
SEEN_AS = tuple(dict.fromkeys("ni" if word.startswith("ni") else word for word in WORDS))
"""Those words as far as `View.words`, which has letters alone, is sure to show them."""


@lru_cache(maxsize=64)
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


def named(words: str) -> bool:
    """Whether any number is named in these words (`View.words`): else none of them needs to be looked for."""
    return any([word in words for word in SEEN_AS])


def scan(text: str, low: str, start: int, end: int, off: frozenset[str]) -> Iterator[Span]:
    """National numbers around the digits at start:end, where a word before them names one."""
    begin = max(0, start - BEFORE)
    window = low[begin:start]
    if "\\" in window:
        window = ESCAPE.sub("  ", window)
    if not any(word in window for word in WORDS) or not NAMED.search(window):
        return
    for rule in NATIONALS:
        if rule.kind in off or not _compiled(rule.near).search(window):
            continue
        for found in _compiled(rule.pattern).finditer(text, max(0, start - 7), min(len(text), end + 12)):
            if rule.check(found.group()):
                yield Span(found.start(), found.end(), rule.kind)
