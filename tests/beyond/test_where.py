"""Nothing goes to a host that the settings do not allow, whatever address, environment or the other side say."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from tests.beyond.hostile_bucket import answering
from tests.cli.shell import Shell
from tui_memory.beyond import address, s3
from tui_memory.engine.memory import Memory
from tui_memory.errors import RefusedError, UsageError


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keys for S3, and no file of whoever runs this."""
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "aws-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "aws-keys"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "made-up")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "made-up-as-well")


@pytest.mark.parametrize(
    "url",
    [
        "sftp://disks.acme-orders.com/memory", "ftp://disks.acme-orders.com/x", "smb://nas.acme-orders.com/share",
        "ssh://someone:word@disks.acme-orders.com/x", "s3://bucket/prefix", "gs://bucket/prefix", "az://bucket/x",
        "http://disks.acme-orders.com/x", "memory://x", "simplecache::s3://bucket/x", "github://acme/orderly",
    ],
)  # fmt: skip
def test_an_address_elsewhere_is_refused_before_anything_is_sent(
    memory: Memory, shell: Shell, url: str, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_address: object) -> None:
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", asked)
    for command in (("backup", url), ("restore-backup", url, "--list"), ("restore-backup", url, "--yes")):
        answer = shell(*command)
        assert answer.code == 4 and "sent" in answer.err and "word" not in answer.err, answer.err
    assert memory.store.rows("SELECT 1 FROM meta WHERE key LIKE 'copy:%'") == []


def test_a_host_that_is_allowed_by_name_is_allowed() -> None:
    found = address.parse("sftp://me:word@Disks.acme-orders.com:2222/memory/", ["disks.acme-orders.com"])
    assert (found.host, found.shown) == ("disks.acme-orders.com", "sftp://disks.acme-orders.com:2222/memory")
    with pytest.raises(RefusedError, match=r"remote\.allowed_hosts"):
        address.parse("sftp://disks.acme-orders.com/memory", ["acme-orders.com"])


@pytest.mark.parametrize(
    "url", ["", "  ", "s3://", "sftp:///memory", "sftp://[::bad/memory", "sftp://127.0.0.1/a::file:///b"]
)
def test_an_address_that_is_none_is_wrong_usage(url: str) -> None:
    with pytest.raises(UsageError):
        address.parse(url, ())


def test_the_endpoint_of_a_configuration_file_is_held_to_the_same(
    memory: Memory, shell: Shell, keys: None, tmp_path: Path
) -> None:
    (tmp_path / "aws-config").write_text("[default]\nendpoint_url = http://10.1.2.3:9000\n")
    answer = shell("backup", "s3://bucket/x")
    assert answer.code == 4 and "10.1.2.3" in answer.err


def test_keys_are_asked_of_no_other_service(
    memory: Memory, shell: Shell, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/keys")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    answer = shell("backup", "s3://bucket/x")
    assert answer.code == 1 and "AWS_ACCESS_KEY_ID" in answer.err


def test_a_server_that_sends_us_elsewhere_is_not_followed(
    memory: Memory, shell: Shell, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = {"Location": "http://10.1.2.3:9000/bucket/x", "x-amz-bucket-region": "us-west-2"}
    monkeypatch.setenv("HTTP_PROXY", "http://10.9.8.7:3128")
    with answering(301, "PermanentRedirect", away) as (endpoint, asked):
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        answer = shell("backup", "s3://bucket/x")
    assert answer.code in (1, 4) and "Traceback" not in answer.err and asked
    assert "10.9.8.7" not in answer.err


def test_no_request_leaves_for_another_host_whoever_wrote_its_address(
    memory: Memory, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from a client that was made anew: a redirect, or a region's own address, comes this late."""
    with answering(200, "OK") as (endpoint, asked):
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        opened = s3.open_bucket(())
        assert opened.ls("bucket") == []
        opened.connect(refresh=True)

        def away(request: Any, **_event: Any) -> None:
            request.url = "http://10.1.2.3:9000/bucket/x"

        opened.s3.meta.events.register("before-sign.s3", away)
        before = len(asked)
        with pytest.raises(RefusedError, match="10\\.1\\.2\\.3"):
            opened.call_s3("head_bucket", Bucket="bucket")
        assert len(asked) == before


def test_a_full_bucket_is_told(memory: Memory, shell: Shell, keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(403, "QuotaExceeded") as (endpoint, _):
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        answer = shell("backup", "s3://bucket/x")
    assert answer.code == 1 and "s3://bucket/x could not be written" in answer.err and "Quota" in answer.err


def test_a_folder_inside_the_store_is_refused(memory: Memory, home: Path, shell: Shell) -> None:
    answer = shell("backup", str(home / "copies"))
    assert answer.code == 4 and "inside the store" in answer.err and not (home / "copies").exists()


def test_without_the_extra_it_is_said_what_to_install(
    memory: Memory, shell: Shell, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "s3fs", None)
    answer = shell("backup", "s3://bucket/x")
    assert answer.code == 1 and "tui-memory[s3]" in answer.err
