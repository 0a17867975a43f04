"""What of a tool's call comes from files that are never kept: shell commands that print them, diffs, matches.

An agent reads a file by its own tool, or by any command; to whoever ignores the file that is one thing. Standard
library only.
"""

from __future__ import annotations

from tui_memory.light import TYPE_CHECKING, NamedTuple, late
from tui_memory.model import Draft, Kind
from tui_memory.store import ignored

if TYPE_CHECKING:
    from typing import Any

_TOLD = frozenset({Kind.COMMAND, Kind.ERROR, Kind.EDIT, Kind.SEARCH, Kind.TOOL_USE})
_QUIET = frozenset({
    "source", ".", "cp", "mv", "rm", "ln", "ls", "touch", "chmod", "chown", "mkdir", "rmdir", "test", "[", "stat", "wc",
    "echo", "printf", "find", "code", "du", "realpath", "dirname", "basename", "file", "shasum", "sha256sum", "md5sum",
})  # fmt: skip
"""Programs that print nothing of the files they are given."""
_QUIET_GIT = frozenset({"add", "rm", "mv", "status", "commit", "check-ignore", "ls-files", "restore", "checkout"})
_SEARCHING = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "jq"})
_BEFORE = frozenset(
    {"sudo", "time", "env", "command", "exec", "nohup", "xargs", "then", "do", "else", "if", "while", "!"}
)
_FILE_FLAGS = ("--env-file", "--exclude", "--exclude-from", "--exclude-dir", "--ignore", "--ignore-file")
_LONGEST = 20_000
"""Characters of a command, or of a call, that are looked at."""
_STRING = late(r"\"([^\"\\]{1,500})\"")
_TOKEN = late(
    r"(?P<break>[|&;\n(){}`]+|\$\()|(?P<into>\d?>{1,2}\|?)|(?P<word>(?:'[^']*'|\"[^\"]*\"|\\.|[^\s'\"|&;<>(){}`\\])+)"
)
_QUOTES = late(r"['\"\\]")
_APART = late(r"[=:,@]")
_HEAD = late(
    r"diff --git a/.* b/(?P<git>.*)|\*\*\* (?:Add|Update|Delete) File: (?P<patch>.*)|(?P<told>\S.*) \+\d+ −\d+"
)
_OF_DIFF = late(
    r"[+\-@ \\]|index |new file|deleted file|old mode|new mode|similarity|rename |copy |Binary "
    r"|\*\*\* (?:Move|End of)|$"
)
_MATCH = late(r"(?:\./)?(?P<numbered>[^\n]{1,300}?)[:-]\d+[:-]|(?:\./)?(?P<plain>[^\s:]{1,300}):")


class _Word(NamedTuple):
    """A word of a command, and whether something is written into the file it names."""

    said: str
    written: bool


def leave_out(draft: Draft, patterns: tuple[str, ...]) -> None:
    """Take out of the draft what it tells of ignored files; for those whose text may name one (`ignored.may_name`)."""
    if draft.kind not in _TOLD:
        return
    draft.files = [path for path in draft.files if not ignored.is_ignored(path, patterns)]
    command = draft.detail.get("command")
    if isinstance(command, str) and (found := _of_command(command[:_LONGEST], patterns)):
        _cut(draft, command, found)
    elif draft.tool.startswith("mcp__") and (path := _in_call(draft.text, patterns)):
        call = draft.text.split("\n", 1)[0]
        draft.text = f"{call}\n[not kept: {len(draft.text)} characters with {path}, which is ignored]"
    else:
        draft.text = _lines(draft.text, patterns)


def _cut(draft: Draft, command: str, found: _Word) -> None:
    """Of a command that prints or writes an ignored file is kept that it ran, and how it ended."""
    said = f"[a command that writes {found.said}]" if found.written else command.split("\n", 1)[0]
    detail: dict[str, Any] = {name: fact for name, fact in draft.detail.items() if isinstance(fact, bool | int | float)}
    if "event" in draft.detail:
        detail["event"] = draft.detail["event"]
    if draft.kind == Kind.ERROR:
        detail["error"] = "what it said is not kept"
    draft.detail = detail | {"command": said, "ignored": found.said}
    draft.text = f"$ {said}\n[not kept: {len(draft.text)} characters with {found.said}, which is ignored]"


def _in_call(text: str, patterns: tuple[str, ...]) -> str:
    """The ignored path among what a tool of somebody's server was given; '' where there is none."""
    given = text[:_LONGEST].split("\n", 1)[0]
    return next((path for said in _STRING.findall(given) if (path := _ignored(said, patterns))), "")


def _of_command(command: str, patterns: tuple[str, ...]) -> _Word | None:
    """The ignored path that a command may print from or writes into; None: none."""
    for words in _simple(command):
        program, rest = _program(words)
        sought = _sought(program, rest)
        for place, word in enumerate(rest):
            before = rest[place - 1].said if place else ""
            quiet = place == sought or _is_quiet(program, rest) or _is_flag(before, word.said)
            if (word.written or not quiet) and (path := _ignored(word.said, patterns)):
                return _Word(path, word.written or program == "tee")
    return None


def _sought(program: str, rest: list[_Word]) -> int:
    """The place of the word that a search looks for, which is no file; -1 where there is none."""
    if program not in _SEARCHING or any(word.said.startswith(("-e", "-f", "--reg", "--file=")) for word in rest):
        return -1
    return next((place for place, word in enumerate(rest) if word.said[:1] != "-"), -1)


def _simple(command: str) -> list[list[_Word]]:
    """The simple commands of a line: their words, without quotes."""
    found: list[list[_Word]] = [[]]
    written = False
    for token in _TOKEN.finditer(command):
        if token["break"]:
            found.append([])
        elif token["into"]:
            written = True
            continue
        else:
            found[-1].append(_Word(_QUOTES.sub("", token["word"]), written))
        written = False
    return found


def _program(words: list[_Word]) -> tuple[str, list[_Word]]:
    """The program, without what may stand before it, and its words."""
    for place, word in enumerate(words):
        if word.said not in _BEFORE and not (word.said.partition("=")[0].isidentifier() and "=" in word.said):
            return word.said.rpartition("/")[2] or word.said, words[place + 1 :]
    return "", words


def _is_quiet(program: str, rest: list[_Word]) -> bool:
    if program == "git":
        return next((word.said for word in rest if word.said[:1] != "-"), "") in _QUIET_GIT
    return program in _QUIET


def _is_flag(before: str, word: str) -> bool:
    """Whether a word is only what a flag says of a file."""
    return before in _FILE_FLAGS or word.partition("=")[0] in _FILE_FLAGS


def _ignored(word: str, patterns: tuple[str, ...]) -> str:
    """The ignored path in a word (`plans/x`, `.env*`, `HEAD:.env`, `--file=.env`); '' where there is none."""
    for part in {word, *_APART.split(word)}:
        path = part.rstrip("*?").rstrip("/")
        if path and (ignored.is_ignored(path, patterns) or ignored.is_ignored(f"{path}/_", patterns)):
            return path
    return ""


def _lines(text: str, patterns: tuple[str, ...]) -> str:
    """A text without its diffs of ignored files and without matches in them."""
    known: dict[str, bool] = {}
    kept: list[str] = []
    skipping, gone = False, 0
    for line in text.split("\n"):
        if head := _HEAD.fullmatch(line):
            skipping = ignored.is_ignored(head["git"] or head["patch"] or head["told"], patterns)
        elif skipping:
            skipping = bool(_OF_DIFF.match(line))
        if skipping or _is_match(line, patterns, known):
            gone += 1
        else:
            kept.append(line)
    if gone:
        kept.append(f"[not kept: {gone} {'line' if gone == 1 else 'lines'} of ignored files]")
    return "\n".join(kept)


def _is_match(line: str, patterns: tuple[str, ...], known: dict[str, bool]) -> bool:
    """Whether a line is a search's match in an ignored file."""
    found = _MATCH.match(line)
    if not found:
        return False
    path = found["numbered"] or found["plain"]
    if path not in known:
        known[path] = ignored.is_ignored(path, patterns)
    return known[path]
