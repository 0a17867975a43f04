"""The audit: cases listed and settled, the week's report; what a person settles is one group of the journal."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory import places
from tui_memory.clock import now_ms
from tui_memory.engine import settling, worker_client
from tui_memory.engine.receipt import Receipt
from tui_memory.errors import StoreError, TuiMemoryError
from tui_memory.model import EVERYTHING, Filters
from tui_memory.store import audit_cases, erasing, gone, journal, memories, pairs, rules
from tui_memory.upkeep.audit import families, finding, leaks, looking, report
from tui_memory.upkeep.audit.cases import Case, Known, read, there
from tui_memory.upkeep.audit.finding import Looked
from tui_memory.upkeep.audit.report import Report
from tui_memory.upkeep.findings import NAME_KINDS, GoneName

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.store.audit_cases import Row
    from tui_memory.store.pairs import PairRow
    from tui_memory.upkeep.findings import Pair


@dataclass(frozen=True, slots=True)
class Overview:
    """How a week's audit stands: open cases by family (riskiest first), what was settled since `since` (ms)."""

    counts: dict[str, int]
    settled: int
    since: int

    @property
    def open(self) -> int:
        """How many cases are open."""
        return sum(self.counts.values())

    @property
    def minutes(self) -> int:
        """About how long what is open takes."""
        return families.minutes(self.counts)


class Auditing:
    """Works on one open memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._store = memory.store

    # looking

    def look(
        self,
        *,
        seconds: float | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Looked:
        """Bring the cases up to date where something changed; `seconds`: stop then, and go on next time.

        `on_progress`: of the pairs, then of the texts, each from its beginning.
        """
        until = None if seconds is None else time.monotonic() + seconds

        def over() -> bool:
            late = until is not None and time.monotonic() > until
            return late or (cancelled is not None and cancelled())

        self._memory.upkeep.refresh(on_progress=on_progress, cancelled=over)
        left = None if until is None else max(until - time.monotonic(), 0.0)
        return finding.look(
            self._store, self._name, self.rules, seconds=left, on_progress=on_progress, cancelled=cancelled
        )

    @property
    def _name(self) -> str:
        return rules.today(self._memory.settings.redact).name

    @property
    def rules(self) -> looking.Rules | None:
        """What today's rules find, while the store is masked by older ones."""
        return None if rules.reading(self._store) is None else self._kinds

    def _kinds(self, text: str) -> dict[str, int]:
        try:
            return dict(self._memory.redactor.text(text).counts)
        except StoreError:
            raise
        except TuiMemoryError:  # the user's own rules took too long: reading masks the whole of it
            return {}

    def keep_up(self, seconds: float) -> bool:
        """Look for new cases where no worker does, for a moment; whether nothing is left to look through."""
        if not worker_client.status(self._store.home)["running"]:
            return self.look(seconds=seconds).finished
        return not finding.is_behind(self._store)

    # cases

    def cases(
        self, family: str | None = None, filters: Filters = EVERYTHING, *, snoozed: bool = False,
        limit: int | None = None, seconds: float | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> list[Case]:  # fmt: skip
        """The open cases with their evidence, riskiest first, after a look of at most `seconds`.

        `snoozed`: those that sleep instead. NotFoundError for an unknown family.
        """
        name = None if family is None else families.find(family).name
        self.look(seconds=seconds, on_progress=on_progress)
        rows = self.queue(name, filters, snoozed=snoozed, limit=limit)
        return read(self._store, rows, self._known(rows))

    def queue(
        self, family: str | None = None, filters: Filters = EVERYTHING, *, snoozed: bool = False,
        limit: int | None = None,
    ) -> list[Row]:  # fmt: skip
        """The open cases as they were last found, without evidence: quick, whatever the store holds."""
        return audit_cases.listed(
            self._store, filters, family=family, snoozed=snoozed, limit=-1 if limit is None else limit
        )

    def titles(self, rows: Sequence[Row]) -> dict[int, str]:
        """The titles of the cases' first memories as they may be shown, by id; of what is gone there is none."""
        ids = list(dict.fromkeys(row.low for row in rows))
        found = memories.get(self._store, there(self._store, ids), whole=False)
        return {memory.id: leaks.veiled(memory.title) for memory in found}

    def case(self, case: int) -> Case:
        """One case with its evidence, in whatever state. NotFoundError where there is none, or its memory is gone."""
        row = audit_cases.get(self._store, case)
        found = read(self._store, [row], self._known([row]))
        if not found:
            raise settling.changed(row)
        return found[0]

    def overview(self, filters: Filters = EVERYTHING) -> Overview:
        """How this week's audit stands, as last found."""
        counts = audit_cases.counts(self._store, filters)
        ranked = {name: counts[name] for name in families.NAMES if counts.get(name)}
        since = this_week()
        done = audit_cases.settled(self._store, since, filters)
        return Overview(ranked, sum(sum(by.values()) for by in done.values()), since)

    def _known(self, rows: Sequence[Row]) -> Known:
        """What upkeep says of the memories of these cases."""
        wanted = [
            (row.family == "contradiction", row.low, row.high or 0) for row in rows if row.family in families.PAIRS
        ]
        standing = pairs.of(self._store, wanted)
        found = {(pair.low, pair.high): pair for pair in self._explained(standing)}
        names: dict[int, list[GoneName]] = {}
        for row in gone.of(self._store, [row.low for row in rows if row.family == "stale"]):
            one = GoneName(row.name, NAME_KINDS[row.kind], row.renamed_to, row.commit)
            names.setdefault(row.memory, []).append(one)
        return Known(found, names, self.rules)

    def _explained(self, standing: list[PairRow]) -> list[Pair]:
        from tui_memory.upkeep.judging import Judge, Strictness  # the stemmer: only where there are pairs

        settings = self._memory.settings.upkeep
        strictness = Strictness(settings.duplicates, settings.merge_duplicates)
        return Judge(self._store, strictness).explained(standing) if standing else []

    # settling

    def settle(
        self, case: int, action: str, *, until: int | None = None, seen: int | None = None, yes: bool = False
    ) -> Receipt:
        """Settle a case: `accept` (what is proposed), `reject` (keep all), `snooze` (`until`, ms), or an action's name.

        `seen`: the digest of the case as it was shown. ConflictError where its memories have changed since,
        RefusedError where it was settled before, or for `purge` without `yes`; then nothing was changed. `mask` reaches
        every place that holds the value, for good: UnfinishedError where a reader keeps the old bytes.
        """
        done = settling.settle(self._memory, case, action, until=until, seen=seen, yes=yes)
        self._after(done)
        return done

    def settle_family(self, family: str, action: str | None = None, filters: Filters = EVERYTHING) -> Receipt:
        """Settle every open case of a family in one group, as proposed where no action is named.

        A case that an earlier one of the same family has settled with it (a third copy) is left for the next look.
        """
        done = settling.settle_family(self._memory, families.find(family), action, filters)
        self._after(done)
        return done

    def _after(self, done: Receipt) -> None:
        if done.action in ("audit merge", "audit mask", "audit shorten", "audit rename"):
            self._memory.embedding.embed_missing()
        if done.action == journal.MASK:
            worker_client.refresh(self._store.home)
            erasing.finish(self._store)

    def settled_by(self, group: int) -> list[int]:
        """The cases that a group of the journal settled: what an undo of it has opened again."""
        return audit_cases.group_cases(self._store, group)

    # report

    def report(self, since: int | None = None) -> Report:
        """What happened from `since` on (ms; None: from this week's beginning)."""
        return report.make(self._store, this_week() if since is None else since)

    def save_report(self, since: int | None = None) -> Path:
        """Write the report as Markdown into the store's folder `reports`, for its owner alone: where it is.

        StoreError where it cannot be written. A purge removes what was saved: a title may be in it.
        """
        made = self.report(since)
        place = places.reports_dir(self._memory.home) / f"audit-{datetime.fromtimestamp(made.until / 1000):%Y-%m-%d}.md"
        try:
            settling.write_whole(place, made.markdown())
        except OSError as error:
            raise StoreError(
                f"The report cannot be written to {place}: {os.strerror(error.errno or 0)}. The cases stay settled;"
                " `tui-memory audit report` prints it."
            ) from error
        return place


def this_week() -> int:
    """When this week began: Monday, midnight, local time (ms)."""
    now = datetime.fromtimestamp(now_ms() / 1000)
    monday = (now - timedelta(days=now.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    return int(monday.timestamp() * 1000)
