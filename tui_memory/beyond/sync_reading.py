"""What other devices sent, read whole before anything is done with it; and what their clocks say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from tui_memory.beyond import segments
from tui_memory.beyond.place import Place
from tui_memory.beyond.segments import Segment
from tui_memory.clock import now_ms
from tui_memory.errors import RemoteError
from tui_memory.store import joining

DRIFT = 10 * 60_000
"""How far two clocks may be apart without a word (ms)."""
_TRIES = 3


def fresh(
    place: Place, names: Sequence[str], known: Collection[str], identities: Sequence[Any],
    tell: Callable[[str, int, int], object],
) -> tuple[list[Segment], list[str]]:  # fmt: skip
    """The segments among `names` that are not known, and the names as they are in the end.

    Whoever cleans at this moment may take one away: then it is looked again. RemoteError where one cannot be used.
    """
    there = list(names)
    for tried in range(1, _TRIES + 1):
        wanted = [name for name in there if segments.named(name) and name not in known]
        found: list[Segment] = []
        for number, name in enumerate(wanted):
            tell("reading", number, len(wanted))
            try:
                found.append(segments.unpack(name, place.get(name, segments.LARGEST), identities))
            except RemoteError:
                there = place.names()
                if name in there or tried == _TRIES:
                    raise
                break
        else:
            return found, there
    raise AssertionError("unreachable")


def warnings(found: Sequence[Segment], own: str) -> list[str]:
    """A clock that is wrong wins over those that are right: it is said, for only a person can mend it."""
    ahead: dict[str, int] = {}
    for segment in found:
        if (apart := int(segment.clock.partition("-")[0]) - now_ms()) > DRIFT:
            ahead[segment.device] = max(apart, ahead.get(segment.device, 0))
    return [
        f"A change of {'this device' if device == own else f'device {joining.short(device)}'} is dated {_span(apart)}"
        " from now: a clock is, or was, wrong. Look at the clocks of your devices; until that time its changes count as"
        " the later ones."
        for device, apart in sorted(ahead.items())
    ]


def _span(ms: int) -> str:
    """`3 days`, `5 hours`, `12 minutes`."""
    size, unit = next((size, unit) for size, unit in ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"))
                      if ms >= size)  # fmt: skip
    return f"{ms // size:,} {unit}{'s' if ms >= 2 * size else ''}"
