"""What a git hook's file says once ours is in it, and how that is taken out again to the byte."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

BEGIN, END = b"# >>> tui-memory >>>", b"# <<< tui-memory <<<"
WRAPPER = b"# tui-memory runs what was here before"
_FRESH, _JOINED = b" made this file", b" joined the last line"
_SCRIPT = "git_hook.sh"
_SHEBANG = b"#!/bin/sh\n"
_SHELL = re.compile(rb"#![ \t]*\S*(?:/|env[ \t]+(?:-\S+[ \t]+)*)(?:ba|da|z|k|a)?sh\b")
_LEAVES = re.compile(rb"(?m)(?:^|[;&|{(]|\bthen|\bdo|\belse)[ \t]*(?:exec|exit|return)\b")
_BLOCK = re.compile(
    rb"(?P<before>\n)?" + re.escape(BEGIN) + rb"(?P<how>[^\n]*)\n.*?" + re.escape(END) + rb"(?:\n|\Z)", re.DOTALL
)


def is_ours(content: bytes) -> bool:
    """Whether something of ours is in a hook's file."""
    return BEGIN in content


def is_wrapper(content: bytes) -> bool:
    """Whether the whole file is ours and runs another one, which it put aside."""
    return WRAPPER in content


def python(content: bytes) -> str:
    """The interpreter that a hook of ours names; '' where it cannot be told."""
    for line in content.decode("utf-8", "replace").splitlines():
        if _SCRIPT in line and "|| :" in line:
            words = shlex.split(line.partition(" sh ")[2].partition(' "$@"')[0])
            return words[1] if len(words) > 2 else ""
    return ""


def can_append(content: bytes, event: str) -> bool:
    """Whether lines at the end of a hook's file would be reached: a shell script that never leaves before.

    What post-rewrite is told on stdin can be read once only.
    """
    is_shell = bool(_SHELL.match(content)) or not content.startswith(b"#!")
    last = content.rstrip(b"\n").rpartition(b"\n")[2]
    return is_shell and event != "post-rewrite" and not _LEAVES.search(content) and not last.endswith(b"\\")


def fresh(event: str) -> bytes:
    """A hook's file of ours alone."""
    return _SHEBANG + _block(event, _FRESH)


def appended(content: bytes, event: str) -> bytes:
    """A shell script with our block at its end; its exit status stays its own."""
    joined = bool(content) and not content.endswith(b"\n")
    return content + (b"\n" if joined else b"") + _block(event, _JOINED if joined else b"", "tui_memory_status=$?")


def wrapper(event: str, aside: str, *, by_name: bool) -> bytes:
    """A script that runs the file put aside, with the same arguments and stdin, then ours; its status is the first's.

    `by_name`: the file is a shell script without the executable bit (husky's).
    """
    run = f'{"sh -e " if by_name else ""}"$tui_memory_was" "$@"'
    there = f'[ -{"r" if by_name else "x"} "$tui_memory_was" ]'
    stdin = event == "post-rewrite"
    feed = "printf '%s\\n' \"$tui_memory_told\" | " if stdin else ""
    lines = [
        f"{WRAPPER.decode()} ({aside}), then tells tui-memory; `tui-memory uninstall git` puts it back",
        f'tui_memory_was="${{0%/*}}/{aside}"',
        *(["tui_memory_told=$(cat)"] if stdin else []),
        "tui_memory_status=0",
        f"if {there}; then {feed}{run} || tui_memory_status=$?; fi",
    ]
    return _SHEBANG + _block(event, b"", *lines, told=stdin)


def without(content: bytes) -> bytes | None:
    """A hook's file without our block, as it was before; None where nothing but ours was in it."""
    match = _BLOCK.search(content)
    if match is None:
        return content
    how = match["how"]
    is_last = match.end() == len(content)
    keep_break = b"" if how == _JOINED and is_last else match["before"] or b""
    rest = content[: match.start()] + keep_break + content[match.end() :]
    return None if how == _FRESH and rest in (_SHEBANG, b"") else rest


def _block(event: str, how: bytes, *lines: str, told: bool = False) -> bytes:
    script = shlex.quote(str(Path(__file__).resolve().parent / _SCRIPT))
    feed = "printf '%s\\n' \"$tui_memory_told\" | " if told else ""
    tell = f'[ ! -r {script} ] || {feed}sh {script} {shlex.quote(sys.executable)} {event} "$@" || :'
    status = ['( exit "$tui_memory_status" )'] if lines else []
    return b"\n".join([BEGIN + how, *(line.encode() for line in (*lines, tell, *status)), END, b""])
