"""An HTTP server on a port of loopback, for the doubles of other people's services."""

from __future__ import annotations

import http.server
import sys
import threading
from types import TracebackType
from typing import Any, Self


class LoopbackServer(http.server.ThreadingHTTPServer):
    """Serves from `with` to its end.

    A client that goes away in the middle is nothing to tell of: what the standard library would print of it lands in
    the standard error that a test looks at.
    """

    daemon_threads = True

    def __init__(self, handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Faults of the double itself are printed, a broken connection is not."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()
