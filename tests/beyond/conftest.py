"""A store with something in it, a folder to back it up to, and a server of S3's protocol on loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory


@pytest.fixture
def shell() -> Shell:
    """The command line."""
    return Shell()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The store's directory."""
    return tmp_path / "store"


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """A store with three memories."""
    with Memory(home, embedding="none") as opened:
        opened.add_many([{"title": f"Money is Decimal, rule {n}", "text": f"Never float {n}."} for n in range(3)])
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Memory]:
    """The same person's other device, with nothing on it."""
    with Memory(tmp_path / "other", embedding="none") as opened:
        yield opened


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The endpoint of a server of S3's protocol."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """An empty bucket's address."""
    import boto3

    for name, value in {
        "AWS_ENDPOINT_URL": s3_server, "AWS_ACCESS_KEY_ID": "made-up", "AWS_SECRET_ACCESS_KEY": "made-up-as-well",
        "AWS_REGION": "eu-central-1", "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_CONFIG_FILE": str(tmp_path / "aws-config"), "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "aws-keys"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    name = f"b{os.urandom(6).hex()}"
    boto3.client("s3").create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    return f"s3://{name}/of/mine"


@pytest.fixture(params=["folder", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for back-ups: a folder, then a bucket."""
    return str(tmp_path / "disk" / "memory") if request.param == "folder" else str(request.getfixturevalue("bucket"))
