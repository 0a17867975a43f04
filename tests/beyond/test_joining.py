"""What wins: joining records is the same in whatever order, and however often, they come."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tui_memory.store import joining
from tui_memory.store.joining import Record

NAMES = [joining.stamp(f"{ms:015d}-000000", device) for ms in (1, 2, 3) for device in "ab"]
STAMP = st.sampled_from(NAMES)


def text(name: str, over: list[str], said: str = "") -> Record:
    """A text; what a stamp says is the same wherever it is told."""
    said = said or name
    body = dict.fromkeys(joining.BODY, "") | {"title": said, "text": said}
    return body | {"stamp": name, "over": over}


def record(standing: str, pinned: str, place: str, texts: list[Record]) -> Record:
    """A record whose values are what their stamps say."""
    return {"uid": "u", "updated": standing, "standing": [standing, f"state {standing}", None, None],
            "pinned": [pinned, pinned > NAMES[2]], "place": [place, None, place], "texts": texts}  # fmt: skip


TEXTS = st.lists(STAMP, max_size=3, unique=True).map(
    lambda names: joining.heads(text(name, [older for older in NAMES if older[:20] < name[:20]][:1]) for name in names)
)
RECORDS = st.builds(record, STAMP, STAMP, STAMP, TEXTS)


def shown(found: Record) -> Any:
    """What of a record is to be the same everywhere."""
    return {**found, "texts": [one["stamp"] for one in found["texts"]]}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(RECORDS, min_size=2, max_size=3))
def test_the_order_does_not_matter(records: list[Record]) -> None:
    joined = [shown(joining.pooled(list(order))["u"]) for order in permutations(records)]
    assert all(one == joined[0] for one in joined)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(RECORDS, RECORDS)
def test_what_is_joined_again_changes_nothing(one: Record, other: Record) -> None:
    both = joining.join(one, other)
    assert shown(joining.join(both, other)) == shown(both) == shown(joining.join(joining.join(both, one), both))
    assert not joining.is_later(joining.stamps(both), other)


def test_the_later_text_is_current_and_one_written_apart_is_kept() -> None:
    first, second, third = (joining.stamp(f"{ms:015d}-000000", "a") for ms in (1, 2, 3))
    apart = joining.heads([text(second, [first]), text(third, [first]), text(first, [])])
    assert [one["stamp"] for one in apart] == [third, second]
    known = joining.heads([text(second, [first]), text(third, [first, second])])
    assert [one["stamp"] for one in known] == [third]


def test_two_that_say_the_same_are_no_conflict() -> None:
    found = joining.heads([text(NAMES[0], [], "the same"), text(NAMES[1], [], "the same")])
    assert [one["stamp"] for one in found] == [NAMES[1]] and found[0]["over"] == [NAMES[0]]


def test_a_text_that_was_purged_is_taken_out() -> None:
    whole = record(NAMES[0], NAMES[0], NAMES[0], [text(NAMES[1], []), text(NAMES[0], [])])
    assert [one["stamp"] for one in joining.without(whole, {NAMES[1]})["texts"]] == [NAMES[0]]
