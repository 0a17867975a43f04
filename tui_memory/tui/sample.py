"""What the application says of a demonstration while its sample is being made: pure functions, one toast at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.light import dataclass
from tui_memory.tui import formats
from tui_memory.tui.widgets.empty import Notice

if TYPE_CHECKING:
    from tui_memory.engine.demo import Watched
    from tui_memory.engine.memory import Memory

ABOUT = 15
"""Seconds it takes on a common machine, said at the start."""
BEGINS_WITHIN = 15.0
"""Seconds in which the process that fills the store begins; later it never will."""
_STAGES = {"capture": "reading {done} of {total}", "compress": "compressing {done} of {total}"}


@dataclass(frozen=True, slots=True)
class Sample:
    """How the sample stands, in words. No sentence: this is no demonstration, or it is done."""

    sentence: str = ""
    died: bool = False
    ready: bool = False

    @property
    def busy(self) -> bool:
        """Whether it is still being made."""
        return bool(self.sentence) and not self.died


def judge(seen: Watched | None, elapsed: float) -> Sample:
    """What was seen, `elapsed` seconds after the application opened the store, in words."""
    if seen is None:
        return Sample()
    now = seen.progress
    if now is not None and now.stage == "ready":
        return Sample(ready=True)
    if not seen.alive and (now is not None or elapsed > BEGINS_WITHIN):
        at = _stage(now.stage, now.done, now.total) if now else "starting"
        return Sample(f"sample: stopped while {at}", died=True)
    if now is None:
        return Sample(f"sample: starting · takes about {ABOUT} seconds")
    seconds = max(now.seconds, elapsed)
    took = f"{seconds:.0f} s of about {ABOUT}" if seconds <= ABOUT else f"{seconds:.0f} s, a busy machine"
    return Sample(f"sample: {_stage(now.stage, now.done, now.total)} · {took}")


def _stage(stage: str, done: int, total: int) -> str:
    """Compressing ends before its vectors are made, and that is the longer half."""
    if stage in _STAGES and not (stage == "compress" and done >= total):
        return _STAGES[stage].format(done=formats.number(done), total=formats.number(total))
    return "embedding"


def notice(sample: Sample) -> Notice:
    """What an empty screen says in a demonstration."""
    if sample.died:
        return Notice(f"{sample.sentence[0].upper()}{sample.sentence[1:]}.", DIED, "✗", "bad")
    title = f"{sample.sentence[0].upper()}{sample.sentence[1:]}…" if sample.busy else "The sample has nothing here."
    lines = (
        "A fictional project's sessions go through the whole pipeline into a throw-away store:",
        "captured, redacted, compressed, embedded.",
        "",
        "Rows appear here as they are made; every key works meanwhile.",
    )
    return Notice(title, lines if sample.busy else (), "◌", "muted")


DIED = (
    "The process that makes the sample has ended before it was done.",
    "What is here can be used; nothing else of yours was touched.",
    "",
    "q leaves and removes the throw-away store; then try again:",
    "$ tui-memory ui --demo",
)
"""What to do where the process is gone."""


def made(memory: Memory) -> str:
    """The one toast when it is ready. Blocks, for a thread."""
    stats, seen = memory.stats(), memory.observing.demo()
    seconds = f" in {seen.progress.seconds:.0f} s" if seen is not None and seen.progress is not None else ""
    memories = formats.count(stats["memories"], "memory", "memories")
    return f"The sample is ready: {formats.count(stats['stored'], 'event')} became {memories}{seconds}."
