"""How good the search is, and how it gets better: judgments, profiles, evaluation, tuning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory.errors import RefusedError, UsageError
from tui_memory.model import EVERYTHING, Filters
from tui_memory.retrieve import judgments, metrics, profiles, tuning
from tui_memory.retrieve.judgments import Judged
from tui_memory.retrieve.profile import Profile
from tui_memory.store import memories, projects
from tui_memory.store.text import storable

if TYPE_CHECKING:
    from tui_memory.engine.qrels import Carried
    from tui_memory.engine.services import Services
    from tui_memory.retrieve.profiles import Named
    from tui_memory.retrieve.tuning import Progress, Question, Table, Tuned


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Profiles over the same queries; `tables`: a row of metrics for each query."""

    judged: list[Judged]
    tables: dict[str, Table]
    found: dict[str, list[list[int]]]
    """What each profile found for each query, best first."""
    left_out: int
    """Queries that no memory which could be found answers."""
    degraded: list[str]

    def public(self) -> dict[str, Any]:
        """The contract's JSON shape, and the numbers of each query."""
        return {
            "queries": len(self.judged), "left_out": self.left_out, "degraded": self.degraded,
            "profiles": {name: self._profile(name) for name in self.tables},
        }  # fmt: skip

    def _profile(self, name: str) -> dict[str, Any]:
        table = self.tables[name]
        each = [
            {"query": one.query}
            | dict(zip(metrics.METRICS, (round(float(value), 4) for value in row), strict=True))
            | {"interval": metrics.interval(found, one.relevant)}
            for one, row, found in zip(self.judged, table, self.found[name], strict=True)
        ]
        return metrics.means(table) | {"interval": metrics.intervals(table), "by_query": each}


@dataclass(frozen=True, slots=True)
class Tuning:
    """What `tune` came to."""

    base: Profile
    tuned: Tuned
    left_out: int
    degraded: list[str]
    saved: str | None

    @property
    def regressed(self) -> list[str]:
        """The metrics that got worse on the half that was not learned from."""
        return tuning.regressed(self.tuned)

    @property
    def better(self) -> bool:
        """Whether it may be kept: finished, other weights than before, and nothing worse on the other half."""
        return not self.tuned.cancelled and self.tuned.profile != self.base and not self.regressed

    @property
    def changed(self) -> dict[str, tuple[float, float]]:
        """The weights that differ: before and after."""
        before, after = self.base.as_dict(), self.tuned.profile.as_dict()
        return {name: (before[name], after[name]) for name in tuning.TUNED if before[name] != after[name]}

    def public(self) -> dict[str, Any]:
        """The JSON shape; metrics and intervals are those of the half that was not learned from."""
        before, after = self.tuned.before, self.tuned.after
        return {
            "queries": {"learned_on": self.tuned.learned_on, "reported_on": len(after)}, "left_out": self.left_out,
            "degraded": self.degraded, "tried": self.tuned.tried, "cancelled": self.tuned.cancelled,
            "changed": {name: list(pair) for name, pair in self.changed.items()},
            "before": metrics.means(before) | {"interval": metrics.intervals(before)},
            "after": metrics.means(after) | {"interval": metrics.intervals(after)},
            "difference": metrics.means(after - before) | {"interval": metrics.intervals(after - before)},
            "regressed": self.regressed, "saved": self.saved,
        }  # fmt: skip


class Evaluating:
    """What is judged and measured; nothing here changes a memory."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store, self._settings = services.store, services.settings.retrieve
        self._finding = services.finding

    def judge(self, query: str, memory: int | str, *, relevant: bool, project: str | None = None) -> Judged:
        """Remember whether a memory answers a query asked in a project (name, uid or path; None: everywhere).

        A later judgment of the same pair takes its place. NotFoundError where there is no such memory or project.
        """
        if not query.strip():
            raise UsageError("The query is empty. Nothing was judged.")
        id_ = memories.resolve(self._store, memory)
        place = projects.named(self._store, project) if project is not None else None
        text = self._masked(query.strip())
        judgments.put(self._store, text, id_, relevant, place.id if place else None)
        return Judged(text, frozenset([id_] if relevant else []), place.uid if place else None)

    def take_back(self, query: str, memory: int | str) -> bool:
        """Take a judgment back; whether there was one. NotFoundError where there is no such memory."""
        return judgments.take_back(self._store, self._masked(query.strip()), memories.resolve(self._store, memory))

    def judged(self, query: str) -> dict[int, bool]:
        """What was said about a query: memory → whether it answers it."""
        return judgments.of_query(self._store, self._masked(query.strip()))

    def export_judgments(self, path: Path, *, yes: bool = False) -> Carried:
        """Write every judgment as TREC qrels, and what its query ids mean beside it. RefusedError, NotFoundError."""
        from tui_memory.engine import qrels

        return qrels.write(self._services, path, yes=yes)

    def import_judgments(self, path: Path, queries: Path | None = None) -> Carried:
        """Read judgments from TREC qrels. `queries`: what the ids mean; None: the file beside it. UsageError."""
        from tui_memory.engine import qrels

        return qrels.read(self._services, path, queries)

    def profiles(self) -> list[Named]:
        """Every profile there is."""
        return profiles.every(self._store, self._settings)

    def profile(self, name: str | None = None) -> Named:
        """A profile by name; None: the one in use. NotFoundError."""
        return profiles.one(self._store, self._settings, name and self._masked(name))

    def save_profile(self, name: str, values: Mapping[str, Any], *, base: str | None = None) -> Named:
        """Keep a profile: another one's settings (None: those in use) with these changed. ConfigError, RefusedError."""
        profile = Profile.from_dict(self.profile(base).values | dict(values))
        return profiles.save(self._store, self._settings, self._masked(name), profile)

    def delete_profile(self, name: str) -> None:
        """Forget a saved profile. NotFoundError, RefusedError."""
        profiles.delete(self._store, self._settings, self._masked(name))

    def _masked(self, text: str) -> str:
        return storable(self._services.redactor.text(text).text)

    def evaluate(
        self, queries: Path | None = None, names: Sequence[str] = (), *,
        unsaved: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Evaluation:  # fmt: skip
        """Measure profiles (none named: the one in use) by a file of queries, else by what was judged.

        `unsaved`: whole profiles that are not kept anywhere, by the names they are reported under. UsageError where
        nothing is judged.
        """
        named = map(self.profile, names or (() if unsaved else (None,)))
        chosen = {one.name: one.values for one in named} | dict(unsaved or {})
        judged, left_out = self._judged(queries, least=1)
        tables: dict[str, Table] = {}
        every: dict[str, list[list[int]]] = {}
        degraded: set[str] = set()
        for name, values in chosen.items():
            profile = Profile.from_dict(values)
            questions = [self._question(one, profile) for one in judged]
            degraded.update(word for one in questions for word in one.found.degraded)
            every[name] = tuning.placed(self._finding.searcher(), questions, profile, None)
            tables[name] = tuning.measured(judged, every[name])
        return Evaluation(judged, tables, every, left_out, sorted(degraded))

    def tune(
        self,
        queries: Path | None = None,
        *,
        save: str | None = None,
        base: str | None = None,
        unsaved: Mapping[str, Any] | None = None,
        seed: int = tuning.SEED,
        on_progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Tuning:
        """Search better weights on half of the judged queries and measure them on the other half.

        `save`: keep them under this name, unless nothing was gained, something regressed, or it was cancelled.
        `unsaved`: start from this whole profile, not from one that has a name.
        """
        start = Profile.from_dict(self.profile(base).values if unsaved is None else unsaved)
        judged, left_out = self._judged(queries, least=tuning.LEAST)
        questions = [self._question(one, start) for one in judged]
        now = int(self._store.rows("SELECT coalesce(max(created), 0) FROM memories")[0][0])  # not the clock: repeatable
        tuned = tuning.tune(
            self._finding.searcher(), questions, start, now=now, seed=seed, on_progress=on_progress, cancelled=cancelled
        )
        degraded = sorted({word for one in questions for word in one.found.degraded})
        done = Tuning(start, tuned, left_out, degraded, None)
        return replace(done, saved=self.keep(done, save).name) if save and done.better else done

    def keep(self, done: Tuning, name: str) -> Named:
        """Keep what was tuned under a name. RefusedError where it was stopped, gained nothing, or got worse."""
        if not done.better:
            raise refusal(done, name)
        return profiles.save(self._store, self._settings, self._masked(name), done.tuned.profile)

    def _judged(self, queries: Path | None, *, least: int) -> tuple[list[Judged], int]:
        if queries is None:
            judged, left_out = judgments.stored(self._store)
        else:
            judged, left_out = judgments.read(self._store, queries, self._labels)
        if len(judged) < least:
            beside = f", and {left_out} that no memory answers" if left_out else ""
            raise judgments.TooFewJudgedError(
                f"This needs {least} judged {'query' if least == 1 else 'queries'}; there are {len(judged)}{beside}.",
                '`tui-memory judge "QUERY" ID --relevant` adds one, or --queries names a file of them.',
            )
        return judged, left_out

    def _question(self, judged: Judged, profile: Profile) -> Question:
        filters = Filters(project=judged.project) if judged.project else EVERYTHING
        return tuning.Question(judged, self._finding.searcher().gather(judged.query, filters=filters, profile=profile))

    def _labels(self, queries: Path) -> dict[str, int]:
        """What the labels of the events beside a file of queries became: label → observation id."""
        from tui_memory.engine import sample

        if not (queries.parent / "sessions").is_dir():
            return {}
        known = {(row[0], row[1]): int(row[2]) for row in self._store.rows("SELECT agent, time, id FROM observations")}
        events = [(event.id, (event.agent, event.time)) for event in sample.events(queries.parent)]
        return {label: known[seen] for label, seen in events if seen in known}


def refusal(done: Tuning, name: str) -> RefusedError:
    """Why what was tuned is not saved."""
    if done.tuned.cancelled:
        why = "it was stopped before its end"
    elif done.regressed:
        why = f"on the queries it did not learn from it is worse in {', '.join(done.regressed)}"
    else:
        why = "no better weights were found"
    return RefusedError(f"The profile {name!r} was not saved: {why}. Nothing was changed; more judgments may help.")
