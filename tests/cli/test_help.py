"""Every command explains itself and is easy to find."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from tests.cli.shell import Shell
from tui_memory import __version__
from tui_memory.surfaces.cli.main import SECTIONS, cli


def every_command(group: click.Group = cli, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from every_command(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


COMMANDS = dict(every_command())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_that_it_understands(name: str, shell: Shell) -> None:
    answer = shell(*name.split(), "--help")
    assert answer.code == 0 and answer.err == ""
    assert COMMANDS[name].help
    assert re.search(rf"Example:\n  tui-memory {name}\b", answer.out)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_for(name: str) -> None:
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_the_top_lists_every_command_under_a_heading(shell: Shell) -> None:
    shown = shell("--help").out
    assert {name.split()[0] for name in COMMANDS} == {command.name for _, part in SECTIONS for command in part}
    for name in COMMANDS:
        assert re.search(rf"^  {name.split()[0]} +\S", shown, re.MULTILINE), name


def test_version(shell: Shell) -> None:
    assert shell("--version").out == f"tui-memory {__version__}\n"


def test_a_mistyped_command_names_a_near_one(shell: Shell) -> None:
    answer = shell("searhc", "x")
    assert (answer.code, answer.out) == (2, "")
    assert "search" in answer.err and "tui-memory --help" in answer.err
