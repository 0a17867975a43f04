"""Commits as git tells them: message, files with counts, the diff by hunk, in bounded memory. Standard library only."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from tui_memory.capture import git_paths, git_run

BATCH = 200
"""Commits that are read with one process, at most: their names fit into a pipe."""
_LINE = 400  # characters kept of one line; bytes beyond a chunk are never held
_CHUNK = 1 << 16
_HUNK_LINES = 40
_FILE_CHARS = 3_000
_COMMIT_CHARS = 10_000
_FILES = 400
_MESSAGE_CHARS = 20_000

_FORMAT = "%H%n%P%n%an <%ae>%n%ct%n%at%n%B%n"
_LOG = (
    "log", "--stdin", "--no-walk=unsorted", "--no-show-signature", "--no-notes", "--no-color", "--no-ext-diff",
    "--no-textconv", "--encoding=UTF-8", "--numstat", "--patch", "--unified=2", "--find-renames",
    "--diff-merges=first-parent", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$")
_RENAMED = re.compile(r"^(.*)\{(.*) => (.*)\}(.*)$")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}

Ignored = Callable[[str], bool]
"""Whether nothing of a path may be kept."""


def read(folder: str, shas: Sequence[str], ignored: Ignored, *, timeout: float) -> Iterator[dict[str, Any]]:
    """The payloads of some commits (at most BATCH), in their order: sha, parents, author, time, authored (ms), message,
    files [{path, added, removed, light?}], diff, hunks [{path, language, line, heading}].

    GitEnded where git fails or takes longer than `timeout` seconds: the payloads until then are whole. OSError where
    there is no git.
    """
    mark = secrets.token_hex(16)
    settings = ("-c", "core.quotePath=false", "-c", "diff.suppressBlankEmpty=false")
    shape = f"--format=tformat:{mark}%n{_FORMAT}{mark}"
    given = "".join(f"{sha}\n" for sha in shas).encode()
    with git_run.reading(folder, *settings, *_LOG, shape, given=given, timeout=timeout) as stream:
        yield from _commits(_lines(stream), mark, ignored)


def _lines(stream: IO[bytes]) -> Iterator[str]:
    """Its lines without their ends, the rest of overlong ones passed over."""
    while chunk := stream.readline(_CHUNK):
        whole = chunk
        while not chunk.endswith(b"\n") and (chunk := stream.readline(_CHUNK)):
            continue
        yield whole.removesuffix(b"\n").decode("utf-8", "replace")


def _commits(lines: Iterator[str], mark: str, ignored: Ignored) -> Iterator[dict[str, Any]]:
    reading: _Diff | None = None
    for line in lines:
        if line == mark:
            if reading is not None:
                yield reading.payload()
            reading = _Diff(_head(lines, mark), ignored)
        elif reading is not None:
            reading.take(line)
    if reading is not None:
        yield reading.payload()


def _head(lines: Iterator[str], mark: str) -> dict[str, Any]:
    sha, parents, author, time, authored = (next(lines, "") for _ in range(5))
    message, size = [], 0
    for line in lines:
        if line == mark:
            break
        if size < _MESSAGE_CHARS:
            message.append(line[: _MESSAGE_CHARS - size])
            size += len(line) + 1
    return {
        "sha": sha, "parents": parents.split(), "author": author, "time": int(time or 0) * 1000,
        "authored": int(authored or 0) * 1000, "message": "\n".join(message).strip(),
    }  # fmt: skip


@dataclass(slots=True)
class _Hunk:
    path: str
    language: str
    line: int
    heading: str
    head: str
    lines: list[str] = field(default_factory=list)
    left_out: int = 0


class _Diff:
    """One commit's files and hunks, as far as they are kept."""

    def __init__(self, head: dict[str, Any], ignored: Ignored) -> None:
        self._head, self._ignored = head, ignored
        self._is_merge = len(head["parents"]) > 1
        self._files: list[dict[str, Any]] = []
        self._more = [0, 0, 0]
        self._hunks: list[_Hunk] = []
        self._in_patch = self._in_hunk = self._keeps = False
        self._path, self._file_chars, self._chars = "", 0, 0

    def take(self, line: str) -> None:
        """One line of numbers or patch."""
        if line.startswith("diff --git "):
            self._in_patch, self._in_hunk, self._path, self._file_chars = True, False, "", 0
        elif not self._in_patch:
            self._number(line)
        elif match := _HUNK.match(line):
            self._in_hunk = True
            self._begin(match)
        elif self._in_hunk:
            self._line(line)
        elif line.startswith(("--- ", "+++ ")) and line[4:] != "/dev/null":
            self._path = _unquoted(line[4:].rstrip("\t"))[2:]

    def _number(self, line: str) -> None:
        parts = line.split("\t", 2)
        if len(parts) != 3:
            return
        added, removed = (int(part) if part.isdigit() else 0 for part in parts[:2])
        path = _unquoted(parts[2])
        if match := _RENAMED.match(path):
            path = f"{match[1]}{match[3]}{match[4]}".replace("//", "/")
        elif " => " in path:
            path = path.partition(" => ")[2]
        if self._ignored(path):
            return
        if len(self._files) >= _FILES:
            self._more = [self._more[0] + 1, self._more[1] + added, self._more[2] + removed]
            return
        file: dict[str, Any] = {"path": path, "added": added, "removed": removed}
        self._files.append(file | ({"light": True} if git_paths.is_light(path) else {}))

    def _begin(self, match: re.Match[str]) -> None:
        path = self._path
        self._keeps = bool(
            path
            and not self._is_merge
            and self._file_chars < _FILE_CHARS
            and self._chars < _COMMIT_CHARS
            and not git_paths.is_light(path)
            and not self._ignored(path)
        )
        if self._keeps:
            language = git_paths.language(path)
            self._hunks.append(_Hunk(path, language, int(match[1]), match[2][:_LINE], match[0][:_LINE]))

    def _line(self, line: str) -> None:
        if not self._keeps or line.startswith("\\"):
            return
        hunk, kept = self._hunks[-1], line[:_LINE]
        if len(hunk.lines) >= _HUNK_LINES or self._chars + len(kept) > _COMMIT_CHARS:
            hunk.left_out += 1
            return
        hunk.lines.append(kept)
        self._chars += len(kept) + 1
        self._file_chars += len(kept) + 1

    def payload(self) -> dict[str, Any]:
        """What became of it."""
        more = dict(zip(("files", "added", "removed"), self._more, strict=True)) if self._more[0] else {}
        hunks = [
            {"path": hunk.path, "language": hunk.language, "line": hunk.line, "heading": hunk.heading}
            for hunk in self._hunks
        ]
        return self._head | {"files": self._files, "more": more, "hunks": hunks, "diff": self._text()}

    def _text(self) -> str:
        lines: list[str] = []
        path = ""
        for hunk in self._hunks:
            if hunk.path != path:
                path = hunk.path
                lines.append(f"diff --git a/{path} b/{path}")
            lines += [hunk.head, *hunk.lines]
            lines += [f"  … {hunk.left_out} lines more"] if hunk.left_out else []
        return "\n".join(lines)


def _unquoted(path: str) -> str:
    """A path as it is, also where git wrote it in quotes with escapes."""
    if len(path) < 2 or path[0] != '"' or path[-1] != '"':
        return path
    text = re.sub(r"((?:\\[0-3][0-7]{2})+)", _octal, path[1:-1])
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)


def _octal(match: re.Match[str]) -> str:
    return bytes(int(part, 8) for part in match[1].split("\\")[1:]).decode("utf-8", "replace")
