"""A memory holds to its sources: what it has of its own is taken out and named."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compress.make import commit, edited, prompt, said, turn
from tui_memory.compress import grounding
from tui_memory.model import Body

SOURCES = (
    "PaymentService.charge in src/payments.py uses order-7 and waits 250 ms; "
    "KeyError: 'id' with httpx 0.28.1 said “no such key”"
)


@pytest.mark.parametrize(
    "text",
    [
        "`PaymentService.charge` waits 250 ms.",
        "It is in src/payments.py, and KeyError is raised.",
        "PaymentService.charge's key is order-7.",
        "Plain words of any kind need no source.",
        "With httpx 0.28.1 it said “no such key”.",
    ],
)
def test_what_stands_in_the_sources_holds(text: str) -> None:
    assert grounding.invented(text, SOURCES) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is in src/gateway.py.", ["src/gateway.py"]),
        ("It waits 300 ms.", ["300"]),
        ("It waits 25 ms.", ["25"]),
        ("RetryManager does it.", ["RetryManager"]),
        ("retry_count is raised.", ["retry_count"]),
        ("Use std::move here.", ["std::move"]),
        ("Since httpx 0.29.0.", ["0.29.0"]),
        ("It said “access denied today”.", ["access denied today"]),
        ("Pass --force-all to it.", ["--force-all"]),
    ],
)
def test_what_does_not_is_found(text: str, found: list[str]) -> None:
    assert grounding.invented(text, SOURCES) == found


def test_the_sentence_that_needs_an_invention_goes_and_is_flagged() -> None:
    body = Body(
        "Charging waits 250 ms",
        summary="It waits.",
        text="PaymentService.charge waits 250 ms. The fix is in billing/v2.py. All is well.",
        facts=["Uses order-7.", "Since 4.17 it is faster."],
        labels=["httpx", "v9"],
        files=["src/payments.py", "billing/v2.py"],
    )
    grounded = grounding.ground(body, SOURCES, ["src/payments.py"])
    assert grounded is not None
    assert grounded.text == "PaymentService.charge waits 250 ms. All is well."
    assert grounded.facts == ["Uses order-7."]
    assert grounded.files == ["src/payments.py"]
    assert grounded.labels == ["httpx"]
    assert grounded.grounding.flagged == ["billing/v2.py", "4.17"]


def test_an_invented_title_gives_way_to_the_first_sentence_that_holds() -> None:
    grounded = grounding.ground(Body("Fix in gateway_v2", text="The key is order-7. More."), SOURCES, [])
    assert grounded is not None
    assert grounded.title == "The key is order-7"


def test_nothing_is_left_of_a_memory_that_is_all_invention() -> None:
    assert grounding.ground(Body("See FooBar_9", text="See FooBar_9."), SOURCES, []) is None


@given(
    st.lists(
        st.sampled_from([*SOURCES.split(), "get_user", "a/b.py", "v2.0", "FooBar", "plain", "is", "std::x", "9"]),
        max_size=30,
    )
)
def test_no_special_token_that_the_sources_lack_is_ever_left(words: list[str]) -> None:
    text = ". ".join(" ".join(words[at : at + 4]) for at in range(0, len(words), 4))
    grounded = grounding.ground(Body("Plain title", summary="Plain.", text=text), SOURCES, [])
    assert grounded is not None
    for token in f"{grounded.text} {grounded.summary}".split():
        bare = token.strip("\"'`“”,;:.!?()")
        if re.search(r"[_/\d]|\w\.\w|::|\w[A-Z]", bare):
            assert bare in SOURCES


def test_the_retained_share_counts_the_sources_telling_words() -> None:
    made = turn(
        prompt("Charge the customer once"), edited("src/payments.py", "a", "b"), said("PaymentService keeps the key.")
    )
    whole = Body("Charge the customer once", text="PaymentService keeps the key.", files=["src/payments.py"])
    assert grounding.retained(whole, made.observations) == 1.0
    assert 0.0 < grounding.retained(Body("Charge"), made.observations) < 0.5
    assert grounding.retained(Body("x"), turn(commit("")).observations[:0]) == 1.0


def test_what_a_memory_takes_from_an_event_it_does_not_cite_makes_that_event_a_source() -> None:
    asked, changed, closing = prompt("Fix it"), edited("src/payments.py", "a = 1", "a = 25"), said("RetryQueue waits.")
    body = Body("RetryQueue waits", text="It is in src/payments.py.")
    assert grounding.carriers(body, [asked.id], [asked, changed, closing]) == [asked.id, changed.id, closing.id]
    assert grounding.carriers(Body("Plain words"), [asked.id], [asked, changed, closing]) == [asked.id]
