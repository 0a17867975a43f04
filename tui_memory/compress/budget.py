"""How much a model may be asked in a day: calls, tokens and seconds, counted in the store's `usage` table."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tui_memory.model import now_ms

if TYPE_CHECKING:
    from tui_memory.config import CompressSettings
    from tui_memory.store.db import Store


class Budget:
    """The day's budget of one store. A day is a day of UTC."""

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

    def stop(self) -> str:
        """The note why no model may be asked any more today; "" while one may."""
        calls, tokens, seconds = self.spent()
        wanted = self._settings
        for spent, most, what in (
            (calls, wanted.calls_per_day, "model calls"),
            (tokens, wanted.tokens_per_day, "tokens"),
            (seconds, wanted.seconds_per_day, "seconds of model time"),
        ):
            if spent >= most:
                return f"The budget of {most:,} {what} a day is spent; turns go to the next route until tomorrow (UTC)."
        return ""

    def spend(self, model: str, *, calls: int, tokens_in: int, tokens_out: int, ms: int) -> None:
        """Count what a model was asked; good answers and bad ones alike."""
        with self._store.transaction() as connection:
            connection.execute(
                "INSERT INTO usage (day, model, calls, tokens_in, tokens_out, ms) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (day, model) DO UPDATE SET calls = calls + excluded.calls, ms = ms + excluded.ms,"
                " tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out",
                (_today(), model, calls, tokens_in, tokens_out, ms),
            )


def _today() -> str:
    return datetime.fromtimestamp(now_ms() / 1000, UTC).date().isoformat()
