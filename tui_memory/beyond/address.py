"""Where something is to go: an address in fsspec's form, and whether the settings let this program reach it.

A folder of this machine and loopback need no permission; any other host must be named in `remote.allowed_hosts`. An
address that does not say which host it would reach (a cloud's own scheme, a chain of them) is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tui_memory.compress import hosts
from tui_memory.errors import RefusedError, UsageError

LOCAL = "file"
S3 = "s3"
_NAMES_ITS_HOST = frozenset({"sftp", "ssh", "ftp", "smb", "webhdfs"})


@dataclass(frozen=True, slots=True)
class Address:
    """A place by its scheme; `path` is a folder of this machine, a bucket and a prefix, or the whole address."""

    scheme: str
    path: str
    host: str = ""
    """The host that the address names; of S3 it is the settings' of that protocol, and is checked there."""
    shown: str = ""
    """As it may be shown and remembered: without a password."""

    @property
    def is_local(self) -> bool:
        """Whether it is a folder of this machine."""
        return self.scheme == LOCAL


def parse(url: str, allowed: Sequence[str]) -> Address:
    """What an address means. UsageError where it is none, RefusedError where its host is not allowed."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() in (LOCAL, "local"):
        return _folder(url if not separator else unquote(rest))
    scheme = scheme.lower()
    if scheme not in {S3, *_NAMES_ITS_HOST}:
        raise RefusedError(
            f"“{scheme}” is no kind of address whose host this program can tell before it reaches it. Nothing was sent;"
            f" a folder, s3://BUCKET/PREFIX or {', '.join(sorted(_NAMES_ITS_HOST))}://HOST/PATH can be used."
        )
    if scheme == S3:
        bucket, _, prefix = rest.strip("/").partition("/")
        if not bucket:
            raise UsageError(f"{url} names no bucket: s3://BUCKET/PREFIX. Nothing was sent.")
        path = f"{bucket}/{prefix}".strip("/")
        return Address(S3, path, shown=f"s3://{path}")
    return _named(url, scheme, allowed)


def _folder(path: str) -> Address:
    if not path.strip():
        raise UsageError("An empty address names no place. Nothing was sent; name a folder or an address.")
    folder = os.path.realpath(Path(path).expanduser())
    return Address(LOCAL, folder, shown=folder)


def _named(url: str, scheme: str, allowed: Sequence[str]) -> Address:
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        host, port = "", None
    if not host or "::" in parts.path:  # to fsspec that begins another address
        raise UsageError(f"This address names no host: {scheme}://HOST/PATH is its form. Nothing was sent.")
    check(host, allowed)
    shown = f"{scheme}://{host}{f':{port}' if port else ''}{parts.path}".rstrip("/")
    return Address(scheme, url.rstrip("/"), host, shown)


def check(host: str, allowed: Sequence[str]) -> None:
    """RefusedError where a host is neither this machine nor allowed by name."""
    if not hosts.permitted(host, allowed):
        raise RefusedError(
            f"{host or 'This host'} is not this machine, so nothing was sent there."
            f" To allow it, add “{host}” to remote.allowed_hosts in the settings."
        )
