"""The counters as Prometheus reads them (text format 0.0.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "tui_memory_"

Values = Mapping[str, int | float]


def text(stats: Mapping[str, Any], worker: Mapping[str, Any]) -> str:
    """Every metric with its help and type."""
    return "".join(line + "\n" for line in _lines(stats, worker))


def _lines(stats: Mapping[str, Any], worker: Mapping[str, Any]) -> Iterator[str]:
    counter, gauge = "counter", "gauge"
    yield from _one("captured_events_total", counter, "Events that agents sent.", stats["captured"])
    yield from _one("stored_events_total", counter, "Events that became observations.", stats["stored"])
    yield from _many("dropped_events_total", counter, "Events that were dropped.", "reason", stats["dropped"])
    yield from _many("redactions_total", counter, "Values masked before they were stored.", "kind", stats["redactions"])
    yield from _many(
        "tokens_total", counter, "Tokens shown to agents, fetched, and in the sources.", "what", stats["tokens"]
    )
    observations = {name: stats[name] for name in ("compressed", "skipped", "failed")}
    yield from _many("observations", gauge, "Observations by state.", "state", observations)
    yield from _many("memories", gauge, "Memories by state.", "state", stats["memories_by_state"])
    yield from _many("queue_turns", gauge, "Turns in the queue by state.", "state", stats["queue"])
    yield from _one("sessions", gauge, "Sessions of agents.", stats["sessions"])
    yield from _one("projects", gauge, "Projects.", stats["projects"])
    yield from _one("store_bytes", gauge, "Size of the store's files in bytes.", stats["bytes"])
    yield from _one("worker_up", gauge, "1 where a worker runs.", int(bool(worker["running"])))
    yield from _one("worker_idle_seconds", gauge, "Seconds since the worker last had work.", worker["idle_s"] or 0)
    model = int(bool(worker["model"]))
    yield from _one("worker_model_loaded", gauge, "1 where the embedding model is loaded.", model)


def _one(name: str, kind: str, about: str, value: int | float) -> Iterator[str]:
    yield from _head(name, kind, about)
    yield f"{_PREFIX}{name} {value}"


def _many(name: str, kind: str, about: str, label: str, values: Values) -> Iterator[str]:
    yield from _head(name, kind, about)
    for key in sorted(values):
        yield f'{_PREFIX}{name}{{{label}="{_escaped(key)}"}} {values[key]}'


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {_PREFIX}{name} {about}"
    yield f"# TYPE {_PREFIX}{name} {kind}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
