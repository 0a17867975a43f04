"""Opening the store's file: modes, pragmas, migrations, transactions. Standard library only.

Times are milliseconds since the epoch. Every SQLite trouble a person can do something about is a StoreError.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from tui_memory import places
from tui_memory.clock import now_ms, uuid7
from tui_memory.errors import StoreError
from tui_memory.store import filesystems
from tui_memory.store.faults import explain, explained
from tui_memory.store.migrations import ALL
from tui_memory.store.text import ANALYSER_VERSION

_DIRECTORY, _FILE = 0o700, 0o600
_STATEMENTS = 64
"""Statements kept ready for each connection, some 12 KB each: more than an event's or a search's own."""


def connect(home: Path, *, create: bool = True, timeout: float = 5.0, worker: bool = False) -> sqlite3.Connection:
    """A connection to the store in `home`, migrated; StoreError where there is none (`create` false) or it is unusable.

    The caller closes it. Only the worker checkpoints: others would pay for it in an agent's time.
    """
    path = places.database(home)
    if sys.platform == "linux":
        refuse_network(home)
    _prepare(path, create)
    with explained(path):
        connection = sqlite3.connect(
            path, timeout=timeout, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS
        )
    try:
        with explained(path):
            connection.row_factory = sqlite3.Row
            _set_up(connection, worker)
        migrate(connection, home)
    except BaseException:
        connection.close()
        raise
    return connection


def refuse_network(home: Path) -> None:
    """StoreError where the store would lie on a file system that is shared over a network."""
    if kind := filesystems.refused(home):
        raise StoreError(
            f"{home} is on a network file system ({kind}), where SQLite's locks do not hold and a store breaks."
            " Nothing was changed; point TUI_MEMORY_HOME at a local disk."
        )


def _prepare(path: Path, create: bool) -> None:
    """Make the directory and an empty file with the right modes, whatever the umask; mend modes that are wider."""
    if not create and not path.exists():
        raise StoreError(f"There is no store at {path}. Nothing was changed; check TUI_MEMORY_HOME, or install a hook.")
    try:
        make_directory(path.parent)
        if not path.exists():
            _create(path)
        _narrow(path, _FILE)
    except OSError as error:
        raise StoreError(
            f"The store at {path} cannot be opened: {error.strerror}. Nothing was changed; check that {path.parent} is"
            " a directory, is yours and can be written, or point TUI_MEMORY_HOME at another one."
        ) from error


def _create(path: Path) -> None:
    """An empty database file, private from its first moment.

    It is made aside and linked: the database itself must never be opened and closed here but by SQLite, because
    closing any descriptor of a file drops every POSIX lock that this process holds on it, those of SQLite's other
    connections included, and two processes then write at once (https://sqlite.org/howtocorrupt.html, section 2.2).
    """
    aside = path.with_name(f".{path.name}-{uuid7()}")
    write_private(aside, b"")
    try:
        os.link(aside, path)
    except FileExistsError:
        pass  # another process was faster
    finally:
        aside.unlink()


def make_directory(path: Path) -> None:
    """Make a directory and its parents for their owner alone; an existing one of ours is narrowed. OSError."""
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(made):
        try:
            folder.mkdir(_DIRECTORY)
        except FileExistsError:
            continue  # another process was faster
        folder.chmod(_DIRECTORY)
    if not made:
        _narrow(path, _DIRECTORY)


def store_key(home: Path) -> bytes:
    """The key of the placeholders' suffixes: 32 random bytes, made at the first call. StoreError where it cannot be."""
    path = places.key_file(home)
    try:
        make_directory(home)
        aside = path.with_name(f".key-{uuid7()}")
        if not path.exists():
            write_private(aside, os.urandom(32))
            try:
                os.link(aside, path)  # whole or not at all, and never over another process's
            except FileExistsError:
                pass  # another process was faster: its key is the store's
            finally:
                aside.unlink()
        return path.read_bytes()
    except OSError as error:
        raise StoreError(f"The key of the store in {home} cannot be read or made: {error.strerror}.") from error


def write_private(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read, whatever the umask. OSError, also where there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE)
    with open(descriptor, "wb") as file:
        os.fchmod(descriptor, _FILE)
        file.write(content)


def narrow_all(home: Path) -> list[Path]:
    """Give everything in a store's directory its owner's modes, sockets included; what was wider. Links stay."""
    wide = []
    for folder in (home, *(path for path in home.iterdir() if path.is_dir() and not path.is_symlink())):
        for path in (folder, *folder.iterdir()):
            found = path.lstat()
            if found.st_mode & 0o077 and not stat.S_ISLNK(found.st_mode):
                wide.append(path)
                _narrow(path, _DIRECTORY if stat.S_ISDIR(found.st_mode) else _FILE)
    return sorted(set(wide))


def _narrow(path: Path, mode: int) -> None:
    """Give a file or directory the mode, where it is ours and has another one; by its path, never opened."""
    found = path.stat()
    if found.st_mode & 0o777 != mode and found.st_uid == os.geteuid():
        try:
            path.chmod(mode)
        except OSError:
            return  # a read-only file system: reading still works, and `doctor` tells of the mode


def _set_up(connection: sqlite3.Connection, worker: bool) -> None:
    for pragma in ("foreign_keys = ON", "secure_delete = ON", "synchronous = NORMAL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {1000 if worker else 0}")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        # Only before the first table, and before WAL writes the header, can this still be chosen.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")


def migrate(connection: sqlite3.Connection, home: Path, steps: Sequence[tuple[int, str]] = ALL) -> None:
    """Bring the schema up to the last of `steps`, one transaction each, a back-up before each; not of a new store."""
    newest = steps[-1][0]
    with explained(places.database(home)):
        version = _version(connection)
    if version > newest:
        raise StoreError(
            f"The store in {home} was made by a newer version of tui-memory (schema {version}, this program knows"
            f" {newest}). Nothing was changed; upgrade tui-memory."
        )
    if version == newest:
        return
    for number, script in steps:
        if number > version:
            _apply(connection, home, number, script, is_new=not version)


def _apply(connection: sqlite3.Connection, home: Path, number: int, script: str, *, is_new: bool) -> None:
    with immediate(connection):
        version = _version(connection)
        if version >= number:
            return  # another process has done it while this one waited
        if not is_new:
            _back_up(home, version)
        for statement in _statements(script):
            connection.execute(statement)
        if number == 1:
            connection.execute(
                "INSERT INTO meta VALUES ('device', ?), ('created', ?), ('analyser', ?)",
                (uuid7(), str(now_ms()), str(ANALYSER_VERSION)),
            )
        connection.execute(f"PRAGMA user_version = {number:d}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """The script's statements one by one: executescript would commit the open transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _back_up(home: Path, version: int) -> None:
    """Copy the last committed state to backups/; a reader of its own sees it while we hold the write lock."""
    folder = home / "backups"
    make_directory(folder)
    target = folder / f"memory-v{version}-{now_ms()}.db"
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _FILE))
    target.chmod(_FILE)
    with closing(sqlite3.connect(places.database(home))) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


@contextmanager
def immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """A write transaction from its first statement on (BEGIN IMMEDIATE); inside another one, a part of it.

    A deferred one that reads first fails at once with "database is locked" when it comes to write.
    """
    begin, commit, undo = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
    if connection.in_transaction:
        begin, commit, undo = ("SAVEPOINT part", "RELEASE part", "ROLLBACK TO part")
    try:
        connection.execute(begin)
        try:
            yield
            connection.execute(commit)
        except BaseException:
            if connection.in_transaction:  # a full disk has rolled back by itself
                connection.execute(undo)
                if undo != "ROLLBACK":
                    connection.execute(commit)
            raise
    except sqlite3.Error as error:
        told = explain(error)
        if told is None:
            raise
        raise told from error
