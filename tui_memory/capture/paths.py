"""Paths as an agent's machine writes them, shortened to the project they are in."""

from __future__ import annotations


def shorten(path: str, base: str) -> str:
    """`path` relative to `base` with forward slashes where it lies inside, else unchanged.

    Both separators count, and case does not where the base is a Windows path: the payload may come from
    another system than this one.
    """
    windows = base[1:3] == ":\\" or base.startswith("\\\\")
    given, root = (path.replace("\\", "/"), base.replace("\\", "/")) if windows else (path, base)
    root = root.rstrip("/") + "/"
    inside = given.lower().startswith(root.lower()) if windows else given.startswith(root)
    if not base or len(root) == 1 or not inside:
        return path
    return given[len(root) :] or path
