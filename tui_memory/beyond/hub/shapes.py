"""A memory on its way to a hub and back: a portable record here, a row there; as a search shows it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tui_memory.beyond.hub.session import SCHEMA
from tui_memory.clock import iso, parse_iso
from tui_memory.model import Body, Grounding, MadeBy, Memory, MemoryKind, MemoryState, Tier, Where
from tui_memory.store import search_text
from tui_memory.store.portable import Record
from tui_memory.store.text import storable
from tui_memory.tokens import count_tokens

if TYPE_CHECKING:
    from pgvector import HalfVector
    from psycopg.rows import DictRow

_BODY = ("summary", "text", "facts", "route", "model", "prompt_version", "schema_version", "retained", "flagged")
_END = 4_102_444_800_000  # ms: the year 2100
_MOST_WORDS = 6_000  # of one memory; the database takes no more than a megabyte
_COLUMNS = ("team_id", "uid", "project_uid", "device", "changed", "created", "state", "kind", "tier", "branch",
            "labels", "files", "tokens", "title", "body", "title_terms", "body_terms", "name_terms")  # fmt: skip
_KEPT = ("project_uid", "device", "changed", "state", "kind", "tier", "branch", "labels", "files", "tokens", "title",
         "body", "title_terms", "body_terms", "name_terms", "words")  # fmt: skip
SHOWN = "m.number, m.uid, m.author, m.created, m.changed, m.state, m.kind, m.tier, m.branch, m.labels, m.files," \
        " m.tokens, m.title, m.body"  # fmt: skip
"""What `memory` needs of a row."""
STATES = (MemoryState.ACTIVE, MemoryState.SUPERSEDED)
"""What is shared; any other state is the trash to others."""


def put(vector: str) -> bytes:
    """The statement that brings a row; `vector`: the schema of pgvector's types."""
    names, marks = ", ".join(_COLUMNS), ", ".join(f"%({name})s" for name in _COLUMNS)
    changes = ", ".join(f"{name} = excluded.{name}" for name in _KEPT)
    return (
        f"INSERT INTO {SCHEMA}.memories AS m ({names}, words, embedding) VALUES ({marks}, array_to_tsvector(%(words)s),"
        f" %(embedding)s::{vector}.halfvec) ON CONFLICT (team_id, uid) DO UPDATE SET {changes},"
        " embedding = excluded.embedding"
    ).encode()


def row(record: Record, team: int, project: str, changed: int, device: str, vector: HalfVector | None) -> Record:
    """The values of `put` for a record, which is masked already."""
    said = record["versions"][record["version"] - 1]
    title, prose, names = search_text.fields(_body(said))
    body = {name: said[name] for name in _BODY} | {"written": said["created"]}
    state = record["state"] if record["state"] in STATES else MemoryState.TRASH
    return {
        "team_id": team, "uid": record["uid"], "project_uid": project, "device": device, "changed": changed,
        "created": parse_iso(record["created"]), "state": str(state), "kind": said["kind"], "tier": said["tier"],
        "branch": record["branch"], "labels": said["labels"], "files": said["files"],
        "tokens": count_tokens("\n".join((said["title"], said["summary"], said["text"], *said["facts"]))),
        "title": said["title"], "body": json.dumps(body), "title_terms": title, "body_terms": prose,
        "name_terms": names, "words": list(dict.fromkeys(f"{title} {prose} {names}".split()))[:_MOST_WORDS],
        "embedding": vector,
    }  # fmt: skip


def is_sound(found: DictRow) -> bool:
    """Whether a row is of the shape that this program writes: any member may write any JSON there."""
    body = found["body"]
    if not isinstance(body, dict) or not {*_BODY, "written"} <= body.keys():
        return False
    try:
        parse_iso(body["written"])
    except (TypeError, ValueError):
        return False
    lists = (*map(body.get, ("facts", "flagged")), found["labels"], found["files"])
    words = (*map(body.get, ("summary", "text", "route", "model")), found["title"], found["branch"])
    numbers = map(body.get, ("prompt_version", "schema_version"))
    return (
        all(isinstance(one, list) and all(isinstance(part, str) for part in one) for one in lists)
        and all(isinstance(one, str) for one in words)
        and all(isinstance(one, int) for one in numbers)
        and isinstance(body["retained"], int | float | None)
        and found["kind"] in set(MemoryKind) and found["tier"] in set(Tier)
        and found["state"] in (*STATES, MemoryState.TRASH)
        and 0 <= found["created"] < _END and 0 <= found["changed"] < _END
    )  # fmt: skip


def record(found: DictRow) -> Record:
    """A row as a portable record; what only its author's store knows (sources, uses, session) is not in it."""
    body = found["body"]
    version = {name: body[name] for name in _BODY} | {
        "created": body["written"], "title": found["title"], "tier": found["tier"], "kind": found["kind"],
        "labels": found["labels"], "files": found["files"],
    }  # fmt: skip
    return {
        "type": "memory", "uid": str(found["uid"]), "state": found["state"], "branch": found["branch"],
        "project": found["project_uid"] and str(found["project_uid"]), "agent": "", "session": None,
        "superseded_by": None, "merged_into": None, "uses": 0, "last_used": None, "pinned": False,
        "created": iso(found["created"]), "updated": iso(found["changed"]), "version": 1, "sources": [],
        "versions": [version],
    }  # fmt: skip


def memory(found: DictRow) -> Memory:
    """A row as every surface shows a memory; its id is the hub's number, negated."""
    body = found["body"]
    return Memory(
        id=-found["number"], uid=str(found["uid"]), title=storable(found["title"]), summary=storable(body["summary"]),
        text=storable(body["text"]), facts=[storable(fact) for fact in body["facts"]], tier=found["tier"],
        kind=found["kind"], labels=list(found["labels"]), files=list(found["files"]), project=found["project"],
        branch=found["branch"], session="", created=found["created"], updated=found["changed"], state=found["state"],
        pinned=False, tokens=found["tokens"], uses=0, last_used=None, sources=[],
        made_by=MadeBy(body["route"], body["model"], body["prompt_version"], body["schema_version"]),
        grounding=Grounding(body["retained"], list(body["flagged"])), superseded_by=None, merged_from=[],
        shared_by=found["author"], where=[str(Where.HUB)],
    )  # fmt: skip


def _body(said: dict[str, Any]) -> Body:
    return Body(said["title"], said["summary"], said["text"], said["facts"], labels=said["labels"], files=said["files"])
