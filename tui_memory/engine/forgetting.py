"""Purge, scrub, pause: what a person forgets, what newer rules would not have kept, when nothing is taken."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tui_memory.clock import now_ms
from tui_memory.engine import worker_client
from tui_memory.errors import NotFoundError, RefusedError, UsageError
from tui_memory.store import erasing, pauses, projects, purging, rules, scrubbing, ui_state
from tui_memory.store.purging import Counts, Plan, Scope

if TYPE_CHECKING:
    from tui_memory.engine.services import Services

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge took, or would take."""

    counts: Counts
    dry_run: bool
    outside: list[str] = field(default_factory=list)
    """Files outside of the store that may still hold it: transcripts, exports, back-ups."""
    resumed: bool = False
    """Whether an earlier purge, which a reader had held up, was finished by this one."""

    def public(self) -> dict[str, Any]:
        """JSON: `count` is what `--expect` repeats."""
        value = asdict(self.counts)
        value["projects"] = value.pop("shares")
        return value | {"dry_run": self.dry_run, "outside": self.outside, "resumed": self.resumed}


class Forgetting:
    """Works on one open memory."""

    def __init__(self, memory: Services) -> None:
        self._memory = memory
        self._store = memory.store

    def purge(
        self,
        *,
        ids: Sequence[int | str] = (),
        session: str = "",
        project: str | None = None,
        match: str = "",
        before: int | None = None,
        dry_run: bool = False,
        yes: bool = False,
        expect: int | None = None,
        patience: float | None = None,
        on_step: Tell | None = None,
    ) -> Purged:
        """Forget what one of the scopes names, for good. `before`: milliseconds since the epoch.

        RefusedError without a scope, without `yes`, without the right `expect` where more than half of a project
        would go; NotFoundError where what is named was never there; then nothing was changed. UnfinishedError where
        the rows are gone and a reader keeps the bytes: the same call finishes it.
        """
        wanted = _only_one(ids, session, project, match, before)
        resumed = not dry_run and yes and erasing.pending(self._store)
        scope = self._scope(ids, session, project, match, before, or_none=resumed)
        found = purging.plan(self._store.connection, scope)
        counts = self._shown(purging.counts(self._store.connection, found))
        if dry_run:
            return Purged(counts, True)
        if not yes:
            raise RefusedError(f"{_would(counts)} Nothing was changed; look with --dry-run, then repeat it with --yes.")
        outside: list[str] = []
        if scope != Scope():
            counts, outside = purging.purge(
                self._store,
                scope,
                found,
                self._memory.actor,
                lambda now: self._settled(now, found, wanted, len(ids), expect),
            )
            ui_state.forget(self._store.home, found.pattern)
        worker_client.refresh(self._store.home)
        erasing.finish(self._store, patience=patience, on_step=on_step)
        self._memory.hub.purge()
        return Purged(self._shown(counts), False, outside, resumed)

    def purge_all(self, uids: Sequence[str]) -> int:
        """Forget these memories for good, of whichever projects, asking no more: how many went."""
        scope = Scope(self._ids(uids))
        found = purging.plan(self._store.connection, scope)
        counts, _ = purging.purge(self._store, scope, found, self._memory.actor, lambda _counts: None)
        worker_client.refresh(self._store.home)
        erasing.finish(self._store)
        return counts.memories

    def _settled(self, counts: Counts, found: Plan, scope: str, named: int, expect: int | None) -> None:
        """Refuse, or have the hub forget it too: noted just before it goes, for afterwards nobody knows what it was."""
        _check(self._shown(counts), scope, named, expect)
        if self._memory.hub.is_connected():
            listed = json.dumps(sorted(found.memories))
            versions = json.dumps(sorted(found.versions))
            rows = self._store.rows(
                "SELECT uid FROM memories WHERE id IN (SELECT value FROM json_each(?1)) OR id IN (SELECT memory_id FROM"
                " versions WHERE id IN (SELECT value FROM json_each(?2)))", (listed, versions),
            )  # fmt: skip
            self._memory.hub.to_purge([row[0] for row in rows])

    def _scope(
        self, ids: Sequence[int | str], session: str, project: str | None, match: str, before: int | None,
        *, or_none: bool,
    ) -> Scope:  # fmt: skip
        """What is named; nothing at all where it is gone already and `or_none` allows that."""
        try:
            known = None if project is None else projects.find(self._store, project)
            return Scope(self._ids(ids), self._session(session), known, match, before)
        except NotFoundError:
            if not or_none:
                raise
            return Scope()

    def _shown(self, counts: Counts) -> Counts:
        """The numbers with the projects' names as they may be shown."""
        shares = [replace(share, project=rules.plain(self._store, share.project)) for share in counts.shares]
        return replace(counts, shares=shares)

    def _ids(self, names: Sequence[int | str]) -> tuple[int, ...]:
        """The ids of what is still there; NotFoundError for what neither is nor was."""
        return tuple(id_ for id_, there in (purging.resolve(self._store, name) for name in names) if there)

    def _session(self, session: str) -> str:
        """The session's own id; NotFoundError where there is none of it."""
        if session and not self._store.rows("SELECT 1 FROM sessions WHERE session = ?", (session,)):
            raise NotFoundError(f"There is no session {session!r}. Nothing was purged.")
        return session

    def scrub(
        self,
        *,
        dry_run: bool = False,
        patience: float | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> scrubbing.Scrubbed:
        """Mask everything stored by today's rules; UnfinishedError where a reader keeps the old bytes."""
        today = rules.today(self._memory.settings.redact)
        report = scrubbing.scrub(self._store, self._memory.redactor, today, dry_run=dry_run, on_progress=on_progress)
        if not dry_run:
            if report.changed:
                self._memory.hub.to_rewrite()
                self._memory.embedding.embed_missing()
                worker_client.refresh(self._store.home)
            erasing.finish(self._store, patience=patience)
        return report

    def pause(self, project: str | None = None, *, for_ms: int | None = None) -> int:
        """Take no events, of any project or of one (a name, uid or folder); until when (ms, FOR_EVER without a time).

        The hooks obey at once; what an agent does meanwhile is counted as dropped and never stored. UsageError for a
        span that ends at once.
        """
        if for_ms is not None and for_ms <= 0:
            raise UsageError(
                "A pause of no length pauses nothing. Nothing was changed; say how long, such as 30m or 2h."
            )
        until = pauses.FOR_EVER if for_ms is None else now_ms() + for_ms
        pauses.put(self._store, until, self._project(project))
        return until

    def resume(self, project: str | None = None) -> bool:
        """Take events again; False where nothing was paused."""
        known = self._project(project)
        was = pauses.own(self._store.connection, known) > now_ms()
        pauses.put(self._store, 0, known)
        return was

    def paused(self) -> list[str]:
        """What is paused now: the projects' names, "" for everything."""
        now, connection = now_ms(), self._store.connection
        return ([""] if pauses.own(connection) > now else []) + list(pauses.named(connection, now))

    def _project(self, name: str | None) -> int | None:
        if name is None:
            return None
        if os.path.isdir(name):
            found = projects.resolve(self._store, os.path.abspath(name))
            if found is None:
                raise RefusedError(f"{name} belongs to no project. Nothing was changed; name a repository or a folder.")
            return found.id
        return projects.find(self._store, name)


def _only_one(ids: Sequence[int | str], session: str, project: str | None, match: str, before: int | None) -> str:
    given = {"ids": bool(ids), "session": bool(session), "project": project is not None, "match": bool(match),
             "before": before is not None}  # fmt: skip
    named = [name for name, there in given.items() if there]
    if not named:
        raise RefusedError(
            "A purge needs to be told what to forget: --id, --session, --project, --match or --before."
            " Nothing was changed."
        )
    if len(named) > 1:
        raise UsageError(f"A purge takes one scope, not {' and '.join(named)}. Nothing was changed.")
    return named[0]


def _check(counts: Counts, scope: str, named: int, expect: int | None) -> None:
    """RefusedError where the number is wrong, or is needed and missing. One memory by its id is number enough."""
    if expect is not None and expect != counts.count:
        raise RefusedError(f"{_would(counts)} You expected {expect:,}. Nothing was changed; look again with --dry-run.")
    single = scope == "ids" and named == 1 and counts.memories <= 1
    most = [share.project for share in counts.shares if share.project and _is_most(share, scope)]
    if expect is None and most and not single:
        raise RefusedError(
            f"{_would(counts)} That is more than half of {', '.join(most)}. Nothing was changed; give the count that"
            " --dry-run says with --expect."
        )


def _is_most(share: purging.Share, scope: str) -> bool:
    memories = share.memories * 2 > share.of_memories
    return memories or (scope != "ids" and share.observations * 2 > share.of_observations)


def _would(counts: Counts) -> str:
    return f"This would purge {counts.words()}: {counts.count:,} in all."
