"""What other packages rely on: redact, Redactor, secret_name, private_cut, unscanned."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.redact.made import Maker
from tui_memory import redact as package
from tui_memory.redact import Redactor, private_cut, redact, secret_name, unscanned


def test_a_text_without_secrets_comes_back_as_it_was() -> None:
    text = "def reset_password(user: User) -> None:\n    user.password = hash_password(new)\n"
    assert redact(text) == text
    assert Redactor().text(text).counts == {}


def test_counts_are_by_kind() -> None:
    made = Maker()
    result = Redactor().text(f"A={made.github()} B={made.github()}\nDB_PASSWORD={made.password()}")
    assert result.counts == {"github-token": 2, "password": 1}


def test_the_suffix_keeps_equal_secrets_equal_and_different_ones_apart() -> None:
    made = Maker()
    one, other = made.github(), made.github()
    text = Redactor(b"k" * 32).text(f"{one} {other} {one}").text
    first, second, third = text.split()
    assert first == third != second
    assert first.startswith("[redacted:github-token#") and len(first) == len("[redacted:github-token#3f9a]")


def test_the_suffix_depends_on_the_key() -> None:
    token = Maker().github()
    assert Redactor(b"a" * 32).text(token).text != Redactor(b"b" * 32).text(token).text


def test_passwords_and_personal_data_carry_no_suffix() -> None:
    text = Redactor(b"k" * 32).text(f"DB_PASSWORD={Maker().password()}\nmail teal@globex.co.uk").text
    assert text == "DB_PASSWORD=[redacted:password]\nmail [redacted:email]"


def test_the_stores_key_is_used_once_it_is_there_and_no_store_is_made_for_it(tmp_path: Path) -> None:
    token = Maker().github()
    assert redact(token) == "[redacted:github-token]"
    assert not (tmp_path / "store").exists()
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "key").write_bytes(b"k" * 32)
    assert redact(token) == Redactor(b"k" * 32).text(token).text


def test_kinds_can_be_switched_off() -> None:
    text = "teal@globex.co.uk called +49 30 5701 8472"
    assert Redactor(kinds_off=frozenset({"email", "phone"})).text(text).text == text
    assert Redactor(kinds_off=frozenset({"email"})).text(text).text == "teal@globex.co.uk called [redacted:phone]"


def test_the_users_own_address_stays() -> None:
    text = "Author: me <Teal@Globex.co.uk>, reviewer <amber@globex.co.uk>"
    masked = Redactor(identity=["teal@globex.co.uk"]).text(text).text
    assert masked == "Author: me <Teal@Globex.co.uk>, reviewer <[redacted:email]>"


@pytest.mark.parametrize(
    "name",
    [
        "DB_PASSWORD",
        "GITHUB_TOKEN",
        "clientSecret",
        "x-api-key",
        "SECRET_KEY_BASE",
        "apiKey",
        "db.password",
        "AWS_SECRET_ACCESS_KEY",
        "PGPASSWORD",
        "SMTP_PASS",
        "dbpasswd",
        "API_KEY_PROD",
        "STRIPE_KEY",
        "client-key-data",
        "privateKey",
        "accesstoken",
        "ACME_KEY",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "max_tokens",
        "nextPageToken",
        "cacheKey",
        "CACHE_KEY",
        "partition_key",
        "authorType",
        "bypass",
        "compass",
        "keyboard",
        "minipass",
        "token_type",
        "password_file",
        "secret_name",
        "tokenizer",
        "primaryKey",
        "PWD",
        "OLDPWD",
        "GPG_KEY",
        "passed",
        "author",
        "SSH_AUTH_SOCK",
        "KEY",
    ],
)
def test_names_that_only_look_like_it(name: str) -> None:
    assert not secret_name(name)


def test_what_could_not_be_scanned_says_how_much_and_is_opaque() -> None:
    assert unscanned(48 * 1024) == "[redacted:unscanned, 48 KB]"
    assert redact(f"password={unscanned(2048)}") == "password=[redacted:unscanned, 2 KB]"


@pytest.mark.parametrize(
    ("text", "left", "count"),
    [
        ("a <private>x</private> b", "a [private] b", 1),
        ("a <PRIVATE>x</Private> b <private >y</private>", "a [private] b [private]", 2),
        ("a <private>x <private>y</private> z</private> b", "a [private] b", 1),
        ("a <private>never closed", "a [private]", 1),
        ("a &lt;private&gt;x&lt;/private&gt; b", "a [private] b", 1),
        (r"a \u003cprivate\u003ex\u003c/private\u003e b", "a [private] b", 1),
        (r"a <private>x<\/private> b", "a [private] b", 1),
        ("a private matter", "a private matter", 0),
        ("class A { private: int x; }", "class A { private: int x; }", 0),
    ],
)
def test_private_regions_are_cut(text: str, left: str, count: int) -> None:
    assert private_cut(text) == (left, count)


def test_only_the_standard_library_is_loaded() -> None:
    code = (
        "import sys; before = set(sys.modules); import tui_memory.redact; tui_memory.redact.redact('token');"
        "new = {m.partition('.')[0] for m in set(sys.modules) - before};"
        "print(sorted(n for n in new if n not in sys.stdlib_module_names and n != 'tui_memory'))"
    )
    root = Path(package.__file__).parents[2]
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
