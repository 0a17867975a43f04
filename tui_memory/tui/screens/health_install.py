"""Having an agent, or git, send its events, from Health: the change is shown first, and made only on a yes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui_memory.errors import ConflictError, RefusedError
from tui_memory.tui import asking
from tui_memory.tui.screens.room import Room

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.surfaces.install import Setup
    from tui_memory.surfaces.install.git import HooksPlan


class HealthInstall(Room):
    """The same plans as the command's; nothing is written that was not shown."""

    def look(self) -> None:
        """Read everything again."""

    def forget_installed(self) -> None:
        """Agents' settings may have changed."""

    def install(self, agent: str) -> None:
        """Show what would be written for an agent."""
        if self.host.demo:
            self.notify("This store is thrown away with the sample: leave with q, and install then.", markup=False)
            return
        asking.ask(self, "install", partial(_plan, agent), partial(self._offer, agent))

    def _offer(self, agent: str, plan: Setup | HooksPlan) -> None:
        from tui_memory.tui.dialogs.preview import Preview

        if not plan.changed:
            self.notify(f"Nothing to do for {agent}: it is written as it should be.", markup=False)
            return

        def answered(yes: bool | None) -> None:
            if yes:
                asking.change(self, partial(_carry_out, agent, plan), self._installed_now)
            else:
                self.notify("Nothing was changed.", markup=False)

        title = f"What is written so that {agent} sends its events"
        self.app.push_screen(Preview(title, plan.diff, "writes it"), answered)

    def _installed_now(self, said: str) -> None:
        self.notify(said, markup=False, timeout=12)
        self.forget_installed()
        self.look()


def _plan(agent: str, _memory: Memory | None = None) -> Setup | HooksPlan:
    """What an installation would change; nothing is written. RefusedError where it needs a person's word first."""
    if agent != "git":
        from tui_memory.surfaces import install

        return install.install(agent, dry_run=True)
    from pathlib import Path

    from tui_memory.surfaces.install import git

    plan = git.install(Path.cwd(), dry_run=True)
    if plan.reason:
        raise RefusedError(f"{plan.reason} Nothing was changed; `tui-memory install git` asks for your word.")
    return plan


def _carry_out(agent: str, shown: Setup | HooksPlan, _memory: Memory) -> str:
    """Write what was shown; ConflictError where a file has changed since."""
    if _plan(agent) != shown:
        raise ConflictError("A file has changed since it was shown. Nothing was changed; try again.")
    if agent == "git":
        from pathlib import Path

        from tui_memory.surfaces.install import git

        git.install(Path.cwd())
        return "git's hooks are written · tui-memory uninstall git takes them out again"
    from tui_memory.surfaces import install

    told = install.advice(agent, install.install(agent))
    return f"Written · tui-memory uninstall {agent} gives the exact bytes back. {told}".strip()
