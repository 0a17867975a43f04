"""Query parameters: the contract's filters, pages and places; an unknown one is a mistake that is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tui_memory.model import Filters, Kind, MemoryKind, ObservationState, Tier, Where
from tui_memory.surfaces.cli import timespan
from tui_memory.surfaces.rest.shapes import Row, Word

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

Several = Annotated[list[Word], Field(max_length=100)]
States = Literal["active", "held", "superseded", "merged", "trash", "all"]
Sorts = Literal["created", "updated", "used", "uses", "title", "tokens", "pinned"]
_LISTS = ("branch", "tier", "kind", "label", "path", "ext", "agent", "session", "where")


class Asked(BaseModel):
    """Filters that memories and observations share. Several values of one: any of; different ones: all of."""

    model_config = ConfigDict(extra="forbid")

    project: Several = Field([], description="Names, paths or uids. Default: every project.")
    branch: Several = []
    path: Several = Field([], description="Globs, e.g. src/*.py.")
    ext: Several = Field([], description="File extensions, e.g. .py.")
    agent: Several = []
    session: Several = []
    since: Word | None = Field(None, description="3d, 2w, yesterday, or ISO 8601.")
    until: Word | None = None

    def filters(self, memory: Memory) -> Filters:
        """The same as the engine takes them. NotFoundError for an unknown project, UsageError for a wrong time."""
        lists = {name: tuple(map(str, getattr(self, name, ()))) for name in _LISTS}
        return Filters(
            project=tuple(memory.project(name).uid for name in self.project) or None,
            since=timespan.parse(self.since) if self.since else None,
            until=timespan.parse(self.until, end=True) if self.until else None,
            **lists,
        )


class OfMemories(Asked):
    """Filters of memories."""

    tier: list[Tier] = Field([], max_length=10)
    kind: list[MemoryKind] = Field([], max_length=20)
    label: Several = []
    where: list[Where] = Field([], max_length=10, description="Where they live: here alone, sync, hub, shared.")


class ListMemories(OfMemories):
    """A page of memories."""

    state: States = "active"
    sort: Sorts = "created"
    limit: int = Field(100, ge=1, le=1000)
    offset: int = Field(0, ge=0, le=1_000_000_000)


class ListObservations(Asked):
    """A page of observations, newest first."""

    kind: list[Kind] = Field([], max_length=20)
    state: ObservationState | None = None
    limit: int = Field(100, ge=1, le=1000)
    before: Row | None = Field(None, description="Only ids below this one: the next page.")


class Search(OfMemories):
    """A search, in a body."""

    query: str = Field(min_length=1, max_length=4000, pattern=r"\S")
    limit: int = Field(10, ge=1, le=200, strict=True)
    min_score: float | None = Field(None, allow_inf_nan=False, strict=True)
    profile: Word | None = None


class Context(BaseModel):
    """Which agent's context."""

    model_config = ConfigDict(extra="forbid")

    project: Word | None = Field(None, description="A name, path or uid; without: what belongs to all projects.")
    prompt: str | None = Field(None, max_length=20_000, description="As at this prompt; without: at a session's start.")
    budget: int | None = Field(None, ge=1, le=16_000, description="At most so many tokens.")
    agent: str = Field("", max_length=100)


class Around(BaseModel):
    """How far a timeline goes."""

    model_config = ConfigDict(extra="forbid")

    before: int = Field(3, ge=0, le=1000)
    after: int = Field(3, ge=0, le=1000)
