"""The hub's first schema: teams, who belongs to them, what they share; who sees what is the database's own rule.

A member is a login of the database: `session_user`, which no pooler and no SET ROLE changes. Members write rows, and
a trigger says by whom and which of two states is the later; nobody deletes but by the two functions that look first.
"""

from __future__ import annotations

MEMBER = "tui_memory_member"
"""The role whose privileges every member has: to use the schema. Which rows is said by the policies."""

SQL = """
CREATE TABLE {schema}.meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE {schema}.teams (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '')
);
CREATE TABLE {schema}.members (
    team_id integer NOT NULL REFERENCES {schema}.teams ON DELETE CASCADE,
    role text NOT NULL,
    admin boolean NOT NULL DEFAULT false,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, role)
);
CREATE TABLE {schema}.projects (
    team_id integer NOT NULL REFERENCES {schema}.teams ON DELETE CASCADE,
    uid uuid NOT NULL,
    name text NOT NULL,
    remotes text[] NOT NULL,
    PRIMARY KEY (team_id, uid)
);
CREATE SEQUENCE {schema}.numbers;
CREATE TABLE {schema}.memories (
    team_id integer NOT NULL,
    uid uuid NOT NULL,
    number bigint NOT NULL,
    project_uid uuid,
    author text NOT NULL DEFAULT session_user,
    edited_by text NOT NULL DEFAULT session_user,
    shared_at timestamptz NOT NULL DEFAULT now(),
    device text NOT NULL,
    changed bigint NOT NULL,
    created bigint NOT NULL,
    state text NOT NULL,
    kind text NOT NULL,
    tier text NOT NULL,
    branch text NOT NULL,
    labels text[] NOT NULL,
    files text[] NOT NULL,
    tokens integer NOT NULL,
    title text NOT NULL,
    body jsonb NOT NULL,
    title_terms text NOT NULL,
    body_terms text NOT NULL,
    name_terms text NOT NULL,
    words tsvector NOT NULL,
    embedding {vector}.halfvec({dimension}),
    PRIMARY KEY (team_id, uid)
) PARTITION BY LIST (team_id);
CREATE UNIQUE INDEX ON {schema}.memories (team_id, number);
CREATE INDEX ON {schema}.memories (team_id, shared_at);
CREATE INDEX ON {schema}.memories (team_id, project_uid);
CREATE INDEX ON {schema}.memories USING gin (words) WITH (fastupdate = off);
CREATE INDEX ON {schema}.memories USING hnsw (embedding {vector}.halfvec_cosine_ops);
CREATE TABLE {schema}.versions (
    team_id integer NOT NULL,
    uid uuid NOT NULL,
    changed bigint NOT NULL,
    edited_by text NOT NULL,
    device text NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    title text NOT NULL,
    body jsonb NOT NULL
) PARTITION BY LIST (team_id);
CREATE INDEX ON {schema}.versions (team_id, uid);
CREATE TABLE {schema}.purged (
    team_id integer NOT NULL,
    uid uuid NOT NULL,
    author text NOT NULL,
    purged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, uid)
) PARTITION BY LIST (team_id);

CREATE FUNCTION {schema}.my_teams() RETURNS integer[] LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT coalesce(array_agg(team_id), '{{}}') FROM {schema}.members WHERE role = session_user $$;

CREATE FUNCTION {schema}.is_keeper() RETURNS boolean LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT pg_has_role(session_user, nspowner, 'MEMBER') FROM pg_namespace WHERE nspname = '{schema}' $$;

CREATE FUNCTION {schema}.check_member(team integer) RETURNS void LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT (team = ANY ({schema}.my_teams())) THEN
        RAISE insufficient_privilege USING MESSAGE = 'you do not belong to that team';
    END IF;
END $$;

-- Later wins, and the other one is kept. Whose a memory is stays; only they say whether it is there at all.
CREATE FUNCTION {schema}.settle() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM {schema}.purged p WHERE p.team_id = NEW.team_id AND p.uid = NEW.uid) THEN
        RETURN NULL;
    END IF;
    NEW.edited_by := session_user;
    NEW.changed := least(NEW.changed, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 600000);
    NEW.shared_at := clock_timestamp();
    IF TG_OP = 'INSERT' THEN
        NEW.author := session_user;
        NEW.number := nextval('{schema}.numbers');
        RETURN NEW;
    END IF;
    NEW.author := OLD.author;
    NEW.number := OLD.number;
    IF session_user <> OLD.author THEN
        NEW.state := OLD.state;
    END IF;
    IF (NEW.title, NEW.body) IS DISTINCT FROM (OLD.title, OLD.body) THEN
        IF NEW.changed = OLD.changed AND session_user = OLD.author THEN  -- the same, masked by newer rules
            RETURN NEW;
        END IF;
        IF (NEW.changed, NEW.device) <= (OLD.changed, OLD.device) THEN
            INSERT INTO {schema}.versions (team_id, uid, changed, edited_by, device, title, body)
                SELECT NEW.team_id, NEW.uid, NEW.changed, session_user, NEW.device, NEW.title, NEW.body
                WHERE NOT EXISTS (SELECT 1 FROM {schema}.versions v WHERE v.team_id = NEW.team_id AND v.uid = NEW.uid
                    AND v.title = NEW.title AND v.body = NEW.body);
            RETURN NULL;
        END IF;
        INSERT INTO {schema}.versions (team_id, uid, changed, edited_by, device, title, body)
            VALUES (OLD.team_id, OLD.uid, OLD.changed, OLD.edited_by, OLD.device, OLD.title, OLD.body);
    ELSIF NEW.changed <= OLD.changed AND (OLD.embedding IS NOT NULL OR NEW.embedding IS NULL) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER settle BEFORE INSERT OR UPDATE ON {schema}.memories FOR EACH ROW EXECUTE FUNCTION {schema}.settle();

CREATE FUNCTION {schema}.purge(team integer, uids uuid[]) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    mine uuid[];
BEGIN
    PERFORM {schema}.check_member(team);
    SELECT coalesce(array_agg(uid), '{{}}') INTO mine FROM {schema}.memories
        WHERE team_id = team AND uid = ANY (uids) AND author = session_user;
    INSERT INTO {schema}.purged (team_id, uid, author) SELECT team, unnest(mine), session_user ON CONFLICT DO NOTHING;
    DELETE FROM {schema}.versions WHERE team_id = team AND uid = ANY (mine);
    DELETE FROM {schema}.memories WHERE team_id = team AND uid = ANY (mine);
    RETURN cardinality(mine);
END $$;

CREATE FUNCTION {schema}.forget_versions(team integer, uids uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM {schema}.check_member(team);
    DELETE FROM {schema}.versions v WHERE v.team_id = team AND v.uid = ANY (uids) AND (v.edited_by = session_user
        OR EXISTS (SELECT 1 FROM {schema}.memories m WHERE m.team_id = team AND m.uid = v.uid
            AND m.author = session_user));
END $$;

CREATE FUNCTION {schema}.withdraw(team integer, project uuid) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    mine uuid[];
BEGIN
    PERFORM {schema}.check_member(team);
    SELECT coalesce(array_agg(uid), '{{}}') INTO mine FROM {schema}.memories
        WHERE team_id = team AND project_uid = project AND author = session_user;
    DELETE FROM {schema}.versions WHERE team_id = team AND uid = ANY (mine);
    DELETE FROM {schema}.memories WHERE team_id = team AND uid = ANY (mine);
    RETURN cardinality(mine);
END $$;

CREATE FUNCTION {schema}.add_team(named text) RETURNS integer LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made integer;
    kind text;
BEGIN
    INSERT INTO {schema}.teams (name) VALUES (named) RETURNING id INTO made;
    FOREACH kind IN ARRAY ARRAY['memories', 'versions', 'purged'] LOOP
        EXECUTE format('CREATE TABLE {schema}.%I PARTITION OF {schema}.%I FOR VALUES IN (%s)',
            kind || '_' || made, kind, made);
    END LOOP;
    EXECUTE format('ALTER TABLE {schema}.%I ALTER COLUMN words SET STATISTICS 400', 'memories_' || made);
    RETURN made;
END $$;

CREATE FUNCTION {schema}.add_member(team integer, named text, is_admin boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM {schema}.check_admin(team);
    EXECUTE format('GRANT {member} TO %I', named);
    INSERT INTO {schema}.members (team_id, role, admin) VALUES (team, named, is_admin)
        ON CONFLICT (team_id, role) DO UPDATE SET admin = excluded.admin;
END $$;

CREATE FUNCTION {schema}.remove_member(team integer, named text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM {schema}.check_admin(team);
    DELETE FROM {schema}.members WHERE team_id = team AND role = named;
    RETURN FOUND;
END $$;

CREATE FUNCTION {schema}.check_admin(team integer) RETURNS void LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT ({schema}.is_keeper() OR EXISTS (
        SELECT 1 FROM {schema}.members m WHERE m.team_id = team AND m.role = session_user AND m.admin)) THEN
        RAISE insufficient_privilege USING MESSAGE = 'only an admin of the team may do that';
    END IF;
END $$;

ALTER TABLE {schema}.teams ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.purged ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON {schema}.teams USING (id = ANY ((SELECT {schema}.my_teams())::integer[]));
CREATE POLICY mine ON {schema}.members USING (team_id = ANY ((SELECT {schema}.my_teams())::integer[]));
CREATE POLICY mine ON {schema}.projects USING (team_id = ANY ((SELECT {schema}.my_teams())::integer[]));
CREATE POLICY mine ON {schema}.memories USING (team_id = ANY ((SELECT {schema}.my_teams())::integer[]));
CREATE POLICY mine ON {schema}.versions USING (team_id = ANY ((SELECT {schema}.my_teams())::integer[]));
CREATE POLICY mine ON {schema}.purged USING (team_id = ANY ((SELECT {schema}.my_teams())::integer[]));

-- One by one: pgvector's functions may be in this schema too, and are everybody's.
REVOKE ALL ON FUNCTION {schema}.add_team(text), {schema}.settle() FROM PUBLIC;
GRANT USAGE ON SCHEMA {schema} TO {member};
GRANT SELECT ON {schema}.meta, {schema}.teams, {schema}.members, {schema}.projects, {schema}.memories,
    {schema}.versions, {schema}.purged TO {member};
GRANT INSERT ON {schema}.projects TO {member};
GRANT INSERT ON {schema}.memories TO {member};
GRANT UPDATE (project_uid, device, changed, state, kind, tier, branch, labels, files, tokens, title, body, title_terms,
    body_terms, name_terms, words, embedding) ON {schema}.memories TO {member};
GRANT EXECUTE ON FUNCTION {schema}.my_teams(), {schema}.is_keeper(), {schema}.check_member(integer),
    {schema}.purge(integer, uuid[]), {schema}.forget_versions(integer, uuid[]), {schema}.withdraw(integer, uuid),
    {schema}.check_admin(integer), {schema}.add_member(integer, text, boolean),
    {schema}.remove_member(integer, text) TO {member};
"""
