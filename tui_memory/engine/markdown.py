"""Memories as Markdown that a person reads and edits, and back: what is not prose stands in comments.

A memory is between `<!-- memory {…} -->` and `<!-- end -->`; `<!-- text -->`, `<!-- facts -->` and `<!-- files -->`
part what is in it. A line of a text that looks like one of these gets a backslash before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tui_memory.capture.transcripts.records import opened
from tui_memory.errors import UsageError
from tui_memory.safetext import one_line
from tui_memory.store.portable import Record

LONGEST_LINE = 64 << 20
"""Bytes of one line."""
HEAD = "<!-- tui-memory export 1 -->"
TAIL = "<!-- end of export -->"
_OPEN = re.compile(r"<!-- memory (\{.*\}) -->")
_MARK = re.compile(r"(\\*)<!-- (?:memory |text -->|facts -->|files -->|end )")
_BODY = ("tier", "kind", "labels", "route", "model", "prompt_version", "schema_version", "retained",
         "flagged")  # fmt: skip
_ROW = ("uid", "state", "pinned", "branch", "agent", "session", "superseded_by", "merged_into", "uses", "last_used",
        "created", "updated", "sources")  # fmt: skip


def head(count: int, when: str) -> str:
    """How a file begins. `when`: ISO 8601."""
    return f"{HEAD}\n\n# Memories\n\n{count:,} {'memory' if count == 1 else 'memories'}, exported {when}.\n"


def memory(record: Record, project: Record | None) -> str:
    """A memory's current version as a section. `project`: its record, None: it belongs to all projects."""
    body = record["versions"][record["version"] - 1]
    facts = {name: record[name] for name in _ROW} | {name: body[name] for name in _BODY}
    facts["written"] = body["created"]
    facts["project"] = project and {name: project[name] for name in ("uid", "name", "remotes")}
    title = body["title"]
    if title != one_line(title) or title != title.strip():
        facts["title"] = title
    place = [project["name"] if project else "all projects", record["branch"], record["created"][:10]]
    about = " · ".join(one_line(part) for part in (body["kind"], body["tier"], *place, *body["labels"]) if part)
    lines = [f"<!-- memory {_comment(facts)} -->", f"## {one_line(title)}", "", about, ""]
    lines += [f"> {line}" for line in body["summary"].split("\n")] if body["summary"] else []
    lines += ["", "<!-- text -->", *(_escaped(line) for line in body["text"].split("\n"))]
    lines += _list("facts", body["facts"], "")
    lines += _list("files", body["files"], "`")
    return "\n".join(["", *lines, "<!-- end -->", ""])


def _comment(value: Any) -> str:
    """JSON that closes no comment."""
    return json.dumps(value, ensure_ascii=False).replace("-->", "--\\u003e").replace("\n", "\\n")


def _escaped(line: str) -> str:
    return f"\\{line}" if _MARK.match(line) else line


def _list(name: str, values: Sequence[str], quote: str) -> list[str]:
    lines = [f"<!-- {name} -->"]
    if values:
        lines += ["", f"### {name.title()}", ""]
    for value in values:
        first, *more = f"{quote}{value}{quote}".split("\n")
        lines += [f"- {first}", *(f"  {line}" for line in more)]
    return [*lines, ""] if values else lines


def is_own(path: Path) -> bool:
    """Whether a file begins as an export in Markdown does."""
    with opened(path) as file:
        return file.readline(len(HEAD) + 10).decode("utf-8-sig", "replace").strip() == HEAD


def records(path: Path) -> Iterator[Record]:
    """Projects and memories of such a file, checked; UsageError names the line that is wrong, and why."""
    from tui_memory.engine import portable_shapes as shapes

    seen: dict[str, int] = {}
    projects: set[str] = set()
    for number, facts, lines in _sections(path):
        try:
            project, record = _record(facts, lines)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise _refused(path, number, "what is said of this memory in its comment cannot be understood") from None
        for shape, value in ((shapes.Project, project), (shapes.Memory, record)):
            if value is not None and (said := shapes.wrong(shape, value)):
                raise _refused(path, number, said)
        if seen.setdefault(record["uid"], number) != number:
            raise _refused(path, number, f"the uid {record['uid']} was on line {seen[record['uid']]} already")
        if project and project["uid"] not in projects:
            projects.add(project["uid"])
            yield project
        yield record


def _sections(path: Path) -> Iterator[tuple[int, dict[str, Any], list[str]]]:
    """(line it begins on, what its comment says, its lines) of each memory."""
    begun, number, ended = 0, 0, False
    facts: dict[str, Any] = {}
    lines: list[str] = []
    for number, line in _lines(path):
        if begun and line.rstrip() == "<!-- end -->":
            yield begun, facts, lines
            begun, lines = 0, []
        elif begun and _OPEN.match(line):
            raise _refused(path, begun, "the memory that begins here has no end")
        elif begun:
            lines.append(line)
        elif line.rstrip() == TAIL:
            ended = True
        elif line.startswith("<!-- memory "):
            begun, facts = number, _facts(path, number, line)
    if begun:
        raise _refused(path, begun, "the memory that begins here has no end: the file was cut off")
    if not ended:
        raise _refused(path, number, "the file ends before its last line: it was cut off")


def _facts(path: Path, number: int, line: str) -> dict[str, Any]:
    found = _OPEN.match(line)
    try:
        value = json.loads(found[1]) if found else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _refused(path, number, "its comment holds no JSON object")
    return value


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    with opened(path) as file:
        while raw := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                raise _refused(path, number, "it is longer than 64 MB")
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n")
            except UnicodeDecodeError:
                raise _refused(path, number, "it is not UTF-8 text") from None


def _record(facts: dict[str, Any], lines: list[str]) -> tuple[Record | None, Record]:
    """The project and the memory of a section. What a person takes out of a comment is as it is by default."""
    before, text, listed, files = _parts(lines)
    heading = next((line[3:] for line in before if line.startswith("## ")), "").strip()
    title = facts.pop("title", None)
    body = {name: facts.pop(name) for name in _BODY} | {
        "created": facts.pop("written"), "title": title if title and one_line(title) == heading else heading,
        "summary": "\n".join(line[1:].removeprefix(" ") for line in before if line.startswith(">")),
        "text": "\n".join(line[1:] if line.startswith("\\") and _MARK.match(line) else line for line in text),
        "facts": _items(listed), "files": [_unquoted(value) for value in _items(files)],
    }  # fmt: skip
    project = facts.pop("project")
    record = {"type": "memory", "version": 1, "versions": [body], "project": project and project["uid"]} | facts
    return project and {"type": "project"} | project, record


def _parts(lines: list[str]) -> list[list[str]]:
    """The lines before the text, of the text, the facts and the files."""
    parts: list[list[str]] = [[], [], [], []]
    marks = ("", "<!-- text -->", "<!-- facts -->", "<!-- files -->")
    at = 0
    for line in lines:
        if at < 3 and line.rstrip() == marks[at + 1]:
            at += 1
        else:
            parts[at].append(line)
    return parts


def _items(lines: Iterable[str]) -> list[str]:
    """The items of a list; what is indented goes on with the item before it."""
    found: list[str] = []
    blank = 0
    for line in lines:
        if line.startswith("- "):
            found.append(line[2:])
        elif found and line.startswith("  "):
            found[-1] += "\n" * (blank + 1) + line[2:]
        elif not line.strip():
            blank += 1
            continue
        blank = 0
    return found


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == "`" else value


def _refused(path: Path, number: int, why: str) -> UsageError:
    return UsageError(f"{path}, line {number}: {why}. Nothing was imported.")
