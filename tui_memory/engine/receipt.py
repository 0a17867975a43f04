"""What a change answers with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a change did: the journal's word for it, and the memories it touched (those already so are not)."""

    action: str
    memories: list[int]
    outside: tuple[str, ...] = ()
    """Of what took text away for good: files outside of the store that may still hold it."""
