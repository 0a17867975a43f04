"""Text that breaks screens: markup, escape sequences, controls, bidi, very long, wide, none."""

from __future__ import annotations

ESC, BEL = "\x1b", "\x07"
TEXTS = {
    "closing tag": "[/x]",
    "open bracket": "[",
    "action": "[@click=app.quit]x[/]",
    "clipboard": f"{ESC}]52;c;aGVsbG8={BEL}after",
    "colour": f"{ESC}[31mred{ESC}[0m",
    "c1": "\x9b31mred\x9d0;title\x9c",
    "bidi": "abc\u202edef\u2066ghi",
    "nul": "a\x00b\x7fc",
    "one long line": "x" * 100_000,
    "wide": "記憶を整理する" * 30,
    "joined emoji": "👩‍👩‍👧‍👦 family 🇩🇪 flag ❤️",
    "empty": "",
    "lines": "first\r\nsecond\rthird\u2028fourth\ttab",
    "variables": "$accent ${HOME} {x} %s",
    "lone surrogate": "a\ud800b",
    "zero width": "pass\u200bword\u200d\u2060 e\u0301" + "\u0301" * 40 + " \ufeffend",
}
FORBIDDEN = [chr(code) for code in (*range(0x00, 0x20), 0x7F, *range(0x80, 0xA0), 0x202E, 0x2066, 0x2028)]
"""What must never reach the terminal from data; the lines of a screen hold no newline either."""
