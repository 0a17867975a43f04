"""A store's numbers as Prometheus reads them (text format 0.0.4): names end in their unit, totals in `_total`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from tui_memory import __version__
from tui_memory.engine.measuring import Measures
from tui_memory.store import timings
from tui_memory.store.timings import Durations

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "tui_memory_"

Values = Mapping[str, int | float]


def text(found: Measures) -> bytes:
    """Every metric with its help and type."""
    registry = CollectorRegistry(auto_describe=False)  # one an answer: the numbers are the store's, not this process's
    registry.register(_Once(_metrics(found)))
    return generate_latest(registry)


class _Once(Collector):
    """Metrics that are there already."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        """They."""
        return self._metrics


def _metrics(found: Measures) -> Iterator[Metric]:
    yield from _events(found)
    yield from _work(found)
    yield from _sizes(found)
    yield from _state(found)
    yield from _backup(found)
    yield from _hub(found)
    yield from _sync(found)


def _events(found: Measures) -> Iterator[Metric]:
    stats = found.stats
    yield _total("captured_events", "Events that agents sent.", stats["captured"])
    yield _total("stored_events", "Events that became observations.", stats["stored"])
    yield _totals("dropped_events", "Events that were dropped, by why.", "reason", stats["dropped"])
    yield _totals("redactions", "Values masked before they were stored.", "kind", stats["redactions"])
    yield _gauge("refused_events", "Events of the last day that no hook could store.", found.refused)
    spoke = {agent: time / 1000 for agent, time in found.last_events.items()}
    yield _gauges("last_event_timestamp_seconds", "When an agent's hook last delivered an event.", "agent", spoke)
    about = "Time from an event's arrival to its being committed."
    yield _histogram("hook_seconds", about, "agent", found.durations[timings.HOOK], timings.HOOK)


def _work(found: Measures) -> Iterator[Metric]:
    stats = found.stats
    yield _gauges("queue_turns", "Turns in the queue by state.", "state", _with(stats["queue"], "waiting", "failed"))
    since = found.oldest_waiting
    waits = 0 if since is None else max(0, found.now - since) / 1000
    yield _gauge("queue_oldest_seconds", "How long the oldest turn waits that could be compressed; 0: none.", waits)
    observations = {name: stats[name] for name in ("compressed", "skipped", "failed")}
    yield _gauges("observations", "Observations by state.", "state", observations)
    about = "Time that compressing a turn took."
    yield _histogram("compress_seconds", about, "route", found.durations[timings.COMPRESS], timings.COMPRESS)
    about = "Time that searches for agents and programs took."
    yield _histogram("search_seconds", about, "", found.durations[timings.SEARCH], timings.SEARCH)
    about = "Tokens shown to agents, fetched by them, and in the sources of those; what is purged or old leaves it."
    yield _gauges("disclosed_tokens", about, "what", stats["tokens"])


def _sizes(found: Measures) -> Iterator[Metric]:
    stats = found.stats
    yield _gauges("memories", "Memories by state.", "state", stats["memories_by_state"])
    yield _gauge("memories_limit", "Memories that upkeep keeps to.", found.limits[0])
    yield _gauge("sessions", "Sessions of agents.", stats["sessions"])
    yield _gauge("projects", "Projects.", stats["projects"])
    yield _gauges("store_bytes", "Sizes of the store's files.", "part", found.sizes)
    yield _gauge("store_limit_bytes", "Size that upkeep keeps to.", found.limits[1])
    yield _gauge("disk_free_bytes", "Room left on the store's file system.", found.disk[0])
    yield _gauge("disk_size_bytes", "Size of the store's file system.", found.disk[1])


def _state(found: Measures) -> Iterator[Metric]:
    worker = found.worker
    build = GaugeMetricFamily(f"{_PREFIX}build_info", "Which version answers.", labels=["version"])
    build.add_metric([__version__], 1)
    yield build
    yield _gauge("worker_up", "1 where a worker runs.", int(bool(worker["running"])))
    yield _gauge("worker_idle_seconds", "Seconds since the worker last had work.", worker["idle_s"] or 0)
    yield _gauge("worker_model_loaded", "1 where the embedding model is loaded.", int(bool(worker["model"])))
    checks = {name: int(ok) for name, ok in found.checks.items()}
    yield _gauges("check_ok", "1 where a check of doctor's is well.", "check", checks)


def _backup(found: Measures) -> Iterator[Metric]:
    """What was never made is not there: nobody is to be woken for back-ups that are not wanted."""
    for name, about, key in (
        ("backup_last_success_timestamp_seconds", "When the last back-up was made, as it was then.", "done"),
        ("backup_last_failure_timestamp_seconds", "When a back-up last could not be made.", "failed"),
    ):
        if key in found.backup:
            yield _gauge(name, about, found.backup[key] / 1000)
    if "bytes" in found.backup:
        yield _gauge("backup_last_bytes", "Size of the last back-up where it lies.", found.backup["bytes"])


def _hub(found: Measures) -> Iterator[Metric]:
    for name, about, key in (
        ("hub_last_push_timestamp_seconds", "When what is shared last went to the team's hub.", "pushed"),
        ("hub_last_pull_timestamp_seconds", "When what others share last came from the team's hub.", "pulled"),
        ("hub_last_failure_timestamp_seconds", "When the team's hub last could not be used.", "failed"),
    ):
        if key in found.hub:
            yield _gauge(name, about, found.hub[key] / 1000)


def _sync(found: Measures) -> Iterator[Metric]:
    for name, about, key in (
        ("sync_last_success_timestamp_seconds", "When the last sync with other devices came to its end.", "done"),
        ("sync_last_failure_timestamp_seconds", "When a sync last did not.", "failed"),
    ):
        if key in found.sync:
            yield _gauge(name, about, found.sync[key] / 1000)


def _gauge(name: str, about: str, value: int | float) -> Metric:
    return GaugeMetricFamily(_PREFIX + name, about, value=value)


def _gauges(name: str, about: str, label: str, values: Values) -> Metric:
    family = GaugeMetricFamily(_PREFIX + name, about, labels=[label])
    for key in sorted(values):
        family.add_metric([key], values[key])
    return family


def _total(name: str, about: str, value: int | float) -> Metric:
    return CounterMetricFamily(_PREFIX + name, about, value=value)


def _totals(name: str, about: str, label: str, values: Values) -> Metric:
    family = CounterMetricFamily(_PREFIX + name, about, labels=[label])
    for key in sorted(values):
        family.add_metric([key], values[key])
    return family


def _histogram(name: str, about: str, label: str, by: Mapping[str, Durations], what: str) -> Metric:
    family = HistogramMetricFamily(_PREFIX + name, about, labels=[label] if label else [])
    for of in sorted(by) if label else [""]:
        durations = by.get(of, Durations())
        bounds = sorted({*timings.BOUNDS[what], *durations.counts, math.inf})
        total, buckets = 0, []
        for bound in bounds:
            total += durations.counts.get(bound, 0)
            buckets.append(("+Inf" if bound == math.inf else str(bound), float(total)))
        family.add_metric([of] if label else [], buckets, durations.seconds)
    return family


def _with(values: Values, *names: str) -> Values:
    """With a 0 for what is not there: a rule asks for it before it ever happened."""
    return {name: 0 for name in names} | dict(values)
