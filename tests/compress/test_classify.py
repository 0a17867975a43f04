"""What prompts and closing messages are."""

from __future__ import annotations

import pytest

from tui_memory.compress import classify


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("Good. While you are in there: always store money as integer cents.", "Always store money as integer cents"),
        ("From now on nobody calls date.today() directly.", "Nobody calls date.today() directly"),
        ("never release on a Friday afternoon, put that in too", "Never release on a Friday afternoon"),
        ("Make it small. No alpine please, musl broke us once.", "No alpine, musl broke us once"),
        ("Use pnpm instead of npm in this repository.", "Use pnpm instead of npm in this repository"),
        ("Rule: no lru_cache on methods, it leaks.", "No lru_cache on methods, it leaks"),
        ("Convention: always uv, never pip install.", "Always uv, never pip install"),
        ("Ab sofort immer auf Englisch committen.", "Immer auf Englisch committen"),
        ("We never mock the database in tests.", "We never mock the database in tests"),
    ],
)
def test_a_stated_rule_is_heard(prompt: str, rule: str) -> None:
    assert [(found.kind, found.sentence) for found in classify.rules(prompt)] == [("convention", rule)]


def test_a_preference_is_heard_where_it_is_to_last() -> None:
    found = classify.rules("I prefer short answers without a summary. Remember that.")
    assert [(rule.kind, rule.sentence) for rule in found] == [
        ("preference", "I prefer short answers without a summary")
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "test_due_date fails on CI about every third run, never here.",
        "Why does it always fail at night?",
        "The build never finishes on the new machine.",
        "Find the reason, do not just add a retry.",
        "max limit 200, reject larger with 422 instead of clamping",
        "Should we always use uv?",
        "Decision for the record: we do not recompute sent invoices.",
        "Never mind, leave it as it is.",
        "No problem, go on.",
    ],
)
def test_what_only_sounds_like_a_rule_is_none(prompt: str) -> None:
    assert classify.rules(prompt) == []


@pytest.mark.parametrize(
    "text", ["thanks!", "ok", "Great, thank you", "danke 🙏", "yes, go ahead", "LGTM", "", "nice job"]
)
def test_thanks_and_agreement(text: str) -> None:
    assert classify.is_acknowledgement(text)


@pytest.mark.parametrize("text", ["ok, then what is it?", "yes, but use the other index", "no, that breaks the login"])
def test_agreement_that_says_more_is_none(text: str) -> None:
    assert not classify.is_acknowledgement(text)


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("How do I requeue dead jobs?", "How to requeue dead jobs"),
        ("Work out how one runs a single test here and write it down.", "How to run a single test here"),
        ("And how to get back to a clean dev database.", "How to get back to a clean dev database"),
        ("What did it do, and how do we stop this kind of thing?", ""),
        ("Fix the login.", ""),
    ],
)
def test_how_tos_are_named(prompt: str, title: str) -> None:
    assert classify.how_to(prompt) == title


def test_narration_and_offers_are_left_out_of_what_was_told() -> None:
    text = "Let me look.\nReading the model.\nDone: the cache is keyed by size now. Would you like me to commit?"
    assert classify.telling(text) == ["The cache is keyed by size now."]
