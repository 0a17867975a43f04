"""Write what the README shows from what the program is: the table of commands, and the pictures.

`python docs/make.py` writes both; `python docs/make.py --check` says whether the table is current. Pictures are made
from the sample project in a throw-away store.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

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
        if isinstance(command, click.Group):
            for child in command.commands.values():
                add(f"{name} {child.name}", child)
            return
        said = " ".join((command.help or "").split("\n\n")[0].split())
        rows.append(f"| `tui-memory {name}` | {said} |")

    for _, commands in SECTIONS:
        for command in commands:
            add(command.name or "", command)
    return "\n".join(rows) + "\n"


def with_table(text: str) -> str:
    """The README's text with the table as it should be."""
    return _TABLE.sub(lambda found: found.group(1) + command_table(), text)


async def pictures() -> None:
    """An SVG of each screen on the sample project."""
    from dataclasses import replace

    from tui_memory import config
    from tui_memory.engine import demo
    from tui_memory.engine.memory import Memory
    from tui_memory.tui.app import TuiMemoryApp

    defaults = config.Settings()
    settings = replace(defaults, compress=replace(defaults.compress, routes=("extractive",)))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "store"
        with Memory(home, settings=settings) as memory:
            demo.fill(memory)
        app = TuiMemoryApp(lambda: Memory(home, embedding="none", settings=settings), home, store_name="sample")
        async with app.run_test(size=(126, 34)) as pilot:
            IMAGES.mkdir(exist_ok=True)
            for key, name in (("1", "live"), ("2", "memories"), ("4", "playground")):
                await pilot.press(key)
                await pilot.pause(1.5)
                (IMAGES / f"{name}.svg").write_text(app.export_screenshot(title="tui-memory"), encoding="utf-8")


def run(arguments: list[str]) -> int:
    """Write, or check; the exit code."""
    text = README.read_text(encoding="utf-8")
    wanted = with_table(text)
    if "--check" in arguments:
        print("README.md is current" if text == wanted else "README.md is out of date: python docs/make.py")
        return int(text != wanted)
    README.write_text(wanted, encoding="utf-8")
    asyncio.run(pictures())
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
