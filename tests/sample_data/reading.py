"""How the specification reads the sample's files: raw rows, the leaves of a payload, stemmed content words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from Stemmer import Stemmer

HERE = Path(__file__).resolve().parents[2] / "sample_data"
_ENVELOPE = """
session_id prompt_id turn_id tool_use_id transcript_path agent_transcript_path cwd hook_event_name tool_name
permission_mode effort model source hook sha parents branch author amends agent_id agentId agent_type
"""
_STOP_WORDS = """
a about above after again against all am an and any are as at be because been before being below between both but by
can could did do does doing done down during each few for from further get gets getting got had has have having he
her here hers him his how i if in into is it its itself just like may me might more most must my no nor not now of
off on once one only or other our out over own same she should so some such than that the their them then there
these they this those through to too under until up us very was we were what when where whether which while who whom
why will with without would you your yours s t
"""
ENVELOPE = frozenset(_ENVELOPE.split())
STOP_WORDS = frozenset(_STOP_WORDS.split())
Row = dict[str, Any]
_stemmer = Stemmer("english")


def rows(path: Path) -> list[Row]:
    """The rows of one JSON Lines file, markers unexpanded."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sessions() -> dict[str, list[Row]]:
    """Every session's rows by its file's stem."""
    return {path.stem: rows(path) for path in sorted((HERE / "sessions").glob("*.jsonl"))}


def history() -> list[Row]:
    """The commits."""
    return rows(HERE / "history.jsonl")


def queries() -> list[Row]:
    """The labelled queries."""
    return rows(HERE / "queries.jsonl")


def events() -> dict[str, Row]:
    """Every event, commits too, by its id."""
    return {row["id"]: row for part in (*sessions().values(), history()) for row in part}


def leaves(value: Any) -> Iterator[str]:
    """Every string of a payload but those of its envelope (ids, paths of transcripts, names of events)."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in ENVELOPE:
                yield from leaves(part)


def text_of(row: Row) -> str:
    """All that an event says."""
    return "\n".join(leaves(row["payload"]))


def stems(text: str) -> set[str]:
    """Stemmed content words: `getUserById` and `get_user_by_id` are split, stop words are left out."""
    split = re.sub(r"([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])", r"\1\3 \2", text)
    return {_stemmer.stemWord(word) for word in re.findall(r"[^\W_]+", split.lower()) if word not in STOP_WORDS}
