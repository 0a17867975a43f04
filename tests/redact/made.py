"""Secrets made up while the tests run, from pieces: no text of a token stands in the repository."""

from __future__ import annotations

import base64
import random
import string

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


class Maker:
    """Random but repeatable secrets in the formats that providers document."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)

    def pick(self, letters: str, size: int) -> str:
        """A run of letters that holds a digit and a letter."""
        return "".join(self._random.choices(letters, k=size - 2)) + "a7"

    def alnum(self, size: int) -> str:
        """Letters and digits."""
        return self.pick(ALNUM, size)

    def hex(self, size: int) -> str:
        """Hexadecimal digits in lower case."""
        return "".join(self._random.choices(HEX, k=size))

    def password(self) -> str:
        """What a person might choose: no provider's format."""
        return f"Teal{self._random.randrange(10, 99)}_{self.alnum(6)}"

    def base64(self, size: int) -> str:
        """Base64 of so many random bytes."""
        return base64.b64encode(self._random.randbytes(size)).decode()

    def uuid(self) -> str:
        """Five groups of hexadecimal digits."""
        return "-".join(self.hex(n) for n in (8, 4, 4, 4, 12))

    def github(self) -> str:
        """A classic personal token."""
        return "gh" + "p_" + self.alnum(36)

    def jwt(self) -> str:
        """Three parts of base64url."""
        return "ey" + "J" + self.alnum(20) + ".ey" + "J" + self.alnum(40) + "." + self.alnum(43)

    def key_lines(self, lines: int = 8) -> list[str]:
        """The body of a private key, 64 columns a line."""
        body = self.base64(48 * lines)
        return [body[i : i + 64] for i in range(0, len(body), 64)]

    def providers(self) -> dict[str, str]:
        """One token of many providers, by the kind it must be masked as."""
        return {
            "github-token": self.github(),
            "gitlab-token": "gl" + "pat-" + self.alnum(20),
            "aws-access-key": "AK" + "IA" + self.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 18)[:16],
            "slack-token": "xox" + "b-" + self.hex(12) + "-" + self.alnum(24),
            "slack-webhook": "hooks."
            + "slack.com/services/T"
            + self.hex(8)
            + "/B"
            + self.hex(8)
            + "/"
            + self.alnum(24),
            "stripe-key": "sk_" + "live_" + self.alnum(24),
            "anthropic-key": "sk-" + "ant-api03-" + self.alnum(90),
            "openai-key": "sk-" + "proj-" + self.alnum(120),
            "google-key": "AI" + "za" + self.alnum(35),
            "npm-token": "np" + "m_" + self.alnum(36),
            "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + self.alnum(100),
            "huggingface-token": "h" + "f_" + self.alnum(34),
            "sendgrid-key": "S" + "G." + self.alnum(22) + "." + self.alnum(43),
            "vault-token": "hv" + "s." + self.alnum(90),
            "digitalocean-token": "do" + "p_v1_" + self.hex(64),
            "databricks-token": "da" + "pi" + self.hex(32),
            "heroku-key": "HR" + "KU-" + self.uuid(),
            "shopify-token": "sh" + "pat_" + self.hex(32),
            "grafana-token": "gl" + "sa_" + self.alnum(32) + "_" + self.hex(8),
            "newrelic-key": "NR" + "AK-" + self.alnum(27).upper(),
            "telegram-token": "71" + "12345678:" + "AA" + self.alnum(33),
            "discord-webhook": "/api/web" + "hooks/" + "9" * 4 + "12345678901234" + "/" + self.alnum(68),
            "linear-key": "lin" + "_api_" + self.alnum(40),
            "tailscale-key": "ts" + "key-auth-" + self.alnum(11) + "-" + self.alnum(30),
            "supabase-key": "sb_" + "secret_" + self.alnum(32),
            "private-key": "AGE-" + "SECRET-KEY-1" + self.alnum(58).upper(),
            "terraform-token": self.alnum(14) + ".atl" + "asv1." + self.alnum(60),
            "azure-secret": self.alnum(3) + "8" + "Q" + "~" + self.alnum(34),
            "jwt": self.jwt(),
        }
