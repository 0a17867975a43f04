"""The shape a model answers in: zero or more memories of one turn. Shown in the prompt and enforced by the server."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tui_memory.model import MemoryKind, Tier

VERSION = 1
MOST = 6
"""Memories that one answer may hold."""


class Note(BaseModel):
    """One memory as a model writes it."""

    model_config = ConfigDict(extra="ignore")

    title: str = Field(min_length=3, max_length=160)
    summary: str = Field(default="", max_length=400)
    text: str = Field(default="", max_length=4_000)
    facts: list[str] = Field(default_factory=list, max_length=16)
    tier: Literal["semantic", "episodic", "procedural"] = "episodic"
    kind: Literal[
        "decision", "bugfix", "feature", "refactor", "discovery", "convention", "procedure", "preference", "incident"
    ] = "discovery"
    labels: list[str] = Field(default_factory=list, max_length=8)
    events: list[int] = Field(default_factory=list, max_length=200)
    """The numbers of the events that it comes from."""


class Notes(BaseModel):
    """A model's whole answer; an empty list is a right one."""

    model_config = ConfigDict(extra="ignore")

    memories: list[Note] = Field(max_length=MOST)


def json_schema() -> dict[str, Any]:
    """The answer's JSON schema, without references: not every server follows them."""
    text = {"type": "string"}
    texts = {"type": "array", "items": text, "maxItems": 8}
    note = {
        "type": "object",
        "properties": {
            "title": text,
            "summary": text,
            "text": text,
            "facts": texts,
            "tier": {"type": "string", "enum": [str(tier) for tier in Tier]},
            "kind": {"type": "string", "enum": [str(kind) for kind in MemoryKind if kind != MemoryKind.DIGEST]},
            "labels": texts,
            "events": {"type": "array", "items": {"type": "integer"}, "maxItems": 40},
        },
        "required": ["title", "summary", "text", "facts", "tier", "kind", "labels", "events"],
    }
    return {
        "type": "object",
        "properties": {"memories": {"type": "array", "items": note, "maxItems": MOST}},
        "required": ["memories"],
    }
