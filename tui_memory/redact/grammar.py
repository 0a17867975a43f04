"""The shapes of an assignment as data: what joins a secret's name to its value, in any language or file."""

from __future__ import annotations

import re

from tui_memory.light import late
from tui_memory.redact.names import FOREIGN
from tui_memory.redact.spans import wordset

STEMS = (
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "pw",
    "psk",
    "salt",
    "pepper",
    "jwt",
    "bearer",
    "motdepasse",
    "lozinka",
    "haslo",
    "parola",
    "pin_code",
    "pincode",
    *(word for word in FOREIGN if word.isascii()),
    "psw",
    "pat",
    "memorable",
)
"""Where a secret's name may end: literals, so that the search runs in C."""

FOREIGN_STEMS = tuple(word for word in FOREIGN if not word.isascii())
"""Those that are looked for only where a text is not plain ASCII."""

CLOSE = r"(?P<close>[\\\"'`\])}*]{0,20})"
TYPED = (
    r"(?:[ \t]{0,3}:[ \t]{0,3}(?:&(?:'static )?)?(?:[a-z][\w.]{0,24}(?:\[[\w .,"
    r"|\[\]]{0,40}\])?)(?:[?!]|[ \t]?\|[ \t]?\w{1,12})?[ \t]{1,3}(?==[^=>])"
    r"|\[\d{0,4}\](?=[ \t]{0,3}=)|[ \t]{1,3}(?:string|str|text|varchar\(\d{1,4}\)|char)[ "
    r"\t]{1,3}(?==[^=])|\??(?=[ \t]{0,3}:))"
)
BREAK = r"(?:\\+r)?(?:\r?\n|\\+n)"
LINE_MARKS = r"[ \t]{0,12}(?:\d{1,6}(?:[→:|]|\t|\\+t)[ \t]{0,8})?[+>#│|-]{0,3}[ \t]{0,12}"
"""What a diff, a quotation or a numbered listing puts before a line."""
OF = r"[ \t](?:for|of|to|on|от|для|к|pour|für|zum|zur|para|del?|d[aoe])(?:[ \t][\w.@/'-]{1,40}+){1,4}"
NOTE = r"[ \t]{1,2}\([^()\n]{1,40}\)"
LOOK_UP = (
    r"(?:[\w.$:>-]{1,60}(?:[(\[][^()\[\]\n]{0,60}[)\]])?(?:\.[a-z_]{1,20}\([^()]{0,20}\))?"
    r"[ \t]{1,3}(?:or|\|\||\?\?|\?:)[ \t]{1,3})"
)
"""A look-up before its default: `os.environ.get("TOKEN") or `, `process.env.SECRET || `."""
NESTED = r"[ \t]{0,3}\{(?:\s|\\+n){0,20}\\*[\"'](?:string)?value\\*[\"']"
"""A value in an object of its own: `"password": {"value": …}`."""
OPERATOR = (
    r"(?:"
    rf"(?P<below>(?:{OF}|{NOTE})?(?:[ \t]{{1,3}}(?:is|was|ist|est|es|é|lautet)[:：]?|[ \t]{{0,2}}[:：?])"
    rf"[ \t]{{0,3}}(?:{BREAK}{LINE_MARKS}){{1,2}}(?:```\w{{0,10}}{BREAK}{LINE_MARKS}|[a-z]{{1,20}}:[ \t])?"
    r"(?=[^\s\0{\[(<\"'`]))"
    rf"|(?:{TYPED}|(?P<of>{OF}|{NOTE}(?=[ \t]?[:：=])))?(?P<sign>[ \t]{{0,40}}"
    r"(?:(?:%22)?%3[ad](?:%22)?|"
    r"=>|->|→|:=|\?\?=|\|\|=|\?=|\+=|={1,3}|!==?|::?|：|＝|是|为|為|は|を|는|은|<-|by[ ]lazy[ ]?\{)"
    rf"(?![=:]|{NESTED}))"
    r"(?P<gap>[ \t]{0,12}(?:[*_]{1,2}[ \t]{1,4})?[「『“„«]?(?:\\?\r?\n[ \t]{0,40}"
    r"(?=[\"'`]))?)"
    rf"|(?P<pair>(?=[\s\\\"',;{{]|:{NESTED})"
    r"(?:[\\\"',\s{nr+#>│|-]{1,24}(?:type|description|sensitive|nullable)[\\\"':= \t]{1,20}"
    r"(?:\w{1,16}|[^\"\n\\]{0,80}(?=\\*\"))){0,3}[\s\\\"',;:{nrt#/+>"
    r"|│→0-9-]{1,60}?(?:(?:string)?value|default)[\\\"']{0,10}[ \t]{0,8}[:=][ "
    r"\t]{0,4})"
    r"|(?P<comma>[ \t]{0,2},[ \t]{0,8}(?:\n[ \t]{0,40})?)"
    r"|(?P<call>(?:\.(?:type|fill|send_?keys|set_?value|press_?sequentially|val|send|send_?line))?[({][ \t]{0,2})"
    r"|(?P<plist></(?:key|name)>(?:\s|\\+[nrt]|[-#>│|/+]|\d{1,6}[→\t]){0,40}<(?:string|value)>)"
    r"|(?P<part>(?:\r?\n|\\+r\\+n){2})"
    r"|(?P<cell>[ \t]{0,40}[|│┃][ \t]{1,20})"
    r"|(?P<tag>>(?:[ \t]{0,4}<(?:string|value)>)?[ \t]{0,8})"
    r"|(?P<attr>[ \t]{1,3}(?:[a-z-]{1,20}=\\?[\"'][^\"'<>\n]{0,40}\\?[\"'][ \t]{1,3}){0,3}value=)"
    r"|(?P<prose>[ \t]{1,3}(?:(?:for|of|to|on|used for)[ \t](?:[\w.@/'-]{1,40}+[ "
    r"\t]){1,4})?(?:is|was|are|ist|est|es|é|lautet|to|becomes|será|will be|(?:changed|reset|set"
    r"|updated|rotated) (?:to|from))(?:[ \t](?:now|still|set to|just|currently|:|=))?[ \t]{0,2}:?[ "
    r"\t]{1,3})"
    rf"|(?P<space>(?:{NOTE})?[ \t]{{1,8}}(?:\\+(?:\r?\n|n)(?:[ \t]{{0,6}}\d{{1,6}}[→\t])?[+>#│-]?[ \t]{{1,12}})?|\\+t)"
    r")"
)
TAIL = r"(?P<tail>[a-z0-9_.$-]{0,40}+)" + CLOSE + OPERATOR
BLANKS = r"\0{0,400}"

PREFIX = late(
    r"(?:(?:std::)?(?:string::from|string|secretstr|secret|secretstring|str|bytes"
    r"|b64decode|base64\.b64decode|buffer\.from|nsstring|"
    r"securestring|text|quote|literal|sensitive|fromutf8|\[\]byte"
    r"|\[\]rune|new [\w.]{1,30}|some|just|option\.some|unsafe)"
    r"\([ \t]{0,2}|\(?convertto-securestring[ \t(](?:-string[ \t])?|\([ \t]{0,2}(?:\n[ \t]{0,40})?|!!str[ \t]|"
    rf"{LOOK_UP}(?=[brufl@$]{{0,3}}\\*[\"'`]))?(?:[brufl@$]{{1,3}}(?=\\*[\"'`]))?"
    r"(?:\[(?=\\*[\"'`]))?"
)
QUOTE = late(r"(\\*)([\"'`])(?:\2\2)?")
BLOCK_SCALAR = late(
    r"[|>][+-]?\d?[ \t]{0,4}(?:\r?\n|\\+(?:r\\+)?n)(?:[ \t]{0,12}\d{0,6}(?:#|//|>|│|→|\t"
    r"|\+|-))?[ \t]{1,40}"
)
RUN = late(
    r"(?:[^\s\"'`\\\0<>;,&)\]}|…」』”»。、，]"
    r"|\\(?![nrt\"'`\\u\s]|$)"
    r"|[\"'`](?![\s,;)\]}>\\:\"'`]|$)"
    r"|;(?![\s\"'\\]|$|[\w .-]{1,30}=)"
    r"|&(?!amp;|[\s&\"'\\]|$|[\w.-]{1,40}=)"
    r"|,(?![\s\"'{\[\\]|$|[\w.-]{1,40}\\*[\"']?[:=])"
    r"|[)\]}](?![\s;,)\]}\"'`.\\:]|$)"
    r"|\|(?![\s|]|$)"
    r"|<(?![/a-zA-Z!?\s]|$)"
    r"|>(?![\s<]|$)"
    r"){1,1024}"
)
REST = late(r"[A-Za-z0-9+/=_.~%$!@#^*-]*")
LEFT = late(r"[\w.$-]{0,64}")
SPACED = late(r"[ \t]([A-Za-z]{2,14})(?![\w])")
NEXT_ITEM = late(r"\\*[\"'`][ \t]{0,4},\s{0,40}[brfu]?\\*[\"'`](?P<v>[^\"'`\\\n\0]{3,200})(?=\\*[\"'`])")
QUALIFIERS = wordset(
    "api access secret private auth client master encryption signing bearer refresh "
    "session account shared app webhook license "
    "deploy service admin root user database db ssh bot personal"
)


def closing(text: str, quote: re.Match[str]) -> int:
    """Where the string ends that `quote` opens, counting the backslashes of its escape level; -1 if never.

    A quote behind k backslashes is closed by one behind at most k, or behind k plus an even number of whole
    escapes (a literal backslash at the end).
    """
    depth, mark = len(quote.group(1)), quote.group()[len(quote.group(1)) :]
    unit = depth + 1
    limit = min(len(text), quote.end() + 8_000)
    at = text.find(mark, quote.end(), limit)
    while at >= 0:
        if text[at - 1] != "\\":
            return at
        behind = at
        while behind > quote.end() and text[behind - 1] == "\\":
            behind -= 1
        count = at - behind
        if count <= depth:
            return at - count
        if ((count - depth) // unit) % 2 == 0:
            return at - depth
        at = text.find(mark, at + 1, limit)
    return -1
