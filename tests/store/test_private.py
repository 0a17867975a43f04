"""`<private>` passages never reach the store, wherever in an event they stand and however they are written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.capture.transcripts.reading import FIXTURES as TRANSCRIPTS
from tests.capture.transcripts.reading import RECORDED, write
from tui_memory.capture.foreign import notes
from tui_memory.capture.transcripts import READERS, Tally
from tui_memory.private import cut_everywhere, private_cut
from tui_memory.store import ingest

FIXTURES = Path(__file__).parent.parent / "fixtures"
AGENTS = ("claude-code", "codex", "gemini-cli", "cursor", "copilot", "opencode")
WORD = "kestrelword"
# What an adapter takes apart stands inside the passage: an error's line, a trailer, a request's title, a patch, a tag.
INSIDE = (
    f"\nError: {WORD} is wrong\nfatal: {WORD}\n\n{WORD}: {WORD}\nTitle {WORD} (#4)\n@@ -1 +1 @@ {WORD}\n+{WORD}\n"
    f"title:\t{WORD}\nExit code 3 {WORD}\n"
)
FORMS = {
    "plain": f"before <private>{INSIDE}</private> after",
    "any case, blanks, attributes": f'< Private why="{"x" * 200}\n>" >{INSIDE}</ PRIVATE >',
    "nested": f"<private>a<private>{INSIDE}</private>{WORD}</private> after",
    "never closed": f"before\n<private>{INSIDE}",
    "entities": f"&lt;private&gt;{INSIDE}&#60;/private&#x3E; after",
    "escaped": f"\\u003cprivate\\u003e{INSIDE}\\u003C/private\\u003E",
    "twice escaped": f"\\\\u003cprivate>{INSIDE}<\\\\/private>",
    "its beginning was cut off": f"{INSIDE}</private> after",
    "cut inside of the tag": f"te>{INSIDE}</PRIVATE>",
    "the bracket is missing": f"<private {INSIDE}</private>",
}
SAMPLES = (
    (RECORDED / "claude-code.transcript.jsonl", "claude-code"), (RECORDED / "codex.transcript.jsonl", "codex"),
    (TRANSCRIPTS / "copilot.transcript.jsonl", "copilot"), (TRANSCRIPTS / "gemini-cli.transcript.jsonl", "gemini-cli"),
    (next((TRANSCRIPTS / "cursor").rglob("*.jsonl")), "cursor"),
)  # fmt: skip
TOLD = ("text", "content", "output", "input", "command", "arguments", "message", "last_agent_message", "thought")
KEPT = frozenset({
    "hook_event_name", "type", "role", "kind", "status", "source", "name", "tool_name", "toolName", "agent", "event",
})  # fmt: skip
"""Keys whose values say what sort of event it is: with another value it is another event."""


def leaves(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of a value's texts."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in KEPT or not isinstance(item, str):
                yield from leaves(item, (*way, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, (*way, number))
    elif isinstance(value, str):
        yield way


def with_text(value: Any, way: tuple[Any, ...], text: str) -> Any:
    """A copy with another text at a place; inside of a JSON string, at the first text in it."""
    copy = json.loads(json.dumps(value))
    *path, last = way
    inside = copy
    for key in path:
        inside = inside[key]
    inside[last] = text
    return copy


def everywhere(agent: str, form: str) -> Iterator[dict[str, Any]]:
    """Every documented event of an agent with the passage in each of its texts in turn, as it is and as JSON."""
    for path in sorted((FIXTURES / agent).glob("*.json")):
        payload = json.loads(path.read_text("utf-8"))
        for way in leaves(payload):
            yield with_text(payload, way, FORMS[form])
            yield with_text(payload, way, json.dumps({"output": FORMS[form], "error": {"message": FORMS[form]}}))


@pytest.mark.parametrize("agent", AGENTS)
def test_no_text_of_any_event_lets_a_private_passage_in(agent: str) -> None:
    """Nothing that ingest hands to the guard, its session's and folder's names included, has a word of it."""
    seen = 0
    for form in FORMS:
        for payload in everywhere(agent, form):
            draft, _ = ingest._draft(ingest.Delivery("0" * 32, agent, 1_700_000_000_000), payload)
            if draft is not None and draft.dropped is None:
                seen += 1
                assert (WORD in json.dumps(asdict(draft)).lower()) is False, (form, payload)
    assert seen > 500


@pytest.mark.parametrize("form", FORMS)
def test_no_record_of_a_transcript_lets_one_in(form: str, tmp_path: Path) -> None:
    for sample, agent in SAMPLES:
        lines = [json.loads(line) for line in sample.read_text("utf-8").splitlines()]
        for number, record in enumerate(lines[:40]):
            changed = [with_text(record, way, FORMS[form]) for way in leaves(record) if way[-1] in TOLD]
            if changed:
                path = write(tmp_path / "s.jsonl", [*lines[:number], *changed, *lines[number + 1 :]])
                for step in READERS[agent](path, 0, Tally()):
                    assert (WORD in json.dumps(asdict(step.draft)).lower()) is False, (agent, number)


def test_a_passage_goes_through_blocks_of_a_message_and_lines_of_a_patch() -> None:
    text = ["a", "<private>", WORD, {"type": "text", "text": f"{WORD}</private> b"}, "c"]
    assert cut_everywhere(text) == (["a", "[private]", "[private]", {"type": "text", "text": "[private] b"}, "c"], 3)
    assert cut_everywhere([{"lines": ["+ x", f"+{WORD}</private>", "+ y"]}])[0] == [
        {"lines": ["[private]", "[private]", "+ y"]}
    ]
    assert WORD not in str(cut_everywhere([{"lines": ["+<private>"]}, {"lines": [WORD]}]))
    whole = {"a": ["nothing of it", 1, None]}
    assert cut_everywhere(whole) == (whole, 0) and cut_everywhere(whole)[0] is whole


def test_a_passage_that_goes_through_sections_of_a_file_of_notes_stays_out(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(f"# A\nUse tabs.\n<private>\n# B\n{WORD} is here\n</private>\n# C\nRun make.\n")
    found = notes.read(path, True)
    assert WORD not in str(found.items) and found.skipped["private passage"] == 1
    assert [item.title for item in found.items][-1] == "C"


def test_hostile_marks_cost_little() -> None:
    for piece in ("<private ", "&lt;private ", "<private>", "</private>", "\\" * 50 + "u003cprivate", "<" + " " * 9):
        text = piece * (400_000 // len(piece))
        assert WORD not in cut_everywhere([text, text])[0]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    st.lists(st.sampled_from(["<private>", "</private>", "a", " b ", "&lt;PRIVATE&gt;", "<\\/private>"]), max_size=12)
)
def test_cutting_twice_is_cutting_once(pieces: list[str]) -> None:
    once, _ = private_cut("".join(pieces))
    assert private_cut(once) == (once, 0)
