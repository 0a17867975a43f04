"""The audit's cases: what a person is to look at, and what was settled. Standard library only.

A case holds ids, numbers and words of the program's own: what it shows of memories is read from them when it is shown.
"""

from __future__ import annotations

NUMBER = 3

SCHEMA = """
CREATE TABLE audit_cases (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    family TEXT NOT NULL,
    low INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,     -- the memory; of a pair the older one
    high INTEGER REFERENCES memories(id) ON DELETE CASCADE,             -- of a pair the newer one
    low_version INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
    high_version INTEGER REFERENCES versions(id) ON DELETE CASCADE,
    risk REAL NOT NULL,
    evidence INTEGER NOT NULL,         -- a digest of what it rests on: settled, it comes back only with another
    state TEXT NOT NULL DEFAULT 'open',      -- open, settled, snoozed
    until INTEGER NOT NULL DEFAULT 0,        -- of a snoozed one: when it is asked again
    action TEXT NOT NULL DEFAULT '',         -- what was done with it
    group_id INTEGER,                        -- the journal's group of that: taken back, the case is open again
    found INTEGER NOT NULL,
    settled INTEGER                          -- when
);
CREATE UNIQUE INDEX audit_cases_of ON audit_cases(
    family, low, low_version, coalesce(high, 0), coalesce(high_version, 0)
);
CREATE INDEX audit_cases_low ON audit_cases(low);
CREATE INDEX audit_cases_high ON audit_cases(high) WHERE high IS NOT NULL;
CREATE INDEX audit_cases_low_version ON audit_cases(low_version);
CREATE INDEX audit_cases_high_version ON audit_cases(high_version) WHERE high_version IS NOT NULL;
CREATE INDEX audit_cases_settled ON audit_cases(settled) WHERE settled IS NOT NULL;
CREATE INDEX audit_cases_group ON audit_cases(group_id) WHERE group_id IS NOT NULL;

-- What one memory was shown and fetched for, and what was in a week.
CREATE INDEX disclosures_memory ON disclosures(memory_id, phase);
CREATE INDEX disclosures_time ON disclosures(time);
CREATE INDEX journal_groups_time ON journal_groups(time);
"""
