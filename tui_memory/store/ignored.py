"""Which paths are never kept: gitignore-like patterns, a compact matcher of the standard library."""

from __future__ import annotations

import re
from functools import lru_cache

from tui_memory.light import late

DEFAULT = (
    ".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "*.pem", "*.key", "*.p12", "*.pfx", "id_rsa",
    "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".pgpass", ".npmrc", ".pypirc", "*.kdbx", ".ssh/", ".gnupg/",
    ".aws/credentials",
)  # fmt: skip
"""Files whose very point is a secret; the user's patterns come after these and can take them back with `!`."""

_SIGN = late(r"\\(?P<escaped>.)|\[(?P<set>[!^]?\]?[^\]]*)\]|(?P<any>\*+)|(?P<one>\?)|.")
_LOOSE = late(r"\\.|\[[!^]?\]?[^\]]*\]|[*?/\s\\]+")
"""What of a pattern stands for something else."""


def is_ignored(path: str, patterns: tuple[str, ...] = ()) -> bool:
    """Whether a path matches the patterns as gitignore reads them: the last one that matches decides."""
    verdict = False
    normal = "/" + path.replace("\\", "/").strip("/")
    for pattern in (*DEFAULT, *patterns):
        wanted = not pattern.startswith("!")
        if wanted != verdict and _piece(pattern) in normal and _compiled(pattern.removeprefix("!")).search(normal):
            verdict = wanted
    return verdict


def may_name(text: str, patterns: tuple[str, ...] = ()) -> bool:
    """Whether a text may have an ignored path in it: a quick look, that says yes too often."""
    return any(_piece(pattern) in text for pattern in (*DEFAULT, *patterns) if pattern[:1] != "!")


@lru_cache(maxsize=512)
def _piece(pattern: str) -> str:
    """The longest part of a pattern that a path must hold as it stands: most patterns need not be compiled."""
    bare = pattern.lstrip("! ")
    if "[" in bare or "\\" in bare:
        return max(_LOOSE.split(bare), key=len)
    for sign in "*?/":  # no expression is compiled for those that every hook looks at
        bare = bare.replace(sign, " ")
    return max(bare.split(), key=len, default="")


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    """One pattern over `/a/b/c`: a slash inside ties it to a folder's start, one at the end means a folder."""
    body = pattern.strip()
    *folders, last = body.strip("/").split("/")
    # Paths are kept absolute or relative to the project: a tied pattern may start at any folder of it.
    text = "/" + "".join("(?:.*/)?" if part == "**" else _part(part) + "/" for part in folders)
    if last == "**":
        return re.compile(text + ".")
    return re.compile(text + _part(last) + ("/" if body.endswith("/") else "(?:/|$)"))


def _part(part: str) -> str:
    """The name of one folder or file: `*`, `?`, `[a-z]`, `[!a-z]`, and any sign as it is behind a backslash."""
    pieces = [""]
    for found in _SIGN.finditer(part):
        if found["any"]:
            pieces.append("")
        else:
            pieces[-1] += _sign(found)
    first, *rest = pieces
    if not rest:
        return first
    *between, last = rest  # what stands between two stars is where it first is: nothing is tried twice
    return f"{first}{''.join(f'(?>[^/]*?{piece})' for piece in between)}[^/]*{last}"


def _sign(found: re.Match[str]) -> str:
    if found["one"]:
        return "[^/]"
    if found["set"]:
        return _set(found["set"])
    return re.escape(found["escaped"] or found[0])


def _set(inside: str) -> str:
    """One character of a set. A range that ends before it begins stands for any: rather too much is not kept."""
    negated = "^" if inside[0] in "!^" else ""
    written = re.sub(r"[\\\[\]^&~|]", r"\\\g<0>", inside[len(negated) :])
    try:
        re.compile(f"[{written}]")
    except re.error:
        return "[^/]"
    return f"(?!/)[{negated}{written}]"
