"""What goes over the wire: the contract's JSON shapes, for checking what comes and documenting what goes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from tui_memory.clock import parse_iso
from tui_memory.model import MemoryKind, Tier

Row = Annotated[int, Field(ge=0, lt=2**63)]
Name = Annotated[str, Field(min_length=1, max_length=64)]
Id = Annotated[Row, Field(strict=True)] | Name  # true is no number
Word = Annotated[str, Field(min_length=1, max_length=1000)]
Words = Annotated[list[Word], Field(max_length=200)]
Long = Annotated[str, Field(max_length=1_000_000)]


def _moment(value: str) -> str:
    if parse_iso(value) < 0:
        raise ValueError("should not be before 1970")
    return value


Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"}), AfterValidator(_moment)]


class Sent(BaseModel):
    """What a client sends: an unknown field is a mistake that is named."""

    model_config = ConfigDict(extra="forbid")


class NewMemory(Sent):
    """A memory to add; a title or a text at least."""

    title: str = Field("", max_length=1000)
    summary: Long = ""
    text: Long = ""
    facts: Words = []
    kind: MemoryKind | None = None
    tier: Tier | None = None
    labels: Words = []
    files: Words = []
    project: Word | None = Field(None, description="Name, path or uid; null: it belongs to all projects.")
    branch: str = Field("", max_length=1000)
    session: str = Field("", max_length=1000)
    created: Moment | None = Field(None, description="ISO 8601; null: now.")


class Change(Sent):
    """Fields to change; what is not named stays as it is."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    title: Word | None = None
    summary: Long | None = None
    text: Long | None = None
    facts: Words | None = None
    kind: MemoryKind | None = None
    tier: Tier | None = None
    labels: Words | None = None
    files: Words | None = None
    project: Word | None = Field(None, description="Name, path or uid of a known project.")
    everywhere: bool = Field(False, strict=True, description="True: it belongs to all projects.")


class Merge(Sent):
    """Memories to make one of; without title and text: those of the newest, and every distinct text."""

    ids: list[Id] = Field(min_length=2, max_length=200)
    title: Word | None = None
    text: Long | None = None


class Undo(Sent):
    """How many of the last groups of changes to take back."""

    n: int = Field(1, ge=1, le=1000, strict=True)


class Embed(Sent):
    """Texts to embed."""

    texts: list[Annotated[str, Field(max_length=20_000)]] = Field(min_length=1, max_length=256)
    kind: Literal["passage", "query"] = "passage"


class Answer(BaseModel):
    """What the server sends; more fields may be added."""

    model_config = ConfigDict(extra="allow")


class MadeBy(Answer):
    """What wrote a version."""

    route: str
    model: str
    prompt_version: int


class Grounding(Answer):
    """How a memory holds to its sources."""

    retained: float
    flagged: list[str]


class MemoryRow(Answer):
    """A memory as lists give it."""

    id: int
    uid: str
    title: str
    summary: str
    tier: str
    kind: str
    labels: list[str]
    files: list[str]
    project: str | None
    branch: str
    session: str
    created: str
    updated: str
    state: str
    pinned: bool
    tokens: int
    uses: int
    last_used: str | None
    sources: list[int]
    made_by: MadeBy
    grounding: Grounding
    superseded_by: int | None
    merged_from: list[int]


class Whole(MemoryRow):
    """A memory with its text and facts."""

    text: str
    facts: list[str]


class HitRow(MemoryRow):
    """A memory that answers a query, and every number that made its place."""

    score: float
    scores: dict[str, float]


class ObservationRow(Answer):
    """One observation."""

    id: int
    uid: str
    session: str
    agent: str
    project: str | None
    branch: str
    turn: int
    kind: str
    tool: str
    time: str
    text: str
    files: list[str]
    size: int
    redactions: dict[str, int]
    state: str
    reason: str


class EntryRow(Answer):
    """One entry of the journal."""

    id: int
    time: str
    actor: str
    action: str
    memory: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    undone: bool


class Memories(Answer):
    """A list of memories."""

    memories: list[MemoryRow]


class WholeMemories(Answer):
    """Whole memories."""

    memories: list[Whole]


class Observations(Answer):
    """A list of observations."""

    observations: list[ObservationRow]


class Found(Answer):
    """A search's answer; `degraded` names what was missing for a full one."""

    query: str
    took_ms: float
    degraded: list[str]
    results: list[HitRow]


class Context(Answer):
    """What an agent would be given, exactly; `degraded`: what was missing for a full answer to a prompt."""

    text: str
    tokens: int
    ids: list[int]
    degraded: list[str]


class Undone(Answer):
    """What was taken back; `skipped`: in sentences, what nothing brings back."""

    undone: list[EntryRow]
    skipped: list[str]


class Trashed(Answer):
    """What a deletion touched; a memory that was in the trash already is not named."""

    action: str
    memories: list[int]


class Captured(Answer):
    """The observation an event became; null: it was dropped, and the counters say why."""

    observation: int | None


class Vectors(Answer):
    """Normalised vectors, one a text."""

    dimension: int
    vectors: list[list[float]]


class Check(Answer):
    """One of doctor's checks: `fix` is the command that mends it."""

    id: str
    ok: bool
    what: str
    fix: str


class Health(Answer):
    """Whether all is well, as doctor says it."""

    ok: bool
    version: str
    checks: list[Check]
