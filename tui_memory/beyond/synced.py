"""What a sync did, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Synced:
    """What a sync did."""

    place: str
    device: str
    """What segments and conflicts call this device."""
    encryption: str = "none"
    sent: int = 0
    """Memories told to the others."""
    added: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    trashed: list[int] = field(default_factory=list)
    """Those of the changed ones that went to the trash."""
    conflicts: int = 0
    """Memories that were edited here and there at once: the later text is current, the audit shows both. What is in
    the trash is not counted: it is a case once it is restored.
    """
    purged: int = 0
    """What another device forgot for good, and is now forgotten here: rows."""
    observations: int = 0
    read: int = 0
    written: int = 0
    cleaned: int = 0
    """Segments: read, written, and written anew without what was forgotten."""
    warnings: list[str] = field(default_factory=list)

    def public(self) -> dict[str, Any]:
        """JSON."""
        names = (
            "place", "device", "encryption", "sent", "added", "changed", "trashed", "conflicts", "purged",
            "observations", "warnings",
        )  # fmt: skip
        about = {"read": self.read, "written": self.written, "cleaned": self.cleaned}
        return {name: getattr(self, name) for name in names} | {"segments": about}
