"""The hub's search: one function, which asks as the schema's owner and gives only what the caller's team has.

Policies keep the index of words from being used (`@@` may tell something of rows that are not one's own), so the
function looks whether the caller belongs to the team, once, and then asks that team's partition alone.
"""

from __future__ import annotations

SQL = """
-- The share of a team's memories that hold each of these words, from the planner's own statistics; 0: too rare.
CREATE FUNCTION {schema}.commonness(team integer, terms text[]) RETURNS TABLE (term text, share real)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH known AS (
        SELECT e.term, e.share FROM pg_stats s,
            LATERAL unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS e(term, share)
        WHERE s.schemaname = '{schema}' AND s.tablename = 'memories_' || team AND s.attname = 'words'
    )
    SELECT t.term, coalesce(max(k.share), 0)::real FROM unnest(terms) AS t(term) LEFT JOIN known k USING (term)
    GROUP BY t.term
$$;

-- `weights`: of each term. Words are asked rarest first, as long as no more than `budget` rows have to be looked at.
CREATE FUNCTION {schema}.search(
    team integer, near text, terms text[], weights real[], uids uuid[], remotes text[], kinds text[], tiers text[],
    since bigint, until bigint, wanted integer, budget integer
) RETURNS TABLE (
    number bigint, uid uuid, author text, project text, created bigint, changed bigint, state text, kind text,
    tier text, branch text, labels text[], files text[], tokens integer, title text, body jsonb, title_terms text,
    body_terms text, name_terms text, cosine real, among integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    part text := format('{schema}.%I', 'memories_' || team);
    wheres text := ' m.state IN (''active'', ''superseded'')';
    own uuid[];
    size real;
    left_over real := budget;
    one record;
    holders text[] := ARRAY[]::text[];
    asks text[] := ARRAY[]::text[];
BEGIN
    PERFORM {schema}.check_member(team);
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true);
    PERFORM set_config('hnsw.ef_search', greatest(wanted, 160)::text, true);
    PERFORM set_config('enable_seqscan', 'off', true);
    IF uids IS NOT NULL THEN
        SELECT array_agg(p.uid) INTO own FROM {schema}.projects p
            WHERE p.team_id = team AND (p.uid = ANY (uids) OR p.remotes && remotes);
        wheres := wheres || format(' AND (m.project_uid IS NULL OR m.project_uid = ANY (%L::uuid[]))',
            coalesce(own, ARRAY[]::uuid[]));
    END IF;
    IF cardinality(kinds) > 0 THEN wheres := wheres || format(' AND m.kind = ANY (%L::text[])', kinds); END IF;
    IF cardinality(tiers) > 0 THEN wheres := wheres || format(' AND m.tier = ANY (%L::text[])', tiers); END IF;
    IF since IS NOT NULL THEN wheres := wheres || format(' AND m.created >= %s', since); END IF;
    IF until IS NOT NULL THEN wheres := wheres || format(' AND m.created < %s', until); END IF;

    SELECT greatest(c.reltuples, 1) INTO size FROM pg_class c WHERE c.oid = part::regclass;
    FOR one IN
        SELECT c.term, c.share * size AS rows, w.weight FROM {schema}.commonness(team, terms) c
            JOIN unnest(terms, weights) AS w(term, weight) USING (term) ORDER BY c.share, w.weight DESC, c.term
    LOOP
        EXIT WHEN left_over <= 0 OR cardinality(holders) >= 24 OR (one.rows > left_over AND cardinality(holders) > 0);
        IF one.rows > left_over THEN  -- all are common: those that hold the rarest few at once
            asks := asks || format('%L', '''' || replace(replace(one.term, '\\', '\\\\'), '''', '''''') || '''');
            EXIT WHEN cardinality(asks) >= 3;
            CONTINUE;
        END IF;
        left_over := left_over - greatest(one.rows, 1);
        holders := holders || format('SELECT m.number, %s::real AS weight FROM %s m WHERE m.words @@ %L::tsquery AND%s',
            one.weight, part,
            '''' || replace(replace(one.term, '\\', '\\\\'), '''', '''''') || '''', wheres);
    END LOOP;
    IF cardinality(holders) = 0 AND cardinality(asks) > 0 THEN
        holders := holders || format(
            '(SELECT m.number, 1::real AS weight FROM %s m WHERE m.words @@ (%s::tsquery) AND%s LIMIT %s)', part,
            array_to_string(ARRAY(SELECT a || '::tsquery' FROM unnest(asks) a), ' && '), wheres, wanted);
    END IF;
    IF near IS NOT NULL THEN
        holders := holders || format(
            '(SELECT m.number, 1e9::real AS weight FROM %s m WHERE m.embedding IS NOT NULL AND%s'
            ' ORDER BY m.embedding OPERATOR({vector}.<=>) %L::{vector}.halfvec LIMIT %s)', part, wheres, near, wanted);
    END IF;
    IF cardinality(holders) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT m.number, m.uid, m.author, p.name, m.created, m.changed, m.state, m.kind, m.tier, m.branch, m.labels,'
        ' m.files, m.tokens, m.title, m.body, m.title_terms, m.body_terms, m.name_terms,'
        ' (1 - (m.embedding OPERATOR({vector}.<=>) %L::{vector}.halfvec))::real, %s'
        ' FROM (SELECT h.number FROM (%s) h GROUP BY 1 ORDER BY sum(h.weight) DESC, 1 DESC LIMIT %s) found'
        ' JOIN %s m ON m.team_id = %s AND m.number = found.number'
        ' LEFT JOIN {schema}.projects p ON p.team_id = m.team_id AND p.uid = m.project_uid',
        near, size::integer, array_to_string(holders, ' UNION ALL '), 2 * wanted, part, team);
END $$;

REVOKE ALL ON FUNCTION {schema}.commonness(integer, text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION {schema}.search(integer, text, text[], real[], uuid[], text[], text[], text[], bigint, bigint,
    integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {schema}.search(integer, text, text[], real[], uuid[], text[], text[], text[], bigint, bigint,
    integer, integer) TO {member};
"""
