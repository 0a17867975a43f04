"""S3 and what speaks its protocol, so fenced in that no request goes to a host that the settings do not allow.

Address and keys are those of the environment and of `~/.aws`, as every tool of that world reads them. Only keys that
stand there are used: what would be asked of another service (a machine's or a container's role, single sign-on) is
not. No proxy of the environment is used, and a bucket that answers with another host's address is not followed there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tui_memory.beyond.address import check
from tui_memory.errors import RemoteError

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_OWN_KEYS = {"env", "shared-credentials-file", "config-file"}
_CONNECT, _READ = 10, 60  # seconds


def open_bucket(allowed: Sequence[str]) -> AbstractFileSystem:
    """The file system of the configured endpoint. RefusedError where its host is not allowed.

    RemoteError where the extra is not installed, or no keys are to be found.
    """
    try:
        from aiobotocore.session import AioSession
        from botocore.configprovider import ConfiguredEndpointProvider
        from botocore.session import get_session
        from s3fs import S3FileSystem
    except ImportError as error:
        raise RemoteError(
            "S3 needs a library that is not installed. Nothing was sent; `pip install 'tui-memory[s3]'` brings it."
        ) from error
    session = get_session()
    region = session.get_config_variable("region") or "us-east-1"
    endpoint = ConfiguredEndpointProvider(session.full_config, session.get_scoped_config(), "s3").provide()
    endpoint = endpoint or f"https://s3.{region}.amazonaws.com"
    check(_host(endpoint), allowed)
    keys = _keys(session)

    def fence(request: Any, **_event: Any) -> None:
        check(_host(request.url), allowed)

    fenced = AioSession()
    fenced.register("before-send", fence)  # every client that is ever made of it keeps to it
    return S3FileSystem(
        session=fenced, key=keys.access_key, secret=keys.secret_key, token=keys.token, endpoint_url=endpoint,
        client_kwargs={"region_name": region}, skip_instance_cache=True, use_listings_cache=False,
        config_kwargs={
            "proxies": {}, "connect_timeout": _CONNECT, "read_timeout": _READ,
            "s3": {"addressing_style": "path"},  # the host is then the endpoint's own, with no bucket in front of it
        },
    )  # fmt: skip


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").lower()


def _keys(session: Any) -> Any:
    """The keys that stand in the environment or in a file. RemoteError where there are none."""
    for provider in session.get_component("credential_provider").providers:
        if provider.METHOD in _OWN_KEYS and (found := provider.load()):
            return found.get_frozen_credentials()
    raise RemoteError(
        "No keys for S3 were found. Nothing was sent; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or put them in "
        f"{os.environ.get('AWS_SHARED_CREDENTIALS_FILE', '~/.aws/credentials')}."
    )


def abandon(opened: Any, path: str, is_ours: Callable[[str], bool]) -> None:
    """Give up the uploads below a path that something killed left half done: their parts cost money, unseen."""
    bucket, _, prefix = path.partition("/")
    for upload in opened.list_multipart_uploads(bucket):
        folder, _, name = upload["Key"].rpartition("/")
        if folder == prefix and is_ours(name):
            opened.call_s3("abort_multipart_upload", Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
