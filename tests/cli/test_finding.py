"""search and context: hits with their reasons, and what an agent would be given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory


@pytest.fixture
def retries(memory: Memory) -> list[int]:
    """Three memories, one of which is about retries."""
    return memory.add_many(
        [
            {
                "title": "Retries must stop at the deadline",
                "summary": "Payments were taken twice.",
                "kind": "convention",
            },
            {"title": "Release notes are written in the past tense"},
            {"title": "The CSV export quotes every field"},
        ]
    )


def test_search_has_the_contracts_shape(shell: Shell, retries: list[int]) -> None:
    found = shell("search", "retries deadline", "--json").json
    assert {"query", "took_ms", "degraded", "results"} <= set(found)
    assert found["query"] == "retries deadline"
    best = found["results"][0]
    assert (best["id"], best["title"]) == (retries[0], "Retries must stop at the deadline")
    assert {"score", "scores", "uid", "kind", "tokens"} <= set(best) and not {"text", "facts"} & set(best)
    assert {"lexical", "fused", "age", "use", "pin", "affinity"} <= set(best["scores"])


def test_a_query_needs_no_quotes(shell: Shell, retries: list[int]) -> None:
    assert shell("search", "retries", "deadline", "--json").json["query"] == "retries deadline"


def test_search_reads_as_places_scores_and_ids(shell: Shell, retries: list[int]) -> None:
    answer = shell("search", "retries deadline", "--limit", "1")
    first, second, third = answer.out.splitlines()
    assert re.fullmatch(r"[01]\.\d\d  Retries must stop at the deadline", first)
    assert second == "      Payments were taken twice."
    assert re.fullmatch(rf"      #{retries[0]} · convention · all projects · \d+ t · now", third)
    assert re.search(r"^1 memory · \d+ ms$", answer.err, re.MULTILINE)


def test_explain_is_a_sum_that_comes_out_right(shell: Shell, retries: list[int]) -> None:
    shown = shell("search", "retries deadline", "--limit", "1", "--explain").out.splitlines()[3]
    terms, total = shown.strip().split(" = ")
    values = [float(sign + number) for sign, number in re.findall(r"(−?) ?\w+ (\d\.\d+)", terms.replace("− ", "−"))]
    assert len(values) >= 8
    assert sum(values) == pytest.approx(float(total), abs=0.006)


def test_nothing_near_is_an_honest_answer(shell: Shell, retries: list[int]) -> None:
    answer = shell("search", "zxqv")
    assert (answer.code, answer.out) == (0, "") and answer.err.startswith("No memories · ")
    assert shell("search", "zxqv", "--json").json["results"] == []


def test_a_minimum_leaves_out_what_scores_less(shell: Shell, retries: list[int]) -> None:
    assert shell("search", "retries deadline", "--min-score", "5", "--json").json["results"] == []


@pytest.mark.parametrize("score", ["nan", "inf", "high"])
def test_what_no_score_can_be_compared_with_is_refused(shell: Shell, retries: list[int], score: str) -> None:
    answer = shell("search", "retries deadline", "--min-score", score)
    assert answer.code == 2 and f"{score!r} is not a number" in answer.err


def test_an_unknown_profile_is_three(shell: Shell, retries: list[int]) -> None:
    answer = shell("search", "x", "--profile", "nosuch")
    assert answer.code == 3 and "'nosuch'" in answer.err and "default" in answer.err


def test_context_is_exactly_what_an_agent_gets(shell: Shell, memory: Memory, retries: list[int]) -> None:
    given = memory.context()
    answer = shell("context")
    assert answer.out.rstrip("\n") == given.text.rstrip("\n") and f"#{retries[0]}" in answer.out
    assert answer.err.startswith(f"{len(given.memories)} memories · {given.tokens} tokens")
    whole = {"text": given.text, "tokens": given.tokens, "ids": given.memories, "degraded": []}
    assert shell("context", "--json").json == whole


def test_a_context_without_vectors_says_so_to_everybody(shell: Shell, retries: list[int]) -> None:
    answer = shell("context", "--prompt", "the retries go past the deadline")
    assert "Some notes were compared by words alone." in answer.out and "no vectors yet" in answer.err
    assert shell("context", "--prompt", "the retries go past it", "--json").json["degraded"] == ["index"]


def test_context_of_a_prompt_is_about_the_prompt(shell: Shell, retries: list[int]) -> None:
    shown = shell("context", "--prompt", "the retries go past the deadline").out
    assert "Retries must stop" in shown and "CSV export" not in shown


def test_context_of_nothing_prints_nothing(shell: Shell, machine: Path) -> None:
    answer = shell("context")
    assert (answer.code, answer.out) == (0, "") and "Nothing would be given" in answer.err


def test_search_as_of_a_time_says_what_the_memory_said_then(shell: Shell, memory: Memory, retries: list[int]) -> None:
    memory.delete(retries[0])
    assert shell("search", "retries deadline", "--json").json["results"] == []
    assert shell("search", "retries deadline", "--as-of", "today", "--json").json["results"] == []
    before = shell("search", "retries deadline", "--as-of", "2001-01-01", "--json").json
    assert (before["results"], before["purged"]) == ([], 0) and before["as_of"].startswith("2001-01-0")
    assert shell("search", "x", "--as-of", "whenever").code == 2
