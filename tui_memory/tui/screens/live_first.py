"""Live where nothing is remembered yet: the first steps in place of the list, gone with the first event."""

from __future__ import annotations

from textual.binding import Binding

from tui_memory.tui import asking, bindings, first_run
from tui_memory.tui.screens.live_foot import LiveFoot
from tui_memory.tui.widgets.first_steps import FirstSteps

_OF_THE_LIST = {binding.action.partition("(")[0] for binding in bindings.LIVE if isinstance(binding, Binding)}


class LiveFirst(LiveFoot):
    """Shows them by itself in a store that holds nothing, and for whoever asks."""

    steps: FirstSteps | None = None
    """What stands in place of the list."""
    _asked_for = _left = False

    def show_steps(self) -> None:
        """Somebody asked for them."""
        self._asked_for = True
        self._open_steps()

    def steps_if_empty(self) -> None:
        """The list holds nothing: where the store does not either, say what can be done."""
        if self.begun and self.host.status.empty and not self._left and not self.host.demo and not self.live.read:
            self._open_steps()

    def judge_steps(self) -> None:
        """It is known by now what the store holds: they come, or go where nobody asked for them."""
        self.steps_if_empty()
        if not self._asked_for and not self.host.status.empty:
            self.close_steps()

    def close_steps(self) -> None:
        """The list is back."""
        steps, self.steps, self._asked_for = self.steps, None, False
        if steps is not None:
            if had_keys := steps.has_focus_within:
                self.set_focus(None)  # a key that comes now is the screen's, not lost with what goes
            self.remove_class("-first")
            steps.remove()
            if had_keys:
                self.call_after_refresh(self.listing.focus)

    def action_leave_steps(self) -> None:
        """Somebody had enough of them: they do not come by themselves again."""
        self._left = True
        self.close_steps()
        self.host.go_back()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The list's keys work where the list is on show."""
        if self.steps is not None and action in _OF_THE_LIST:
            return False
        return super().check_action(action, parameters)

    def look_around(self) -> None:
        """What is on this machine may be another by now."""
        if self.steps is not None:
            asking.ask(self, "first", first_run.look, self._looked)

    def _open_steps(self) -> None:
        if self.steps is None:
            title = "First steps" if self._asked_for else "Nothing is remembered yet."
            self.steps = FirstSteps(title)
            self.add_class("-first")
            self.query_one("#body").mount(self.steps, before=0)
        else:
            self.steps.take_focus()
        self.look_around()

    def _looked(self, found: first_run.Found) -> None:
        if self.steps is not None and self.steps.is_attached:
            self.steps.tell(found)
