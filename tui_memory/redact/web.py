"""Credentials in addresses and headers: user and password in a URL, signed links, Authorization, cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact import values
from tui_memory.redact.spans import Span, View, gate, wordset

USERINFO = late(
    r"(?P<user>[^\s:/?#@\"'<>\\\0`(){}|,]{0,120}(?:@[\w.-]{1,80})?):(?P<word>(?:[^\s/@\"'<>\\\0`]"
    r"|\\(?![nrt\"'])|@(?=[^\s/\"'<>@]{1,100}@)){1,300})@(?=[\w\[*$%{.-])"
)
SLASHED = late(
    r"(?P<user>[^\s:/?#@\"'<>\\\0`]{1,120}):(?P<word>(?!\d{1,5}/)[^\s@\"'<>\\\0`]{4,200})@"
    r"(?=[\w\[-]+(?:[.:]|/[\w?-]|[\s\"'\\]|$))"
)
ALONE = late(r"(?P<word>[A-Za-z0-9_.~-]{20,255})@(?P<host>[\w.-]+)")
NETWORK = late(r"(?:tcp6?|unix|udp|cloudsql)\(")
BEFORE_NETWORK = late(r"[^\s\"'`<>\\\0(=]{5,260}")
USER = late(r"[\w.@%+-]{1,60}$")
ORACLE = late(r"jdbc:oracle:\w{2,6}:[\w$.-]{1,60}/([^\s@\"'\\\0]{3,100})@", re.IGNORECASE)
LOCAL = late(
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\b|db\b|postgres\b|mysql\b|redis\b"
    r"|mongo\b|example\.|[\w.-]+\.example\b)"
)
SCHEME = late(r"(?:[A-Za-z][A-Za-z0-9+.-]{1,40}|)$")
USUAL = wordset(
    "password pass passwd pwd secret pw token user username postgres root admin guest mysql redis test "
    "mypassword mypass yourpassword"
)

SIGNED = late(
    r"[?&;](?:amp;)?(?P<name>appid|app_id|sig|signature|x-amz-signature|x-goog-signature"
    r"|x-amz-security-token|x-amz-credential|x-oss-signature|"
    r"x-cos-signature|key|code|hash|hmac|auth|sid|session|ticket|samlresponse|assertion"
    r"|policy|st|jwt|nonce_token|__token__|hdnea)="
    r"(?P<value>[^\s&\"'<>\\\0`;#)\]]{8,4000})"
)
SURE = wordset(
    "sig x-amz-signature x-goog-signature x-amz-security-token hmac samlresponse "
    "assertion signature x-oss-signature x-cos-signature"
)
SAS = late(r"[&;?](?:amp;)?sig=([A-Za-z0-9%+/=_-]{16,200})")

AUTHORIZATION = late(
    r"authorization(?:_header)?[\\\"'`\])]{0,20}[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}"
    r"(?P<open>[brfu]?\\*[\"'`])?[ \t]{0,4}"
    r"(?:(?P<scheme>bearer|basic|token|digest|apikey|api-key|key|bot|oauth|negotiate|ntlm"
    r"|splunk|geniekey|ssws|sso-key|hmac|hawk|"
    r"klaviyo-api-key|deepl-auth-key|discogs|jwt|mac|snowflake|shippotoken|twitch"
    r"|client-id|aws4-hmac-sha256|privx|"
    r"[a-z][a-z0-9_-]{2,24}(?=[ \t]))(?:[ \t:=]{1,3}(?:token=)?\\*[\"']?))?"
)
CREDENTIAL = late(r"[A-Za-z0-9_.~+/=:|!*-]{6,6000}")
SIGNATURE = late(
    r"(?:signature|response|token|oauth_signature|mac|nonce)=\\*\"?" r"([A-Za-z0-9%+/=_.-]{8,400})",
    re.IGNORECASE,
)
BEARER = late(r"bearer[ \t]{1,3}(?:token[ \t:=]{1,3})?\\*[\"']?")
BASIC = late(r"basic(?<![a-z]basic)[ \t]{1,3}(?=[A-Za-z0-9+/]{8})")
SASL = late(r"AUTH (?:PLAIN|LOGIN) ([A-Za-z0-9+/]{8,400}={0,2})(?![\w+/])", re.IGNORECASE)
AUTH = late(r"AUTH (?:[a-z]\w{0,30} )?(?P<value>(?=\S{0,60}\d)[^\s\"'\\\0]{8,200})(?=\s{0,4}(?:$|[\n\"\\]))")
LINE_BEFORE = late(r"(?:^|\n|\\n|[>→│] ?)[ \t+#]{0,12}$")
COOKIE = late(r"cookies?\d?[\\\"'`\])]{0,12}[ \t]{0,3}(?:[:=,]|=>)[ \t]{0,3}\\*[\"'`{]?" r"(?P<jar>[^\n\r\0]{1,6000})")
COOKIE_FLAG = late(r"(?: -b|--cookie)[ =]{1,3}[\"']?(?P<jar>[^\n\r\0\"']{3,4000})")
CRUMB = late(r"([A-Za-z0-9_.$!-]{1,80})(?:=|\\*[\"']: ?\\*[\"'])([^;\s,\"'\\]{4,4000})")
CRUMB_NAME = late(
    r"sess|sid$|^sid|auth|token|jwt|remember|login|csrf|xsrf|identity|aspx|sso|connect"
    r"|credential|secret|password|bearer|^id$|user_?id$|key$",
    re.I,
)
CRUMB_SAFE = wordset(
    "path domain expires max-age samesite httponly secure theme lang locale version priority _ga _gid _fbp"
)
SESSIONS = tuple(
    (gate(name), name)
    for name in ("phpsessid=", "sessionid=", "connect.sid=", "_session=", ".aspxauth=", "_session_id=")
)
"""Names of session cookies, each behind the word that stands in `View.words` where it stands in the text."""
SESSION = late(r"[a-z_.]{1,16}=(?P<value>[^\s;&\"'<>\\\0]{12,4000})")


def scan(view: View) -> Iterator[Span]:
    """Every credential in a URL or a header."""
    text, low = view.text, view.plain_lower
    if "//" in view.plain and "@" in view.plain:
        yield from _userinfo(text)
    if "tcp" in view.words or "unix" in view.words or "cloudsql" in view.words:
        yield from _networks(text)
    if "oracle" in view.words:
        for found in ORACLE.finditer(text):
            yield Span(found.start(1), found.end(1), "url-password")
    if "=" in low and ("?" in low or "&" in low):
        yield from _signed(text, low)
    if "authorization" in view.words:
        yield from _authorization(text, low)
    if "bearer" in view.words:
        yield from _scheme(text, low, "bearer", BEARER)
    if "auth" in view.words and ("auth plain" in low or "auth login" in low):
        for found in SASL.finditer(text):
            yield Span(found.start(1), found.end(1), "basic-auth")
    if "auth" in view.words and "AUTH " in view.plain:
        for found in _beginning(view, "AUTH ", AUTH):
            if LINE_BEFORE.search(text, max(0, found.start() - 16), found.start()):
                yield Span(found.start("value"), found.end("value"), "password")
    if "basic" in view.words:
        yield from _scheme(text, low, "basic", BASIC)
    if "cookie" in view.words:
        yield from _cookies(text, _beginning(view, "cookie", COOKIE))
        yield from _cookies(text, _beginning(view, "--cookie", COOKIE_FLAG))
    yield from _cookies(text, _beginning(view, " -b", COOKIE_FLAG))
    for name in [name for word, name in SESSIONS if word in view.words]:
        for found in _beginning(view, name, SESSION):
            if values.has_digit(found["value"]) and not values.placeholder(found["value"]):
                yield Span(found.start("value"), found.end("value"), "session")


def _beginning(view: View, literal: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Matches of a pattern that begins with a literal, in the text in lower case unless the literal is not."""
    plain, text = (view.plain_lower, view.lower) if literal.islower() else (view.plain, view.text)
    at = plain.find(literal)
    while at >= 0:
        found = pattern.match(text, at)
        if found:
            yield found
        at = plain.find(literal, found.end() if found else at + len(literal))


def _userinfo(text: str) -> Iterator[Span]:
    at = text.find("//")
    while at >= 0:
        end = at + 2
        found = USERINFO.match(text, end)
        if not found:
            found = SLASHED.match(text, end) if text.find("@", end, end + 320) >= 0 else None
        if found:
            if _credential(text, found):
                yield Span(found.start("word"), found.end("word"), "url-password")
            end = found.end()
        else:
            lone = ALONE.match(text, end) if text[at - 1 : at] == ":" else None
            if (
                lone
                and "sentry" not in lone["host"]
                and "ingest" not in lone["host"]
                and values.opaque(lone["word"], 20)
            ):
                yield Span(lone.start("word"), lone.end("word"), "url-password")
        at = text.find("//", end)


def _networks(text: str) -> Iterator[Span]:
    """Go's addresses of databases, which have no scheme: `app:word@tcp(host)/name`."""
    at = text.find("@")
    while at >= 0:
        if NETWORK.match(text, at + 1):
            back = BEFORE_NETWORK.match(text[max(0, at - 260) : at][::-1])
            user, _, word = back.group()[::-1].partition(":") if back else ("", "", "")
            if USER.search(user) and len(word) >= 3 and not values.placeholder(word) and word.lower() not in USUAL:
                yield Span(at - len(word), at, "url-password")
        at = text.find("@", at + 1)


def _credential(text: str, found: re.Match[str]) -> bool:
    word, user = found["word"], found["user"]
    if values.placeholder(word) or len(word) < 3 or re.match(r"[$%{<\[(]|\d{1,5}[#?,]", word):
        return False
    if word.lower() in USUAL and (
        word.lower() in ("password", "pass", "secret", "pwd", "passwd", "pw", "token") or word.lower() == user.lower()
    ):
        return False
    return not (word == user and LOCAL.match(text, found.end()))


def _signed(text: str, low: str) -> Iterator[Span]:
    for found in SIGNED.finditer(low):
        value = text[found.start("value") : found.end("value")]
        name = found["name"]
        if name in SURE:
            good = len(value) >= 16 and values.has_digit(value) and not values.placeholder(value)
        else:
            good = (
                len(value) >= 20
                and values.opaque(value, 20)
                and not values.UUID.match(value)
                and "://" in text[max(0, found.start() - 600) : found.start()]
            )
        if good and "%" not in value[:1]:
            yield Span(found.start("value"), found.end("value"), "signature" if name in SURE else "api-key")


def _authorization(text: str, low: str) -> Iterator[Span]:
    for found in AUTHORIZATION.finditer(low):
        start = found.end()
        value = CREDENTIAL.match(text, start)
        scheme = found["scheme"] or ""
        if scheme.startswith(("aws4", "digest", "oauth", "hawk", "mac")):
            line = min([i for i in (text.find("\n", start), text.find("\\n", start)) if i >= 0] or [len(text)])
            for part in SIGNATURE.finditer(text, start, min(line, start + 2000)):
                yield Span(part.start(1), part.end(1), "signature")
            if not value or "=" in value.group()[:24]:
                continue
        if not value:
            continue
        word = value.group().rstrip(".,:")
        sure = scheme in ("bearer", "basic", "token", "bot", "apikey") or bool(scheme and values.has_digit(word))
        if sure and scheme == "basic":
            good = values.basic(word) or (len(word) >= 12 and not values.placeholder(word))
        else:
            good = values.opaque(word, 8 if scheme else 12) or (
                scheme == "bearer" and len(word) >= 20 and values.mixed(word)
            )
        if good and text[start + len(word) : start + len(word) + 1] != "(":
            yield Span(
                start,
                start + len(word),
                "basic-auth" if scheme == "basic" else "bearer" if scheme == "bearer" else "authorization",
            )


def _scheme(text: str, low: str, scheme: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    kind = "basic-auth" if scheme == "basic" else scheme
    for found in pattern.finditer(low):
        value = CREDENTIAL.match(text, found.end())
        if not value:
            continue
        word = value.group().rstrip(".,:")
        good = values.basic(word) if kind == "basic-auth" else values.opaque(word, 16)
        if good:
            yield Span(found.end(), found.end() + len(word), kind)


def _cookies(text: str, jars: Iterator[re.Match[str]]) -> Iterator[Span]:
    for found in jars:
        for crumb in CRUMB.finditer(text, found.start("jar"), found.end("jar")):
            name, value = crumb.groups()
            if name.lower() in CRUMB_SAFE or values.placeholder(value) or not values.has_digit(value):
                continue
            if (CRUMB_NAME.search(name) and len(value) >= 8) or (len(value) >= 24 and values.opaque(value, 24)):
                yield Span(crumb.start(2), crumb.end(2), "cookie")
