"""A protocol double of an OpenAI-compatible server: the model's name says how it answers."""

from __future__ import annotations

import http.server
import json
from typing import Any

from tests.compress.double import GOOD, INVENTED
from tests.loopback import LoopbackServer


class OpenAIDouble(LoopbackServer):
    """A server on a port of loopback. `asked`: the bodies of /chat/completions; `keys`: who authorised them."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.models: list[dict[str, Any]] = []
        self.says = ""
        """What the model `judge` says."""
        self.takes: tuple[str, ...] = ("json_schema", "json_object", "none")

    @property
    def url(self) -> str:
        """Its address, as a route names it."""
        return f"{super().url}/v1"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: OpenAIDouble
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_GET(self) -> None:
        """The list of models."""
        self._send(200, {"object": "list", "data": self.server.models})

    def do_POST(self) -> None:
        """Answer /v1/chat/completions."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.keys.append(self.headers.get("Authorization", ""))
        model, form = asked["model"], asked.get("response_format", {"type": "none"})["type"]
        if form not in self.server.takes:
            self._send(400, {"error": {"message": f"response_format {form} is not supported"}})
        elif model == "absent":
            self._send(404, {"error": {"message": "model not found"}})
        elif model == "locked":
            self._send(401, {"error": {"message": "no key"}})
        elif model == "refusing":
            self._send(500, {"error": {"message": "out of memory"}})
        elif model == "redirecting":
            self._send(307, {}, Location="http://127.0.0.1:1/v1/chat/completions")
        elif model == "garbage":
            self._raw(200, b"<html>a portal</html>")
        elif model == "breaking":
            self.close_connection = True
        elif model == "shapeless":
            self._send(200, {"choices": []})
        else:
            self._send(200, self._answer(model))

    def _answer(self, model: str) -> dict[str, Any]:
        text = {"prose": "Sure! I fixed it.", "inventor": INVENTED, "truncated": GOOD[:60], "silent": None}.get(
            model, GOOD
        )
        if model == "judge":
            text = self.server.says
        if model == "mending" and len(self.server.asked) == 1:
            text = "Sure! I fixed it."
        return {
            "choices": [
                {
                    "message": {"role": "assistant", "content": text},
                    "finish_reason": "length" if model == "truncated" else "stop",
                }
            ],
            "usage": {"prompt_tokens": 8_000 if model == "cut" else 900, "completion_tokens": 120},
        }

    def _send(self, status: int, value: object, **headers: str) -> None:
        self._raw(status, json.dumps(value).encode(), **headers)

    def _raw(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
