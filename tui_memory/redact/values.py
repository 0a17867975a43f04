"""Whether what stands after a secret's name is a secret: not a look-up, a type, a placeholder or a sentence."""

from __future__ import annotations

import re
from itertools import pairwise

from tui_memory.light import late
from tui_memory.redact.spans import wordset

PLACEHOLDER_WORDS = wordset(
    "password passwd passphrase passcode pass pwd pw secret secrets token tokens key "
    "keys apikey api auth access "
    "client my your the a an some user username login admin root test testing tests "
    "example examples sample dummy "
    "fake mock placeholder changeme change me changeit replace insert here todo fixme "
    "redacted hidden masked removed "
    "none null nil undefined true false yes no on off empty default value string str "
    "text bytes int integer number "
    "bool boolean object any unknown required optional invalid missing incorrect wrong "
    "expired valid new old current "
    "confirm confirmation repeat forgot reset update enter type input field label hint "
    "title error errors message "
    "enabled disabled auto automatic generate generated random private public session "
    "refresh bearer basic id foo bar "
    "baz qux xxx abc omitted stripped censored filtered sensitive credential credentials "
    "service account name of "
    "from to for and or is in with this that goes put use set get read env environment "
    "variable app application "
    "database db server host http https oauth oauth2 jwt csrf xsrf code otp pin email "
    "mail strong weak short long "
    "super very foobared not provided given supplied stored encrypted hashed plain hash salt "
    "signing encryption master "
    "identifier keyword literal expected actual result first second other another same different bad good "
    "manager provider handler factory builder store keystore vault file path url uri endpoint header param "
    "query body form json yaml prompt ask interactive inherit external internal "
    "delegated managed rotate rotated "
    "aws gcp azure github gitlab openai anthropic google stripe slack twilio sendgrid "
    "somewhere something anything "
    "passwort kennwort kennwörter contraseña senha wachtwoord hasło heslo lösenord salasana adgangskode passord şifre "
    "пароль пароля parola 密码 密碼 パスワード 비밀번호"
)
"""A value all of whose words are these says that something stands there, not what."""

MARKED = late(
    r"\$\{|\$\(|\{\{|\}\}|<%|%\(|(?<!\w)%s(?!\w)|^%[A-Za-z_]\w*%$|\{[a-z_.]*\}|\.\.\.|…|\*{3,}|[xX]{4,}|"
    r"(?i:abcdefgh|qwertyuiop)|•{2,}|#\{|_{4,}|-{6,}"
    r"|(?i:example|placeholder|changeme|change[-_]me|changeit|replace[-_]?(?:me|with|this)|your[-_ ]|yours?$"
    r"|insert[-_ ]|redacted|dummy|\bfake|\[hidden|\bmasked|not[-_ ]?a[-_ ]?real|goes[-_ ]here|todo\b)"
)
REFERENCE = late(
    r"\$[A-Za-z_]|[&*][a-z_]+$|!\w|@[\w.]+$|(?:arn|op|vault|secret|secrets|ssm|env"
    r"|file|kms|gcpkms|azurekms|ref|doppler|"
    r"awskms|projects|keyring|keychain|var|data|module|local|secretsmanager|https?|s3|gs)"
    r"(?::|/|\.)(?![A-Za-z0-9+/]{40})|ENC\["
)
PATTERN = late(r"\[\^?[\w]-\w|\\[wdsWDS][+*{)\]]|\.[*+]\W|\(\?|\[\^")
DIGEST = late(
    r"(?i:sha(?:1|224|256|384|512)|md5|h1)[-:=]|ssh-(?:rsa|ed25519|dss)\s|ecdsa-sha2|data:"
    r"|age1[a-z0-9]{20}"
)
PATH = late(r"(?:[~.]{0,2}/|[A-Za-z]:\\|\./)[\w.\-/\\ @+]{1,200}$")
FILE = late(
    r"[\w\-./]{1,200}\.(?:py|js|ts|tsx|jsx|json|ya?ml|toml|txt|md|pem|key|crt|html?|css|go"
    r"|rs|java|rb|php|sh|env|conf|cfg|ini|xml)$"
)
NUMBER = late(r"[+-]?(?:0x[0-9a-fA-F]+|[0-9][0-9_,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)[a-zA-Z%]{0,2}$")
DATED = late(
    r"\d+(?:\.\d+)?(?:ms|[smhd]|min|px|r?em|pt|[kKMG]?B|%)$|"
    r"\d{4}-\d\d-\d\d(?:[T ][\d:.Z+-]*)?$|v?\d+(?:\.\d+){1,3}(?:[-+.][\w.]+)?$|\d{1,3}"
    r"(?:\.\d{1,3}){3}(?::\d+)?$"
)
IDENTIFIER = late(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*$")
UUID = late(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$")
AMID = late(r"^[A-Za-z]+[!#$%^&*@][A-Za-z]+$")
CONSONANTS = late(r"(?i:[b-df-hj-np-tv-xz]{4})")
DIGIT = late(r"[0-9]")
LETTER = late(r"[^\W\d_]")
BASE64 = late(r"[A-Za-z0-9+/_-]+={0,2}")
WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SAFE_PHRASE = late(r"[a-z]{3,9}(?: [a-z]{3,9}){3,23}$")
SENTENCE = wordset("the your you is are be must not and with for this that was has have enter please least from")


def has_digit(value: str) -> bool:
    """Whether an ASCII digit stands in it."""
    return DIGIT.search(value) is not None


def has_letter(value: str) -> bool:
    """Whether a letter stands in it."""
    return LETTER.search(value) is not None


def placeholder(value: str) -> bool:
    """A value that only marks a place: masked, templated, a look-up, or words like `your-api-key`."""
    if value.lower() in PLACEHOLDER_WORDS:
        return True
    if len(set(value)) <= 2 or MARKED.search(value, 0, 400) or REFERENCE.match(value):
        return True
    if PATTERN.search(value, 0, 400):
        return True
    if value[0] in "<[{" and value[-1] in ">]}":
        return True
    if has_digit(value.rstrip("0123456789")):
        return False
    parts = [w.lower() for w in WORDS.findall(value[:200])]
    letters = sum(map(len, parts))
    return bool(parts) and letters * 2 > len(value) and all(p in PLACEHOLDER_WORDS for p in parts)


def public(value: str) -> bool:
    """A value known to be no secret by its shape: a digest, a path, a version, a date, a plain number."""
    return bool(DIGEST.match(value) or path(value) or FILE.match(value) or DATED.match(value))


def path(value: str) -> bool:
    """A file's path; base64 may begin with a slash too, but then has capitals and digits in one long segment."""
    if not PATH.match(value):
        return False
    longest = max(value.split("/"), key=len)
    return not (len(longest) >= 16 and has_digit(longest) and longest != longest.lower() and "." not in longest)


def wordlike(value: str) -> bool:
    """Letters in words joined by spaces, dots, dashes or underscores, nothing else."""
    return all(part.isalpha() for part in re.split(r"[-_. /:]", value) if part)


def mixed(value: str) -> bool:
    """Letters of both cases changing so often that it is no camelCase word."""
    turns = sum(1 for a, b in pairwise(value) if a.islower() != b.islower())
    return turns * 5 >= len(value) * 2


def unspeakable(value: str) -> bool:
    """Letters alone that are neither a word nor a name of several: both cases in turn, consonants in a row."""
    return len(value) >= 10 and value.isalpha() and mixed(value) and CONSONANTS.search(value) is not None


def random(value: str) -> bool:
    """A value with a digit in it, or letters (and a sign among them) that no word and no name has so mixed."""
    return (
        has_digit(value)
        or unspeakable(value)
        or (len(value) >= 8 and value != value.lower() and AMID.search(value) is not None)
    )


def opaque(value: str, least: int = 8) -> bool:
    """A value no person would write as a word: long enough, letters and digits together, no known shape."""
    if len(value) < least or " " in value or placeholder(value) or public(value) or NUMBER.match(value):
        return False
    if UUID.match(value):
        return True
    if has_digit(value) and has_letter(value):
        return not re.fullmatch(r"[a-z_]+(?:-[a-z]+)*[-_]?v?\d", value) and not re.match(
            r"[A-Za-z_$][\w$]*\.[a-z_]\w*[.(]", value
        )
    return len(value) >= 20 and mixed(value) and BASE64.fullmatch(value) is not None


def password(value: str, *, quoted: bool, loose: bool = False) -> bool:
    """A value after a password's name; `loose` where only literals can stand (an environment file, a flag)."""
    if len(value) < 3 or placeholder(value) or DIGEST.match(value):
        return False
    if quoted and " " in value:
        return _phrase(value)
    if (path(value) and (not has_digit(value) or (not quoted and _folders(value)))) or FILE.match(value):
        return False
    if not value.isascii() and sum(c.isascii() and c.isalnum() for c in value) * 2 < len(value):
        return False
    if not has_digit(value):
        return _letters(value, quoted=quoted, loose=loose)
    if quoted or loose:
        return len(value) > 3
    if re.fullmatch(r"[A-Za-z_]{1,12}\d(?:\.\w+)*", value) and not (len(value) >= 8 and mixed(value)):
        return False
    return len(value) > 3 and not DATED.match(value)


def _folders(value: str) -> bool:
    """A path of two folders or more, each a word that may end in a number."""
    parts = [part for part in re.split(r"[/\\]", value) if part]
    return len(parts) >= 2 and all(re.fullmatch(r"[~.]{1,2}|[A-Za-z]:|[\w.@+-]*[A-Za-z.-]\d{0,3}", p) for p in parts)


def _phrase(value: str) -> bool:
    """Words with spaces: a passphrase of plain words, or a password that holds digits and is no sentence."""
    if SAFE_PHRASE.match(value):
        return not SENTENCE.intersection(value.split()) and "pass" not in value
    return (
        has_digit(value)
        and len(value) < 40
        and not SENTENCE.intersection(value.lower().split())
        and value.count(" ") < 3
    )


def _letters(value: str, *, quoted: bool, loose: bool) -> bool:
    """No digit in it: a password only where code, types and labels cannot stand."""
    if not value.isascii() or not has_letter(value):
        return False
    symbols = [c for c in value if not c.isalnum() and c not in "-_. /:"]
    if symbols and (quoted or loose):
        return len(value) >= 6 and not re.search(r"[(\[{<>=]|\s", value.rstrip("="))
    if symbols:
        return len(value) >= 8 and not re.search(r"[(\[{<>=,;|?*`]|::|->", value) and value[-1] not in ":.,"
    if wordlike(value):
        parts = [p for p in re.split(r"[-_. /:]", value.lower()) if p]
        known = [p in PLACEHOLDER_WORDS for p in parts]
        if sum(known) * 2 >= len(known) or (len(parts) < 4 and any(known)):
            return False
    if loose:
        return len(value) >= 4
    return (
        unspeakable(value)
        or (quoted and _jumbled(value))
        or (
            quoted
            and len(value) >= 8
            and (mixed(value) or value.count("-") >= 2 or (value.islower() and value.isalpha()))
        )
    )


def _jumbled(value: str) -> bool:
    """Letters alone, consonants in a row, capitals in the midst, and no part of it a word of code or of labels."""
    parts = [part.lower() for part in WORDS.findall(value)]
    return (
        len(value) >= 10
        and len(parts) >= 3
        and value.isalpha()
        and CONSONANTS.search(value) is not None
        and PLACEHOLDER_WORDS.isdisjoint(parts)
        and min(map(len, parts)) < 3
    )


def basic(value: str) -> bool:
    """Base64 of `user:password`, as Basic authentication and Docker's `auth` hold it."""
    if len(value) < 8 or not re.fullmatch(r"[A-Za-z0-9+/_-]{6,}={0,2}", value):
        return False
    import base64

    try:
        text = base64.b64decode(
            value + "=" * (-len(value) % 4), altchars=b"-_" if "-" in value or "_" in value else None
        )
    except ValueError:
        return False
    return b":" in text and all(32 <= c < 127 for c in text)
