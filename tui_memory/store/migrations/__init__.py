"""Numbered migrations, one module each, never edited after a release. Each has NUMBER and SCHEMA."""

from __future__ import annotations

from tui_memory.store.migrations import m001_first, m002_upkeep, m003_audit, m004_verdicts, m005_sync, m006_hub

ALL: tuple[tuple[int, str], ...] = (
    (m001_first.NUMBER, m001_first.SCHEMA),
    (m002_upkeep.NUMBER, m002_upkeep.SCHEMA),
    (m003_audit.NUMBER, m003_audit.SCHEMA),
    (m004_verdicts.NUMBER, m004_verdicts.SCHEMA),
    (m005_sync.NUMBER, m005_sync.SCHEMA),
    (m006_hub.NUMBER, m006_hub.SCHEMA),
)
"""(number, SQL script), in the order they are applied."""
