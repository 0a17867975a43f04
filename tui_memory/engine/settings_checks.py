"""What is wrong with the settings: a file that cannot be read, or values that are read and cannot be gone by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tui_memory import config, places
from tui_memory.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.engine.agents import Check
    from tui_memory.store.db import Store


def unread(settings: Settings | None) -> Iterator[Check]:
    """A check that fails, where the run goes on without the settings' file."""
    if settings is config.UNREADABLE:
        try:
            config.load()
            what = f"{places.config_file()} can be read again; until this is started again it goes by defaults"
        except ConfigError as error:
            what = f"{error.message} Until then defaults are used, and hooks keep no text"
        yield "settings", False, what, ""


def unusable(store: Store, settings: Settings) -> Iterator[Check]:
    """A check that fails, where a value is no route, profile or half-life: found at work, when nobody looks."""
    wrong = []
    for look in _looks(store, settings):
        try:
            look()
        except (ConfigError, NotFoundError) as error:
            wrong.append(error.message)
    if wrong:
        yield "values", False, f"{places.config_file()}: {' '.join(wrong)}", ""


def _looks(store: Store, settings: Settings) -> Iterator[Callable[[], object]]:
    """Each part of the settings as whoever needs it reads it."""
    from tui_memory.compress.router import Router
    from tui_memory.retrieve import profiles
    from tui_memory.upkeep import worth

    yield lambda: Router(settings)
    yield lambda: worth.half_lives(settings.upkeep.half_life)
    yield lambda: profiles.weights(store, settings.retrieve, None)
