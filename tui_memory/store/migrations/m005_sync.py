"""What sync knows: places, their segments, who last said what of a memory, what was purged. Standard library only.

A stamp is a reading of the hybrid logical clock and the device that read it, `CLOCK DEVICE`: text that sorts. None of
these tables holds a text of anybody's but for the places' own addresses.
"""

from __future__ import annotations

NUMBER = 5

SCHEMA = """
CREATE TABLE sync_places (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    place TEXT NOT NULL UNIQUE,
    sent INTEGER NOT NULL DEFAULT 0,           -- up to which `seq` of memories what is here was sent there
    tombs INTEGER NOT NULL DEFAULT 0,          -- the same of tombs
    observations INTEGER NOT NULL DEFAULT 0,   -- up to which id, where they are sent at all
    erasures INTEGER NOT NULL DEFAULT 0,       -- how often texts were erased here when its segments were last cleaned
    encryption TEXT NOT NULL DEFAULT ''        -- none, passphrase, recipients
);
-- Segments that were read or written: each is looked at once.
CREATE TABLE sync_segments (
    place_id INTEGER NOT NULL REFERENCES sync_places(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (place_id, name)
) WITHOUT ROWID;
-- A memory that is no longer in the store keeps its row, so that an old segment does not bring it back.
CREATE TABLE sync_memories (
    uid TEXT PRIMARY KEY,
    stamps TEXT NOT NULL,                      -- JSON: the stamp of each part of its state
    awaits TEXT NOT NULL DEFAULT '{}',         -- JSON: what it refers to and is not here yet, by uid
    seq INTEGER NOT NULL,                      -- grows with every change
    via INTEGER NOT NULL DEFAULT 0             -- the place that the last change came from; 0: it was made here
) WITHOUT ROWID;
CREATE INDEX sync_memories_seq ON sync_memories(seq);
CREATE INDEX sync_memories_awaits ON sync_memories(uid) WHERE awaits <> '{}';
CREATE TABLE sync_texts (
    uid TEXT NOT NULL,
    stamp TEXT NOT NULL,
    version_id INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
    over TEXT NOT NULL DEFAULT '[]',           -- JSON: the stamps of the texts that its writer knew and replaced
    head INTEGER NOT NULL DEFAULT 1,           -- 0: another text replaced it; of several heads the latest is current
    PRIMARY KEY (uid, stamp)
) WITHOUT ROWID;
CREATE INDEX sync_texts_version ON sync_texts(version_id);
CREATE INDEX sync_texts_head ON sync_texts(uid) WHERE head = 1;
-- kind: memory, text (`UID STAMP`), observation. They are kept for ever, and always win.
CREATE TABLE sync_tombs (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    via INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
CREATE INDEX sync_tombs_seq ON sync_tombs(seq);
-- Observations that were sent or received: only of these a purge has to tell the others.
CREATE TABLE sync_observations (uid TEXT PRIMARY KEY) WITHOUT ROWID;

INSERT INTO sync_tombs (kind, name, seq)
    SELECT 'memory', uid, row_number() OVER (ORDER BY uid) FROM (
        SELECT DISTINCT j.before ->> 'uid' AS uid FROM journal j JOIN journal_groups g ON g.id = j.group_id
        WHERE g.action = 'purge' AND g.actor <> 'upkeep' AND j.after IS NULL)
    WHERE uid IS NOT NULL;
"""
