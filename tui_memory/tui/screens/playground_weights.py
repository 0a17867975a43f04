"""The weights on the sliders: which profile they came from, and where they differ from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tui_memory.errors import ConfigError
from tui_memory.retrieve.profile import DEFAULT, Profile
from tui_memory.safetext import one_line

NAMELESS = "default"


@dataclass(frozen=True, slots=True)
class Weights:
    """A profile by name, its settings, and what the sliders say instead."""

    name: str = NAMELESS
    origin: str = "built-in"
    base: Mapping[str, Any] = field(default_factory=DEFAULT.as_dict)
    values: Mapping[str, Any] = field(default_factory=DEFAULT.as_dict)

    @property
    def changed(self) -> list[str]:
        """The settings that differ from the profile's."""
        return [name for name, value in self.values.items() if value != self.base.get(name)]

    @property
    def title(self) -> str:
        """The name, with `*` where the sliders say something else."""
        return one_line(self.name, 30) + ("*" if self.changed else "")

    @property
    def profile(self) -> Profile:
        """As retrieval takes it."""
        return Profile.from_dict(self.values)

    def kept(self) -> dict[str, Any]:
        """As JSON values, to be remembered."""
        return {"name": self.name, "changed": {name: self.values[name] for name in self.changed}}

    def recalled(self, changed: object) -> Weights:
        """The same profile with what was remembered; what makes no sense any more is left out."""
        try:
            assert isinstance(changed, Mapping)
            values = Profile.from_dict({**self.base, **changed}).as_dict()
        except (AssertionError, ConfigError, TypeError):
            return self
        return Weights(self.name, self.origin, self.base, values)
