"""The design's words as types; no logic that needs a database. Standard library only.

Times are integers, milliseconds since the epoch, UTC; `clock` turns them into the contract's text."""

from __future__ import annotations

from enum import StrEnum

from tui_memory.clock import iso
from tui_memory.light import TYPE_CHECKING, asdict, dataclass, field

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

JSON = dict[str, "JSON"] | list["JSON"] | str | int | float | bool | None


class Kind(StrEnum):
    """What an observation is."""

    PROMPT = "prompt"
    READ = "read"
    SEARCH = "search"
    COMMAND = "command"
    EDIT = "edit"
    ERROR = "error"
    TOOL_USE = "tool_use"
    RESPONSE = "response"
    COMMIT = "commit"
    MERGE = "merge"
    NOTE = "note"
    LIFECYCLE = "lifecycle"


class ObservationState(StrEnum):
    """How far an observation has come."""

    CAPTURED = "captured"
    COMPRESSED = "compressed"
    SKIPPED = "skipped"
    FAILED = "failed"


class Tier(StrEnum):
    """Which part of memory: rules, events, how-to. Working memory is assembled, never stored."""

    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


class Where(StrEnum):
    """Where a memory lives. It may be in several places; what is in no other is here alone."""

    HERE = "here"
    SYNC = "sync"
    """On one's other devices too: it came by a sync, or was sent by one."""
    HUB = "hub"
    """It came from a team's hub, where another shared it."""
    SHARED = "shared"
    """It is of what one shares oneself in the team's hub: a push sends it."""


class MemoryKind(StrEnum):
    """What a memory is about."""

    DECISION = "decision"
    BUGFIX = "bugfix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    DISCOVERY = "discovery"
    CONVENTION = "convention"
    PROCEDURE = "procedure"
    PREFERENCE = "preference"
    INCIDENT = "incident"
    DIGEST = "digest"


class MemoryState(StrEnum):
    """Where a memory stands. `undone` is a creation that was taken back: in no list, redo brings it back."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    MERGED = "merged"
    HELD = "held"
    TRASH = "trash"
    UNDONE = "undone"


class Drop(StrEnum):
    """Why a captured event is not stored."""

    DUPLICATE = "duplicate"
    IGNORED = "ignored"
    PAUSED = "paused"
    PRIVATE = "private"
    ERROR = "error"


MOMENT = "\x1f~"
"""Before the number of a moment, at the end of a key."""
MOMENT_MS = 2_000
"""How long a moment is: two hooks of one event start together, and both leave within a second."""


@dataclass(slots=True)
class Draft:
    """What an adapter makes of one event: an observation that is not yet redacted, capped or stored."""

    kind: Kind
    agent: str
    session: str
    """The agent's own session id."""
    text: str
    """What a person would want to read of it, whole; redacted and capped later."""
    tool: str = ""
    time: int = 0
    """When it happened; 0: when it arrived."""
    cwd: str = ""
    project_dir: str = ""
    """The project folder the agent names (CLAUDE_PROJECT_DIR), else empty: the working directory decides."""
    branch: str = ""
    parent: str = ""
    """The sub-agent's id where the event happened inside one."""
    files: list[str] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)
    """Small structured facts, JSON: event, command, exit_code, error, old, new, sha, subject, counts, ms …"""
    key: str = ""
    """The agent's own identity of the event (session, event, tool use id): the same key is the same event.

    One that ends in MOMENT and a number is the same in the moments beside it, too.
    """
    private: int = 0
    """How many private passages were cut out of the payload before it was read."""
    light: bool = False
    """Noise: keep path and counts, not the output."""
    starts_turn: bool = False
    ends_turn: bool = False
    starts_session: bool = False
    ends_session: bool = False
    wants_context: Literal["", "start", "prompt"] = ""
    """Which context the agent would take in the answer to this event."""
    dropped: Drop | None = None
    """Set by an adapter where nothing of the event is to be kept."""


@dataclass(slots=True)
class Observation:
    """One stored observation, as every surface shows it."""

    id: int
    uid: str
    session: str
    agent: str
    project: str | None
    branch: str
    turn: int
    kind: str
    tool: str
    time: int
    text: str
    files: list[str]
    size: int
    redactions: dict[str, int]
    state: str
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)
    parent: str = ""
    tokens: int = 0

    def public(self) -> dict[str, Any]:
        """The contract's JSON shape."""
        return asdict(self) | {"time": iso(self.time)}


@dataclass(slots=True)
class MadeBy:
    """What wrote a version: route (extractive, ollama, openai, person, agent, merge), model, versions of both.

    `prompt_version`: of the prompt, or of the rules; `schema_version`: of the shape a model was asked to answer in.
    """

    route: str
    model: str = ""
    prompt_version: int = 0
    schema_version: int = 1


@dataclass(slots=True)
class Grounding:
    """How a memory holds to its sources: share of salient terms retained (0..1), and flagged inventions."""

    retained: float = 1.0
    flagged: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Body:
    """The content of one version: what a compressor or a person writes."""

    title: str
    summary: str = ""
    text: str = ""
    facts: list[str] = field(default_factory=list)
    tier: str = Tier.EPISODIC
    kind: str = MemoryKind.DISCOVERY
    labels: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    made_by: MadeBy = field(default_factory=lambda: MadeBy("person"))
    grounding: Grounding = field(default_factory=Grounding)


@dataclass(slots=True)
class NewMemory:
    """A memory to be stored: its first body, and where and when it belongs."""

    body: Body
    project_id: int | None = None
    """None: it belongs to all projects."""
    branch: str = ""
    session_id: int | None = None
    created: int = 0
    """0: now."""
    sources: list[int] = field(default_factory=list)
    state: str = MemoryState.ACTIVE


@dataclass(slots=True)
class Memory:
    """One memory with its current version, as every surface shows it."""

    id: int
    uid: str
    title: str
    summary: str
    text: str
    facts: list[str]
    tier: str
    kind: str
    labels: list[str]
    files: list[str]
    project: str | None
    branch: str
    session: str
    created: int
    updated: int
    state: str
    pinned: bool
    tokens: int
    uses: int
    last_used: int | None
    sources: list[int]
    made_by: MadeBy
    grounding: Grounding
    superseded_by: int | None
    merged_from: list[int]
    version: int = 0
    """The row id of the current version."""
    superseded_at: int | None = None
    """When it was replaced (ms)."""
    gone: list[str] = field(default_factory=list)
    """Names in it that the repository no longer has, renamed files with their new name: `old.py (now new.py)`."""
    promoted_from: str | None = None
    """The project it was learned in, of one that was made to belong to all of them since."""
    shared_by: str | None = None
    """Who shared it through the team's hub; None: it is from here. Where it is there alone, `id` is below 0."""
    where: list[str] = field(default_factory=lambda: [str(Where.HERE)])
    """Where it lives (`Where`)."""
    device: str | None = None
    """Of what came by a sync: the last eight digits of the device that it was made on."""

    @property
    def name(self) -> str:
        """What people and agents call it by: `#12`; `hub:12` where it is in the hub alone."""
        return f"#{self.id}" if self.id >= 0 else f"hub:{-self.id}"

    def public(self, *, whole: bool = True) -> dict[str, Any]:
        """The contract's JSON shape; without `text` and `facts` where `whole` is false (lists, hits)."""
        value = asdict(self) | {"created": iso(self.created), "updated": iso(self.updated)}
        value["last_used"] = iso(self.last_used) if self.last_used else None
        value["superseded_at"] = iso(self.superseded_at) if self.superseded_at else None
        if not whole:
            del value["text"], value["facts"]
        return value


@dataclass(slots=True)
class Entry:
    """One journal entry: a change to one memory by somebody."""

    id: int
    group: int
    time: int
    actor: str
    action: str
    memory: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    undone: bool
    title: str = ""

    def public(self) -> dict[str, Any]:
        """The contract's JSON shape."""
        return asdict(self) | {"time": iso(self.time)}


def merging(entries: Sequence[Entry]) -> tuple[int, list[int]]:
    """Of a change that merges, or takes a merge apart, the merged memory and its originals; of any other 0 and none."""
    found: dict[int, int] = {}
    for entry in entries:
        before, after = ((state or {}).get("merged_into") for state in (entry.before, entry.after))
        if entry.before and entry.after and before != after:
            found[entry.memory] = after or before or 0
    into = next(iter(found.values()), 0)
    return into, [memory for memory, merged in found.items() if merged == into]


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories or observations: several values of one field mean any of, different fields all of."""

    project: str | tuple[str, ...] | None = None
    """Name, path or uid; None: every project. Memories that belong to all projects always match."""
    branch: tuple[str, ...] = ()
    tier: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    """Globs on the memory's files."""
    ext: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    """Where memories live: `Where`. Observations are here."""
    since: int | None = None
    until: int | None = None


EVERYTHING = Filters()
"""No filter at all: every project, kind and time."""
