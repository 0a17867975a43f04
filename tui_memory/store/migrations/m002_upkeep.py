"""What upkeep remembers: pairs, names that are gone, uses by day, how the store grew. Standard library only.

Pairs hold numbers alone: their evidence is read from the versions that were compared, so that no text is kept twice.
"""

from __future__ import annotations

NUMBER = 2

SCHEMA = """
CREATE TABLE upkeep_pairs (
    contradicts INTEGER NOT NULL,      -- 0: both say the same; 1: the newer contradicts the older
    low INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    high INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    low_version INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
    high_version INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
    score REAL NOT NULL,
    cosine REAL,                       -- NULL: found by words alone
    found INTEGER NOT NULL,
    PRIMARY KEY (contradicts, low, high)
) WITHOUT ROWID;
CREATE INDEX upkeep_pairs_high ON upkeep_pairs(high);
CREATE INDEX upkeep_pairs_low_version ON upkeep_pairs(low_version);
CREATE INDEX upkeep_pairs_high_version ON upkeep_pairs(high_version);

CREATE TABLE upkeep_gone (
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    version_id INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind INTEGER NOT NULL,             -- 0 file, 1 symbol, 2 setting, 3 command
    renamed_to TEXT,
    taken_by TEXT NOT NULL DEFAULT '', -- the commit that took it away
    found INTEGER NOT NULL,
    PRIMARY KEY (memory_id, kind, name)
) WITHOUT ROWID;
CREATE INDEX upkeep_gone_version ON upkeep_gone(version_id);

-- The same text after normalisation has the same key: rows of current versions.
CREATE TABLE upkeep_keys (
    version_id INTEGER PRIMARY KEY REFERENCES versions(id) ON DELETE CASCADE,
    key BLOB NOT NULL
);
CREATE INDEX upkeep_keys_key ON upkeep_keys(key);

-- Days are counted from the epoch, UTC. What was used before there were days counts on the day of the last use.
CREATE TABLE uses_by_day (
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    PRIMARY KEY (memory_id, day)
) WITHOUT ROWID;
INSERT INTO uses_by_day SELECT id, coalesce(last_used, created) / 86400000, uses FROM memories WHERE uses > 0;

CREATE TABLE upkeep_days (day INTEGER PRIMARY KEY, memories INTEGER NOT NULL, bytes INTEGER NOT NULL);
"""
