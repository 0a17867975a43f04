"""Commands as this program wants them: each with an example in its help, listed under a heading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


class Command(click.Command):
    """A command with an example, the line one would type."""

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example, last."""
        write_example(self.example, formatter)


def write_example(example: str, formatter: click.HelpFormatter) -> None:
    """`Example:` and the line; nothing where there is none."""
    if example:
        with formatter.section("Example"):
            formatter.write_text(example)


def command(name: str, example: str) -> Callable[[Callable[..., Any]], Command]:
    """A decorator that makes a command; `example` without the program's name."""
    return click.command(name, cls=Command, example=f"tui-memory {example}")
