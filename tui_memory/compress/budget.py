"""How much a model may be asked, in a day and for a session: calls, tokens and seconds, counted in the store.

A day's are in the `usage` table; a session's in `meta`, for as long as the store lives.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms

if TYPE_CHECKING:
    from tui_memory.config import CompressSettings
    from tui_memory.store.db import Store


_SESSION = "spent:session:"


class Budget:
    """The day's budget of one store, and that of each session. A day is a day of UTC."""

    def __init__(self, store: Store, settings: CompressSettings) -> None:
        self._store = store
        self._settings = settings

    def spent(self) -> tuple[int, int, float]:
        """Calls, tokens (read and written) and seconds of today, all models together."""
        row = self._store.rows(
            "SELECT coalesce(sum(calls), 0), coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(ms), 0)"
            " FROM usage WHERE day = ?",
            (_today(),),
        )[0]
        return row[0], row[1], row[2] / 1000

    def spent_on(self, session_id: int) -> tuple[int, int, float]:
        """Calls, tokens and seconds that one session has taken, all days together."""
        rows = self._store.rows("SELECT value FROM meta WHERE key = ?", (f"{_SESSION}{session_id}",))
        calls, tokens, ms = json.loads(rows[0][0]) if rows else (0, 0, 0)
        return calls, tokens, ms / 1000

    def share(self) -> float:
        """How much of today's budget is spent: 0 nothing, 1 all of it, by whichever of the three is furthest."""
        limits = (self._settings.calls_per_day, self._settings.tokens_per_day, self._settings.seconds_per_day)
        return max(spent / most if most else 1.0 for spent, most in zip(self.spent(), limits, strict=True))

    def stop(self, session_id: int | None = None) -> str:
        """The note why no model may be asked any more, today or for a session; "" while one may."""
        wanted = self._settings
        daily = (wanted.calls_per_day, wanted.tokens_per_day, wanted.seconds_per_day)
        if over := _over(self.spent(), daily):
            return f"The budget of {over} a day is spent until tomorrow (UTC)."
        if session_id is None:
            return ""
        own = (wanted.calls_per_session, wanted.tokens_per_session, wanted.seconds_per_session)
        if over := _over(self.spent_on(session_id), own):
            return f"The budget of {over} a session is spent."
        return ""

    def spend(
        self, model: str, *, calls: int, tokens_in: int, tokens_out: int, ms: int, session_id: int | None = None
    ) -> None:
        """Count what a model was asked; good answers and bad ones alike."""
        with self._store.transaction() as connection:
            connection.execute(
                "INSERT INTO usage (day, model, calls, tokens_in, tokens_out, ms) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (day, model) DO UPDATE SET calls = calls + excluded.calls, ms = ms + excluded.ms,"
                " tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out",
                (_today(), model, calls, tokens_in, tokens_out, ms),
            )
            if session_id is not None:
                before = self.spent_on(session_id)
                now = [before[0] + calls, before[1] + tokens_in + tokens_out, round(before[2] * 1000) + ms]
                connection.execute(
                    "INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"{_SESSION}{session_id}", json.dumps(now))
                )


def _over(spent: tuple[int, int, float], most: tuple[int, int, int]) -> str:
    """The first limit that is reached, in words; "" for none."""
    names = ("model calls", "tokens", "seconds of model time")
    return next((f"{limit:,} {name}" for had, limit, name in zip(spent, most, names, strict=True) if had >= limit), "")


def _today() -> str:
    return datetime.fromtimestamp(now_ms() / 1000, UTC).date().isoformat()
