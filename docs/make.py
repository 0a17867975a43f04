"""Write what the documents show of the program from the program itself: tables of commands, keys, settings; pictures.

`python docs/make.py` writes all of it; `python docs/make.py --tables` leaves the pictures; `--check` writes nothing and
says which table is out of date. A table stands between `<!-- made: NAME -->` and `<!-- /made -->`. Pictures are made
from the sample project in a throw-away store.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

    from tui_memory.engine.memory import Memory

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SIZE = (126, 34)
_BLOCK = re.compile(r"(<!-- made: ([a-z-]+) -->\n)(.*?)(<!-- /made -->)", re.DOTALL)
_PLACE = ("project", "all-projects", "branch", "path", "ext", "agent", "session", "since", "until")
_FILTERS = (*_PLACE, "tier", "kind", "label")
_LIMITS = re.compile(r"; \d+<=x<=10000000(?=\])| *\[x>=1\]")
_SCOPES = {
    "app": "Everywhere", "anywhere": "From anywhere", "list": "Every list",
    "marks": "Lists with marks", "weights": "Playground: the weights",
    "tuning": "Playground: a tuning's end", "lab_column": "Lab: a column", "configs": "Lab: choosing configurations",
    "evidence": "Audit: the evidence", "search": "Search boxes", "dialog": "Every dialog", "merge": "Merging",
    "edit": "Editing", "export": "Exporting",
}  # fmt: skip
"""Headings of the keys' table that a scope's own name would not make."""


def documents() -> list[Path]:
    """Every document of the project."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def with_tables(text: str) -> str:
    """A document's text with its tables as they should be."""
    return _BLOCK.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[4]}", text)


def _cell(text: Any) -> str:
    """Text for a cell of a table, on one line."""
    return " ".join(str(text).split()).replace("|", "\\|")


def _table(*heads: str, rows: Iterable[Iterable[Any]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(_cell(cell) for cell in line) + " |\n" for line in lines)


def overview() -> str:
    """Every command's name by what it is for, with a link to where it is explained."""
    from tui_memory.surfaces.cli.main import SECTIONS

    rows = []
    for heading, commands in SECTIONS:
        names = [command.name or "" for command in commands]
        rows.append((heading, " ".join(f"[`{name}`](docs/COMMANDS.md#tui-memory-{name})" for name in names)))
    return _table("for", "commands", rows=rows)


def commands() -> str:
    """Every command under its heading: how it is called, what it does, its options, an example."""
    from tui_memory.surfaces.cli.main import SECTIONS

    parts = []
    for heading, members in SECTIONS:
        parts.append(f"## {heading}\n")
        for command in members:
            parts += [_command(path, one) for path, one in walk(command.name or "", command)]
    return "\n" + "\n".join(parts) + "\n"


def walk(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and all below it, by their whole names."""
    import click

    yield path, command
    for child in command.commands.values() if isinstance(command, click.Group) else ():
        yield from walk(f"{path} {child.name}", child)


def _command(path: str, command: click.Command) -> str:
    import click

    context = click.Context(command, info_name=f"tui-memory {path}")
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    filtered = {one.name for one in options} >= {name.replace("-", "_") for name in _PLACE}
    rows = [one.get_help_record(context) for one in options if not (filtered and _is_filter(one))]
    usage = command.get_usage(context).removeprefix("Usage: ")
    if filtered:
        usage = usage.replace("[OPTIONS]", "[FILTERS] [OPTIONS]")
    help_text = "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(command.help or "").split("\n\n"))
    text = f"### tui-memory {path}\n\n{help_text}\n"
    if isinstance(command, click.Group) and not command.invoke_without_command:
        return text
    text += f"\n```text\n{' '.join(usage.split())}\n```\n"
    shown = [(f"`{row[0]}`", _LIMITS.sub("", row[1])) for row in rows if row and "--help" not in row[0]]
    if filtered:
        shown.insert(0, ("[filters](#filters)", "Which ones: by project, kind, files, time and the rest."))
    text += "\n" + _table("option", "what it does", rows=shown) if shown else ""
    example = getattr(command, "example", "")
    return text + (f"\nExample: `{example}`\n" if example else "")


def _is_filter(option: click.Option) -> bool:
    return any(name.removeprefix("--") in _FILTERS for name in option.opts)


def filters() -> str:
    """The options that every list and search shares."""
    import click

    from tui_memory.surfaces.cli.commands import reading

    context = click.Context(reading.list_command)
    rows = [
        one.get_help_record(context)
        for one in reading.list_command.params
        if isinstance(one, click.Option) and _is_filter(one)
    ]
    return _table("filter", "what it keeps", rows=((f"`{row[0]}`", row[1]) for row in rows if row))


def keys() -> str:
    """Every binding by its id, with its keys as the settings write them."""
    from textual.binding import Binding
    from textual.keys import format_key

    from tui_memory.tui import bindings

    parts = []
    for scope, members in bindings.SCOPES.items():
        rows = []
        for binding in members:
            assert isinstance(binding, Binding)
            pressed = " ".join(f"`{_pressed(name, format_key)}`" for name in binding.key.split(","))
            rows.append((f"`{binding.id}`", pressed, f"`{binding.key}`", binding.tooltip))
        heading = _SCOPES.get(scope, scope.replace("_", " ").capitalize())
        parts.append(f"## {heading}\n\n" + _table("id", "key", "as it is written", "what it does", rows=rows))
    return "\n" + "\n".join(parts) + "\n"


def _pressed(key: str, say: Callable[[str], str]) -> str:
    """A key as people say it: ctrl+d, ?, ↓."""
    *modifiers, name = key.split("+")
    return "+".join([*modifiers, name if len(name) == 1 else say(name)])


def explained(kind: type) -> dict[str, str]:
    """What the text below each field of a dataclass says of it."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            said = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
            found[field.target.id] = str(text.value.value) if said else ""
    return found


def settings() -> str:
    """Every key of the settings file by its section, with its default."""
    from tui_memory import config

    parts = []
    for section in fields(config.Settings):
        kind = type(section.default)
        said = explained(kind)
        rows = [
            (f"`{section.name}.{item.name}`", _default(getattr(section.default, item.name)), said[item.name])
            for item in fields(kind)
            if not item.metadata.get("derived")
        ]
        parts.append(
            f"### {section.name}\n\n{inspect.getdoc(kind)}\n\n"
            + _table("setting", "default", "what it does", rows=rows)
        )
    return "\n" + "\n".join(parts) + "\n"


def _default(value: Any) -> str:
    """A default as YAML writes it."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[" + ", ".join(str(item) for item in value) + "]`"
    if isinstance(value, int):
        return f"`{value:_}`"
    return f"`{value}`" if value or isinstance(value, float) else "empty"


def profile() -> str:
    """Every setting of a profile, with its default and range."""
    from tui_memory.retrieve.profile import FUSIONS, RANGES, SIGNALS, Profile

    said, standard = explained(Profile), Profile()
    rows = []
    for item in fields(Profile):
        value = getattr(standard, item.name)
        allowed = RANGES.get(item.name)
        span = f"{allowed.low:g} … {allowed.high:g}" if allowed else ", ".join(FUSIONS) if item.name == "fusion" else ""
        shown = f"{value:g}" if allowed else value if isinstance(value, str) else "by kind, below"
        name = f"`{item.name}`" + (" ∑" if item.name in SIGNALS else "")
        rows.append((name, shown, span or "1 … 3650", said[item.name]))
    lives = "".join(f"- {kind}: {days:g} days\n" for kind, days in standard.half_life.items())
    return _table("setting", "default", "range", "what it does", rows=rows) + f"\nHalf-lives by default:\n\n{lives}"


def colours() -> str:
    """Every colour that a theme can name, with what the default theme has there."""
    from tui_memory.tui import default_theme, themes

    ours: dict[str, str] = {**themes.VARIABLES, **default_theme.VARIABLES}
    rows = [("`colours`", f"`{name}`", f"`{default_theme.COLOURS.get(name, '')}`") for name in themes.COLOURS]
    rows += [("`variables`", f"`{name}`", f"`{ours[name]}`") for name in themes.VARIABLES]
    return _table("under", "name", "in tui-memory-dark", rows=((a, b, "" if c == "``" else c) for a, b, c in rows))


def routes() -> str:
    """Every route of the REST interface, by what it is for."""
    import logging

    from tui_memory.engine.memory import Memory
    from tui_memory.surfaces.rest import app

    with tempfile.TemporaryDirectory() as place, Memory(Path(place) / "store", embedding="none") as memory:
        paths = app.plain(memory, logging.getLogger("docs")).openapi()["paths"]
    found = [
        (does["tags"][0], f"`{method.upper()} {path}`", does["description"])
        for path, methods in paths.items()
        for method, does in methods.items()
    ]
    return _table("for", "route", "what it does", rows=sorted(found, key=lambda row: row[0]))


TABLES: dict[str, Callable[[], str]] = {
    "overview": overview, "commands": commands, "filters": filters, "keys": keys, "settings": settings,
    "profile": profile, "colours": colours, "routes": routes,
}  # fmt: skip


def pictures(folder: Path = IMAGES) -> None:
    """An SVG of each screen on the sample project, into a folder."""
    from tui_memory import config
    from tui_memory.engine import demo
    from tui_memory.engine.memory import Memory

    defaults = config.Settings()
    wanted = replace(defaults, compress=replace(defaults.compress, routes=("extractive",)))
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "store"
        with Memory(home, settings=wanted) as memory:
            demo.fill(memory)
        asyncio.run(draw(lambda: Memory(home, embedding="auto", settings=wanted), home, folder))


SCREENS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("live", ("1", "", "", "", *"k" * 20, "")),
    ("memories", ("2", "slash", "charged twice", "", "down")),
    ("audit", ("escape", "escape", "3", "")),
    ("playground", ("4", "slash", "charged twice", "", "down")),
    ("lab", ("escape", "escape", "5", *"j" * 11, "t", "r", "", "")),
    ("health", ("escape", "6", "")),
)
"""Each picture's name, and what is typed from the one before on; '' waits for what is asked."""


async def draw(open_memory: Callable[[], Memory], home: Path, folder: Path) -> None:
    """Go through the screens and keep what each looks like."""
    from tui_memory.tui.app import TuiMemoryApp

    app = TuiMemoryApp(open_memory, home, store_name="sample project")
    folder.mkdir(exist_ok=True)
    async with app.run_test(size=SIZE) as pilot:
        for name, typed in SCREENS:
            for word in typed:
                if not word:
                    await pilot.pause(3.0)
                await pilot.press(*(word if " " in word else [word] if word else []))
            await pilot.pause(2.0)
            (folder / f"{name}.svg").write_text(app.export_screenshot(title="tui-memory"), encoding="utf-8")


def run(arguments: list[str]) -> int:
    """Write, or check; the exit code."""
    stale = [path for path in documents() if with_tables(path.read_text("utf-8")) != path.read_text("utf-8")]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: python docs/make.py --tables")
        return int(bool(stale))
    for path in stale:
        path.write_text(with_tables(path.read_text("utf-8")), encoding="utf-8")
    if "--tables" not in arguments:
        pictures()
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
