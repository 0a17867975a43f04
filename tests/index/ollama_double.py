"""A protocol double of Ollama's /api/embed: the model's name says how it answers."""

from __future__ import annotations

import http.server
import json
from typing import Any

from tests.index.fakes import WordEmbedder
from tests.loopback import LoopbackServer


class Double(LoopbackServer):
    """On a port of loopback; `asked`: the bodies, in order."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.asked: list[dict[str, Any]] = []


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Double
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer /api/embed."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        texts, model = asked["input"], asked["model"]
        vectors = [[3 * float(number) for number in row] for row in WordEmbedder(dimension=32).encode(texts)]
        if model == "absent":
            self._send(404, {"error": "model not found"})
        elif model == "refusing":
            self._send(500, {"error": "this model does not support embeddings"})
        elif model == "redirecting":
            self._send(307, {}, Location="http://127.0.0.1:1/api/embed")
        elif model == "short":
            self._send(200, {"embeddings": vectors[:-1]})
        elif model == "empty":
            self._send(200, {"embeddings": [[] for _ in texts]})
        elif model == "other":
            self._send(200, {"response": "hello"})
        elif model == "changing" and len(self.server.asked) > 1:
            self._send(200, {"embeddings": [row[:8] for row in vectors]})
        elif model == "nan" and len(self.server.asked) > 1:
            self._send(200, {"embeddings": [[float("nan")] * 32 for _ in texts]})
        else:
            self._send(200, {"model": model, "embeddings": vectors})

    def _send(self, status: int, value: object, **headers: str) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
