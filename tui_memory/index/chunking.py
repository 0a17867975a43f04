"""What of a memory is embedded: its head, and overlapping windows where it is longer than a model reads.

MiniLM reads 256 tokens: about 1,000 characters of prose, fewer of code. What lies beyond would never be found
by meaning, so the whole text is laid out in windows, and a memory is scored by its head and by its best window.
A text of more windows than `MOST` (about 24,000 characters) has that many of them, spread evenly from its start to
its end: a pasted log of 400 kB would else take a minute to embed and 500 vectors. Words find all of it still.
"""

from __future__ import annotations

WINDOW = 900
OVERLAP = 150
MOST = 32
"""Windows of one memory at the most."""
_SLACK = 120  # how far back from its end a window looks for a line or word to end at


def split(title: str, summary: str, text: str) -> list[str]:
    """The chunks of one version, never empty: the head first, then windows over a text that the head cuts."""
    lead = "\n".join(part for part in (title.strip(), summary.strip()) if part)
    text = text.strip()
    head = _head(lead, title.strip(), text)
    if len(head) <= WINDOW:
        return [head]
    return [head[: _end(head, 0, WINDOW)].rstrip(), *_spread(_windows(text))]


def _spread(windows: list[str]) -> list[str]:
    """At most `MOST` of the windows, the first and the last among them, as evenly apart as can be."""
    if len(windows) <= MOST:
        return windows
    return [windows[round(at * (len(windows) - 1) / (MOST - 1))] for at in range(MOST)]


def _head(lead: str, title: str, text: str) -> str:
    """Title, summary and text, without the title twice where the text begins with it."""
    if not text or lead.startswith(text):
        return lead
    start = title.rstrip("…").rstrip()  # a title that was cut from the text's first line ends so
    if start and text.startswith(start):
        lead = lead[len(title) :].lstrip()
        return f"{text[: len(start)]}\n{lead}\n{text[len(start) :].lstrip()}" if lead else text
    return f"{lead}\n{text}" if lead else text


def _windows(text: str) -> list[str]:
    """Overlapping windows that cover a text; a text that fits one window has none of its own."""
    windows: list[str] = []
    start = 0
    while start < len(text):
        end = _end(text, start, WINDOW)
        windows.append(text[start:end].strip())
        if end >= len(text):
            break
        start = max(end - OVERLAP, start + 1)
    return [window for window in windows if window]


def _end(text: str, start: int, size: int) -> int:
    """Where a window that starts here ends: at a line's end, else a word's, else wherever it is full."""
    full = start + size
    if full >= len(text):
        return len(text)
    for mark in ("\n", " "):
        found = text.rfind(mark, full - _SLACK, full)
        if found > start:
            return found
    return full
