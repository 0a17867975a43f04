"""lab: the same observations compressed in several ways, side by side."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from tui_memory.safetext import clean, one_line
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import receipts

if TYPE_CHECKING:
    from tui_memory.engine.lab import Column
    from tui_memory.engine.memory import Memory


@command("lab", "lab --observations 12 13 --config extractive ollama:qwen2.5-coder:1.5b")
@with_memory()
@click.option(
    "--observations",
    "ids",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="ID…",
    help="What to compress: ids as `tui-memory observations` shows them.",
)
@click.option(
    "--config",
    "configs",
    multiple=True,
    metavar="NAME…",
    help="In which way: ollama:MODEL, openai:URL#MODEL or extractive; @event or @session after it where wanted, then"
    " +PROMPT for prompts/turn.PROMPT.md beside the settings.",
)
@click.option("--adopt", metavar="NAME", default="", help="Keep what this one makes.")
@click.argument("more", nargs=-1, metavar="")
@json_option
def lab(
    memory: Memory, *, ids: tuple[int, ...], configs: tuple[str, ...], adopt: str, more: tuple[str, ...], as_json: bool
) -> None:
    """Compress some observations in several ways and compare, without storing."""
    chosen = [*ids, *(int(word) for word in more if _is_id(word))]
    names = [*configs, *(word for word in more if not _is_id(word))]
    names += [adopt] if adopt and adopt not in names else []
    if not chosen or not names:
        raise click.UsageError("This needs --observations and --config.")
    bench = memory.compressing.lab()
    columns = bench.run(chosen, names, on_progress=lambda name, at, of: progress(f"{name}: {at:,} of {of:,} turns"))
    progress("")
    kept = bench.adopt(next(column for column in columns if column.name == adopt)) if adopt else None
    if kept:
        memory.embedding.embed_missing()
    if as_json:
        adopted = {"renewed": kept.renewed, "made": kept.added} if kept else None
        return dump({"columns": [column.public() for column in columns], "adopted": adopted})
    for column in columns:
        say(_told(column))
    if kept:
        done = f"Adopted {adopt}: {receipts.count(len(kept.renewed))} renewed, {len(kept.added):,} new"
        same = f"Nothing was changed by {adopt}: what it made is there already, or is what you wrote yourself"
        say(f"{done} · tui-memory undo takes it back" if kept.changed else same)
    else:
        narrate("Nothing was stored. --adopt NAME keeps what one of them made.")


def _is_id(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _told(column: Column) -> list[str]:
    """A configuration's line of figures, and its memories below."""
    told, turns = column.public(), len(column.results)
    lines = [
        f"{clean(column.name)} · {receipts.count(len(told['memories']))}"
        f" · {told['tokens_in']:,} → {told['tokens_out']:,} tokens · ratio {told['ratio']:.2f}"
        f" · retained {told['retained']:.2f} · {len(told['flagged']):,} flagged · {told['seconds']:.1f} s"
    ]
    for made in told["memories"]:
        lines.append(f"  {one_line(made['title'])} ({made['tier']}, {made['kind']})")
        said = [part for part in (made["summary"], made["text"]) if part and part != made["title"]]
        lines += [f"    {one_line(line)}" for part in dict.fromkeys(said) for line in clean(part).splitlines() if line]
        lines += [f"    · {one_line(fact)}" for fact in made["facts"]]
        lines += [f"    taken out: {one_line(', '.join(made['flagged']))}"] if made["flagged"] else []
    lines += [f"  failed, {times:,} of {turns:,}: {one_line(why)}" for why, times in Counter(told["failures"]).items()]
    lines += [f"  nothing: {one_line(why)}" for why in told["skipped"]]
    return lines
