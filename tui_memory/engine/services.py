"""The services behind `Memory`, each made on first use, so that a command pays only for what it asks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast

from tui_memory import config, places
from tui_memory.errors import ConfigError

if TYPE_CHECKING:
    from tui_memory.engine.auditing import Auditing
    from tui_memory.engine.backing_up import BackingUp
    from tui_memory.engine.capturing import Capturing
    from tui_memory.engine.compressing import Compressing
    from tui_memory.engine.editing import Editing
    from tui_memory.engine.embedding import Embedding
    from tui_memory.engine.exporting import Exporting
    from tui_memory.engine.finding import Finding
    from tui_memory.engine.forgetting import Forgetting
    from tui_memory.engine.hub import Hub
    from tui_memory.engine.importing import Importing
    from tui_memory.engine.measuring import Measuring
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.merging import Merging
    from tui_memory.engine.observing import Observing
    from tui_memory.engine.projects import Projects
    from tui_memory.engine.rebuilding import Rebuilding
    from tui_memory.engine.status import Status
    from tui_memory.engine.syncing import Syncing
    from tui_memory.engine.trying import Trying
    from tui_memory.engine.upkeeping import Upkeeping
    from tui_memory.redact import Redactor
    from tui_memory.redact.custom import Guarded
    from tui_memory.store.db import Store
    from tui_memory.store.guard import Own

EmbeddingMode = Literal["auto", "worker", "none"]
Service = TypeVar("Service")


class Services:
    """An open store and what works on it. Threads share it: a service is made once, whoever asks first.

    `home`: the store's directory; None: TUI_MEMORY_HOME, else the platform's. `actor`: who the journal names
    (`person`, `agent:NAME`, `worker`, `upkeep`). `embedding`: where vectors come from: `auto` asks a running
    worker and otherwise loads the model here; `worker` never loads it here (the application); `none` works
    with words alone.
    """

    def __init__(
        self,
        home: str | os.PathLike[str] | None = None,
        *,
        actor: str = "person",
        embedding: EmbeddingMode = "auto",
        settings: config.Settings | None = None,
    ) -> None:
        self.home: Path = places.home(home)
        self.actor = actor
        self._embedding_mode: EmbeddingMode = embedding
        self._given_settings = settings
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection; the object can be used again and opens anew."""
        with self._lock:
            left = [self._made.get(name) for name in ("store", "redactor")]
            self._made.clear()
        for one in left:
            if one is not None and hasattr(one, "close"):
                one.close()

    def _once(self, name: str, make: Callable[[], Service]) -> Service:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            made: Service = self._made[name]
            return made

    @property
    def settings(self) -> config.Settings:
        """The settings of this run: given, or the file's."""
        return self._once("settings", lambda: self._given_settings or config.load())

    def settle_for_defaults(self) -> None:
        """Go on without the settings' file where it cannot be read."""
        try:
            _ = self.settings
        except ConfigError:
            self._given_settings = config.UNREADABLE

    @property
    def store(self) -> Store:
        """The open store; compiles the settings the hook's fallback reads."""
        return self._once("store", self._open)

    def _open(self) -> Store:
        from tui_memory.store import rules
        from tui_memory.store.db import Store

        store = Store(self.home)
        if self.settings is not config.UNREADABLE:
            config.compile_settings(self.settings, self.home, places.config_file())
        rules.watch(store, self.settings.redact, lambda: self.redactor)
        return store

    @property
    def redactor(self) -> Redactor | Guarded:
        """What masks: the built-in rules, or a child process with the user's own."""
        return self._once("redactor", self._masking)

    def _masking(self) -> Redactor | Guarded:
        from tui_memory.redact import Redactor, custom
        from tui_memory.store.connection import store_key

        settings, key = self.settings.redact, store_key(self.home)
        if own := custom.of_settings(settings):
            return custom.Guarded(own, key, kinds_off=settings.kinds_off, identity=self._own_addresses)
        return Redactor(key, kinds_off=settings.kinds_off, identity=self._own_addresses)

    def _own_addresses(self) -> tuple[str, ...]:
        """The person's own e-mail addresses, here and in the projects' folders: never masked."""
        from tui_memory.capture import git_identity
        from tui_memory.store import projects

        return git_identity.addresses_of([os.getcwd(), *projects.recent_folders(self.store)])

    @property
    def own_rules(self) -> Own | None:
        """What ingest masks events with where the user has rules of their own."""
        from tui_memory.redact.custom import Guarded

        return self.redactor.knowing if isinstance(self.redactor, Guarded) else None

    @property
    def capturing(self) -> Capturing:
        """Events in."""
        from tui_memory.engine.capturing import Capturing

        return self._once("capturing", lambda: Capturing(self.store, self.settings, self.own_rules))

    @property
    def editing(self) -> Editing:
        """Changes by whoever `actor` is."""
        from tui_memory.engine.editing import Editing

        return self._once("editing", lambda: Editing(self.store, self.redactor, self.actor, self.embedding))

    @property
    def exporting(self) -> Exporting:
        """Memories into files outside of the store."""
        from tui_memory.engine.exporting import Exporting

        return self._once("exporting", lambda: Exporting(self))

    @property
    def importing(self) -> Importing:
        """What agents and other memories have kept."""
        from tui_memory.engine.importing import Importing

        return self._once("importing", lambda: Importing(cast("Memory", self)))

    @property
    def backing_up(self) -> BackingUp:
        """Back-ups outside of the store, and the store brought back from one."""
        from tui_memory.engine.backing_up import BackingUp

        return self._once("backing_up", lambda: BackingUp(self))

    @property
    def hub(self) -> Hub:
        """The team's hub."""
        from tui_memory.engine.hub import Hub

        return self._once("hub", lambda: Hub(self))

    @property
    def syncing(self) -> Syncing:
        """A person's other devices."""
        from tui_memory.engine.syncing import Syncing

        return self._once("syncing", lambda: Syncing(self))

    @property
    def merging(self) -> Merging:
        """Merges before they happen."""
        from tui_memory.engine.merging import Merging

        return self._once("merging", lambda: Merging(self))

    @property
    def embedding(self) -> Embedding:
        """Vectors of texts."""
        from tui_memory.engine.embedding import Embedding

        return self._once("embedding", lambda: Embedding(self.store, self.settings, self._embedding_mode))

    @property
    def finding(self) -> Finding:
        """Search, context and timeline."""
        from tui_memory.engine.finding import Finding

        return self._once("finding", lambda: Finding(self.store, self.settings, self.embedding, lambda: self.hub))

    @property
    def compressing(self) -> Compressing:
        """The queue."""
        from tui_memory.engine.compressing import Compressing

        return self._once("compressing", lambda: Compressing(self.store, self.settings))

    @property
    def forgetting(self) -> Forgetting:
        """Purge, scrub, pauses."""
        from tui_memory.engine.forgetting import Forgetting

        return self._once("forgetting", lambda: Forgetting(self))

    @property
    def status(self) -> Status:
        """Counts and checks."""
        from tui_memory.engine.status import Status

        return self._once("status", lambda: Status(self.store, self.settings))

    @property
    def measuring(self) -> Measuring:
        """Numbers for a monitoring system."""
        from tui_memory.engine.measuring import Measuring

        return self._once("measuring", lambda: Measuring(self))

    @property
    def upkeep(self) -> Upkeeping:
        """Duplicates, contradictions, stale names, values and limits."""
        from tui_memory.engine.upkeeping import Upkeeping

        return self._once("upkeep", lambda: Upkeeping(self))

    @property
    def rebuilding(self) -> Rebuilding:
        """Search text and vector index, made anew."""
        from tui_memory.engine.rebuilding import Rebuilding

        return self._once("rebuilding", lambda: Rebuilding(self.store))

    @property
    def auditing(self) -> Auditing:
        """Cases for a person to settle, and the week's report."""
        from tui_memory.engine.auditing import Auditing

        return self._once("auditing", lambda: Auditing(cast("Memory", self)))

    @property
    def observing(self) -> Observing:
        """What somebody who watches asks."""
        from tui_memory.engine.observing import Observing

        return self._once("observing", lambda: Observing(cast("Memory", self)))

    @property
    def trying(self) -> Trying:
        """Weights tried on a query, and why a memory is not among its hits."""
        from tui_memory.engine.trying import Trying

        return self._once("trying", lambda: Trying(self))

    @property
    def projects_service(self) -> Projects:
        """Projects, shown and put right."""
        from tui_memory.engine.projects import Projects

        return self._once("projects", lambda: Projects(self.store, self.actor))
