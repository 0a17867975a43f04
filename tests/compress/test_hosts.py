"""A model is asked on this machine only, unless the settings name another host."""

from __future__ import annotations

import pytest

from tui_memory.compress import hosts
from tui_memory.errors import ModelError


def refused(host: str, allowed: tuple[str, ...]) -> str:
    """Why a model on a host is not asked; "" where it is."""
    try:
        hosts.check(f"http://{host}:11434", allowed)
    except ModelError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:9000", "http://127.0.0.1:9000"),
        (":9000", "http://127.0.0.1:9000"),
        ("localhost:9000", "http://localhost:9000"),
        ("http://localhost", "http://localhost:80"),
        ("https://gpu.example", "https://gpu.example:443"),
        ("[::1]:9000", "http://[::1]:9000"),
        ("gpu.example/ollama/", "http://gpu.example:11434/ollama"),
    ],
)
def test_the_address_is_read_as_ollamas_client_reads_it(given: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", given)
    assert hosts.ollama_url() == url


def test_an_address_that_is_none_names_the_command_that_mends_it() -> None:
    with pytest.raises(ModelError, match="unset OLLAMA_HOST"):
        hosts.ollama_url("localhost:port")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.9.8.7", "[::1]", "localhost", "api.localhost", "[::ffff:127.0.0.1]"]
)
def test_this_machine_needs_no_permission(host: str) -> None:
    assert not refused(host, ())


@pytest.mark.parametrize(
    "host", ["gpu.example", "10.0.0.7", "localhost.evil.example", "127.0.0.1.evil.example", "[::ffff:10.0.0.7]"]
)
def test_another_host_is_refused_unless_it_is_named(host: str) -> None:
    assert "remote.allowed_hosts" in refused(host, ("other.example",))
    assert not refused(host, (host.strip("[]"),))
