"""How long a team's hub takes for a search among many shared memories, and how much room it needs for them.

    python -m tests.bench.bench_hub [--memories 100000] [--queries 200] [--asking 1] [--keep FOLDER]

The memories are those of `bench_search`: 384 dimensions, about 400 characters, words by Zipf's law. The server is the
wheel's own, made for this and removed; `--keep` keeps it, and the next run asks it again. Measured is what a search
waits for: the whole round through the database's function, as a member who logged in, with row-level security on.
`--asking`: members who ask at the same time, each over a connection of its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
from pgvector import HalfVector

from tests.bench.bench_search import DIMENSION, Corpus, queries
from tests.hub.server import Server
from tui_memory.beyond.hub import address, asking, schema, session, shapes
from tui_memory.beyond.hub.there import There
from tui_memory.model import Body, MemoryKind
from tui_memory.retrieve.function_words import function_words
from tui_memory.store import search_text

_TOPICS = 3000
_FIRST = 230
"""Questions that are asked before those that are measured."""
_SETTINGS = (
    "-c shared_buffers=6GB -c maintenance_work_mem=3GB -c max_wal_size=8GB -c synchronous_commit=off"
    " -c max_parallel_maintenance_workers=1 -c checkpoint_timeout=30min"
)
_COPY = (
    f"COPY {session.SCHEMA}.memories_1 (team_id, uid, number, project_uid, author, edited_by, device, changed, created,"
    " state, kind, tier, branch, labels, files, tokens, title, body, title_terms, body_terms, name_terms, words,"
    " embedding) FROM STDIN"
)


def main() -> None:
    """Fill, ask, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--asking", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    server = Server(_SETTINGS, given.keep)
    known = server.is_made
    try:
        server.begin() if known else server.start()
        if not known:
            fill(server, given.memories)
        report(server, given)
    finally:
        server.halt() if given.keep else server.end()


def fill(server: Server, count: int) -> None:
    """A hub with one team that shares so many; the indexes of words and vectors are made after the rows."""
    with psycopg.connect(server.dsn("postgres", "postgres"), autocommit=True) as root:
        root.execute("CREATE ROLE ana LOGIN")
        root.execute("CREATE DATABASE team")
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as keeper:
        found, _ = address.parse(server.dsn("postgres"), [])
        schema.make(keeper, found, "all-MiniLM-L6-v2", DIMENSION, "blue")
        keeper.execute(f"SELECT {session.SCHEMA}.add_member(1, 'ana', true)".encode())
        project = f"INSERT INTO {session.SCHEMA}.projects VALUES (1, %s, 'orderly', '{{}}')"
        keeper.execute(project.encode(), (UUID(int=1),))
        slow = dict(session.rows(
            keeper, "SELECT c.relname, a.amname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON"
            " a.oid = c.relam WHERE i.indrelid = %s::regclass AND a.amname IN ('gin', 'hnsw')",
            (f"{session.SCHEMA}.memories_1",),
        ))  # fmt: skip
        definitions = {
            name: str(session.rows(keeper, "SELECT pg_get_indexdef(%s::regclass)", (f"{session.SCHEMA}.{name}",))[0][0])
            for name in slow
        }
        # Each hangs on the index of the table above it, which is made again at the end in the same way.
        above = session.rows(
            keeper, "SELECT i.inhparent::regclass::text, pg_get_indexdef(i.inhparent) FROM pg_inherits i"
            " JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relname = ANY (%s)", (list(slow),),
        )  # fmt: skip
        for name, _definition in above:
            keeper.execute(f"DROP INDEX {name}".encode())
        started = time.perf_counter()
        with keeper.cursor() as cursor, cursor.copy(_COPY.encode()) as copy:
            for row in _rows(count):
                copy.write_row(row)
        told("rows", time.perf_counter() - started)
        for name, definition in definitions.items():
            started = time.perf_counter()
            keeper.execute(definition.encode())
            told(f"index ({slow[name]})", time.perf_counter() - started)
        for _name, definition in above:
            keeper.execute(definition.encode())
        keeper.execute(f"VACUUM ANALYZE {session.SCHEMA}.memories_1".encode())


def _rows(count: int) -> Iterator[tuple[Any, ...]]:
    corpus, random = Corpus(), np.random.default_rng(11)
    kinds, now = list(MemoryKind), 1_780_000_000_000
    number = 0
    for start in range(0, count, 5000):
        topics = random.integers(0, _TOPICS, min(5000, count - start))
        near = corpus.vectors(topics)
        for at, (topic, said) in enumerate(zip(topics, corpus.texts(topics, 64), strict=True)):
            number += 1
            title, text = " ".join(said[:8]), " ".join(said[8:])
            files = [f"src/{said[1]}/{said[2]}_{said[3]}.py"] if at % 2 else []
            terms = search_text.fields(Body(title, text=text, files=files))
            body = {
                "summary": "", "text": text, "facts": [], "route": "extractive", "model": "", "prompt_version": 1,
                "schema_version": 1, "retained": 1.0, "flagged": [], "written": "2026-05-01T00:00:00.000Z",
            }  # fmt: skip
            words = "'" + "' '".join(sorted({*" ".join(terms).replace("'", "").split()})) + "'"
            yield (
                1, UUID(int=number), number, UUID(int=1), "ana", "ana", "d", now, now - number, "active",
                str(kinds[topic % len(kinds)]), "episodic", "", [], files, 100, title, json.dumps(body), *terms, words,
                "[" + ",".join(f"{value:.4f}" for value in near[at]) + "]",
            )  # fmt: skip


def report(server: Server, given: argparse.Namespace) -> None:
    """How long the questions took, and what the tables and indexes weigh."""
    asked = queries(given.queries)
    found, _ = address.parse(server.dsn("ana"), [])
    took: dict[str, list[float]] = {"meaning and words": [], "words alone": [], "one project, one kind": []}
    with session.connect(found) as ana:
        count = int(session.rows(ana, f"SELECT count(*) FROM {session.SCHEMA}.memories")[0][0])
        for said, vector in queries(_FIRST):  # others: a server that has just started reads from the disk
            _ask(ana, said, vector)
        for name, times in took.items():
            for said, vector in asked:
                started = time.perf_counter()
                _ask(ana, said, None if name == "words alone" else vector, narrow=name.startswith("one"))
                times.append((time.perf_counter() - started) * 1000)
        recall = _recall(server, ana, [vector for _, vector in asked[:20]])
    print(f"{count:,} shared memories, {given.queries} questions")
    for name, times in took.items():
        times.sort()
        print(f"  {name}: median {statistics.median(times):.1f} ms, p95 {times[int(0.95 * len(times))]:.1f} ms")
    print(f"  recall@10 of meaning: {recall:.3f}")
    if given.asking > 1:
        rate, late = _together(found, asked, given.asking)
        print(f"  {given.asking} at a time: {rate:.0f} questions a second, p95 {late:.1f} ms")
    print(f"  pushed with all indexes in place: {_pushed(server, found, 1_000):.0f} memories a second")
    with psycopg.connect(server.dsn("postgres")) as root:
        for name, size in root.execute(
            "SELECT c.relname, pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) FROM"
            " pg_class c WHERE c.relname LIKE 'memories_1%' ORDER BY 2 DESC"
        ):
            print(f"  {name}: {size / 1e6:,.0f} MB, {size / max(count, 1):,.0f} bytes a memory")


def _ask(member: Any, said: str, vector: Any, *, narrow: bool = False) -> list[Any]:
    terms = [term for term in search_text.terms(said) if term not in function_words()]
    near = None if vector is None else str(vector.tolist())
    uids, kinds = ([UUID(int=1)], ["decision", "bugfix"]) if narrow else (None, [])
    values: tuple[Any, ...] = (
        1,
        near,
        terms,
        [1.0] * len(terms),
        uids,
        [],
        kinds,
        [],
        None,
        None,
        asking.WANTED,
        asking.BUDGET,
    )
    rows: list[Any] = member.execute(asking.SEARCH.encode(), values).fetchall()
    return rows


def _recall(server: Server, member: Any, vectors: list[Any]) -> float:
    """Of the ten nearest by an exact scan, the share that the search has."""
    hits = 0
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as root:
        root.execute(f"SET search_path = {session.SCHEMA}, public".encode())
        root.execute("SET enable_indexscan = off")
        for vector in vectors:
            exact = root.execute(
                f"SELECT number FROM {session.SCHEMA}.memories_1 ORDER BY embedding <=> %s::halfvec LIMIT 10".encode(),
                (str(vector.tolist()),),
            ).fetchall()  # fmt: skip
            found = {row[0] for row in _ask(member, "", vector)}
            hits += sum(row[0] in found for row in exact)
    return hits / (10 * len(vectors))


def _together(found: dict[str, str], asked: list[Any], members: int) -> tuple[float, float]:
    """(questions a second, their 95th percentile in ms) with several members who ask at the same time."""
    times: list[float] = []

    def one(at: int) -> None:
        with session.connect(found) as member:
            for said, vector in asked[at::members]:
                started = time.perf_counter()
                _ask(member, said, vector)
                times.append((time.perf_counter() - started) * 1000)

    threads = [threading.Thread(target=one, args=(at,)) for at in range(members)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = len(times) / (time.perf_counter() - started)
    return rate, sorted(times)[int(0.95 * len(times))]


def _pushed(server: Server, found: dict[str, str], count: int) -> float:
    """Memories a second that one member pushes, a batch of 200 in one transaction; they are taken out again."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as keeper:
        keeper.execute(
            f"SELECT setval('{session.SCHEMA}.numbers', max(number)) FROM {session.SCHEMA}.memories_1".encode()
        )
    corpus, topics = Corpus(3), np.random.default_rng(3).integers(0, _TOPICS, count)
    rows = []
    for said, near in zip(corpus.texts(topics, 64), corpus.vectors(topics), strict=True):
        record = {
            "uid": str(uuid4()), "state": "active", "created": "2026-05-01T00:00:00.000Z", "branch": "", "version": 1,
            "versions": [{
                "title": " ".join(said[:8]), "summary": "", "text": " ".join(said[8:]), "facts": [], "labels": [],
                "files": [], "kind": "decision", "tier": "episodic", "route": "", "model": "", "prompt_version": 0,
                "schema_version": 1, "retained": 1.0, "flagged": [], "created": "2026-05-01T00:00:00.000Z",
            }],
        }  # fmt: skip
        rows.append(shapes.row(record, 1, str(UUID(int=1)), 1_780_000_000_000, "d", HalfVector(near)))
    with session.connect(found) as ana:
        there = There(ana, session.check(ana, found), 1)
        started = time.perf_counter()
        for at in range(0, count, 200):
            there.put(rows[at : at + 200])
        took = time.perf_counter() - started
        there.purge([row["uid"] for row in rows])
    return count / took


def told(what: str, seconds: float) -> None:
    """Say how long a part of the filling took."""
    print(f"{what}: {seconds:,.0f} s", flush=True)


if __name__ == "__main__":
    main()
