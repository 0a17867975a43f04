"""Hundreds of ways to write a secret down, in the places where texts stand, and as many that only look like one."""

from __future__ import annotations

import json

import pytest

from tests.redact import clean_rows, secret_forms, secret_rows
from tests.redact.made import Maker
from tui_memory.redact import Redactor

SEEDS = range(2)
REDACTOR = Redactor(b"k" * 32)
OFTEN = 0.985
"""Every form in every context would be a lie: what is left is single context and form together, by the seed."""


@pytest.fixture(scope="module")
def secret() -> list[secret_rows.Row]:
    """At least 400 rows that hold a secret."""
    return list(secret_rows.rows(SEEDS))


def test_secrets_are_gone_however_and_wherever_they_are_written(secret: list[secret_rows.Row]) -> None:
    assert len(secret) >= 400
    left = [row for row in secret if any(value in REDACTOR.text(row.text).text for value in row.secrets)]
    assert len(left) <= (1 - OFTEN) * len(secret), [(row.form, row.context) for row in left]


def test_each_form_is_known_where_nothing_is_around_it() -> None:
    left = []
    for place, (name, form) in enumerate(secret_forms.all_forms()):
        missed = 0
        for seed in range(3):
            text, secrets = secret_rows.filled(form, seed * 7919 + place)
            missed += any(value in REDACTOR.text(text).text for value in secrets)
        if missed > 1:
            left.append(name)
    assert left == []


def test_what_only_looks_like_a_secret_stays() -> None:
    rows = list(clean_rows.rows(SEEDS))
    assert len(rows) >= 400
    assert [(row.form, row.context) for row in rows if REDACTOR.text(row.text).text != row.text] == []


def test_masking_a_row_twice_is_masking_it_once(secret: list[secret_rows.Row]) -> None:
    changed = []
    for row in secret:
        once = REDACTOR.text(row.text).text
        if REDACTOR.text(once).text != once:
            changed.append((row.form, row.context))
    assert changed == []


def test_json_stays_json(secret: list[secret_rows.Row]) -> None:
    rows = [row for row in secret if row.context.startswith("json")]
    masked = [json.loads(REDACTOR.text(row.text).text) for row in rows]
    assert len(masked) > 100
    assert [type(value) for value in masked] == [type(json.loads(row.text)) for row in rows]


@pytest.mark.parametrize(
    "text",
    [
        "postgres://bob:{}/x2Lk9@h/db",
        "Password：{}",
        "{} is the password",
        "the password is\n{}",
        "     3\tPASS {}\n",
        'password_hash = bcrypt("{}")',
        '{{"contrase\\u00f1a": "{}"}}',
        '{{"pass\\u0077ord": "{}"}}',
        "&quot;password&quot;: &quot;{}&quot;",
        "pass\u200bword: {}",
    ],
)
def test_what_was_missed_once(text: str) -> None:
    word = Maker(8).password()
    assert word not in REDACTOR.text(text.format(word)).text


@pytest.mark.parametrize("kind", ["github-token", "gitlab-token", "npm-token", "google-key", "aws-access-key"])
@pytest.mark.parametrize("tear", [" ", "\n", "\n    ", "\\n", "\u200b", "\u2060", "\u00ad"])
def test_a_torn_token_goes_whole(kind: str, tear: str) -> None:
    token = Maker(12).providers()[kind]
    head, tail = token[: len(token) // 2], token[len(token) // 2 :]
    masked = REDACTOR.text(f"it is {head}{tear}{tail} here").text
    assert head not in masked and tail not in masked
    assert masked.startswith("it is ") and masked.endswith(" here")


def test_two_tokens_side_by_side_stay_two() -> None:
    made = Maker(13)
    one, other = made.github(), made.github()
    assert REDACTOR.text(f"{one} {other}").counts == {"github-token": 2}


def test_a_suffix_is_for_kinds_of_high_entropy_alone() -> None:
    made = Maker(14)
    assert REDACTOR.text(f"api_key = '{made.alnum(10)}'").text == "api_key = '[redacted:api-key]'"
    assert REDACTOR.text(made.github()).text.startswith("[redacted:github-token#")
