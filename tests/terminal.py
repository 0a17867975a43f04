"""A real terminal for tests: one tmux server with a program in it, keys to type, and what stands on the screen."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


class Terminal:
    """A program in a terminal of its own; `end` it."""

    def __init__(
        self, socket: Path, program: Sequence[str], environment: Mapping[str, str], size: tuple[int, int] = (80, 24)
    ) -> None:
        self._tmux = ["tmux", "-f", "/dev/null", "-S", str(socket)]
        given = [f"{name}={value}" for name, value in environment.items()]
        self._run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "env", *given, *program)

    def _run(self, *arguments: str) -> str:
        return subprocess.run([*self._tmux, *arguments], check=True, capture_output=True, text=True).stdout

    def press(self, *keys: str) -> None:
        """Type keys by tmux's names for them."""
        self._run("send-keys", *keys)

    def write(self, text: str) -> None:
        """Type a text."""
        self._run("send-keys", "-l", text)

    def until(self, *wanted: str, without: str = "\0", within: float = 240.0) -> str:
        """Wait until all of it, and not `without`, stands on the screen: what it shows."""
        return self.until_seen(lambda text: all(one in text for one in wanted) and without not in text, within, wanted)

    def until_seen(self, seen: Callable[[str], bool], within: float = 240.0, what: object = "") -> str:
        """Wait until the screen is as wanted: what it shows. A busy machine is no fault."""
        late = time.monotonic() + within
        while not seen(text := self._run("capture-pane", "-p")):
            assert time.monotonic() < late, f"{what}\n{text}"
            time.sleep(0.2)
        return text

    def ended(self, within: float = 60.0) -> None:
        """Wait until the program has left: its terminal, the only one, closes with it."""
        late = time.monotonic() + within
        while subprocess.run([*self._tmux, "has-session"], check=False, capture_output=True).returncode == 0:
            assert time.monotonic() < late, self._run("capture-pane", "-p")
            time.sleep(0.2)

    def end(self) -> None:
        """Close it, whatever runs in it."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)
