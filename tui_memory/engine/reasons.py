"""Why a memory is not among a query's hits, in a sentence with the numbers that decided it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tui_memory.model import Filters, Memory, MemoryState
from tui_memory.retrieve.result import Hit

if TYPE_CHECKING:
    from tui_memory.retrieve.candidates import Candidates
    from tui_memory.retrieve.profile import Profile
    from tui_memory.retrieve.standing import Out

_STATES: dict[str, str] = {
    MemoryState.TRASH: "is in the trash: no search finds it until it is restored",
    MemoryState.HELD: "is held until a person has looked at it: no search finds it until then",
}


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The rule (present, state, filter, depth, near, threshold, cap, diversity), and what it did, for a person."""

    memory: Memory
    rule: str
    sentence: str
    short: float | None = None
    """By how much, in the rule's own unit; None where there is no more or less."""
    place: int | None = None
    score: float | None = None
    scores: Mapping[str, float] = field(default_factory=dict)

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        return {
            "memory": self.memory.id, "rule": self.rule, "sentence": self.sentence, "short": self.short,
            "place": self.place, "score": self.score, "scores": dict(self.scores),
        }  # fmt: skip


def present(row: Memory, hit: Hit, place: int) -> WhyNot:
    """It is there."""
    return WhyNot(row, "present", f"#{row.id} is there: place {place} with {hit.score:.2f}.", None, place, hit.score,
                  hit.scores)  # fmt: skip


def of_state(row: Memory) -> WhyNot:
    """Its state keeps it out of every search."""
    what = _STATES.get(row.state, f"is {row.state}: no search finds it")
    if row.state == MemoryState.MERGED:
        what = "was merged into another memory, which is found in its place"
    return WhyNot(row, "state", f"#{row.id} {what}.")


def of_filter(row: Memory, name: str, filters: Filters) -> WhyNot:
    """A filter does not let it through."""
    wanted, has = getattr(filters, name), getattr(row, name, None)
    if name in ("since", "until"):
        day = datetime.fromtimestamp(wanted / 1000, UTC).date().isoformat()
        made = datetime.fromtimestamp(row.created / 1000, UTC).date().isoformat()
        said, is_ = f"{name} {day}", f"it was made on {made}"
    else:
        said = f"{name} {wanted if isinstance(wanted, str) else ' or '.join(wanted)}"
        own = {"label": row.labels, "path": row.files, "ext": row.files}.get(name, has)
        shown = ", ".join(own) if isinstance(own, list) else own
        is_ = f"its own is {shown}" if shown else "it has none" if name != "project" else "it belongs to every project"
    return WhyNot(row, "filter", f"#{row.id} is kept out by the filter {said}: {is_}.")


def of_depth(row: Memory, profile: Profile, deeper: Hit | None, place: int) -> WhyNot:
    """It was no candidate at all."""
    depth = f"the {profile.depth:g} nearest by meaning or by words, which is the profile's depth"
    if deeper is None:
        return WhyNot(row, "depth", f"#{row.id} is not among {depth}, nor among the most that can be asked for.")
    sentence = f"#{row.id} is not among {depth}; with the greatest it would be at {place} with {deeper.score:.2f}."
    return WhyNot(row, "depth", sentence, None, place, deeper.score, deeper.scores)


def of_candidate(row: Memory, found: Candidates, out: Out, profile: Profile, given: Sequence[Hit]) -> WhyNot:
    """It was looked at, and a rule of the profile left it out."""
    said = {"near": _near, "threshold": _threshold, "diversity": _diversity, "cap": _cap}[out.rule]
    sentence = f"#{row.id} {said(found, out, profile, given)}."
    return WhyNot(row, out.rule, sentence, round(out.short, 6), out.place, out.hit.score, out.hit.scores)


def _near(found: Candidates, out: Out, profile: Profile, _given: Sequence[Hit]) -> str:
    from tui_memory.retrieve.ranking import meaning_floor
    from tui_memory.retrieve.standing import nearness

    has = nearness(found, out.hit.id)
    words = f"words {has.words:.2f} of {profile.near_words:.2f}"
    if has.meaning is None:
        return f"has too little to do with the query: {words}, and there is no model to tell by meaning"
    meaning = f"meaning {has.meaning:.2f} of {meaning_floor(found, profile):.2f}"
    return (
        f"has too little to do with the query: {meaning}, {words}; one of the two is needed, {out.short:.2f} is missing"
    )


def _threshold(_found: Candidates, out: Out, profile: Profile, _given: Sequence[Hit]) -> str:
    return f"scores {out.hit.score:.2f}: {out.short:.2f} below the threshold of {profile.threshold:.2f}"


def _diversity(_found: Candidates, out: Out, profile: Profile, _given: Sequence[Hit]) -> str:
    like = f" is like #{out.like} before it ({out.alike:.2f})," if out.like is not None else ""
    return (
        f"scores {out.hit.score:.2f}, enough for place {out.place}, but{like} and a diversity of"
        f" {profile.diversity:.2f} put others first"
    )


def _cap(_found: Candidates, out: Out, profile: Profile, given: Sequence[Hit]) -> str:
    last = f"; the last one given has {given[-1].score:.2f}, {out.short:.2f} more" if given else ""
    return f"would be at place {out.place} with {out.hit.score:.2f}, and {len(given)} are given{last}"
