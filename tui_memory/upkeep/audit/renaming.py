"""A memory that names files by what they were called before: made to name them by what they are called now, by rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tui_memory.model import Body


def renamed(body: Body, names: Mapping[str, str]) -> Body:
    """The body with each path, where it stands by itself, by its new name; `names`: new by old."""
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    path = re.compile(rf"(?<![\w./-])(?:{pattern})(?![\w/-]|\.\w)")

    def new(text: str) -> str:
        return path.sub(lambda found: names[found[0]], text)

    return replace(
        body, title=new(body.title), summary=new(body.summary), text=new(body.text),
        facts=[new(fact) for fact in body.facts], files=[names.get(file, file) for file in body.files],
    )  # fmt: skip
