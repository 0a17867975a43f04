"""What a kit says of itself: the README that lies in it, and the line that installs it."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterable

INSTALL = (
    "{python} -m venv ~/tui-memory && ~/tui-memory/bin/pip install --no-index --find-links wheels -r requirements.txt"
)
_README = """# tui-memory {version} for a machine without a network

For {needs}.
{count} wheels, {size} MB: the program, the embedding model, and all that they need, in the versions of the installation
that the kit was made from.

1. Carry this folder to that machine, go into it, and see that it arrived whole:

   sha256sum --quiet -c SHA256SUMS          # on macOS: shasum -a 256 --quiet -c SHA256SUMS

2. Install. pip takes nothing from elsewhere, and refuses a wheel that differs by a byte from the one listed:

   {install}

3. Look at a sample in a throw-away store, then let it remember your own work:

   ~/tui-memory/bin/tui-memory ui --demo
   ~/tui-memory/bin/tui-memory install claude-code

No language model is in the kit: memories are made by rule, until Ollama or another endpoint on that machine has one.
To remove all of it: `tui-memory uninstall` for each agent, then the folder ~/tui-memory. What it remembers lies
elsewhere, and stays.
"""


def python() -> str:
    """The Python that the wheels are for, as a command: python3.11."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


def install_line() -> str:
    """The line that installs the kit from within its folder."""
    return INSTALL.format(python=python())


def needs(wheels: Iterable[str]) -> str:
    """What the machine must be for wheels of these names, in words."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    name = {"cpython": "CPython"}.get(sys.implementation.name, sys.implementation.name)
    system = sysconfig.get_platform()
    glibc = oldest_glibc(wheels)
    return f"{name} {version} on {system}" + (f" with glibc {glibc[0]}.{glibc[1]} or newer" if glibc else "")


def oldest_glibc(wheels: Iterable[str]) -> tuple[int, int] | None:
    """The glibc that all of these wheels run on, by their names; None where none of them says."""
    wanted = []
    for name in wheels:
        tags = name.replace("manylinux2014_", "manylinux_2_17_").replace("manylinux2010_", "manylinux_2_12_")
        found = re.findall(r"manylinux_(\d+)_(\d+)_", tags.replace("manylinux1_", "manylinux_2_5_"))
        wanted += [min((int(major), int(minor)) for major, minor in found)] if found else []
    return max(wanted, default=None)


def text(version: str, wheels: Iterable[str], bytes_: int) -> str:
    """The README of a kit with wheels of these names."""
    names = list(wheels)
    return _README.format(
        version=version, needs=needs(names), count=len(names), size=round(bytes_ / 1e6), install=install_line()
    )
