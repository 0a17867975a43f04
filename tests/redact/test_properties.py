"""What holds for every text: idempotence, valid JSON, no growth, no secret survives its surroundings."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.redact.made import Maker
from tui_memory.redact import Redactor
from tui_memory.redact.spans import PLACEHOLDER, wordset

REDACTOR = Redactor(b"k" * 32)
PIECES = sorted(
    [
        *wordset(
            "password passwd token api_key secret Authorization Bearer Cookie user -u --password curl -p mysql https"
        ),
        *wordset("= : ' { } [ ] , ; & ? @ :// / | < > ( ) $ hunter22 Teal77_thimble 4012888888881881 a.b@globex.io"),
        *(
            ": ",
            " ",
            "\n",
            "\\n",
            '"',
            '\\"',
            "\\",
            "\x1b[31m",
            "\x1b[0m",
            "é",
            "İ",
            "🔐",
            "\ud83d",
            "\0",
            "\1",
        ),
        *("[redacted:password]", "[redacted:jwt#0a1b]", "[private]", "[redacted:"),
        *("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
        *Maker(2).providers().values(),
        *Maker(4).key_lines(3),
    ]
)
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=24).map("".join)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(texts)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = REDACTOR.text(text).text
    assert REDACTOR.text(once).text == once


@settings(max_examples=100, deadline=None, derandomize=True)
@given(texts)
def test_a_text_grows_by_its_placeholders_only(text: str) -> None:
    result = REDACTOR.text(text)
    rest = PLACEHOLDER.sub("", result.text)
    assert len(rest) <= len(text)
    assert (sum(result.counts.values()) > 0) == (result.text != text)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(json_values)
def test_values_stay_json_of_the_same_shape(value: Any) -> None:
    masked = REDACTOR.value(value).value
    json.loads(json.dumps(masked))
    assert type(masked) is type(value) or isinstance(masked, str)
    assert not isinstance(value, list | dict) or len(masked) == len(value)  # type: ignore[arg-type]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(json_values)
def test_values_masked_twice_are_masked_once(value: Any) -> None:
    once = REDACTOR.value(value).value
    assert REDACTOR.value(once).value == once


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(Maker(6).providers().items())), texts, texts, st.integers(0, 3))
def test_no_token_survives_its_surroundings(named: tuple[str, str], before: str, after: str, depth: int) -> None:
    token = named[1]
    text = f"{before} {token} {after}"
    for _ in range(depth):
        text = json.dumps({"line": text})
    assert token not in REDACTOR.text(text).text


passwords = st.text("abcdefghkmnpqrstuvwxyzABCDEFGHKMN23456789!#%*+_.~^-", min_size=8, max_size=24).filter(
    lambda word: (
        len(set(word)) > 5
        and bool(re.search(r"[a-zA-Z]{2}.*\d\d|\d\d.*[a-zA-Z]{2}", word))
        and not re.search(r"([^a-zA-Z0-9])\1", word)
        and word[0].isalnum()
        and word[-1].isalnum()
    )
)
FORMS = (
    'password: "{}"',
    "DB_PASSWORD='{}'",
    'const dbPassword = "{}";',
    '"password": "{}",',
    "'password' => '{}'",
    'setPassword("{}")',
    "postgres://app:{}@db.globex.io/shop",
    '<property name="password" value="{}"/>',
    'os.environ["DB_PASSWORD"] = "{}"',
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(passwords, st.sampled_from(FORMS), st.integers(0, 3))
def test_no_password_survives_any_depth_of_json(word: str, form: str, depth: int) -> None:
    if "://" in form and re.search(r"[#%/@]", word):
        word = re.sub(r"[#%/@]", "x", word)
    text = form.format(word)
    for _ in range(depth):
        text = json.dumps({"line": text, "n": 1})
    assert word not in REDACTOR.text(text).text


LAYERS: dict[str, Callable[[str], str]] = {
    "json": lambda text: json.dumps({"line": text, "n": 1}),
    "json list": lambda text: json.dumps([text, None], ensure_ascii=False),
    "html": lambda text: f"<pre>{html.escape(text)}</pre>",
    "diff": lambda text: "@@ -1 +1 @@\n" + "\n".join(f"+{line}" for line in text.split("\n")),
    "quotation": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "numbered": lambda text: "\n".join(f"{n:6}\t{line}" for n, line in enumerate(text.split("\n"), 7)),
    "coloured": lambda text: f"\x1b[1;32m{text}\x1b[0m",
    "windows": lambda text: text.replace("\n", "\r\n"),
    "fenced": lambda text: f"see:\n```\n{text}\n```\n",
    "logged": lambda text: f"2026-11-29T10:00:00Z INFO [worker] {text} (12 ms)",
}
layers = st.lists(st.sampled_from(sorted(LAYERS)), min_size=3, max_size=3)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(Maker(6).providers().items())), layers)
def test_no_token_survives_three_layers_of_anything(named: tuple[str, str], through: list[str]) -> None:
    text = f"it is {named[1]} now"
    for layer in through:
        text = LAYERS[layer](text)
    assert named[1] not in REDACTOR.text(text).text


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.integers(0, 5_000), st.sampled_from(FORMS), layers)
def test_no_password_survives_three_layers_of_anything(seed: int, form: str, through: list[str]) -> None:
    word = Maker(seed).password()
    text = form.format(word)
    for layer in through:
        text = LAYERS[layer](text)
    once = REDACTOR.text(text).text
    assert word not in once
    assert REDACTOR.text(once).text == once


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 5_000), st.sampled_from(FORMS), layers)
def test_json_around_any_layers_stays_json(seed: int, form: str, through: list[str]) -> None:
    text = form.format(Maker(seed).password())
    for layer in through:
        text = LAYERS[layer](text)
    outer = json.dumps({"stdout": text})
    assert set(json.loads(REDACTOR.text(outer).text)) == {"stdout"}
