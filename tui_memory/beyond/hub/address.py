"""A hub's address, as PostgreSQL's own client reads it: which host it reaches, and that without its password."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import ModuleType

from tui_memory.beyond import address
from tui_memory.compress import hosts
from tui_memory.errors import RefusedError, RemoteError, UsageError

Parameters = dict[str, str]
_ELSEWHERE = ("service", "servicefile", "passfile", "sslpassword", "options", "require_auth", "channel_binding")
_FROM_ENVIRONMENT = {"host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "dbname": "PGDATABASE",
                     "user": "PGUSER"}  # fmt: skip


def client() -> ModuleType:
    """PostgreSQL's client. RemoteError where it, or pgvector's types for it, are not installed."""
    try:
        import pgvector  # noqa: F401  (both come by one extra)
        import psycopg
    except ImportError as error:
        raise RemoteError(
            "A hub needs PostgreSQL's client, which is not installed. Nothing was sent;"
            " `pip install 'tui-memory[hub]'` brings it."
        ) from error
    return psycopg


def parse(dsn: str, allowed: Sequence[str]) -> tuple[Parameters, str]:
    """(what a connection takes, the password that stood in it or nothing) of a DSN.

    What the environment adds (PGHOST and the like) is written down, so that what was checked is what is reached.
    UsageError where it is no DSN; RefusedError where it names a host that the settings do not allow.
    """
    psycopg = client()
    try:
        found: Parameters = {name: str(value) for name, value in psycopg.conninfo.conninfo_to_dict(dsn).items()}
    except psycopg.ProgrammingError:
        raise UsageError(
            "That is no address of a hub: postgresql://USER@HOST/DATABASE is its form. Nothing was sent."
        ) from None  # what it says quotes the address, and a password in it
    if "service" in found or os.environ.get("PGSERVICE"):
        raise RefusedError(
            "A service file may name any host, so it is not used. Nothing was sent; name the host, unset PGSERVICE."
        )
    password = found.pop("password", "")
    for name in _ELSEWHERE:
        found.pop(name, None)
    for name, variable in _FROM_ENVIRONMENT.items():
        if not found.get(name) and os.environ.get(variable):
            found[name] = os.environ[variable]
    check(found, allowed)
    if not all(map(_is_here, _hosts(found))):
        found.setdefault("sslmode", "require")
    return found, password


def check(found: Mapping[str, str], allowed: Sequence[str]) -> None:
    """RefusedError where one of the hosts is neither this machine nor allowed by name."""
    for host in _hosts(found):
        if not _is_here(host):
            address.check(host, allowed)


def shown(found: Mapping[str, str]) -> str:
    """As people and programs may see it."""
    host = found.get("host") or found.get("hostaddr") or "this machine's socket"
    port = f":{found['port']}" if found.get("port") and not host.startswith("/") else ""
    return f"{found.get('user', '')}@{host}{port}/{found.get('dbname', '')}"


def _hosts(found: Mapping[str, str]) -> list[str]:
    """Every host that the client may try, also those that it reaches by number; none: its own socket."""
    listed = [*found.get("host", "").split(","), *found.get("hostaddr", "").split(",")]
    return [host.strip().lower() for host in listed if host.strip()]


def _is_here(host: str) -> bool:
    return host.startswith(("/", "@")) or hosts.is_loopback(host)
