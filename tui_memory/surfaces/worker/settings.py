"""The settings as the worker sees them: read again when the file changes, closed when it is wrong."""

from __future__ import annotations

from logging import Logger
from pathlib import Path

from tui_memory import config, places
from tui_memory.errors import ConfigError
from tui_memory.surfaces.worker.logs import what


class Watched:
    """The settings of one store; `refresh` looks at the file again. Any thread may read."""

    def __init__(self, home: Path, log: Logger) -> None:
        self._home = home
        self._log = log
        self._stamp: tuple[int, int] | None = None
        self.all = config.Settings()
        self.capture: config.CaptureSettings | None = self.all.capture
        """None while the file is wrong: what to redact and to ignore is unknown, so only metadata is kept."""
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
        except (ConfigError, OSError) as error:
            self.capture = None
            self._log.error("settings: %s; only metadata is kept until they are right", what(error))
        return True
