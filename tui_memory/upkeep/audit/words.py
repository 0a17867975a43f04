"""What speaks for a case, in sentences: what a person reads before the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tui_memory.clock import now_ms
from tui_memory.compress import injection
from tui_memory.model import Memory
from tui_memory.safetext import one_line

if TYPE_CHECKING:
    from tui_memory.store.conflicts import Written
    from tui_memory.upkeep.findings import GoneName, Pair

_MOST = 6
_DAY = 86_400_000


def ago(ms: int) -> str:
    """How long ago, in days, weeks or months."""
    days = max(now_ms() - ms, 0) // _DAY
    for size, unit in ((365, "year"), (30, "month"), (7, "week"), (1, "day")):
        if days >= size:
            return counted(days // size, unit) + " ago"
    return "today"


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 source`, `3 sources`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(values: Sequence[str], most: int = _MOST) -> str:
    """Some values of outside text in one line, and how many more there are."""
    shown = ", ".join(one_line(value, 80) for value in values[:most])
    return f"{shown} and {len(values) - most} more" if len(values) > most else shown


def leak(values: Sequence[str], kinds: Sequence[str], sources: int, others: int) -> list[str]:
    """Where it may be a secret, and who else may hold it."""
    says = []
    if values:
        says.append(f"As random as a generated secret, and of no form that a rule knows: {listed(values)}.")
    if kinds:
        says.append(f"Today's rules find here what older ones let through: {listed(kinds)}. It is masked when read.")
    held = [counted(sources, "source")] if sources else []
    held += [counted(others, "other version")] if others else []
    hold = "hold" if sources + others > 1 else "holds"
    if held:
        says.append(f"{' and '.join(held)} of it {hold} it too.")
    if values or kinds:
        says.append("Masking reaches every place in the store that holds it, older versions and sources too, for good.")
    return says


def orders(memory: Memory) -> list[str]:
    """The lines of a memory that give an agent orders."""
    parts = [memory.title, memory.summary, *memory.text.split("\n"), *memory.facts]
    lines = list(dict.fromkeys(one_line(part, 300) for part in parts if part and injection.reads_as_orders(part)))
    return [line for line in lines if not any(line in other for other in lines if other != line)]


def instructions(memory: Memory, lines: Sequence[str]) -> list[str]:
    """What it says to agents, and that none was given it."""
    says = [f"It reads as an order to an agent: “{line}”" for line in lines[:3]]
    if not lines:
        says = [f"It was held: {listed(memory.grounding.flagged) or 'it came from outside'}."]
    return [*says, "No agent has been given it."]


_REASONS = {
    "instead": "the newer names what it takes the place of",
    "value": "another value",
    "turned": "the opposite",
    "reverted": "the newer takes it back",
}


_HOLD = {
    "newer": "they contradict, and the newer holds",
    "older": "they contradict, and the older holds",
    "both": "they do not contradict",
}


def contradiction(rows: Sequence[Memory], evidence: Mapping[str, Any]) -> list[str]:
    """Sentences that conflict, why the newer is taken to hold, and what a model says of it. `evidence`: the pair's."""
    older, newer = rows
    says = []
    for conflict in (evidence.get("sentences") or [])[:3]:
        reason = _REASONS.get(str(conflict.get("reason", "")), "")
        says.append(
            f"“{one_line(str(conflict.get('low', '')), 160)}” against “{one_line(str(conflict.get('high', '')), 160)}”"
            + (f": {reason}" if reason else "")
        )
    if verdict := evidence.get("verdict"):
        said = _HOLD[verdict["holds"]]
        says.append(f"{one_line(verdict['model'], 40)} judges that {said}: “{one_line(verdict['why'], 260)}”")
    return [*says, f"The newer is of {ago(newer.created)}, the older of {ago(older.created)}."]


def conflict(other: Written, current: Written, own: str) -> list[str]:
    """Where and when both texts were written; `own`: what this device is called."""
    first, second = (f"{_writer(text, own)} {ago(text.at)}" for text in (other, current))
    return [
        f"The first text was written {first}, the second one {second}, later, and without knowing of it.",
        "The second is current; the first is in the memory's history, and stays there.",
    ]


def _writer(text: Written, own: str) -> str:
    if text.writer:
        return f"by {one_line(text.writer, 40)} of the team"
    if text.device == own:
        return "on this device"
    return f"on device {one_line(text.device, 8)}" if text.device else "on another device"


def duplicate(rows: Sequence[Memory], pair: Pair | None) -> list[str]:
    """How alike both are, and what only one of them names."""
    if pair is None:
        return []
    evidence = pair.evidence
    alike = ["word for word the same"] if evidence.get("exact") else []
    if evidence.get("text") is not None and not alike:
        alike.append(f"{evidence['text']:.0%} of the words")
    if evidence.get("vector") is not None:
        alike.append(f"{evidence['vector']:.0%} by meaning")
    says = [f"Alike: {', '.join(alike)}."] if alike else []
    differs = evidence.get("differs") or {}
    for name, memory in (("low", rows[0]), ("high", rows[1])):
        if differs.get(name):
            says.append(f"Only #{memory.id} names {listed([str(one) for one in differs[name]])}.")
    return [*says, "A merge keeps every fact, file, label and source of both."]


def stale(names: Sequence[GoneName]) -> list[str]:
    """What is gone from the working tree, where to, and by which commit."""
    says = []
    for one in names[:_MOST]:
        to = f"; it is now {one_line(one.renamed_to, 80)}" if one.renamed_to else ""
        by = f" (commit {one_line(one.commit[:8])})" if one.commit else ""
        says.append(f"The {one.kind} {one_line(one.name, 80)} is gone from the working tree{by}{to}.")
    if len(names) > _MOST:
        says.append(f"And {counted(len(names) - _MOST, 'name')} more.")
    return says


def superseded(rows: Sequence[Memory]) -> list[str]:
    """By what and when it was replaced."""
    if len(rows) < 2:
        return ["It was replaced; what replaced it is gone."]
    used = f"was fetched {counted(rows[0].uses, 'time')}" if rows[0].uses else "was never fetched"
    return [f"#{rows[1].id} replaced it {ago(rows[0].updated)}; it is in no index since, and {used}."]


def unused(memory: Memory, shown: int) -> list[str]:
    """How long it is there, and how often an agent left it."""
    told = f"Agents were shown its title {counted(shown, 'time')} and never fetched it." if shown else (
        "No agent was ever shown it, or fetched it."
    )  # fmt: skip
    return [told, f"It was made {ago(memory.created)} and takes {counted(memory.tokens, 'token')}."]


def ungrounded(retained: float, flagged: Sequence[str]) -> list[str]:
    """What it lost of its sources, and what they do not say."""
    says = [f"It retains {retained:.0%} of what its sources name."]
    return says + ([f"Not in its sources, and taken out or marked: {listed(flagged)}."] if flagged else [])


def oversized(memory: Memory) -> list[str]:
    """Its size, against what an agent has room for."""
    return [
        f"It costs an agent {counted(memory.tokens, 'token')}; a session's start has 2,000 for everything.",
        "Shortened, it keeps its title, summary, facts and files, and its text's beginning; the whole stays in its"
        " history.",
    ]
