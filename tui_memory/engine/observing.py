"""What a person who watches a store asks of it: how the sample goes, what an event became, how healthy all of it is.

Reads only, but for `drain` and `retry`. Every method may take a while: for threads, never for a key's handler.
"""

from __future__ import annotations

import os
import socket
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory import places
from tui_memory.clock import now_ms
from tui_memory.engine import agents, demo, error_log, reaching, worker_client
from tui_memory.engine.status import Status
from tui_memory.errors import ModelError, StoreError
from tui_memory.model import Filters, Memory, Observation
from tui_memory.store import memories, observations, pauses, rules, ui_state, uses
from tui_memory.store.filters import marks

if TYPE_CHECKING:
    from tui_memory.compress.on_hand import Model
    from tui_memory.compress.pulling import Pulled
    from tui_memory.engine import memory as engine
    from tui_memory.engine.agents import Check, Installed
    from tui_memory.engine.reaching import Reach
    from tui_memory.store.uses import Week

RECENT = 1_000
"""Deliveries of an agent that its latency and failures are taken from."""
FAILURES = 20
WEEKS = 8
"""Weeks that tokens are counted for."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What an agent's hook has delivered; durations in ms of its last deliveries."""

    agent: str
    events: int
    last: int
    p50: float
    p95: float
    errors: int
    """Of the last deliveries, those that could not be read."""
    recent: int
    unstored: int = 0
    """Of the last day's events, those that no hook could store, by the hooks' own log."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A turn that could not be compressed, or waits for another try."""

    agent: str
    session: str
    turn: int
    attempts: int
    error: str
    state: str


@dataclass(frozen=True, slots=True)
class Door:
    """A file or socket through which somebody could get in: its permissions, and whether they are ours alone."""

    what: str
    path: str
    mode: int
    private: bool


@dataclass(frozen=True, slots=True)
class Inventory:
    """Sizes in bytes and counts of rows; slower than the rest on a large store."""

    bytes: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    weeks: tuple[Week, ...] = ()
    """What agents were given, by week, oldest first; weeks without anything are left out."""


@dataclass(frozen=True, slots=True)
class Models:
    """Ollama's models: those that the settings name, and those that it has; `trouble`: why nothing is known of it."""

    wanted: tuple[str, ...] = ()
    here: tuple[Model, ...] = ()
    trouble: str = ""

    def find(self, name: str) -> Model | None:
        """The model of a name as a setting gives it, where Ollama has it: without a tag it is the latest."""
        full = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
        return next((one for one in self.here if one.name in (name, full)), None)

    @property
    def others(self) -> list[Model]:
        """What Ollama has beside those that the settings name."""
        named = {self.find(name) for name in self.wanted}
        return [one for one in self.here if one not in named]


@dataclass(frozen=True, slots=True)
class Health:
    """One look at everything."""

    checks: tuple[dict[str, Any], ...]
    stats: dict[str, Any]
    worker: dict[str, Any]
    heard: tuple[Heard, ...] = ()
    failures: tuple[Failure, ...] = ()
    doors: tuple[Door, ...] = ()
    log: tuple[str, ...] = ()
    """The newest lines that say something went wrong, newest first: ids and counts only."""
    paused: tuple[str, ...] = ()
    """Projects that are paused; "" for everything."""
    beyond: tuple[Reach, ...] = ()
    """Back-up, sync and hub, begun or not."""


class _Quick(Status):
    """The checks without the one that reads every page of the store."""

    def _store_check(self) -> Check:
        return "store", True, "the store opens and answers; its pages were not read through now", ""


class Observing:
    """One method a question."""

    def __init__(self, memory: engine.Memory) -> None:
        self._memory = memory

    def demo(self) -> demo.Watched | None:
        """How the sample goes; None where this store is no demonstration."""
        return demo.watch(self._memory.store)

    def became(self, observation: int) -> list[Memory]:
        """The memories that have an observation among their sources, without text and facts."""
        store = self._memory.store
        rows = store.rows(
            "SELECT s.memory_id FROM memory_sources s JOIN memories m ON m.id = s.memory_id"
            " WHERE s.observation_id = ? AND m.state <> 'undone' ORDER BY 1",
            (observation,),
        )
        return memories.get(store, [row[0] for row in rows], whole=False)

    def arrived(self, after: int, filters: Filters, limit: int) -> list[Observation]:
        """Observations above an id that match, oldest first: the newest `limit` of them."""
        newest = observations.page(self._memory.store, filters, limit=limit)
        return [row for row in reversed(newest) if row.id > after]

    def settled(self, ids: Sequence[int]) -> dict[int, tuple[str, str, str | None]]:
        """State, reason and project of observations, by id: far cheaper than reading them whole."""
        rows = self._memory.store.rows(
            "SELECT o.id, o.state, o.reason, p.name FROM observations o LEFT JOIN projects p ON p.id = o.project_id"
            f" WHERE o.id IN ({marks(ids)})",
            tuple(ids),
        )
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def health(self, installed: Sequence[Installed] = ()) -> Health:
        """Every check but the slow one, with the numbers behind them."""
        memory = self._memory
        found = _Quick(memory.store, memory.settings).doctor(None, installed)
        return Health(
            checks=tuple(found["checks"]),
            stats=memory.stats(),
            worker=memory.worker_status(),
            heard=tuple(self._heard()),
            failures=tuple(self._failures()),
            doors=tuple(self._doors()),
            log=tuple(error_log.newest(memory.home)),
            paused=tuple(self._paused()),
            beyond=tuple(reaching.every(memory.store)),
        )

    def inventory(self) -> Inventory:
        """How large the store's parts are, and how many rows they have."""
        home, store = self._memory.home, self._memory.store
        base = places.database(home)
        parts = {
            "database": [base],
            "write-ahead log": [Path(f"{base}-wal"), Path(f"{base}-shm")],
            "vector snapshot": _files(places.vectors_dir(home)),
            "back-ups": _files(home / "backups"),
            "logs": _files(places.log_dir(home)),
        }
        since = now_ms() - WEEKS * 7 * uses.DAY_MS
        tables = ("observations", "sessions", "memories", "versions", "chunks", "vectors", "journal", "projects")
        return Inventory(
            {name: sum(map(_size, paths)) for name, paths in parts.items()},
            {name: int(store.rows(f"SELECT COUNT(*) FROM {name}")[0][0]) for name in tables},
            tuple(uses.weeks(store, since)),
        )

    def models(self) -> Models:
        """What Ollama has; asked only where a setting names a model of it, and only where `remote` allows its host."""
        from tui_memory.compress import on_hand

        settings = self._memory.settings
        named = (*settings.compress.routes, settings.embed.model)
        wanted = tuple(dict.fromkeys(name.removeprefix("ollama:") for name in named if name.startswith("ollama:")))
        if not wanted:
            return Models()
        try:
            return Models(wanted, tuple(on_hand.models(settings.remote.allowed_hosts)))
        except ModelError as error:
            return Models(wanted, trouble=error.message)

    def pull(self, name: str, on_progress: Callable[[Pulled], None] | None = None) -> None:
        """Have Ollama fetch a model, as `engine.compressing.pull_model` does."""
        from tui_memory.engine.compressing import pull_model

        pull_model(name, on_progress, settings=self._memory.settings)

    def integrity(self) -> str:
        """Read every page of the store: "ok", or what is damaged. Seconds on a large store."""
        return str(self._memory.store.rows("PRAGMA integrity_check(1)")[0][0])

    def drain(self) -> int:
        """Have the worker, started where none runs, empty the queue: how many turns are left."""
        self._memory.start_worker()
        return int(worker_client.drain(self._memory.home).get("queue", 0))

    def retry(self) -> int:
        """Put the turns that failed back into the queue: how many."""
        with self._memory.store.transaction() as connection:
            return connection.execute(
                "UPDATE queue SET state = 'waiting', attempts = 0, not_before = 0 WHERE state = 'failed'"
            ).rowcount

    def remember(self, kept: ui_state.Kept) -> ui_state.Kept:
        """Keep what the application remembers of itself, masked by today's rules; what stands there now. StoreError."""
        memory = self._memory
        texts = ui_state.masked(kept.texts, lambda text: memory.redactor.text(text).text)
        try:
            return ui_state.write(memory.home, ui_state.Kept(kept.plain, texts, kept.purged))
        except OSError as error:
            raise StoreError(f"The application's own state was not saved: {error.strerror}.") from error

    def _heard(self) -> list[Heard]:
        live = f"delivery NOT LIKE 'import:%' AND agent IN ({agents.KNOWN})"
        store = self._memory.store
        lost = Counter(agent for _, agent in agents.refused(self._memory.home))
        found = []
        for row in store.rows(f"SELECT agent, COUNT(*), MAX(time) FROM deliveries WHERE {live} GROUP BY 1 ORDER BY 1"):
            recent = store.rows(
                f"SELECT took_us, outcome FROM deliveries WHERE agent = ? AND {live} ORDER BY time DESC LIMIT ?",
                (row[0], RECENT),
            )
            took = sorted(one[0] / 1000 for one in recent)
            errors = sum(one[1] == "error" for one in recent)
            half, most = _share(took, 0.5), _share(took, 0.95)
            found.append(Heard(row[0], row[1], row[2], half, most, errors, len(took), lost[row[0]]))
        return found

    def _failures(self) -> list[Failure]:
        store = self._memory.store
        rows = store.rows(
            "SELECT s.agent, s.session, q.turn, q.attempts, q.last_error, q.state FROM queue q"
            " JOIN sessions s ON s.id = q.session_id WHERE q.state = 'failed' OR (q.state = 'waiting'"
            " AND q.last_error <> '') ORDER BY q.state, q.id DESC LIMIT ?",
            (FAILURES,),
        )
        mask = rules.reading(store) or str
        return [Failure(row[0], mask(row[1]), row[2], row[3], mask(row[4]), row[5]) for row in rows]

    def _doors(self) -> list[Door]:
        home = self._memory.home
        hook = worker_client.socket_path(home)
        rest = hook.with_name("rest.sock" if hook.name == "hook.sock" else f"{hook.stem}-rest.sock")
        named = [
            ("the store's folder", home),
            ("the database", places.database(home)),
            ("the key of placeholders", places.key_file(home)),
            ("logs", places.log_dir(home)),
            ("hooks' socket", hook),
            ("REST socket", rest),
        ]
        return [door for what, path in named if (door := _door(what, path)) is not None]

    def _paused(self) -> list[str]:
        connection, now = self._memory.store.connection, now_ms()
        everything = [""] if pauses.own(connection) > now else []
        return everything + list(pauses.named(connection, now))


def _door(what: str, path: Path) -> Door | None:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return None
    if what.endswith("socket") and not (stat.S_ISSOCK(mode) and _listens(path)):
        return None
    return Door(what, os.fspath(path), stat.S_IMODE(mode), not stat.S_IMODE(mode) & 0o077)


def _listens(path: Path) -> bool:
    """Whether somebody answers at a socket; a file that a killed worker left is no door. Nothing is sent."""
    if path.name.endswith("rest.sock"):
        return True  # a knock would start the web server
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
        channel.settimeout(0.5)
        return channel.connect_ex(os.fspath(path)) == 0


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _share(values: list[float], share: float) -> float:
    """The value that this share of sorted values does not exceed; 0 of none."""
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0
