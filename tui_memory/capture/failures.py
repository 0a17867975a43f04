"""What went wrong, in a command's output: the exit code, the error's own line, and whether it failed at all."""

from __future__ import annotations

import re

from tui_memory.light import late

_SCANNED = 24_000  # characters at each end: the rest of a huge output is passing tests and progress bars
_LINE_LIMIT = 300

_EXIT = late(r"^(?:Exit code:?|Process exited with code|Command exited with code) (-?\d{1,10})\b", re.MULTILINE)

_MAKE = r"^make(?:\[\d+\])?: \*\*\* .+$"

# Each with whether its first or its last match tells most: a compiler's first error causes the others, the
# last line of a traceback names the error. Tried in order.
_SIGNS: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (late(pattern, re.MULTILINE), at)
    for pattern, at in (
        (r"^FAILED \S+.*$", 0),  # pytest's summary: test and error in one
        (r"^--- FAIL: .+$", 0),  # go test
        (r"^error\[E\d{4}\]: .+$", 0),  # rustc
        (r"^\S{1,200}[(:]\d+[,:]\d+\)?: (?:fatal )?error\b.*$", 0),  # cc, tsc
        (r"^\S{1,200}:\d+:\d+: [A-Z]{1,5}\d{1,5} .+$", 0),  # linters
        (r"^(?:[A-Za-z_][\w.]{0,120})?(?:Error|Exception|Interrupt|Exit)\b(?:: .*)?$", -1),  # Python, node, Java
        (r"^(?:E   +)\w+.*$", 0),  # pytest without a summary
        (r"^Exception in thread .+$", 0),
        (r"^panic: .+$", 0),
        (r"^thread '.{1,80}' .{0,40}panicked at .+$", 0),
        (r"^.{0,200}: No module named \S+$", -1),
        (r"^(?:\S{1,200}: )?(?:fatal|error|ERROR|Error|FATAL): .+$", 0),
        (r"^npm (?:ERR!|error) .+$", 0),
        (r"^ {0,4}(?:FAIL|✗|✖|×|●) +\S.*$", 0),
        (r"^ {0,4}\d{1,4}\) \S.*$", 0),  # the numbered failures of JavaScript runners
        (_MAKE, -1),
        (r"^.{0,200}: (?:command not found|not found|Permission denied|No such file or directory)$", -1),
        (r"^.{0,100}\b[1-9]\d{0,5} (?:failed|errors?|failures?)\b.*$", -1),
    )
)
# Programs that show other texts: an error in their output is usually somebody else's.
_READERS = """
cat head tail less more sed awk rg grep egrep fgrep ag ls find tree wc diff git jq bat echo printf sort uniq cut
get-content select-string type man history journalctl dmesg kubectl docker
"""
_READER_NAMES = frozenset(_READERS.split())


def exit_code(text: str) -> int | None:
    """The exit code that an output's first lines name, if they do."""
    found = _EXIT.search(text[:2000])
    return int(found.group(1)) if found else None


def error_line(text: str) -> str:
    """The one line that says best what went wrong; '' where none stands out."""
    window = _window(text)
    for pattern, at in _SIGNS:
        matches = pattern.findall(window) if at else pattern.search(window)
        if matches:
            line = matches[-1] if isinstance(matches, list) else matches.group()
            return _trim(_recipe(window, line) if pattern.pattern == _MAKE else line)
    return ""


def _recipe(text: str, line: str) -> str:
    """What a recipe said last before make's own line, if that is a message."""
    before = text[: text.rindex(line)].rstrip().rpartition("\n")[2]
    return before if ": " in before and not before.startswith("make") else line


def first_line(text: str) -> str:
    """The first line with words in it, without the one that only names the exit code."""
    for line in text[:_SCANNED].splitlines():
        if line.strip() and not _EXIT.match(line):
            return _trim(line)
    return ""


def seems_failed(command: str, output: str) -> str:
    """The error's line where an output without a status looks like a failure, else ''.

    Only strong signs count, and not in the output of programs that show files: a log that is read is not an
    error of the reading.
    """
    code = exit_code(output)
    if code is not None:
        return (error_line(output) or first_line(output) or f"exit code {code}") if code else ""
    program = _last_program(command)
    line = error_line(output)
    if program not in _READER_NAMES:
        return line
    own = (f"{program}: ", "fatal: ", "error: ", "Error ")
    lines = [each for each in output[:_SCANNED].splitlines() if each.strip()]
    return _trim(lines[-1]) if lines and all(each.startswith(own) for each in lines[-2:]) else ""


def _window(text: str) -> str:
    return text if len(text) <= 2 * _SCANNED else f"{text[:_SCANNED]}\n{text[-_SCANNED:]}"


def _trim(line: str) -> str:
    line = line.strip().removeprefix("E  ").strip()
    return line if len(line) <= _LINE_LIMIT else line[: _LINE_LIMIT - 1] + "…"


def _last_program(command: str) -> str:
    """The program whose output comes last: of the last pipeline's first part, without path and assignments."""
    last = re.split(r"&&|\|\||;|\n", command.strip())[-1].split("|")[0]
    for word in last.split():
        if "=" in word.split("/")[0] or word in ("sudo", "time", "env", "command"):
            continue
        return word.strip("'\"(").rsplit("/", 1)[-1].rsplit("\\", 1)[-1].lower()
    return ""
