"""A model's answer is notes, or a sentence that says why not."""

from __future__ import annotations

import json

import pytest

from tests.compress.double import GOOD, LEARNED_NOTHING, NOTE
from tui_memory.compress import validate
from tui_memory.errors import CompressError


@pytest.mark.parametrize("answer", [GOOD, f"```json\n{GOOD}\n```", f"<think>hm</think>\n{GOOD}", f"\n\n{GOOD}\n"])
def test_a_good_answer_is_read_in_its_wrappings(answer: str) -> None:
    assert [note.title for note in validate.parse(answer).memories] == [NOTE["title"]]


def test_nothing_is_a_right_answer() -> None:
    assert validate.parse(LEARNED_NOTHING).memories == []


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("", "empty"),
        ("<think></think>", "empty"),
        ("Sure! Here is the summary.", "prose"),
        ("<think>I should look at", "only thinking"),
        (GOOD[:50], "broken JSON"),
        ('{"type": "object", "properties": {}}', "schema"),
        ("[]", "wrong shape"),
        ('{"notes": []}', "wrong shape"),
        ('{"memories": {"title": "x"}}', "list"),
        (json.dumps({"memories": [NOTE | {"kind": "bug"}]}), "wrong shape"),
        (json.dumps({"memories": [NOTE] * 9}), "wrong shape"),
        (json.dumps({"memories": [NOTE | {"title": "<title>"}]}), "placeholder"),
        (json.dumps({"memories": [{"title": "Only a title"}]}), "nothing beside"),
        (json.dumps({"memories": [NOTE | {"text": "no no no no no no no no no no no no no no no"}]}), "repeats"),
        (json.dumps({"memories": [NOTE | {"facts": ["The same fact."] * 6}]}), "repeats"),
        (json.dumps({"memories": [NOTE | {"summary": "支付服务"}]}), "language"),
    ],
)
def test_a_bad_answer_says_what_is_wrong(answer: str, says: str) -> None:
    with pytest.raises(CompressError, match=says):
        validate.parse(answer, "PaymentService.charge")


def test_the_language_of_the_events_is_no_foreign_one() -> None:
    answer = json.dumps({"memories": [NOTE | {"summary": "支付服务 made keys."}]})
    assert validate.parse(answer, "支付服务")
