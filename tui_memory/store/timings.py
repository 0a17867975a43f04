"""How long things take: counts by duration among the counters, what a histogram is made of. Standard library only.

Each count is kept under the upper bound of its durations, so that bounds may change from version to version.
"""

from __future__ import annotations

import math
from bisect import bisect_left

from tui_memory.light import dataclass, field

HOOK, COMPRESS, SEARCH = "hook", "compress", "search"
OTHER = "other"
"""What an agent is called that this program does not know."""
BOUNDS: dict[str, tuple[float, ...]] = {
    HOOK: (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0),
    COMPRESS: (0.01, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0),
    SEARCH: (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0),
}
"""Upper bounds in seconds, by what is timed."""

PREFIX = "time:"
_SUM = "us"


@dataclass(slots=True)
class Durations:
    """What was timed of one kind: `counts` by upper bound (`math.inf`: longer than all), and all the seconds."""

    counts: dict[float, int] = field(default_factory=dict)
    seconds: float = 0.0


def counted(what: str, of: str, seconds: float) -> dict[str, int]:
    """One duration as counters, to be raised with whatever was timed; `of`: an agent, a route, or nothing."""
    bounds = BOUNDS[what]
    place = bisect_left(bounds, seconds)
    bound = bounds[place] if place < len(bounds) else math.inf
    return {f"{PREFIX}{what}:{bound}:{of}": 1, f"{PREFIX}{what}:{_SUM}:{of}": max(0, round(seconds * 1e6))}


def read(counted_: dict[str, int]) -> dict[str, dict[str, Durations]]:
    """All durations among the counters: by what was timed, then by what it was of."""
    found: dict[str, dict[str, Durations]] = {what: {} for what in BOUNDS}
    for name, value in counted_.items():
        if name.startswith(PREFIX):
            what, bound, of = name.removeprefix(PREFIX).split(":", 2)
            durations = found.setdefault(what, {}).setdefault(of, Durations())
            if bound == _SUM:
                durations.seconds = value / 1e6
            else:
                durations.counts[float(bound)] = value
    return found
