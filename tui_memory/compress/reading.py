"""What single observations say: a command and its result, an error's line, an edit's or a commit's changed lines."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from tui_memory.capture import failures
from tui_memory.model import Kind, Observation
from tui_memory.safetext import strip_ansi

_STAT = re.compile(r"^(?P<path>\S.*?) \+\d+ [−-]\d+$")
_FILE_HEAD = re.compile(
    r"^(?:\+\+\+ (?:b/)?(?P<plus>\S.*)|diff --git a/.* b/(?P<git>\S.*)|(?P<own>\S.*?) \+\d+ [−-]\d+)$"
)


@dataclass(frozen=True, slots=True)
class Change:
    """One file's changed lines in one edit or commit."""

    path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    source: int
    """The observation's id."""


def command(item: Observation) -> str:
    """The command line that an observation ran, "" where it ran none."""
    value = item.detail.get("command")
    if isinstance(value, str):
        return value.strip()
    return item.text[2:].split("\n", 1)[0].strip() if item.text.startswith("$ ") else ""


def output(item: Observation) -> str:
    """What a command printed, without colours."""
    text = strip_ansi(item.text)
    if not text.startswith("$ "):
        return text
    line = command(item)
    return text[2 + len(line) :].lstrip("\n") if text.startswith("$ " + line) else text.partition("\n")[2]


def failed(item: Observation) -> bool:
    """Whether an observation is a failure: an error, or a command that left with another code than 0."""
    code = item.detail.get("exit_code")
    return item.kind == Kind.ERROR or (item.kind == Kind.COMMAND and isinstance(code, int) and code != 0)


def error_line(item: Observation) -> str:
    """The line that names what went wrong (the exception, the assertion, the tool's message), "" where none does."""
    told = item.detail.get("error")
    line = told if isinstance(told, str) and told else failures.error_line(output(item))
    return " ".join(strip_ansi(line).split())[:200]


def files(item: Observation) -> list[str]:
    """The files that the tool's input named."""
    return [path for path in item.files if path]


def message(item: Observation) -> str:
    """A commit's whole message, out of its text (`commit SHA`, message, a line a file, diff)."""
    lines = item.text.split("\n")
    if lines[0].startswith("commit "):
        lines = lines[1:]
    kept = []
    for line in lines:
        stat = _STAT.match(line)
        if line.startswith(("diff --git ", "@@ ")) or (stat and stat.group("path") in item.files):
            break
        kept.append(line)
    return "\n".join(kept).strip() or str(item.detail.get("subject") or "")


def changes(item: Observation) -> list[Change]:
    """The changed lines of an edit or commit, a file at a time, from the diff in its text."""
    found: list[tuple[str, list[str], list[str]]] = []
    for line in item.text.split("\n"):
        if head := _FILE_HEAD.match(line):
            path = (head.group("plus") or head.group("git") or head.group("own")).strip()
            if not found or found[-1][0] != path:
                found.append((path, [], []))
        elif found and line[:1] == "-" and not line.startswith("--- "):
            found[-1][1].append(line[1:])
        elif found and line[:1] == "+":
            found[-1][2].append(line[1:])
    return [Change(path, tuple(gone), tuple(come), item.id) for path, gone, come in found if gone or come]


def programs(line: str) -> list[list[str]]:
    """The simple commands of a shell line as words, split at && || ; | outside quotes; odd quotes split at blanks."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        parts = list(lexer)
    except ValueError:
        parts = line.split()
    found: list[list[str]] = [[]]
    for word in parts:
        if set(word) <= set(";&|"):
            found.append([])
        else:
            found[-1].append(word)
    return [argv for argv in map(_without_prefix, found) if argv]


def _without_prefix(argv: list[str]) -> list[str]:
    while argv and (re.match(r"^\w+=", argv[0]) or argv[0] in {"sudo", "env", "time", "command", "exec"}):
        argv = argv[1:]
    return argv
