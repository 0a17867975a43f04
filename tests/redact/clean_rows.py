"""Texts that only look as if they held a secret: none of them may be changed, in any context."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tests.redact.clean_blocks import BLOCKS
from tests.redact.secret_rows import CONTEXTS, Row, filled

LINES = Path(__file__).with_name("clean_lines.txt").read_text("utf-8")


def rows(seeds: range) -> Iterator[Row]:
    """Each text once with every seed, in a context that the seed chooses."""
    lines = [(line[:60], line) for line in LINES.strip().split("\n") if not line.startswith("# ")]
    for place, (name, form) in enumerate([*lines, *BLOCKS.items()]):
        for seed in seeds:
            context = random.Random(seed * 17 + place).choice(list(CONTEXTS))
            yield Row(name, context, CONTEXTS[context](filled(form, seed * 997 + place)[0]), ())
