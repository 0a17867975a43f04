"""Where things are: the store, the settings file, the files inside a store. Standard library only.

The hook works these out without site-packages, so the platform rules stand here in a few lines; a test holds
them against platformdirs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

APP = "tui-memory"
SOCKET_PATH_LIMIT = 100  # bytes; the kernel's sun_path holds 104 (macOS) or 108 (Linux)


def _data_root() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    value = os.environ.get("XDG_DATA_HOME", "")
    return Path(value) if os.path.isabs(value) else Path.home() / ".local" / "share"


def _config_root() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    value = os.environ.get("XDG_CONFIG_HOME", "")
    return Path(value) if os.path.isabs(value) else Path.home() / ".config"


def program() -> str:
    """How a shell calls the program: by name where the search path finds this one, else by its whole path.

    Installed in a virtual environment it is on no agent's path.
    """
    import shlex
    import shutil

    script = Path(sys.executable).with_name(APP)
    found = shutil.which(APP)
    if found and (not script.exists() or os.path.realpath(found) == os.path.realpath(script)):
        return APP
    return shlex.quote(str(script)) if script.exists() else f"{shlex.quote(sys.executable)} -m tui_memory"


def home(given: str | os.PathLike[str] | None = None) -> Path:
    """The store's directory: what is given, else TUI_MEMORY_HOME, else the platform's data directory."""
    value = os.fspath(given) if given is not None else os.environ.get("TUI_MEMORY_HOME", "")
    return Path(value).expanduser().absolute() if value else _data_root() / APP


def config_file() -> Path:
    """The settings file: TUI_MEMORY_CONFIG, else config.yaml in the platform's config directory."""
    value = os.environ.get("TUI_MEMORY_CONFIG", "")
    return Path(value).expanduser().absolute() if value else _config_root() / APP / "config.yaml"


def runtime_dir() -> Path:
    """A directory of this user alone with a short path, for sockets whose store's path is too long."""
    value = os.environ.get("XDG_RUNTIME_DIR", "")
    return Path(value) if os.path.isabs(value) and os.path.isdir(value) else Path(f"/tmp/{APP}-{os.getuid()}")


def database(store: Path) -> Path:
    """The SQLite file: the only truth."""
    return store / "memory.db"


def hook_socket(store: Path) -> Path | None:
    """The hooks' socket beside the store, or None where its path is too long: worker.json says where then."""
    path = store / "hook.sock"
    return path if len(os.fsencode(path)) <= SOCKET_PATH_LIMIT else None


def worker_file(store: Path) -> Path:
    """What the running worker says of itself: pid, version, socket (JSON, 0600)."""
    return store / "worker.json"


def settings_file(store: Path) -> Path:
    """The compiled settings the hook's fallback can read without YAML (JSON, 0600)."""
    return store / "settings.json"


def key_file(store: Path) -> Path:
    """The key of the placeholders' suffixes: 32 random bytes, 0600, never exported."""
    return store / "key"


def vectors_dir(store: Path) -> Path:
    """The FAISS snapshot: a cache that any process can rebuild."""
    return store / "vectors"


def reports_dir(store: Path) -> Path:
    """Reports of audits that a person saved (Markdown, 0600); a purge or scrub that erases something empties it."""
    return store / "reports"


def log_dir(store: Path) -> Path:
    """Logs: ids and counts, never text."""
    return store / "log"
