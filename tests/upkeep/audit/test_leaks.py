"""What looks like a secret and what does not, and that nothing of a secret is left where it is masked or named."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tui_memory.redact.exact import Exact
from tui_memory.upkeep.audit import leaks

ALPHABET = string.ascii_letters + string.digits


def random_value(seed: int, length: int = 32) -> str:
    """What a generator of secrets makes."""
    return "".join(random.Random(seed).choices(ALPHABET, k=length))


@pytest.mark.parametrize("seed", range(40))
def test_generated_values_are_found(seed: int) -> None:
    value = random_value(seed)
    assert leaks.suspects(f"it signs in with {value}, always") == [value]


def test_hardly_a_generated_value_is_missed() -> None:
    values = [random_value(seed) for seed in range(2_000)]
    assert sum(leaks.suspects(value) == [value] for value in values) >= 0.98 * len(values)


@pytest.mark.parametrize(
    "text",
    [
        "9b0762f5a8c1d3e47f60b2a9c8d7e6f5a4b3c2d1",  # a commit
        "0193a5c0-7b1e-7cc3-98c4-dc0c0c07398f",
        "sha512-Zk9xQ2mPp7Lw0Rv8Yb3Nn6aZ4kQ9xT2mPp7Lw0Rv8Yb3Nn6==",
        "toolu_01A09q90qw90lq917835lq9XyZ",
        "getUserByIdAndThenRetryWithBackoff",
        "orderly/api/v2/handlers/payment_retry_policy.py",
        "ThisIsAVeryLongClassNameForATest2",
        "HTTP2ConnectionPoolManagerFactory",
        "2026-11-29T14:02:11.250Z",
        "[redacted:github-token#3f9a]",
        "0123456789012345678901234567890123456789",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "PydanticImportErrorInValidatorsOfV2",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    ],
)
def test_what_programs_number_things_with_is_none(text: str) -> None:
    assert leaks.suspects(f"It was {text} before.") == []


@given(st.integers(0, 10_000), st.text(max_size=60), st.text(max_size=60))
def test_nothing_of_a_value_is_left_where_it_is_masked_or_named(seed: int, before: str, after: str) -> None:
    value = random_value(seed)
    assume(leaks.suspects(f" {value} "))  # one in sixty reads as a name
    text = f"{before} {value} {after}"
    exact = Exact(leaks.suspects(text))
    for shown in (exact.text(text).text, leaks.veiled(text)):
        assert value not in shown and value[4:] not in shown
        assert exact.text(shown).text == shown
    assert leaks.name(value) == f"‹32 characters, {value[:3]}…›"
