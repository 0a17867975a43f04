"""The first schema. Standard library only: an event that finds no store makes one.

Times are integer milliseconds since the epoch, UTC. JSON columns hold compact JSON text.
"""

from __future__ import annotations

NUMBER = 1

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- captured = stored + dropped: captured is raised by the sender's delivery, in one transaction with its outcome.
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;

CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    paused_until INTEGER NOT NULL DEFAULT 0
);
-- Keys once used stay for ever. kind: path (a working folder), git_dir, root (root commits), remote, name.
CREATE TABLE project_aliases (
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    created INTEGER NOT NULL,
    PRIMARY KEY (kind, value)
) WITHOUT ROWID;
CREATE INDEX project_aliases_project ON project_aliases(project_id);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,             -- the agent's own id
    project_id INTEGER REFERENCES projects(id) ON DELETE SET NULL,
    cwd TEXT NOT NULL DEFAULT '',
    branch TEXT NOT NULL DEFAULT '',
    turn INTEGER NOT NULL DEFAULT 0,   -- the turn that is open, or the last one
    turn_open INTEGER NOT NULL DEFAULT 0,
    started INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    ended INTEGER,
    UNIQUE (agent, session)
);
CREATE INDEX sessions_last_seen ON sessions(last_seen);
CREATE INDEX sessions_project ON sessions(project_id, last_seen);

CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    project_id INTEGER REFERENCES projects(id) ON DELETE SET NULL,
    agent TEXT NOT NULL,
    branch TEXT NOT NULL DEFAULT '',
    cwd TEXT NOT NULL DEFAULT '',
    parent TEXT NOT NULL DEFAULT '',   -- the sub-agent's id
    kind TEXT NOT NULL,
    tool TEXT NOT NULL DEFAULT '',
    time INTEGER NOT NULL,
    text TEXT NOT NULL,                -- redacted, capped
    detail TEXT NOT NULL DEFAULT '{}',
    files TEXT NOT NULL DEFAULT '[]',
    size INTEGER NOT NULL,             -- characters before the cap
    hash TEXT NOT NULL,                -- sha-256 of the redacted whole
    redactions TEXT NOT NULL DEFAULT '{}',
    state TEXT NOT NULL DEFAULT 'captured',
    reason TEXT NOT NULL DEFAULT '',
    tokens INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX observations_turn ON observations(session_id, turn);
CREATE INDEX observations_time ON observations(time);
CREATE INDEX observations_project ON observations(project_id);
CREATE INDEX observations_state ON observations(state);
CREATE INDEX observations_unresolved ON observations(id) WHERE project_id IS NULL;

-- One row a delivery, stored or dropped; the same delivery, or the agent's own key, is the same event.
CREATE TABLE deliveries (
    delivery TEXT PRIMARY KEY,
    key TEXT UNIQUE,                   -- the agent's own identity of the event; NULL where it has none
    agent TEXT NOT NULL,
    time INTEGER NOT NULL,
    outcome TEXT NOT NULL,             -- stored, or why it was dropped
    took_us INTEGER NOT NULL DEFAULT 0,
    observation_id INTEGER
) WITHOUT ROWID;
CREATE INDEX deliveries_time ON deliveries(agent, time);

CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    version_id INTEGER,                -- the current version; title, tier, kind and tokens are copies of its own,
    title TEXT NOT NULL DEFAULT '',    -- so that lists, facets and filters never read bodies
    tier TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL DEFAULT '',
    tokens INTEGER NOT NULL DEFAULT 0,
    project_id INTEGER REFERENCES projects(id) ON DELETE SET NULL,   -- NULL: all projects
    session_id INTEGER REFERENCES sessions(id) ON DELETE SET NULL,
    branch TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'active',
    pinned INTEGER NOT NULL DEFAULT 0,
    superseded_by INTEGER,
    merged_into INTEGER,
    uses INTEGER NOT NULL DEFAULT 0,   -- fetches by an agent; a counter, not journaled
    last_used INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
);
-- With project_id, a page of one project is found in the index alone.
CREATE INDEX memories_updated ON memories(state, updated DESC, id DESC, project_id);
CREATE INDEX memories_created ON memories(state, created DESC, id DESC, project_id);
CREATE INDEX memories_used ON memories(state, last_used DESC, id DESC, project_id);
CREATE INDEX memories_uses ON memories(state, uses DESC, id DESC, project_id);
CREATE INDEX memories_title ON memories(state, title COLLATE NOCASE, id, project_id);
CREATE INDEX memories_tokens ON memories(state, tokens DESC, id DESC, project_id);
CREATE INDEX memories_pinned ON memories(state, pinned DESC, created DESC, id DESC, project_id);
CREATE INDEX memories_facets ON memories(state, project_id, tier, kind);
CREATE INDEX memories_session ON memories(session_id, created);
CREATE INDEX memories_merged ON memories(merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    summary TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL DEFAULT '',
    facts TEXT NOT NULL DEFAULT '[]',
    tier TEXT NOT NULL,
    kind TEXT NOT NULL,
    labels TEXT NOT NULL DEFAULT '[]',
    files TEXT NOT NULL DEFAULT '[]',
    tokens INTEGER NOT NULL,
    route TEXT NOT NULL,
    model TEXT NOT NULL DEFAULT '',
    prompt_version INTEGER NOT NULL DEFAULT 0,
    schema_version INTEGER NOT NULL DEFAULT 1,
    retained REAL NOT NULL DEFAULT 1.0,
    flagged TEXT NOT NULL DEFAULT '[]',
    created INTEGER NOT NULL
);
CREATE INDEX versions_memory ON versions(memory_id);

CREATE TABLE memory_sources (
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    observation_id INTEGER NOT NULL REFERENCES observations(id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, observation_id)
) WITHOUT ROWID;
CREATE INDEX memory_sources_observation ON memory_sources(observation_id);
CREATE TABLE memory_labels (
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    PRIMARY KEY (label, memory_id)
) WITHOUT ROWID;
CREATE INDEX memory_labels_memory ON memory_labels(memory_id);
CREATE TABLE memory_files (
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    PRIMARY KEY (path, memory_id)
) WITHOUT ROWID;
CREATE INDEX memory_files_memory ON memory_files(memory_id);

-- Search text, expanded for code by the analyser whose version is in meta. rowid = version id; every version has a row.
-- The analyser alone decides what a token is: to this tokenizer every ASCII sign but the quotes belongs to one, as
-- everything beyond ASCII does, so that only its white space parts them.
CREATE VIRTUAL TABLE search_text USING fts5(
    title, body, names, tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
);
CREATE TRIGGER versions_gone AFTER DELETE ON versions BEGIN
    DELETE FROM search_text WHERE rowid = old.id;
END;
CREATE VIRTUAL TABLE search_terms USING fts5vocab(search_text, row);

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- the FAISS id
    version_id INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    text TEXT NOT NULL                      -- what is embedded
);
CREATE INDEX chunks_version ON chunks(version_id, n);
CREATE TABLE vectors (
    chunk_id INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
    model_id INTEGER NOT NULL REFERENCES models(id) ON DELETE CASCADE,
    vector BLOB NOT NULL,                   -- little-endian float16, normalised
    PRIMARY KEY (model_id, chunk_id)
) WITHOUT ROWID;
CREATE TABLE models (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL,
    created INTEGER NOT NULL
);

CREATE TABLE journal_groups (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    actor TEXT NOT NULL,               -- person, agent:NAME, worker, upkeep
    action TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0, -- 1: taken back, redo brings it again; 2: taken back for good
    undoes INTEGER,                    -- the group that this one took back or brought again
    device TEXT NOT NULL,
    clock TEXT NOT NULL                -- hybrid logical clock: milliseconds-counter, sortable
);
CREATE INDEX journal_groups_person ON journal_groups(id) WHERE actor = 'person';
CREATE INDEX journal_groups_undone ON journal_groups(undone) WHERE undone = 1;
CREATE TABLE journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id INTEGER NOT NULL REFERENCES journal_groups(id),
    memory_id INTEGER NOT NULL,
    before TEXT,                       -- JSON of the row's state (version_id, state, pinned, …); NULL: did not exist
    after TEXT
);
CREATE INDEX journal_group ON journal(group_id);
CREATE INDEX journal_memory ON journal(memory_id, id);

CREATE TABLE queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    turn INTEGER NOT NULL,             -- 0: the session's digest
    state TEXT NOT NULL DEFAULT 'waiting',   -- waiting, leased, done, failed
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    leased_by TEXT NOT NULL DEFAULT '',
    lease_until INTEGER NOT NULL DEFAULT 0,
    last_error TEXT NOT NULL DEFAULT '',
    created INTEGER NOT NULL,
    finished INTEGER,
    UNIQUE (session_id, turn)
);
CREATE INDEX queue_waiting ON queue(state, not_before);

CREATE TABLE judgments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    query TEXT NOT NULL,
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    relevant INTEGER NOT NULL,
    project_id INTEGER,
    created INTEGER NOT NULL,
    UNIQUE (query, memory_id)
);
CREATE TABLE profiles (name TEXT PRIMARY KEY, value TEXT NOT NULL, updated INTEGER NOT NULL) WITHOUT ROWID;

-- What agents were shown and what they then fetched: phase start, prompt, search, fetch.
CREATE TABLE disclosures (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    phase TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    time INTEGER NOT NULL
);
CREATE INDEX disclosures_session ON disclosures(session_id, memory_id);
-- The index a session starts with, written by the worker so that a hook only reads it. key: project id, 0: none.
CREATE TABLE start_index (
    project_id INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    memories TEXT NOT NULL,            -- JSON list of the ids shown
    built INTEGER NOT NULL
);
CREATE TABLE usage (
    day TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL DEFAULT 0,
    tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0,
    ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, model)
) WITHOUT ROWID;
"""
