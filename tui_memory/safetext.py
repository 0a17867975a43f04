"""The one door for outside text on its way to a screen or an agent.

Terminals obey bytes that Textual and Rich let through (measured: ESC, C1, bidi overrides, NUL), so text is
cleaned here, once, before it is drawn or injected.
"""

from __future__ import annotations

import re

# C0 but tab and newline, DEL, C1, bidi controls, line and paragraph separators, BOM, zero-width, surrogates.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    "\u2028\u2029\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_SHOWN = "\ufffd"
_ANSI = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?"  # OSC, DCS, SOS, PM, APC up to their end
    r"|\x1b[ -/]{0,4}[0-~]"
)


def strip_ansi(text: str) -> str:
    """Without terminal escape sequences (colour codes of a command's output), the text they framed kept."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def clean(text: str) -> str:
    """Text that is safe to draw: escape sequences gone, other controls shown as �, newlines and tabs kept."""
    if text.isascii() and text.isprintable():
        return text
    text = strip_ansi(text.replace("\r\n", "\n"))
    return _UNSAFE.sub(_SHOWN, text)


def one_line(text: str, limit: int = 0) -> str:
    """Clean, with every run of white space a single space; cut with … to `limit` characters (0: uncut)."""
    line = " ".join(clean(text).split())
    if limit and len(line) > limit:
        return line[: max(limit - 1, 0)].rstrip() + "…"
    return line
