"""A server that answers S3's requests with one refusal, and remembers who asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from tests.loopback import LoopbackServer

EMPTY = b"<ListBucketResult><Name>b</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>"


@contextmanager
def answering(status: int, code: str, headers: dict[str, str] | None = None) -> Iterator[tuple[str, list[str]]]:
    """(its endpoint, the requests it got): lists are empty, all else is refused with this status."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # with the "100 Continue" that clients wait for

        def _answer(self) -> None:
            asked.append(f"{self.command} {self.path}")
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            is_list = self.command == "GET" and "list-type" in self.path
            body = EMPTY if is_list else f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()
            self.send_response(200 if is_list else status)
            for name, value in ({} if is_list else headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if self.command != "HEAD" else b"")

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _answer

        def log_message(self, *_args: object) -> None:
            return

    with LoopbackServer(Handler) as server:
        yield server.url, asked
