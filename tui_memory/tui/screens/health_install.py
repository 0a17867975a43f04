"""Having an agent, or git, send its events, from Health."""

from __future__ import annotations

from tui_memory.tui import installing
from tui_memory.tui.screens.room import Room


class HealthInstall(Room):
    """The same plans as the command's; nothing is written that was not shown."""

    def look(self) -> None:
        """Read everything again."""

    def forget_installed(self) -> None:
        """Agents' settings may have changed."""

    def install(self, agent: str) -> None:
        """Show what would be written for an agent, and write it on a yes."""
        installing.offer(self.host, (agent,), self._installed_now)

    def _installed_now(self) -> None:
        self.forget_installed()
        self.look()
