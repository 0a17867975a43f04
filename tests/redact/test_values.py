"""JSON values: the key is the context, keys are masked too, JSON within a string is opened once."""

from __future__ import annotations

import json

import pytest

from tests.redact.made import Maker
from tui_memory.redact import Redactor


def test_the_key_names_the_secret() -> None:
    result = Redactor().value({"password": "hunter2", "user": "app", "nested": [{"apiKey": Maker().hex(32)}]})
    assert result.value == {
        "password": "[redacted:password]",
        "user": "app",
        "nested": [{"apiKey": "[redacted:api-key]"}],
    }
    assert result.counts == {"password": 1, "api-key": 1}


def test_a_pair_of_name_and_value_is_an_assignment() -> None:
    word = Maker().password()
    assert Redactor().value({"name": "DB_PASSWORD", "value": word}).value == {
        "name": "DB_PASSWORD",
        "value": "[redacted:password]",
    }


def test_numbers_behind_a_passwords_name_go_others_stay() -> None:
    assert Redactor().value({"password": 12345678, "max_tokens": 4096, "token": None, "secret": True}).value == {
        "password": "[redacted:password]",
        "max_tokens": 4096,
        "token": None,
        "secret": True,
    }


def test_keys_are_masked_and_stay_apart() -> None:
    made = Maker()
    value = (
        Redactor()
        .value({f"https://app:{made.password()}@globex.io": 1, f"https://app:{made.password()}@globex.io ": 2})
        .value
    )
    assert isinstance(value, dict) and len(value) == 2
    collided = Redactor().value({made.github(): 1, made.github(): 2}).value
    assert collided == {"[redacted:github-token]": 1, "[redacted:github-token]'": 2}


def test_json_in_a_string_is_opened_once_and_stays_json() -> None:
    inner = json.dumps({"password": "tuna-melt", "n": 1, "text": "ü"})
    value = Redactor().value({"stdout": inner}).value
    assert isinstance(value, dict) and isinstance(value["stdout"], str)
    assert json.loads(value["stdout"]) == {"password": "[redacted:password]", "n": 1, "text": "ü"}


def test_json_in_a_string_without_secrets_keeps_its_bytes() -> None:
    text = '{"a":   1,\n\t"b": [2]}'
    assert Redactor().value({"stdout": text}).value == {"stdout": text}


def test_deeper_json_is_masked_as_text() -> None:
    word = Maker().password()
    text = json.dumps({"a": json.dumps({"b": json.dumps({"password": word})})})
    assert word not in json.dumps(Redactor().value({"stdout": text}).value)


def test_a_kind_that_is_off_stays() -> None:
    value = {"password": "hunter2"}
    assert Redactor(kinds_off=frozenset({"password"})).value(value).value == value  # type: ignore[arg-type]


def test_colour_codes_are_dropped() -> None:
    assert Redactor().value(["\x1b[31mred\x1b[0m plain text"]).value == ["red plain text"]


def test_private_regions_are_cut_in_leaves_and_counted() -> None:
    result = Redactor().value({"prompt": "a <private>b</private> c"})
    assert (result.value, result.counts) == ({"prompt": "a [private] c"}, {"private": 1})


def test_a_value_masked_before_stays() -> None:
    once = Redactor(b"k" * 32).value({"password": "hunter2", "t": Maker().github()})
    again = Redactor(b"k" * 32).value(once.value)
    assert (again.value, again.counts) == (once.value, {})


def test_the_value_given_is_not_changed() -> None:
    given = {"a": ["password=hunter22"]}
    Redactor().value(given)  # type: ignore[arg-type]
    assert given == {"a": ["password=hunter22"]}


@pytest.mark.parametrize("depth", [150, 500])
def test_no_depth_breaks_it(depth: int) -> None:
    value: object = "password=hunter22"
    for _ in range(depth):
        value = [value]
    assert "hunter22" not in repr(Redactor().value(value).value)  # type: ignore[arg-type]
