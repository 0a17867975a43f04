"""The ways in which maskers are known to fail, each as a whole kind."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from tests.redact.made import Maker
from tui_memory.redact import Redactor, redact

KINDS = sorted(Maker().providers())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "before",
    ["", " ", "\n", "\\n", "\\r\\n", "\\t", "\x1b[33m", "=", "'", '\\"', "%20", "\\u003d", "→", "(", "`"],
)
def test_tokens_are_found_after_escapes_and_colours(kind: str, before: str) -> None:
    token = Maker(3).providers()[kind]
    masked = Redactor().text(f"line{before if before else ' '}{token} end")
    assert token not in masked.text
    assert kind in masked.counts


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("value", ['pa"ss\\w0rd!9', "tab\there 99", "sl/ash\\\\12x", "qu'ote\"42"])
def test_escaped_values_are_masked_whole(value: str, depth: int) -> None:
    text = json.dumps({"password": value})
    for _ in range(depth - 1):
        text = json.dumps({"line": text})
    masked = redact(text)
    assert json.dumps(value)[1:-1].replace("\\", "") not in masked.replace("\\", "")
    for _ in range(depth - 1):
        masked = json.loads(masked)["line"]
    assert json.loads(masked)["password"] == "[redacted:password]"


@pytest.mark.parametrize(
    "label",
    [
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "EC PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ],
)
@pytest.mark.parametrize(
    "sep", ["\n", "\\n", "\\\\n", "\r\n", "\\r\\n", "\n    ", "\n> ", '" +\n  "', "\n12\t", "\n+", " "]
)
@pytest.mark.parametrize("cut", ["whole", "no end", "no begin", "ends in words"])
def test_key_blocks_leave_no_line(label: str, sep: str, cut: str) -> None:
    lines = Maker(5).key_lines()
    begin, end = f"-----BEGIN {label}-----", f"-----END {label}-----"
    if cut == "no begin" and sep == " ":
        pytest.skip("a headless key on one line of words has nothing to be told by")
    parts = {
        "whole": [begin, *lines, end],
        "no end": [begin, *lines[:-2]],
        "no begin": [*lines[2:], end],
        "ends in words": [begin, *lines[:-2], "... (output truncated)"],
    }[cut]
    masked = redact(sep.join(parts))
    body = {"whole": lines, "no end": lines[:-2], "no begin": lines[2:], "ends in words": lines[:-2]}[cut]
    assert not [line for line in body if line in masked]
    assert cut != "ends in words" or "output truncated" in masked


@pytest.mark.parametrize("kind", ["anthropic-key", "openai-key", "pypi-token", "vault-token", "jwt"])
@pytest.mark.parametrize("sep", ["\n", "\r\n", "\\n", " \\\n", "\n│ "])
def test_tokens_wrapped_by_a_terminal_go_whole(kind: str, sep: str) -> None:
    token = Maker(7).providers()[kind]
    pieces = [token[i : i + 76] for i in range(0, len(token), 76)]
    masked = redact(f"{sep.join(pieces)}{sep[:-1]}\nthe next line stays")
    assert not [piece for piece in pieces if piece in masked]
    assert "the next line stays" in masked


@pytest.mark.parametrize(
    "kind", ["github-token", "anthropic-key", "slack-token", "npm-token", "gitlab-token", "jwt", "google-key"]
)
def test_tokens_cut_off_are_still_masked(kind: str) -> None:
    token = Maker(9).providers()[kind]
    cut = token[: max(24, len(token) * 2 // 3)] if kind != "google-key" else token[:-4]
    assert cut not in redact(f"it was {cut}…")


@pytest.mark.parametrize(
    "text",
    [
        "https://[redacted:github-token]@github.com/a/b",
        "password=[redacted:password]",
        "Authorization: Bearer [redacted:jwt#0a1b]",
        '{"token": "[redacted:token]"}',
        "curl -u app:[redacted:password] https://globex.io",
        "[private] password: [private]",
    ],
)
def test_placeholders_are_opaque(text: str) -> None:
    assert redact(text) == text


def test_a_forged_placeholder_hides_nothing() -> None:
    word = Maker().password()
    assert word not in redact(f"password=[redacted:password]{word}")
    assert word not in redact(f"password={word}[redacted:password]")


def test_placeholders_are_a_fixed_neutral_form() -> None:
    assert redact(f"API_TOKEN={Maker().github()}") == "API_TOKEN=[redacted:github-token]"


def test_name_scheme_user_and_host_stay_readable() -> None:
    word = Maker().password()
    assert (
        redact(f"postgres://app:{word}@db.globex.io:5432/shop")
        == "postgres://app:[redacted:url-password]@db.globex.io:5432/shop"
    )
    assert redact(f'"dbPassword": "{word}",') == '"dbPassword": "[redacted:password]",'


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_of_a_token_is_left(kind: str) -> None:
    token = Maker(11).providers()[kind]
    masked = redact(f"KEEP {token} KEEP")
    assert masked == f"KEEP [redacted:{kind}] KEEP"


@pytest.mark.parametrize(
    "text",
    [
        "authorType: admin1",
        "minipass@7.1",
        "bypass = true1",
        "compass: n12",
        "keyboard: qwerty99",
        "max_tokens: 4096",
        "tokens: list[str]",
        "token == 0x08",
        'nextPageToken: "abc123def456"',
        "aws acm request-certificate --idempotency-token 91adc45q",
        '"RoleId": "AROAIQ5SIQUGL5KMYBJX6", "UserId": "AIDAJ3LOROMOUXTBSU6EX"',
        "cache-key: linux-e8bd7c8cd62543c8f284",
        "partition_key: 68ryebh659tsfzg4dcsa",
        "password = input('Password: ')",
        "token: Optional[str] = None",
        "secret_key = settings.SECRET_KEY",
        "password: z.string().min(8)",
        "const { password, ...rest } = user;",
        'token = os.getenv("GITHUB_TOKEN")',
        "password: ${{ secrets.DB_PASSWORD }}",
        "API_KEY=your_api_key_here",
        "password: ********",
        "the password must hold 8 characters",
        "Enter password: ",
        "secretName: tls-cert2",
    ],
)
def test_key_words_within_words_and_code_are_no_secrets(text: str) -> None:
    assert redact(text) == text


def test_a_token_that_holds_another_format_goes_as_one() -> None:
    made = Maker()
    token = "gh" + "s_123456_" + made.jwt()
    assert redact(f"x {token} y") == "x [redacted:github-token] y"


@pytest.mark.parametrize("before", ["İİİ ", "Größe 🔐\n", "日本語のログ: ", "\ud83d ", "K", "é" * 50 + "\n"])
def test_letters_that_change_length_shift_nothing(before: str) -> None:
    word = Maker().password()
    assert redact(f"{before}DB_PASSWORD={word}\nend") == f"{before}DB_PASSWORD=[redacted:password]\nend"


def test_masking_is_by_place_not_by_value() -> None:
    text = 'root:\n  user: root\n  password: "root77!x"\n  note: root77'
    assert redact(text) == 'root:\n  user: root\n  password: "[redacted:password]"\n  note: root77'


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "password=",
        "password = ",
        "api_key_token_secret-",
        "\"'",
        '\\\\\\"',
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "http://a:",
        "a@a.",
        "eyJ.",
        "4111 ",
        "a.-_",
        "curl -u ",
        "Cookie: a=",
        "key" + " " * 99,
        "gh" + "p_",
        "+1 (",
        "insert into t (password) values (",
        "kind: Secret\n",
        "password,b\n",
        "auth=('a', ",
        "<private>",
        "Private-Lines: 9\n",
        "-----END RSA PRIVATE KEY-----\n",
        "password='",
        "\\n",
        "\x1b[0m",
        "[redacted:a]",
    ],
)
def test_time_grows_with_the_size_only(piece: str) -> None:
    """Doubling a hostile text doubles the work: counted in processor time, with room for noise."""
    from time import process_time

    def cost(size: int) -> float:
        text = piece * (size // len(piece))
        best = 9.0
        for _ in range(2):
            start = process_time()
            redact(text)
            best = min(best, process_time() - start)
        return best

    assert cost(120_000) < 4 * cost(60_000) + 0.05


@pytest.mark.parametrize(
    "text",
    [
        "256 SHA256:9sG0QLY3kN+70zRPXzhJDrF758bsd81l1eerrcBdt6O root@box (ED25519)",
        "golang.org/x/net v0.1.0 h1:hZ/3BUoy5aId7sCpA/Tc5lt8DkFgdVS2onTpJsZ/fl0=",
        "key=f34441ab-52eb-4e55-b929-8347cdae24ce value=3",
        "commit 8f5300b017bb00c769d9b0429330d6af125969d5",
        "pk_live" + "_51abcDEF23456789",
        '"integrity": "sha512-TZE1HAiPk41PTxD1mueXrCNtPk07HSvjxv/MM1kpY+vrQ2YwBz71g4W7CLTvqBl'
        'fpy8Um4vPRqJvKozg4hLDs0=="',
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dsABC1234 me@box",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEsmlhE+23zF0Ej8FQOYmLh\n-----END CERTIFICATE-----",
        "data:image/png;base64,iVBORw0KGgowREtX/WHCB7UvXC39z",
    ],
)
def test_public_things_that_look_like_secrets_stay(text: str) -> None:
    assert redact(text) == text


def test_an_id_in_a_name_excuses_nothing() -> None:
    made = Maker()
    token = made.providers()["aws-access-key"]
    value = Redactor().value(
        {"aws_access_key_id": token, "session_id": made.uuid(), "tool_use_id": "toolu_" + made.alnum(24)}
    )
    assert value.counts == {"aws-access-key": 1}


def test_what_is_random_but_named_harmless_stays_and_what_is_plain_but_named_secret_goes() -> None:
    made = Maker()
    text = f"checksum = {made.hex(64)}\netag: {made.hex(32)}\nblob {made.base64(90)}"
    assert redact(text) == text
    assert redact("DB_PASSWORD=swordfish") == "DB_PASSWORD=[redacted:password]"


def test_documented_example_keys_stay() -> None:
    text = "AK" + "IAIOSFODNN7EXAMPLE"
    assert redact(text) == text


class TestKnownValues:
    """Exact values of secret-named environment variables, wherever and however they stand."""

    value = "tuna/melt+on&rye=9"

    @pytest.mark.parametrize(
        "form",
        [
            value,
            json.dumps(json.dumps(value)),
            quote(value, safe=""),
            base64.b64encode(value.encode()).decode(),
            base64.b64encode(b"xy" + value.encode() + b"z").decode(),
        ],
    )
    def test_every_form_is_masked(self, form: str) -> None:
        masked = Redactor(known=[self.value]).text(f"before {form} after")
        assert masked.counts == {"known-value": 1}
        assert masked.text.startswith("before ") and masked.text.endswith(" after")

    @pytest.mark.parametrize(
        "plain", ["short7", "production", "/usr/local/bin", "true", "12345678", "eu-west", "aaaaaaaaaa"]
    )
    def test_plain_words_paths_and_numbers_are_not_hunted(self, plain: str) -> None:
        assert Redactor(known=[plain]).text(f"x {plain} y").text == f"x {plain} y"


@pytest.mark.parametrize("escape", ["\x1b", "\\u001b", "\\033", "\\e", "\\x1b"])
def test_a_placeholder_behind_a_lone_escape_is_no_colour(escape: str) -> None:
    leaf = f"{escape}[redacted:github-token#3f9a] tail"
    assert Redactor().value({"line": leaf}).value == {"line": leaf}
    assert Redactor().text(leaf).text == leaf
