"""Write what the README shows from what the program is: the table of commands, and the pictures.

`python docs/make.py` writes both; `python docs/make.py --check` says whether the table is current. Pictures are made
from the sample project in a throw-away store.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
IMAGES = ROOT / "docs" / "images"
_TABLE = re.compile(r"(\| command \| what it does \|\n\| --- \| --- \|\n)(?:.*\n)*?(?=\n*## )")


def command_table() -> str:
    """The rows of the README's table: every command of the parser with its first sentence."""
    import click

    from tui_memory.surfaces.cli.main import SECTIONS

    rows: list[str] = []

    def add(name: str, command: click.Command) -> None:
        said = " ".join((command.help or "").split("\n\n")[0].split())
        if not isinstance(command, click.Group) or command.invoke_without_command:
            rows.append(f"| `tui-memory {name}` | {said} |")
        for child in command.commands.values() if isinstance(command, click.Group) else ():
            add(f"{name} {child.name}", child)

    for _, commands in SECTIONS:
        for command in commands:
            add(command.name or "", command)
    return "\n".join(rows) + "\n"


def with_table(text: str) -> str:
    """The README's text with the table as it should be."""
    return _TABLE.sub(lambda found: found.group(1) + command_table(), text)


def pictures() -> None:
    """An SVG of each screen on the sample project."""
    from dataclasses import replace

    from tui_memory import config
    from tui_memory.engine import demo
    from tui_memory.engine.memory import Memory

    defaults = config.Settings()
    settings = replace(defaults, compress=replace(defaults.compress, routes=("extractive",)))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "store"
        with Memory(home, settings=settings) as memory:
            demo.fill(memory)
        asyncio.run(draw(lambda: Memory(home, embedding="auto", settings=settings), home))


async def draw(open_memory: Callable[[], Memory], home: Path) -> None:
    """Go through the screens and keep what each looks like."""
    from tui_memory.tui.app import TuiMemoryApp

    app = TuiMemoryApp(open_memory, home, store_name="sample project")
    IMAGES.mkdir(exist_ok=True)
    async with app.run_test(size=(126, 34)) as pilot:
        for keys, name in (
            (("1",), "live"),
            (("2", "slash", *"charged twice", "pause", "down"), "memories"),
            (("escape", "escape", "4", *"charged twice", "pause", "down"), "playground"),
            (("escape", "6"), "health"),
        ):
            for key in keys:
                await pilot.pause(3.0) if key == "pause" else await pilot.press("space" if key == " " else key)
            await pilot.pause(2.0)
            (IMAGES / f"{name}.svg").write_text(app.export_screenshot(title="tui-memory"), encoding="utf-8")


def run(arguments: list[str]) -> int:
    """Write, or check; the exit code."""
    text = README.read_text(encoding="utf-8")
    wanted = with_table(text)
    if "--check" in arguments:
        print("README.md is current" if text == wanted else "README.md is out of date: python docs/make.py")
        return int(text != wanted)
    README.write_text(wanted, encoding="utf-8")
    pictures()
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
