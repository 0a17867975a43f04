"""Personal data: validated where there is a checksum, reserved domains and remotes left alone."""

from __future__ import annotations

import pytest

from tui_memory.redact import redact


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("From: Teal <teal.amber@globex.co.uk>", "email"),
        ("user=teal@posteo.de&x=1", "email"),
        ("call +1 (415) 555-0132 now", "phone"),
        ("phone: 415-555-0132", "phone"),
        ("tel +49 30 5701 8472", "phone"),
        ("card 4012-8888-8888-1881 exp 04/29", "card"),
        ("paid with 378282246310005", "card"),
        ("IBAN DE89 3704 0044 0532 0130 00", "iban"),
        ('"iban": "GB82WEST12345698765432"', "iban"),
        ("SSN: 807-41-7126", "ssn"),
        ("DNI 12345678Z", "national-number"),
        ("CPF: 529.982.247-25", "national-number"),
        ("BSN: 111222333", "national-number"),
        ("PESEL 44051401359", "national-number"),
        ("codice fiscale RSSMRA85T10A562S", "national-number"),
    ],
)
@pytest.mark.parametrize("before", ["", "line\n", "line\\n"])
def test_personal_data_is_masked(text: str, kind: str, before: str) -> None:
    masked = redact(before + text)
    assert f"[redacted:{kind}]" in masked
    assert masked.startswith(before + text[:2])


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:globex/web.git",
        "ssh://git@github.com/globex/web.git",
        "ssh deploy@prod.globex.com uptime",
        "scp a.txt deploy@prod.globex.com:/srv/",
        "Co-Authored-By: Bot <noreply@globex.com>",
        "mail dev@example.com, ops@mail.example.org, me@box.test, x@localhost",
        "npm install @types/node@20.11.5 react@18.2.0",
        "logo@2x.png icons@3x.webp",
        "systemctl status app@one.service",
        "https://0a1b2c3d4e5f60718293a4b5c6d7e8f9@o12.ingest.sentry.io/34",
        "seq 376681249933124 committed",
        "ISBN 978-3-16-148410-6579",
        '"offset": 4732209832676587677',
        "[+0.32456184, 0.29158184, -1.5]",
        "2026-11-29T20:31:47.123456Z",
        "DE89 3704 0044 0532 0130 01 has a wrong check",
        "build 123-45-6789",
        "10.0.3.17:5432 1.2.3.4",
    ],
)
def test_what_is_no_persons_data_stays(text: str) -> None:
    assert redact(text) == text
