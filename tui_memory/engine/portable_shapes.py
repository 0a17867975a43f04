"""What a line of an exported file may hold, checked to the last field; loaded only where one is read."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from tui_memory.clock import parse_iso
from tui_memory.model import MemoryKind, MemoryState, ObservationState, Tier

_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LATEST = 253_402_300_800_000  # the year 10000: what ISO 8601 can say


def _uid(value: str) -> str:
    if not _UID.fullmatch(value):
        raise ValueError("is no uid")
    return value


def _time(value: str) -> str:
    if not 0 <= parse_iso(value) < _LATEST:
        raise ValueError("is no time between 1970 and 9999")
    return value


Uid = Annotated[str, AfterValidator(_uid)]
Time = Annotated[str, AfterValidator(_time)]
Count = Annotated[int, Field(ge=0, lt=1 << 53)]
State = Literal["active", "superseded", "merged", "held", "trash"]
AnyState = Annotated[str, Field(pattern=f"^(?:{'|'.join(MemoryState)})$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Header(_Strict):
    """The first line. Later versions may add fields."""

    model_config = ConfigDict(extra="ignore", strict=True)

    type: Literal["header"]
    format: Literal["tui-memory"]
    version: Annotated[int, Field(ge=1)]


class Project(_Strict):
    """A project that memories of the file belong to."""

    type: Literal["project"]
    uid: Uid
    name: Annotated[str, Field(min_length=1)]
    remotes: list[str]


class Version(_Strict):
    """One body of a memory."""

    created: Time
    title: str
    summary: str
    text: str
    facts: list[str]
    tier: Annotated[str, Field(pattern=f"^(?:{'|'.join(Tier)})$")]
    kind: Annotated[str, Field(pattern=f"^(?:{'|'.join(MemoryKind)})$")]
    labels: list[str]
    files: list[str]
    route: str
    model: str
    prompt_version: Count
    schema_version: Count
    retained: Annotated[float, Field(ge=0, le=1)]
    flagged: list[str]


class Memory(_Strict):
    """One memory with its versions, oldest first; `version`: the number of the current one, from 1."""

    type: Literal["memory"]
    uid: Uid
    state: State
    pinned: bool
    branch: str
    project: Uid | None
    agent: str | None
    session: str | None
    superseded_by: Uid | None
    merged_into: Uid | None
    uses: Count
    last_used: Time | None
    created: Time
    updated: Time
    version: Annotated[int, Field(ge=1)]
    versions: Annotated[list[Version], Field(min_length=1)]
    sources: list[Uid]

    def model_post_init(self, _context: Any) -> None:
        """The current version must be there."""
        if self.version > len(self.versions):
            raise ValueError(f"version {self.version} is not among its versions")


class Observation(_Strict):
    """What a memory came from."""

    type: Literal["observation"]
    uid: Uid
    session: str
    agent: str
    turn: Count
    project: Uid | None
    branch: str
    cwd: str
    parent: str
    kind: str
    tool: str
    time: Time
    text: str
    detail: dict[str, Any]
    files: list[str]
    size: Count
    hash: str
    redactions: dict[str, int]
    state: Annotated[str, Field(pattern=f"^(?:{'|'.join(ObservationState)})$")]
    reason: str
    tokens: Count


class Journaled(_Strict):
    """What a memory was before or after a change; `version`: its number, null where it was purged."""

    version: Count | None
    state: AnyState
    pinned: bool
    project: Uid | None
    branch: str
    superseded_by: Uid | None
    merged_into: Uid | None
    updated: Time


class Change(_Strict):
    """One journal entry."""

    type: Literal["change"]
    memory: Uid
    device: str
    clock: str
    time: Time
    actor: str
    action: str
    undone: bool
    undoes: Annotated[list[str], Field(min_length=2, max_length=2)] | None
    before: Journaled | None
    after: Journaled | None


class End(_Strict):
    """The last line: a file without it was cut off."""

    type: Literal["end"]
    records: Count


RECORDS: dict[str, type[BaseModel]] = {
    "project": Project, "observation": Observation, "memory": Memory, "change": Change, "end": End,
}  # fmt: skip


def wrong(shape: type[BaseModel], value: Any) -> str:
    """What is wrong with a record, in words; empty where nothing is. Never quotes a value of it."""
    try:
        shape.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            return f"there is no field {where}"
        if first["type"] == "missing":
            return f"the field {where} is missing"
        return f"{where}: {said}" if where else said
    return ""
