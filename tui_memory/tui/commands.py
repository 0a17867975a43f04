"""The command palette: `area: Verb`, and only what can be done now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui_memory.light import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of the palette."""

    name: str
    """`area: Verb`."""
    tip: str
    run: Callable[[], object]


class Commanding(Protocol):
    """A screen or an application that has commands."""

    def commands(self) -> Iterator[Command]:
        """What can be done now."""


class Commands(Provider):
    """The commands of the screen, then those of the application."""

    def _all(self) -> Iterator[Command]:
        for owner in (self.screen, self.app):
            if hasattr(owner, "commands"):
                yield from cast(Commanding, owner).commands()

    async def discover(self) -> Hits:
        """Everything, before a word is typed."""
        for command in self._all():
            yield DiscoveryHit(command.name, command.run, help=command.tip)

    async def search(self, query: str) -> Hits:
        """What matches what is typed."""
        matcher = self.matcher(query)
        for command in self._all():
            score = matcher.match(command.name)
            if score > 0:
                yield Hit(score, matcher.highlight(command.name), command.run, help=command.tip)
