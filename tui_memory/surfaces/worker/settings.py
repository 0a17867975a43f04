"""The settings as the worker sees them: read again when the file changes, closed when it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from logging import Logger
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory import config, places
from tui_memory.capture import git_identity
from tui_memory.errors import ConfigError
from tui_memory.redact import Redactor, custom
from tui_memory.redact.custom import Guarded
from tui_memory.store.connection import store_key
from tui_memory.surfaces.worker.logs import what

if TYPE_CHECKING:
    from tui_memory.store.guard import Own


class Watched:
    """The settings of one store; `refresh` looks at the file again. Any thread may read."""

    def __init__(self, home: Path, log: Logger) -> None:
        self._home = home
        self._log = log
        self._stamp: tuple[int, int] | None = None
        self.all = config.Settings()
        self.capture: config.CaptureSettings | None = self.all.capture
        """None while the file is wrong: what to redact and to ignore is unknown, so only metadata is kept."""
        self.redactor: Redactor | Guarded = Redactor(store_key(home))
        """What masks by these settings."""
        self.folders: Callable[[], Iterable[str]] = tuple
        """Gives the projects' folders, in whose settings of git the person's own addresses stand."""
        self.refresh()

    def refresh(self) -> bool:
        """Read the file if it is another one than before, and compile it for the hook's fallback; whether it was."""
        path = places.config_file()
        try:
            found = path.stat()
            stamp = (found.st_size, found.st_mtime_ns)
        except OSError:
            stamp = (0, 0)
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            self.all = config.load()
            self.capture = self.all.capture
            config.compile_settings(self.all, self._home, path)
            self._renew()
        except (ConfigError, OSError) as error:
            self.capture = None
            self._log.error("settings: %s; only metadata is kept until they are right", what(error))
        return True

    @property
    def own_rules(self) -> Own | None:
        """What masks events where the user has rules of their own; None where the built-in ones do."""
        return self.redactor.knowing if isinstance(self.redactor, Guarded) else None

    def _own_addresses(self) -> tuple[str, ...]:
        return git_identity.addresses_of(self.folders())

    def _renew(self) -> None:
        """A redactor by the present settings; its child is up before the first event needs it."""
        key, off, before = store_key(self._home), self.all.redact.kinds_off, self.redactor
        own = custom.of_settings(self.all.redact)
        whose = self._own_addresses
        self.redactor = (
            Guarded(own, key, kinds_off=off, identity=whose) if own else Redactor(key, kinds_off=off, identity=whose)
        )
        if isinstance(before, Guarded):
            before.close()
        if isinstance(self.redactor, Guarded):
            try:
                self.redactor.start()
            except custom.RuleTimeout as error:
                self._log.error("redact: %s; only metadata is kept", what(error))
