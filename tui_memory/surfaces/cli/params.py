"""What arguments and options may be: ids, times, projects; a mistake is a usage error that says what would do.

Functions, not ParamType classes: click names the parameter in the message by itself.
"""

from __future__ import annotations

import math
import os
import re

import click

from tui_memory.errors import UsageError
from tui_memory.surfaces.cli import timespan

_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HUB = re.compile(r"hub:[0-9]{1,18}")
_NUMBER = re.compile(r"#?([0-9]{1,18})")  # the largest that SQLite holds has 19 digits


def memory_id(value: str) -> int | str:
    """A memory's id: its number (`12`, `#12`) as an int, or its uid or `hub:12` in lower case."""
    number = _NUMBER.fullmatch(value.strip())
    if number:
        return int(number[1])
    uid = value.strip().lower()
    if not _UID.fullmatch(uid) and not _HUB.fullmatch(uid):
        raise click.BadParameter(f"{value!r} is neither a number nor a uid.")
    return uid


def since(value: str) -> int:
    """A TIME in milliseconds since the epoch; a whole day is its first midnight."""
    return _time(value, end=False)


def until(value: str) -> int:
    """A TIME in milliseconds since the epoch; a whole day is the midnight that ends it."""
    return _time(value, end=True)


def _time(value: str, *, end: bool) -> int:
    try:
        return timespan.parse(value, end=end)
    except UsageError as error:
        raise click.BadParameter(error.message) from error


def span(value: str) -> int:
    """A span of time in milliseconds."""
    try:
        return timespan.length(value)
    except UsageError as error:
        raise click.BadParameter(error.message) from error


def score(value: str) -> float:
    """A number that scores can be compared with."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise click.BadParameter(f"{value!r} is not a number.")
    return number


def project(value: str) -> str:
    """A name or uid as it is; a path absolute, for only the caller knows what it is relative to."""
    if not value.strip():
        raise click.BadParameter("a project has a name or a path.")
    looks_like_path = os.sep in value or value in (".", "..", "~")
    return os.path.abspath(os.path.expanduser(value)) if looks_like_path else value


def extension(value: str) -> str:
    """`.py` of both `py` and `.py`."""
    return "." + value.strip().lstrip(".")
