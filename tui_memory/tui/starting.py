"""What is done first in a store: hooks installed, past sessions read, a sample looked at; each from any screen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.app import SuspendNotSupported

from tui_memory.tui import asking, first_run, installing
from tui_memory.tui.commands import Command
from tui_memory.tui.importing import Import
from tui_memory.tui.store_app import StoreApp

SAMPLE = ("-m", "tui_memory", "ui", "--demo")
"""What runs the sample beside this store."""
EVERY = "every"


class Starting(StoreApp):
    """One engine method each; nothing is changed before it was shown."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.importing = Import(self, self._tell_import, self._imported)

    def action_first_steps(self) -> None:
        """The three of them, on Live."""
        self.jump("live")
        self.call_after_refresh(lambda: self._on_live("show_steps"))

    def jump(self, room: str) -> None:
        """Show a screen; esc there comes back."""

    def _on_live(self, deed: str) -> None:
        from tui_memory.tui.screens.live_first import LiveFirst

        for room in self._rooms():
            if isinstance(room, LiveFirst):
                getattr(room, deed)()

    async def on_unmount(self) -> None:
        """Before the store is closed: nothing is written any more."""
        self.importing.close()

    # hooks

    def action_install_found(self) -> None:
        """Choose what hooks are installed for."""
        asking.lead(self, "found", first_run.look, self._offer_agents)

    def _offer_agents(self, found: first_run.Found) -> None:
        from tui_memory.capture import AGENTS
        from tui_memory.tui.dialogs.pick import Choice, Pick

        agents = found.agents if found.used else tuple(AGENTS)
        choices = [Choice(agent, f"{agent}{' · installed' if agent in found.installed else ''}") for agent in agents]
        if len(found.used) > 1:
            choices.insert(0, Choice(EVERY, f"all that are used here: {', '.join(found.agents)}"))

        def picked(chosen: str | None) -> None:
            if chosen is not None:
                wanted = found.agents if chosen == EVERY else (chosen,)
                installing.offer(self, wanted, partial(self._on_live, "look_around"))

        self.push_screen(Pick("Install the hooks of", choices, ""), picked)

    # past sessions

    def action_past_sessions(self) -> None:
        """Count agents' past sessions, ask, and read them."""
        if self.demo:
            self.notify("This store is thrown away with the sample: leave with q, and read them then.", markup=False)
        else:
            self.importing.begin()

    def action_stop_import(self) -> None:
        """Stop reading; what was stored stays."""
        self.importing.stop()

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """There is something to stop only while something is being read."""
        if action == "stop_import" and not self.importing.busy:
            return "No past sessions are being read: there is nothing to stop."
        return super().refusal(action, parameters)

    def _tell_import(self, said: str) -> None:
        self.doing = said
        self.screen.refresh_bindings()

    def _imported(self) -> None:
        self._on_live("look_around")

    def _show_report(self) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        self.push_screen(WholeText("What was read of past sessions", self.importing.report))

    # the sample

    def action_sample(self) -> None:
        """Look at the sample in a store of its own, after a yes."""
        from tui_memory.tui.dialogs.confirm import Confirm

        if self.demo:
            self.notify("This is the sample.", markup=False)
            return
        question = Confirm(
            "Look at a sample project?",
            "A fictional project's sessions go through the whole pipeline into a throw-away store in the temporary"
            " folder; that takes about 15 seconds, and every key works meanwhile. Your own store stays as it is. q"
            " leaves the sample, removes it, and comes back here.",
            "Look",
        )
        self.push_screen(question, lambda yes: self._run_sample() if yes else None)

    def _run_sample(self) -> None:
        try:
            with self.suspend():  # nothing may be raised inside: the terminal would not be taken back
                failed = _lend()
        except SuspendNotSupported:
            failed = "This terminal cannot be lent; `tui-memory ui --demo` shows the sample. Nothing was changed."
        self.screen.refresh(layout=True)
        if failed:
            self.warn(failed, "The sample")

    # the palette

    def starting_commands(self) -> Iterator[Command]:
        """What the palette offers of it."""
        if self.importing.busy:
            yield Command("start: Stop reading past sessions", "what was stored stays", self.action_stop_import)
        if self.importing.report:
            yield Command("start: Report of past sessions", "what was read of them last, in full", self._show_report)
        if not self.demo:
            yield Command("start: First steps", "hooks, past sessions, a sample", self.action_first_steps)
            yield Command("start: Install hooks", "shows the change first", self.action_install_found)
            yield Command("start: Read past sessions", "counts them first, then asks", self.action_past_sessions)
            yield Command("start: Look at the sample", "in a throw-away store", self.action_sample)


def _lend() -> str:
    """Run the sample in this terminal until it is left: what went wrong, as a sentence; '' where nothing did."""
    try:
        code = subprocess.run([sys.executable, *SAMPLE], check=False).returncode
    except OSError as error:
        return f"The sample could not be started: {error.strerror}. Nothing was changed."
    return (
        f"The sample ended with {code}; your own store is as it was. `tui-memory ui --demo` says why." if code else ""
    )
