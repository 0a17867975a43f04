"""Judgments as TREC qrels, which every tool for measuring search reads; and back.

Two files: the qrels (`query-id 0 memory-uid 0|1`, a judgment a line), and beside it `….queries.jsonl`, a line a query:
its id, its text, and the project it was asked in. A query's id comes from its text and project alone, so that it is
the same in every export and on every device.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory.errors import NotFoundError, RefusedError, TuiMemoryError, UsageError
from tui_memory.retrieve import judgments
from tui_memory.store import memories, projects, purging, rules
from tui_memory.store.text import storable

if TYPE_CHECKING:
    from tui_memory.engine.services import Services

_SUFFIX = ".queries.jsonl"
_ID = 12  # hex digits: a collision among a million queries is one in five hundred


@dataclass(frozen=True, slots=True)
class Carried:
    """What was written or read."""

    path: str
    queries_path: str
    queries: int
    judgments: int
    unknown_memories: int = 0
    """Judgments left out: this store has no memory of that uid."""
    unknown_projects: int = 0
    """Queries of a project that this store does not know: kept as asked everywhere."""

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        return {
            "file": self.path, "queries_file": self.queries_path, "queries": self.queries,
            "judgments": self.judgments, "unknown_memories": self.unknown_memories,
            "unknown_projects": self.unknown_projects,
        }  # fmt: skip


def query_id(query: str, project: str | None) -> str:
    """`q-` and twelve hex digits, from the text and the project's uid."""
    return "q-" + hashlib.sha256(f"{project or ''}\0{query}".encode()).hexdigest()[:_ID]


def write(services: Services, path: Path, *, yes: bool) -> Carried:
    """Every judgment into two files, for their owner alone; a purge names them while they are there."""
    target = Path(os.path.realpath(path.expanduser()))
    beside = target.with_name(target.name + _SUFFIX)
    _check(services, target, beside, yes)
    asked: dict[str, dict[str, Any]] = {}
    lines = []
    for query, relevant, memory, project in services.store.rows(
        "SELECT j.query, j.relevant, m.uid, p.uid FROM judgments j JOIN memories m ON m.id = j.memory_id"
        " LEFT JOIN projects p ON p.id = j.project_id ORDER BY j.query, j.id"
    ):
        text = services.redactor.text(rules.plain(services.store, query)).text
        named = query_id(text, project)
        asked[named] = {"id": named, "query": text, "project": project}
        lines.append(f"{named} 0 {memory} {relevant}\n")
    for place, parts in ((beside, [json.dumps(row, ensure_ascii=False) + "\n" for row in asked.values()]),
                         (target, lines)):  # fmt: skip
        purging.note_copy(services.store, str(place))  # before there is anything to find
        _put(place, "".join(parts))
    return Carried(str(target), str(beside), len(asked), len(lines))


def _check(services: Services, target: Path, beside: Path, yes: bool) -> None:
    if target.is_relative_to(os.path.realpath(services.home)):
        raise RefusedError(
            f"{target} is inside the store, where no purge would look for it. Nothing was written;"
            " name a file outside of it."
        )
    if not target.parent.is_dir():
        raise NotFoundError(f"There is no folder {target.parent}. Nothing was written.")
    taken = [place for place in (target, beside) if place.exists()]
    if taken and (not yes or not all(place.is_file() for place in taken)):
        raise RefusedError(f"{taken[0]} exists. Nothing was written; --yes writes over it.")


def _put(place: Path, text: str) -> None:
    part = place.with_name(f".{place.name[:100]}.part")
    try:
        with suppress(FileNotFoundError):
            part.unlink()
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, place)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise TuiMemoryError(
            f"{place} could not be written: {error.strerror or error}. The store was not changed."
        ) from error


def read(services: Services, path: Path, queries: Path | None) -> Carried:
    """Judgments of a file into the store, all or none; later ones of a pair take an earlier one's place.

    UsageError names the line that is wrong. Grades above nought are relevant, others are not. Texts are masked.
    """
    source = path.expanduser()
    beside = queries.expanduser() if queries is not None else source.with_name(source.name + _SUFFIX)
    asked = _mapping(beside)
    rows = list(_judgments(source, asked))
    known = _ids(services, {memory for _, memory, _ in rows})
    places = _places(services, asked)
    wanted = [
        (services.redactor.text(storable(asked[named]["query"])).text, known[memory], relevant,
         places.get(asked[named]["project"] or ""))
        for named, memory, relevant in rows if memory in known
    ]  # fmt: skip
    judgments.put_many(services.store, wanted)
    lost = sum(bool(row["project"]) and row["project"] not in places for row in asked.values())
    used = {query for query, *_ in wanted}
    return Carried(str(source), str(beside), len(used), len(wanted), len(rows) - len(wanted), lost)


def _mapping(path: Path) -> dict[str, dict[str, Any]]:
    """Queries by their ids."""
    found = {}
    for number, line in _lines(path):
        try:
            row = json.loads(line)
            named, query, project = str(row["id"]), row["query"], row.get("project")
        except (ValueError, TypeError, KeyError, AttributeError):
            raise UsageError(f'{path}, line {number}: not an object with "id" and "query". Nothing was read.') from None
        if not isinstance(query, str) or not query.strip() or not isinstance(project, str | None):
            raise UsageError(f"{path}, line {number}: its query or its project is no text. Nothing was read.")
        found[named] = {"query": query.strip(), "project": project}
    return found


def _judgments(path: Path, asked: Mapping[str, object]) -> Iterable[tuple[str, str, bool]]:
    """(query id, memory's uid, whether it is relevant)."""
    for number, line in _lines(path):
        parts = line.split()
        if len(parts) != 4 or not parts[3].lstrip("-").isdigit():
            raise UsageError(
                f"{path}, line {number}: not `query-id 0 memory-uid grade`, as qrels are. Nothing was read."
            )
        if parts[0] not in asked:
            raise UsageError(
                f"{path}, line {number}: the file of queries does not have {parts[0]}. Nothing was read;"
                " --queries names another file."
            )
        yield parts[0], parts[2], int(parts[3]) > 0


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}. Nothing was read.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}. Nothing was read.") from error
    return [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _ids(services: Services, named: set[str]) -> dict[str, int]:
    """Memories of this store by the uids (or ids) that a file names."""
    found = {}
    for name in named:
        with suppress(NotFoundError, UsageError):
            found[name] = memories.resolve(services.store, name)
    return found


def _places(services: Services, asked: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Projects of this store by their uids."""
    found = {}
    for name in {row["project"] for row in asked.values() if row["project"]}:
        with suppress(NotFoundError):
            found[name] = projects.named(services.store, name).id
    return found
