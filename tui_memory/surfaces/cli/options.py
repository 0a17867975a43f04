"""Options that several commands share: the filters, --json, ids, and the open memory itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from tui_memory.model import Filters, MemoryKind, Tier, Where
from tui_memory.surfaces.cli import params, scope

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.services import EmbeddingMode

Function = Callable[..., Any]

MOST = 10_000_000
"""The largest number that a list can be asked for."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def limit_option(default: int) -> Callable[[Function], Function]:
    """How many at most."""
    return click.option(
        "--limit",
        type=click.IntRange(1, MOST),
        default=default,
        show_default=True,
        metavar="N",
        help="At most so many.",
    )


def ids_argument(at_least: int = 1) -> Callable[[Function], Function]:
    """One or more ids; fewer than needed is a usage error that says where ids come from."""

    def enough(ctx: click.Context, param: click.Parameter, value: tuple[int | str, ...]) -> list[int | str]:
        if len(value) < at_least and not ctx.resilient_parsing:
            wanted = "an ID" if at_least == 1 else f"{at_least} IDs"
            raise click.UsageError(f"This needs at least {wanted}, without #: `tui-memory list` shows them.", ctx)
        return list(dict.fromkeys(value))

    return click.argument("ids", nargs=-1, type=params.memory_id, metavar="ID…", callback=enough)


def with_memory(embedding: EmbeddingMode = "none") -> Callable[[Function], Function]:
    """Hand the function an open Memory first and close it after; `embedding`: where vectors come from."""

    def decorate(function: Function) -> Function:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            from tui_memory.engine.memory import Memory  # not for --help

            with Memory(embedding=embedding) as memory:
                return function(memory, *args, **kwargs)

        return run

    return decorate


_PLACE = (
    click.option(
        "--project", type=params.project, multiple=True, metavar="P",
        help="Only this project: a name or a path. Default: that of the current directory. "
        "Memories that belong to all projects are always included.",
    ),
    click.option("--all-projects", is_flag=True, help="Every project."),
    click.option("--branch", multiple=True, metavar="B", help="Only this git branch."),
)  # fmt: skip
TIERS = click.Choice([tier.value for tier in Tier])
PLACES = click.Choice([place.value for place in Where])
KINDS = click.Choice([kind.value for kind in MemoryKind])
_CONTENT = (
    click.option("--tier", type=TIERS, multiple=True, help="Only this part of memory."),
    click.option(
        "--kind", type=KINDS, multiple=True, metavar="K",
        help=f"Only what is about this: {', '.join(MemoryKind)}.",
    ),
    click.option("--label", multiple=True, metavar="L", help="Only with this label."),
    click.option(
        "--where", type=PLACES, multiple=True,
        help="Only what lives there: here alone, on your other devices (sync), from the team's hub, shared by you.",
    ),
)  # fmt: skip
_ORIGIN = (
    click.option("--path", multiple=True, metavar="GLOB", help="Only what touches such files, e.g. 'src/*.py'."),
    click.option("--ext", type=params.extension, multiple=True, metavar=".EXT", help="Only files that end so."),
    click.option("--agent", multiple=True, metavar="A", help="Only from this agent."),
    click.option("--session", multiple=True, metavar="S", help="Only from this session."),
    click.option(
        "--since", type=params.since, metavar="TIME", help="Not before: 3d, 2w, yesterday, or ISO 8601 (local time)."
    ),
    click.option("--until", type=params.until, metavar="TIME", help="Not after."),
)  # fmt: skip

_FIELDS = ("branch", "tier", "kind", "label", "path", "ext", "agent", "session", "where", "since", "until")


def filter_options(*, content: bool = True) -> Callable[[Function], Function]:
    """The contract's filters, handed on as `filters`; `content`: with tier, kind, label and place, which memories have.

    The function must take the Memory first (see `with_memory`).
    """
    shared = (*_PLACE, *(_CONTENT if content else ()), *_ORIGIN)

    def decorate(function: Function) -> Function:
        @wraps(function)
        def run(memory: Memory, *args: Any, project: tuple[str, ...], all_projects: bool, **kwargs: Any) -> Any:
            values = {name: kwargs.pop(name) for name in _FIELDS if name in kwargs}
            filters = Filters(project=scope.chosen(memory, project, all_projects), **values)
            return function(memory, *args, filters=filters, **kwargs)

        return _with_options(run, shared)

    return decorate


def _with_options(function: Function, options: Sequence[Callable[[Function], Function]]) -> Function:
    for option in reversed(options):
        function = option(function)
    return function
