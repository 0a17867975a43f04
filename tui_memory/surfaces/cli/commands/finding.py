"""search and context: what answers a question, and what an agent would be given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tui_memory.clock import now_ms
from tui_memory.errors import WorkerError
from tui_memory.model import Filters
from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import filter_options, json_option, limit_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import hits
from tui_memory.surfaces.cli.render.paint import to_terminal

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

_MISSING = {
    "model": "the embedding model could not be had: only words were searched (`tui-memory doctor` says why)",
    "index": "some memories have no vectors yet: those were searched by words only",
    "hub": "the team's hub did not answer in time: what others share may be missing (`tui-memory hub status`)",
}


@command("search", 'search "why did we stop retrying payments" --explain')
@with_memory("auto")
@click.argument("query", nargs=-1, required=True)
@limit_option(10)
@click.option("--min-score", type=params.score, metavar="X", help="Leave out what scores less.")
@click.option("--profile", metavar="P", help="A named set of weights.")
@click.option(
    "--as-of", type=params.until, metavar="TIME", help="What the memory said at that time; a day means its end."
)
@click.option("--explain", is_flag=True, help="With every part of each score.")
@filter_options()
@json_option
def search(
    memory: Memory, filters: Filters, *, query: tuple[str, ...], limit: int, min_score: float | None,
    profile: str | None, as_of: int | None, explain: bool, as_json: bool,
) -> None:  # fmt: skip
    """Find memories by meaning and by words, best first."""
    words = " ".join(query)
    if not words.strip():
        raise click.UsageError("The query is empty.")
    found = memory.search_result(words, limit=limit, filters=filters, profile=profile, min_score=min_score, as_of=as_of)
    if as_json:
        dump(found.public())
    else:
        say(hits.lines(found.results, now_ms(), explain=explain))
        count = len(found.results)
        narrate(f"{count or 'No'} {'memory' if count == 1 else 'memories'} · {found.took_ms:.0f} ms")
    if found.purged:
        narrate(f"{found.purged} of the memories of that time {'is' if found.purged == 1 else 'are'} purged.")
    _tell_degraded(found.degraded)
    if to_terminal():
        _warm(memory)


def _tell_degraded(missing: Sequence[str]) -> None:
    for name in missing:
        narrate(f"Less than it could be: {_MISSING.get(name, name)}.")


def _warm(memory: Memory) -> None:
    """Start the worker, which keeps the model loaded, so that a person's next search is fast."""
    try:
        if not memory.worker_status()["running"]:
            memory.start_worker()
    except WorkerError as error:
        narrate(f"The next search will be as slow as this one: {error.message}")


@command("context", 'context --prompt "the retry tests fail again"')
@with_memory("auto")
@click.option("--project", type=params.project, metavar="PATH", help="Default: that of the current directory.")
@click.option("--prompt", metavar="TEXT", help="As at this prompt. Default: as at a session's start.")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="At most so many tokens.")
@click.option("--agent", default="", metavar="A", help="As for this agent.")
@json_option
def context(
    memory: Memory, *, project: str | None, prompt: str | None, budget: int | None, agent: str, as_json: bool
) -> None:
    """Print exactly what an agent would be given."""
    given = memory.context(project=project, prompt=prompt, budget=budget, agent=agent)
    if as_json:
        whole = {"text": given.text, "tokens": given.tokens, "ids": given.memories, "degraded": list(given.degraded)}
        return dump(whole)
    if not given.text:
        narrate("Nothing would be given: no memory of this project fits.")
    else:
        click.echo(given.text, nl=not given.text.endswith("\n"))
        narrate(f"{len(given.memories)} memories · {given.tokens:,} tokens")
    _tell_degraded(given.degraded)
