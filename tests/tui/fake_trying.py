"""The part of the engine that the Playground asks, over lists: ranking is by the numbers that a test gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tui_memory.engine.trying import Asked, Ranking
from tui_memory.model import EVERYTHING, Filters
from tui_memory.retrieve.lines import Disclosure
from tui_memory.retrieve.profile import Profile
from tui_memory.retrieve.profiles import Named
from tui_memory.retrieve.result import Hit

if TYPE_CHECKING:
    from tests.tui.fake import FakeMemory


@dataclass
class Trying:
    """The part of `engine.trying.Trying` that the application asks."""

    fake: FakeMemory

    def ask(self, query: str, profile: Profile, filters: Filters = EVERYTHING, *, before: Any = None) -> Asked:
        self.fake._ask(f"search {query}")
        found: Any = SimpleNamespace(degraded=list(self.fake.degraded), took_ms=6.0)
        return Asked(query, filters, found, int(profile.depth))

    def rank(self, asked: Asked, profile: Profile) -> Ranking:
        rows = self.fake.search_result_rows(asked.query, asked.filters)
        total = sum(self.fake.parts.values())
        return Ranking(asked, profile, [Hit(row.id, total, dict(self.fake.parts), row) for row in rows[:50]], [], 1.0)

    def preview(self, profile: Profile, *, prompt: str | None, project: str | None) -> Disclosure:
        self.fake._ask("context")
        return Disclosure(f"#1 3d bugfix given for {prompt}", 12, [1])


@dataclass
class Evaluating:
    """The part of `engine.evaluating.Evaluating` that the application asks at its start."""

    fake: FakeMemory
    said: dict[str, dict[int, bool]] = field(default_factory=dict)

    def profile(self, name: str | None = None) -> Named:
        self.fake._ask("profile")
        return Named("default", "built-in", True, {"dense": 0.62, "lexical": 0.38})

    def profiles(self) -> list[Named]:
        return [self.profile()]

    def judged(self, query: str) -> Mapping[int, bool]:
        return dict(self.said.get(query, {}))

    def judge(self, query: str, memory: int, *, relevant: bool, project: str | None = None) -> None:
        self.fake._ask("judge")
        self.said.setdefault(query, {})[memory] = relevant

    def take_back(self, query: str, memory: int) -> bool:
        self.fake._ask("take_back")
        return self.said.get(query, {}).pop(memory, None) is not None
