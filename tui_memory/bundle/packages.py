"""The packages that are installed here for the program: itself, and all that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tui_memory.errors import TuiMemoryError

PROGRAM = "tui-memory"


def needed(program: str = PROGRAM) -> dict[str, metadata.Distribution]:
    """The installed distributions of a program and of all it needs here, by normalised name, sorted.

    Its extras are among them where they are installed, but for the developers'. TuiMemoryError where something that it
    needs is not installed.
    """
    found: dict[str, metadata.Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting: list[tuple[str, frozenset[str], str]] = [
        (canonicalize_name(program), _extras(_installed(program, "")), "")
    ]
    while waiting:
        name, extras, wanted_by = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found[name] = _installed(name, wanted_by)
        waiting += [(other, more, name) for other, more in _requirements(found[name], extras)]
    return dict(sorted(found.items()))


def _extras(distribution: metadata.Distribution) -> frozenset[str]:
    """The extras that are installed with it: nothing notes which were asked for."""
    there = {canonicalize_name(str(other.metadata["Name"])) for other in metadata.distributions()}
    offered = set(distribution.metadata.get_all("Provides-Extra") or ()) - {"dev"}
    plain = set(_requirements(distribution, frozenset()))
    return frozenset(
        extra
        for extra in offered
        if {name for name, _ in set(_requirements(distribution, frozenset({extra}))) - plain} <= there
    )


def _installed(name: str, wanted_by: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        needs = f"{wanted_by} needs it" if wanted_by else "it runs from a folder"
        raise TuiMemoryError(
            f"{name} is not installed in this environment ({needs}), so that no kit can be made of it. Nothing was"
            " written; install it with pip and give the same command again."
        ) from None


def _requirements(distribution: metadata.Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """What a distribution with these extras needs on this machine: name and extras of each."""
    for line in distribution.requires or ():
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in (extras or {""})):
            yield canonicalize_name(wanted.name), frozenset(wanted.extras)
