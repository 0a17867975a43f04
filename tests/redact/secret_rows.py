"""Texts that hold secrets, made up by seed: a form (how a secret is written down) in a context (where the text stands).

In a form, `«pw»` and its like are filled with a made-up secret that must go, `«~user»` and its like with plain words.
"""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.redact import secret_forms
from tests.redact.made import Maker

MARK = re.compile(r"«(~?)([a-z_]+)(\d*)»")
WORDS = [
    "Otter",
    "Maple",
    "Copper",
    "Walrus",
    "Ginger",
    "Falcon",
    "Pepper",
    "Violet",
    "Marble",
    "Lantern",
    "Thistle",
    "Bramble",
    "Sparrow",
]
USERS = ["app", "svc_orders", "billing", "deploy", "robin", "reports"]
HOSTS = ["db1.globex.io", "cache.initech.net", "10.2.7.19", "pg-main.internal.globex.io", "vault.initech.net"]
SYMBOLS = "!#*+_.^~-"


class Row(NamedTuple):
    """A text, what in it is secret (as it stands there), its form and its context."""

    form: str
    context: str
    text: str
    secrets: tuple[str, ...]


class Filler(Maker):
    """Fills the marks of a form."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._dice = random.Random(seed * 7 + 1)

    def value(self, name: str, size: int) -> str:
        """A made-up value for a mark."""
        makers = {"a": self.alnum, "hex": self.hex, "b": self.base64, "pin": self._digits, "up": self._upper}
        if size and name in makers:
            return makers[name](size)
        return str(getattr(self, f"_{name}")()) if hasattr(self, f"_{name}") else str(getattr(self, name)())

    def _digits(self, size: int) -> str:
        return "".join(self._dice.choices("123456789", k=size))

    def _upper(self, size: int) -> str:
        return "".join(self._dice.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=size))

    def _pw(self) -> str:
        """What people and generators choose, without quotes or spaces."""
        dice, word = self._dice, self._dice.choice(WORDS)
        number = dice.randrange(10, 9999)
        return dice.choice(
            [
                f"{word}{number}{dice.choice('!#*+')}",
                f"{word.lower()}{number}",
                f"{word}-{dice.choice(WORDS).lower()}-{number}",
                self.alnum(dice.randrange(9, 24)),
                dice.choice("kQzP") + "".join(dice.choices(self._letters + SYMBOLS, k=12)) + "7x",
                word.lower().replace("e", "3").replace("a", "4") + f"_{number}",
                f"{number}{word}{dice.choice(WORDS)}",
            ]
        )

    _letters = "abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVWXYZ23456789"

    def _pwq(self) -> str:
        """One for between quotes, where letters alone do."""
        return self._dice.choice([self._pw(), self._pw(), f"{self._dice.choice(WORDS).lower()}fish"])

    def _url(self) -> str:
        """One with what breaks addresses: a slash, an at sign, a colon, a percent sign."""
        mark = self._dice.choice(["/", "@", ":", "%40", "%2F", "#", "!", "$", "&", "="])
        return f"{self.alnum(self._dice.randrange(2, 7))}{mark}{self.alnum(6)}"

    def _pair(self) -> str:
        """Base64 of user:password."""
        return base64.b64encode(f"{self._dice.choice(USERS)}:{self._pw()}".encode()).decode()

    def _user(self) -> str:
        return self._dice.choice(USERS)

    def _host(self) -> str:
        return self._dice.choice(HOSTS)

    def _pem(self) -> str:
        """One line of a key's body."""
        return self.base64(48)

    def _phrase(self) -> str:
        return "-".join(self._dice.sample([w.lower() for w in WORDS], 4))


def filled(form: str, seed: int) -> tuple[str, tuple[str, ...]]:
    """The form with made-up values, and which of them are secret."""
    filler, secrets = Filler(seed), []

    def one(mark: re.Match[str]) -> str:
        value = filler.value(mark[2], int(mark[3] or 0))
        if not mark[1]:
            secrets.append(value)
        return value

    return MARK.sub(one, form), tuple(secrets)


def _json(text: str) -> str:
    return json.dumps({"stdout": text, "exit_code": 0})


def _lines(text: str, prefix: str) -> str:
    return "\n".join(prefix + line for line in text.split("\n"))


def _numbered(text: str) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(text.split("\n"), 40))


CONTEXTS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "prompt": lambda text: f"Please look at this, it does not start:\n\n```\n{text}\n```\nWhat is wrong?",
    "json": _json,
    "json in json": lambda text: json.dumps({"result": _json(text)}),
    "json, unicode escapes": lambda text: json.dumps({"größe": text}, indent=2),
    "diff": lambda text: "@@ -1,3 +1,4 @@\n context\n" + _lines(text, "+") + "\n other",
    "removed": lambda text: "@@ -1,3 +1,4 @@\n context\n" + _lines(text, "-") + "\n other",
    "numbered": _numbered,
    "arrows": lambda text: _numbered(text).replace("\t", "→"),
    "crlf": lambda text: text.replace("\n", "\r\n") + "\r\n",
    "quoted": lambda text: _lines(text, "> "),
    "indented": lambda text: "steps:\n" + _lines(text, "    "),
    "commented": lambda text: _lines(text, "# "),
    "coloured": lambda text: "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text.split("\n")),
    "grep": lambda text: "\n".join(f"src/app/conf:{n}:{line}" for n, line in enumerate(text.split("\n"), 12)),
    "between": lambda text: f"INFO starting worker 3\n{text}\nINFO done in 12 ms\n",
    "cut": lambda text: f"[... 4096 characters left out]\n{text}",
}
LINE_BOUND = ("diff", "removed", "numbered", "arrows", "quoted", "indented", "commented", "coloured", "grep")


def rows(seeds: range) -> Iterator[Row]:
    """Each form once with every seed, in a context that the seed chooses."""
    for place, (name, form) in enumerate(secret_forms.all_forms()):
        for seed in seeds:
            text, secrets = filled(form, seed * 1009 + place)
            dice = random.Random(seed * 31 + place)
            context = dice.choice(list(CONTEXTS))
            if "\n" in form and name.startswith("file ") and context in ("grep", "commented"):
                context = "plain"
            made = CONTEXTS[context](text)
            kept = [secret if secret in made else json.dumps(secret)[1:-1] for secret in secrets]
            yield Row(name, context, made, tuple(kept))
