"""HTTP over a Unix socket, with the standard library alone."""

from __future__ import annotations

import http.client
import json
import os
import socket
from pathlib import Path
from typing import Any


class Connection(http.client.HTTPConnection):
    """A connection to a server that listens on a path."""

    def __init__(self, place: Path) -> None:
        super().__init__("localhost", timeout=30)
        self._place = place

    def connect(self) -> None:
        """Connect to the path."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        self.sock.connect(os.fspath(self._place))


def ask(place: Path, method: str, target: str, value: Any = None) -> tuple[int, Any]:
    """One request: status, and the answer's JSON."""
    connection = Connection(place)
    try:
        body = None if value is None else json.dumps(value)
        connection.request(method, target, body, {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()
