"""What a team's hub is known to have of the memories here, and texts that were written beside each other there."""

from __future__ import annotations

NUMBER = 6

SCHEMA = """
-- The moment of the hub's last change of a memory that this store has seen: what changed there since is news.
CREATE TABLE hub_memories (
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,
    changed INTEGER NOT NULL                   -- ms
);
-- Of two texts whose writers did not know of each other, the one that is not current. A name is a login of the hub,
-- empty for who has this store.
CREATE TABLE hub_texts (
    version_id INTEGER PRIMARY KEY REFERENCES versions(id) ON DELETE CASCADE,
    current INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
    writer TEXT NOT NULL,
    current_writer TEXT NOT NULL
);
CREATE INDEX hub_texts_current ON hub_texts(current);
"""
