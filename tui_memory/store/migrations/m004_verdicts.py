"""What a model says of two memories of which one may have made the other untrue. Standard library only."""

from __future__ import annotations

NUMBER = 4

SCHEMA = """
CREATE TABLE upkeep_verdicts (
    low_version INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,     -- the older memory's text
    high_version INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,    -- the newer one's
    contradicts INTEGER,               -- NULL: a model was asked, and no answer of its was of use
    holds TEXT NOT NULL DEFAULT '',    -- older, newer, both
    why TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    prompt INTEGER NOT NULL DEFAULT 0, -- the prompt's version
    judged INTEGER NOT NULL,
    PRIMARY KEY (low_version, high_version)
) WITHOUT ROWID;
CREATE INDEX upkeep_verdicts_high ON upkeep_verdicts(high_version);
"""
