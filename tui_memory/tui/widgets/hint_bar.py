"""The last line: at most seven keys of the moment, and help."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.actions import parse
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

MOST = 7
_ORDER = ("app.stop", "slash", "space", "enter")
"""What comes first: what stops the work that goes on, by its id; then these keys."""

_HELP = ("app.help", "dialog.help")


class HintBar(Widget):
    """Follows the focus: the hints are those of the bindings that work now, a dialog's while one is open.

    Each is a place to click.
    """

    def on_mount(self) -> None:
        """Draw again whenever other keys work."""
        self.screen.bindings_updated_signal.subscribe(self, self._again)
        self.app.screen_change_signal.subscribe(self, self._follow)

    def _follow(self, top: Screen[object]) -> None:
        """A dialog came or went: the keys are those of what is on top."""
        top.bindings_updated_signal.subscribe(self, self._again)
        self._again(top)

    def _again(self, _screen: Screen[object]) -> None:
        if self.is_attached:
            self.refresh()

    def hints(self) -> list[tuple[str, str, str]]:
        """Key as shown, label, action: what fits in the line, at most seven."""
        working = [item.binding for item in self.app.screen.active_bindings.values() if item.enabled]
        shown_now = [binding for binding in working if binding.show]
        active = [binding for binding in shown_now if self._works(binding.action)]
        once = list({binding.action: binding for binding in reversed(active)}.values())[::-1]
        once.sort(key=_rank)
        shown: list[tuple[str, str, str]] = []
        room = self.size.width - 2 - cell_len(self._help())
        for binding in once[:MOST]:
            hint = (self._key(binding), binding.description, binding.action)
            room -= self._width(hint)
            if room < 0:
                break
            shown.append(hint)
        return shown

    def _works(self, action: str) -> bool:
        """Whether it would do something now; what would only say why not is no hint."""
        refusal = getattr(self.app, "refusal", None)
        _, name, parameters = parse(action)
        return refusal is None or not refusal(name, parameters)

    def _help(self) -> str:
        """The key that helps here: where one can write, `?` is a letter."""
        working = self.app.screen.active_bindings.values()
        return next((f"{self._key(item.binding)} help" for item in working if item.binding.id in _HELP), "")

    def _key(self, binding: Binding) -> str:
        return self.app.get_key_display(binding)

    @staticmethod
    def _width(hint: tuple[str, str, str]) -> int:
        return cell_len(hint[0]) + cell_len(hint[1]) + 3

    def render(self) -> Content:
        """The line."""
        pieces: list[tuple[str, str]] = []
        for key, label, _ in self.hints():
            pieces += [(key, "bold $text-accent"), (f" {label}  ", "$tm-muted")]
        left = Content.assemble(*pieces)
        key, _, label = self._help().partition(" ")
        right = Content.assemble((key, "bold $text-accent"), (f" {label}", "$tm-muted"))
        space = self.size.width - 2 - left.cell_length - right.cell_length
        return Content.assemble(left, " " * max(space, 0), right)

    async def on_click(self, event: events.Click) -> None:
        """Do what the hint under the pointer says."""
        x = event.get_content_offset_capture(self).x
        for hint in self.hints():
            if 0 <= x < self._width(hint):
                await self.screen.run_action(hint[2])
                return
            x -= self._width(hint)
        await self.app.run_action("help")


def _rank(binding: Binding) -> int:
    known = [_ORDER.index(name) for name in (binding.id, binding.key) if name in _ORDER]
    return min(known, default=len(_ORDER))
