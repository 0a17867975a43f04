"""Profiles by name: the built-in one, those of the settings, and those that were saved in the store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui_memory.clock import now_ms
from tui_memory.errors import ConfigError, NotFoundError, RefusedError, UsageError
from tui_memory.retrieve.profile import DEFAULT, Profile
from tui_memory.store import rules

if TYPE_CHECKING:
    from tui_memory.config import RetrieveSettings
    from tui_memory.store.db import Store

BUILT_IN = "default"
_LONGEST = 60  # characters of a name


@dataclass(frozen=True, slots=True)
class Named:
    """A profile as lists show it; `origin` is built-in, settings or saved."""

    name: str
    origin: str
    used: bool
    """Whether search and context use it where none is named."""
    values: dict[str, Any]
    """What it says; the rest is the default's."""

    def public(self) -> dict[str, Any]:
        """The JSON shape: every setting of the profile, and which of them differ from the default's."""
        return {
            "name": self.name, "origin": self.origin, "used": self.used,
            "settings": Profile.from_dict(self.values).as_dict(), "differs": sorted(self.values),
        }  # fmt: skip


def every(store: Store, settings: RetrieveSettings) -> list[Named]:
    """All profiles by name. One of the settings hides a saved one of its name, and both the built-in one."""
    rows = store.rows("SELECT name, value FROM profiles")
    found: dict[str, tuple[str, dict[str, Any]]] = {BUILT_IN: ("built-in", {})}
    found |= {rules.plain(store, row["name"]): ("saved", json.loads(row["value"])) for row in rows}
    found |= {name: ("settings", dict(values)) for name, values in settings.profiles.items()}
    return [Named(name, origin, name == settings.profile, values) for name, (origin, values) in sorted(found.items())]


def one(store: Store, settings: RetrieveSettings, name: str | None) -> Named:
    """The profile of a name; None: the one that the settings choose. NotFoundError names those that there are."""
    wanted, known = name or settings.profile, every(store, settings)
    for each in known:
        if each.name == wanted:
            return each
    asker = "" if name else ", which the settings ask for (`retrieve.profile`)"
    raise NotFoundError(f"No profile is called {wanted!r}{asker}. Known: {', '.join(each.name for each in known)}.")


def save(store: Store, settings: RetrieveSettings, name: str, profile: Profile) -> Named:
    """Keep a profile in the store under a name, in place of a saved one of that name.

    RefusedError for a name that the program or the settings have taken; UsageError for one that is no name.
    """
    name = name.strip()
    if not name or len(name) > _LONGEST or not name.isprintable():
        raise UsageError(f"A profile's name is 1 to {_LONGEST} printable characters. Nothing was saved.")
    _free(settings, name, "saved")
    values = {key: value for key, value in profile.as_dict().items() if value != DEFAULT.as_dict()[key]}
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO profiles VALUES (?, ?, ?)", (name, json.dumps(values), now_ms()))
    return one(store, settings, name)


def weights(store: Store, settings: RetrieveSettings, name: str | None) -> Profile:
    """A profile by name; None: the one in use. NotFoundError; ConfigError names it and says where it is from."""
    found = one(store, settings, name)
    try:
        return Profile.from_dict(found.values)
    except ConfigError as error:
        raise ConfigError(
            f"The profile {found.name!r} ({found.origin}) cannot be used: {error.message.removeprefix('profile: ')}"
            " Nothing was changed; correct it, or choose another with retrieve.profile."
        ) from error


def delete(store: Store, settings: RetrieveSettings, name: str) -> None:
    """Forget a saved profile. NotFoundError where there is none; RefusedError for one that is not the store's."""
    one(store, settings, name)
    _free(settings, name, "deleted")
    with store.transaction() as connection:
        connection.execute("DELETE FROM profiles WHERE name = ?", (name,))


def _free(settings: RetrieveSettings, name: str, done: str) -> None:
    if name == BUILT_IN or name in settings.profiles:
        whose = "the settings file's" if name in settings.profiles else "the program's own"
        raise RefusedError(f"The profile {name!r} is {whose}. Nothing was {done}; choose another name.")
