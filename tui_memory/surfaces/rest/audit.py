"""The audit over REST: cases, settling them, and the report."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from tui_memory.clock import parse_iso
from tui_memory.surfaces.cli import timespan
from tui_memory.surfaces.rest import problems
from tui_memory.surfaces.rest.asked import OfMemories
from tui_memory.surfaces.rest.routes import Engine
from tui_memory.surfaces.rest.shapes import Answer, Moment, Row, Sent, Word
from tui_memory.upkeep.audit.families import NAMES

router = APIRouter(responses=problems.documented(), tags=["audit"])
PATIENCE = 2.0
"""Seconds a request looks for new cases; the worker does so by itself all the time."""


class ListCases(OfMemories):
    """Which cases; filters are of their memories."""

    family: str | None = Field(None, json_schema_extra={"enum": [*NAMES, None]}, max_length=40)
    snoozed: bool = False
    limit: int = Field(100, ge=1, le=1000)


class Settlement(Sent):
    """What is to be done with a case: `accept`, `reject`, `snooze`, or one of its own actions."""

    action: str = Field(min_length=1, max_length=40)
    until: Moment | None = Field(None, description="For snooze: ISO 8601. Default: in a week.")
    yes: bool = Field(False, strict=True, description="For purge, which nothing takes back.")


class Since(BaseModel):
    """From when on."""

    model_config = ConfigDict(extra="forbid")

    since: Word | None = Field(None, description="3d, 2w, yesterday, or ISO 8601. Default: this week's Monday.")


class CaseRow(Answer):
    """One case: its evidence, and what can be done with it."""

    id: int
    family: str
    risk: float
    memories: list[int]
    evidence: dict[str, Any]
    proposed: str
    actions: list[str]
    state: str
    until: str | None


class Cases(Answer):
    """Cases, riskiest first."""

    cases: list[CaseRow]


class Settled(Answer):
    """What settling did, and to which memories."""

    action: str
    case: int
    memories: list[int]


class Reported(Answer):
    """The report in numbers, and as Markdown."""

    report: dict[str, Any]
    markdown: str


@router.get("/v1/audit", response_model=Cases)
def cases(memory: Engine, wanted: Annotated[ListCases, Query()]) -> Any:
    """What a person should look at, riskiest first."""
    found = memory.auditing.cases(
        wanted.family, wanted.filters(memory), snoozed=wanted.snoozed, limit=wanted.limit, seconds=PATIENCE
    )
    return {"cases": [case.public() for case in found]}


@router.get("/v1/audit/report")
def report(memory: Engine, wanted: Annotated[Since, Query()]) -> Reported:
    """What came in, what was merged and forgotten, what was used, what it cost and saved."""
    made = memory.auditing.report(timespan.parse(wanted.since) if wanted.since else None)
    return Reported(report=made.public(), markdown=made.markdown())


@router.post("/v1/audit/{case}")
def settle(memory: Engine, case: Annotated[Row, Path()], wanted: Settlement) -> Settled:
    """Settle a case; undo takes it back, and the case is open again."""
    until = parse_iso(wanted.until) if wanted.until else None
    done = memory.auditing.settle(case, wanted.action, until=until, yes=wanted.yes)
    return Settled(action=done.action, case=case, memories=done.memories)
