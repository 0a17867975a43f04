"""Several memories as one, written by a model and held to what they say; the way of any turn, with a prompt of its own.

Only title, summary and text are the model's: facts, files and labels are joined by rule, so that none is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui_memory.compress.budget import Budget
from tui_memory.compress.made import Compressed, Made
from tui_memory.compress.router import Router
from tui_memory.compress.turns import MERGING, Turn
from tui_memory.model import Body, Kind, Memory, MemoryState, Observation

if TYPE_CHECKING:
    from tui_memory.config import CompressSettings
    from tui_memory.store.db import Store


@dataclass(frozen=True, slots=True)
class Written:
    """What a merge would say; `note`: why no model wrote it, empty where one did."""

    body: Body
    note: str = ""


class _Daily(Budget):
    """The day's budget: a merge belongs to no session."""

    def stop(self, session_id: int | None = None) -> str:
        """As for any other question that no session asks."""
        return super().stop()

    def spend(
        self, model: str, *, calls: int, tokens_in: int, tokens_out: int, ms: int, session_id: int | None = None
    ) -> None:
        """Counted for the day alone."""
        super().spend(model, calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, ms=ms)


def budget(store: Store, settings: CompressSettings) -> Budget:
    """What merges may ask of a model."""
    return _Daily(store, settings)


def write(originals: Sequence[Memory], union: Body, router: Router, limit: Budget | None = None) -> Written:
    """One body of several memories by the router's first model that answers; else `union`, and why.

    `union`: what a merge by rule makes of them. Blocks for as long as the models may take; never fails.
    """
    if not any(route.model for route in router.routes):
        return Written(union, "no model is set up: compress.routes names none")
    found = router.compress(turn(originals), limit)
    made, note = _one(found)
    if made is None:
        return Written(union, note)
    said = made.body
    return Written(
        replace(
            union,
            title=said.title,
            summary=said.summary,
            text=said.text,
            made_by=said.made_by,
            grounding=said.grounding,
        )
    )


def _one(found: Compressed) -> tuple[Made | None, str]:
    """The one memory that a model made, or why it cannot be taken."""
    if not found.model:
        return None, found.failures[0] if found.failures else "no model answered"
    if len(found.made) != 1:
        return None, f"{found.model} made {len(found.made)} memories of them, not one"
    made = found.made[0]
    if made.state == MemoryState.HELD:
        return None, f"what {found.model} wrote reads as instructions to an agent"
    if not (made.body.text or made.body.summary):
        return None, f"nothing of what {found.model} wrote holds to the originals"
    return made, ""


def turn(originals: Sequence[Memory]) -> Turn:
    """The originals as the events of a turn, oldest first."""
    ordered = sorted(originals, key=lambda memory: (memory.created, memory.id))
    events = [_event(memory) for memory in ordered]
    return Turn(0, MERGING, None, ordered[-1].branch, "", events, ordered[0].created, ordered[-1].created)


def _event(memory: Memory) -> Observation:
    facts = "\n".join(f"- {fact}" for fact in memory.facts)
    text = "\n".join(part for part in (memory.title, memory.summary, memory.text, facts) if part)
    return Observation(
        memory.id, memory.uid, memory.session, "", memory.project, memory.branch, MERGING, Kind.NOTE, "",
        memory.created, text, list(memory.files), len(text), {}, "", "",
    )  # fmt: skip
