"""Pairs of memories of the fictional project, labelled by hand: what two of them are to each other (labelled.jsonl).

same: two tellings of one event; different: nearly the same words about two things or values; apart: one topic, two
things to know; replaced: the second, newer one makes the first untrue. Thresholds were chosen by those that are not
held out; the held-out ones were only ever measured.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Text(NamedTuple):
    title: str
    text: str


class Labelled(NamedTuple):
    relation: str
    held_out: bool
    one: Text
    other: Text


def pairs(relation: str) -> list[Labelled]:
    """All pairs of a relation."""
    lines = Path(__file__).with_name("labelled.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Labelled(row["relation"], row["held_out"], Text(*row["one"]), Text(*row["other"]))
        for row in rows
        if row["relation"] == relation
    ]
