"""Values that look like secrets and that no rule of redaction knows: long, and as random as a generator makes them.

Conservative: what programs number things with (commits, UUIDs, checksums, an agent's own ids) is none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

_LEAST, _MOST = 20, 512
_WORD = re.compile(rf"(?<![\w+/=.-])[A-Za-z0-9+/_=-]{{{_LEAST},{_MOST}}}(?![\w+/=])")
_KNOWN = re.compile(
    r"sha(?:256|384|512)-|toolu_|msg_|req_|call_|chatcmpl-|thread_|item_|resp_|go\.sum|h1:", re.IGNORECASE
)  # what follows is an identity or a checksum
_BEFORE = re.compile(r"(?:base64,|sha\d{3}[-:=]|h1:|integrity\W{1,4})$", re.IGNORECASE)
_CLASSES = (str.islower, str.isupper, str.isdigit)
_BITS = 3.6
"""Bits a character: of 20 random ones about 4; of English words 3, but those have other signs as well."""
_SYLLABLES = re.compile("[a-z]{3,}")
_SPELT = 0.5
"""The share of small letters in runs of three and more: names made of words 0.6, random 0.2."""
_TURNS = 0.4
"""Changes between capitals, small letters and digits per character: random about 0.65, names like `getUserV2` 0.2."""


def suspects(text: str) -> list[str]:
    """The values in a text, each once, in their order."""
    if len(text) < _LEAST:
        return []
    return list(dict.fromkeys(match.group() for match in _WORD.finditer(text) if _is_suspect(match)))


def _is_suspect(match: re.Match[str]) -> bool:
    value = match.group().strip("=-_/+")
    if len(value) < _LEAST or not all(any(map(of, value)) for of in _CLASSES):
        return False
    if _KNOWN.match(value) or _BEFORE.search(match.string[max(match.start() - 16, 0) : match.start()]):
        return False
    spelt = sum(map(len, _SYLLABLES.findall(value))) / len(value)
    return spelt < _SPELT and _turns(value) >= _TURNS and _bits(value) >= _BITS


def _turns(value: str) -> float:
    """How often the class of its characters changes, per character; signs between them change nothing."""
    classes = [next((n for n, of in enumerate(_CLASSES) if of(sign)), -1) for sign in value]
    plain = [one for one in classes if one >= 0]
    return sum(a != b for a, b in pairwise(plain)) / max(len(value) - 1, 1)


def _bits(value: str) -> float:
    """Its Shannon entropy, in bits a character."""
    length = len(value)
    return -sum(n / length * math.log2(n / length) for n in Counter(value).values())


def veiled(text: str) -> str:
    """The text with each such value named by its length and its first three characters: enough to know it by."""
    if len(text) < _LEAST:
        return text
    return _WORD.sub(lambda match: name(match.group()) if _is_suspect(match) else match.group(), text)


def name(value: str) -> str:
    """A value as it may be shown: ‹40 characters, h7G…›."""
    return f"‹{len(value)} characters, {value[:3]}…›"
