"""Which paths are never kept: gitignore-like patterns, a compact matcher of the standard library."""

from __future__ import annotations

import re
from functools import lru_cache

DEFAULT = (
    ".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "*.pem", "*.key", "*.p12", "*.pfx", "id_rsa",
    "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".pgpass", ".npmrc", ".pypirc", "*.kdbx", ".ssh/", ".gnupg/",
    ".aws/credentials",
)  # fmt: skip
"""Files whose very point is a secret; the user's patterns come after these and can take them back with `!`."""


def is_ignored(path: str, patterns: tuple[str, ...] = ()) -> bool:
    """Whether a path matches the patterns as gitignore reads them: the last one that matches decides."""
    verdict = False
    normal = "/" + path.replace("\\", "/").strip("/")
    for pattern in (*DEFAULT, *patterns):
        wanted = not pattern.startswith("!")
        if wanted != verdict and _piece(pattern) in normal and _compiled(pattern.removeprefix("!")).search(normal):
            verdict = wanted
    return verdict


def _piece(pattern: str) -> str:
    """The longest part of a pattern that a path must hold as it stands: most patterns need not be compiled."""
    return max(re.split(r"[*?/\s]+", pattern.lstrip("! ")), key=len)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    """One pattern over `/a/b/c`: a slash inside ties it to a folder's start, one at the end means a folder."""
    body = pattern.strip()
    folder = body.endswith("/")
    parts = [_part(part) for part in body.strip("/").split("/")]
    # Paths are kept absolute or relative to the project: a tied pattern may start at any folder of it.
    text = "/" + "/".join(parts).replace("(?:.*/)?/", "(?:.*/)?")
    return re.compile(text + ("/" if folder else "(?:/|$)"))


def _part(part: str) -> str:
    if part == "**":
        return "(?:.*/)?"
    signs = {"*": "[^/]*", "?": "[^/]"}
    return "".join(signs.get(sign) or re.escape(sign) for sign in part)
