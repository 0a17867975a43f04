"""The user's own rules: what they mask and spare, and what happens when one does not come to an end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui_memory import config, patterns
from tui_memory.errors import ConfigError
from tui_memory.model import JSON
from tui_memory.redact import custom
from tui_memory.redact.custom import Guarded, OwnRedactor, Rules, RuleTimeout, of_settings

PASSWORD = "".join(("Tr0ub4dor", "Zx9", "kLm2"))
OWN = Rules((("acme-id", r"ACME-\d{6}"),), (r"Tr0ub4dorZx9\w*",))
ENDLESS = Rules((("endless", r"(a+)+$"),))


@pytest.fixture
def guarded() -> Iterator[Guarded]:
    made = Guarded(OWN, b"k" * 32)
    yield made
    made.close()


def test_what_a_rule_finds_is_masked_under_its_own_name() -> None:
    found = OwnRedactor(OWN).text("of ACME-123456 and mail to robin@acme.test")
    assert found.text.startswith("of [redacted:acme-id] and mail to ")
    assert found.counts["acme-id"] == 1


def test_masking_twice_is_masking_once() -> None:
    once = OwnRedactor(OWN).text("ACME-123456 ACME-1").text
    assert OwnRedactor(OWN).text(once) == (once, {})


def test_a_rule_never_looks_into_a_placeholder() -> None:
    assert OwnRedactor(Rules((("all", "redacted"),))).text("[redacted:password] redacted").text == (
        "[redacted:password] [redacted:all]"
    )


def test_what_is_allowed_stays_and_is_not_counted() -> None:
    spared = OwnRedactor(OWN)
    assert spared.text(f"password = {PASSWORD}") == (f"password = {PASSWORD}", {})
    assert spared.value({"password": PASSWORD}) == ({"password": PASSWORD}, {})
    assert PASSWORD not in OwnRedactor(Rules()).text(f"password = {PASSWORD}").text
    other = PASSWORD.replace("Tr0", "Xr0")
    assert other not in spared.text(f"password = {other}").text


def test_colour_codes_do_not_hide_a_value() -> None:
    assert "123456" not in OwnRedactor(OWN).text("\x1b[31mACME-\x1b[0m123456").text


def test_the_child_masks_as_the_rules_do(guarded: Guarded) -> None:
    value: JSON = {"text": "ACME-123456", "deep": [{"ACME-654321": f"password={PASSWORD[3:]}"}]}
    assert guarded.value(value) == OwnRedactor(OWN, b"k" * 32).value(value)
    assert guarded.text("ACME-123456 \ud800 é") == OwnRedactor(OWN).text("ACME-123456 \ud800 é")
    known = "".join(("Kn0wn", "Value!", "99"))
    assert known not in str(guarded.knowing([f"SERVICE_TOKEN={known}"], []).value({"x": f"it says {known}"}).value)


def test_one_that_never_ends_is_given_up_in_time_and_the_next_text_is_masked() -> None:
    guarded = Guarded(Rules((*ENDLESS.extra, *OWN.extra)))
    try:
        guarded.start()
        began = time.monotonic()
        with pytest.raises(RuleTimeout, match="too long"):
            guarded.text("a" * 60 + "b")
        assert time.monotonic() - began < 5
        assert guarded.text("ACME-123456").text == "[redacted:acme-id]"
        assert guarded.restarts == 1
    finally:
        guarded.close()


def test_a_child_that_is_gone_is_replaced(guarded: Guarded) -> None:
    guarded.start()
    assert guarded._child is not None
    guarded._child.kill()
    guarded._child.wait()
    assert guarded.text("ACME-123456").text == "[redacted:acme-id]"


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ("extra: [{kind: acme-id, pattern: 'ACME-('}]", r"extra\[0\].pattern: 'ACME-\(' is no regular expression"),
        ("extra: [{kind: acme-id, pattern: 'x*'}]", r"redact.extra\[0\].pattern: 'x\*' matches an empty text"),
        ("extra: [{kind: Acme Id, pattern: 'x'}]", r"redact.extra\[0\].kind: 'Acme Id' must be"),
        ("extra: [{kind: acme-id}]", r"redact.extra\[0\].pattern: '' is empty"),
        ("allow: ['fine', '[']", r"redact.allow\[1\]: '\[' is no regular expression"),
    ],
)
def test_a_bad_pattern_is_named_when_the_settings_are_read(tmp_path: Path, lines: str, wrong: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"redact: {{{lines}}}\n")
    with pytest.raises(ConfigError, match=wrong):
        config.load(path)


def test_good_ones_are_rules(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("redact:\n  extra:\n    - {kind: acme-id, pattern: 'ACME-\\d{6}'}\n  allow: ['Tr0ub4dorZx9\\w*']\n")
    assert of_settings(config.load(path).redact) == OWN
    assert of_settings(config.Settings().redact) is None
    assert patterns.trouble("x" * 2_000) == "is longer than 1000 characters"


def test_how_long_a_child_takes_to_come_up_is_no_part_of_a_texts_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(custom, "_PROGRAM", f"import time; time.sleep(1)\n{custom._PROGRAM}")
    guarded = Guarded(ENDLESS)
    try:
        with pytest.raises(RuleTimeout):
            guarded.text("a" * 60 + "b")
        assert guarded.text("plain").text == "plain"
    finally:
        guarded.close()
