"""A protocol double of Ollama's HTTP API: the model's name says how it answers."""

from __future__ import annotations

import http.server
import json
import threading
from types import TracebackType
from typing import Any

from tests.loopback import LoopbackServer

NOTE = {
    "title": "Charging retries with one idempotency key per order",
    "summary": "A timeout said nothing about the payment.",
    "text": "PaymentService.charge made a fresh key for every attempt. Now the key is order-7.",
    "facts": ["PaymentService.charge uses one key per order."],
    "tier": "episodic",
    "kind": "bugfix",
    "labels": ["payments"],
    "events": [1, 2],
}
GOOD = json.dumps({"memories": [NOTE]})
LEARNED_NOTHING = json.dumps({"memories": []})
INVENTED = json.dumps(
    {
        "memories": [
            NOTE
            | {
                "text": "PaymentService.charge made a fresh key. The fix is in billing/gateway_v2.py since 4.17.",
                "facts": ["RetryManager.backoff() waits 250 ms.", "PaymentService.charge uses one key per order."],
            }
        ]
    }
)
_SAYS = {
    "good": GOOD,
    "nothing": LEARNED_NOTHING,
    "prose": "Sure! In this turn the agent fixed the payment bug. Let me know if you need more.",
    "fenced": f"```json\n{GOOD}\n```",
    "thinking": f"<think>The turn is about payments.</think>\n{GOOD}",
    "only-thinking": "<think>The turn is about payments, so I should",
    "empty": "",
    "echo": json.dumps({"type": "object", "properties": {"memories": {"type": "array"}}}),
    "loop": json.dumps({"memories": [NOTE | {"text": "the key is the key is " * 40}]}),
    "question": json.dumps({"memories": [NOTE | {"title": "Is one idempotency key per order enough?"}]}),
    "again-and-again": json.dumps({"memories": [NOTE] * 6}),
    "twice": json.dumps({"memories": [NOTE, NOTE]}),
    "placeholder": json.dumps({"memories": [NOTE | {"title": "string"}]}),
    "wrong-shape": json.dumps({"memories": [NOTE | {"tier": "working"}]}),
    "foreign": json.dumps({"memories": [NOTE | {"summary": "支付服务为每次尝试生成新的密钥"}]}),
    "inventor": INVENTED,
    "all-invented": json.dumps(
        {"memories": [NOTE | {k: "See FooBar_9" for k in ("title", "summary", "text")} | {"facts": []}]}
    ),
    "no-switch": GOOD,
    "truncated": GOOD[:60],
    "cut": GOOD,
    "short-window": GOOD,
}


class Double(LoopbackServer):
    """Ollama as far as the route needs it, on a port of loopback. `asked`: the bodies of /api/chat, in order."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.asked: list[dict[str, Any]] = []
        self.window = 32_768
        self.verdicts: list[str] = []
        """What the model `judge` says next, in order."""
        self.wake = threading.Event()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wake.set()
        super().__exit__(kind, error, trace)


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Double
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer /api/show, /api/chat and /api/pull."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = asked["model"].split(":")[0]
        if self.path == "/api/pull":
            self._pull(model)
        elif model == "absent":
            self._send(404, {"error": f"model '{asked['model']}' not found"})
        elif self.path == "/api/show":
            self._send(
                200, {"model_info": {"llama.context_length": self.server.window}, "capabilities": ["completion"]}
            )
        else:
            self.server.asked.append(asked)
            self._chat(model, asked)

    def _chat(self, model: str, asked: dict[str, Any]) -> None:
        if model == "no-switch" and "think" in asked:
            self._send(400, {"error": '"no-switch" does not support thinking'})
        elif model == "refusing":
            self._send(500, {"error": "llama runner process has terminated"})
        elif model == "redirecting":
            self._send(307, {}, Location="http://127.0.0.1:1/api/chat")
        elif model == "breaking":
            self.close_connection = True
        elif model == "garbage":
            self._raw(200, b"<html>not ollama</html>")
        elif model == "slow":
            self.server.wake.wait(20)
            self.close_connection = True
        else:
            self._send(200, self._answer(model, asked))

    def _answer(self, model: str, asked: dict[str, Any]) -> dict[str, Any]:
        text = _SAYS.get(model, "")
        if "judge" in model:
            text = self.server.verdicts.pop(0) if self.server.verdicts else ""
        if model == "mending":
            text = _SAYS["prose"] if len(self.server.asked) == 1 else GOOD
        num_ctx = asked["options"]["num_ctx"]
        read = sum(len(message.get("content", "")) for message in asked["messages"]) // 4
        if model == "cut":
            read = num_ctx - 1
        if model == "short-window" and num_ctx < 8_192:
            read = num_ctx - 1
        return {
            "model": asked["model"],
            "created_at": "2026-11-29T20:00:00Z",
            "message": {"role": "assistant", "content": text},
            "done": True,
            "done_reason": "length" if model == "truncated" else "stop",
            "prompt_eval_count": read,
            "eval_count": len(text) // 4,
        }

    def _pull(self, model: str) -> None:
        """The lines of a pull; `broken` and `early` end before it is done."""
        steps: list[dict[str, object]] = [{"status": "pulling manifest"}]
        for digest, done, total in (("a", 10, 100), ("b", 50, 50), ("a", 100, 100)):
            steps.append({"status": f"pulling {digest}", "digest": digest, "completed": done, "total": total})
        if model == "absent":
            steps = [*steps[:1], {"error": "pull model manifest: file does not exist"}]
        elif model != "early":
            steps.append({"status": "success"})
        body = b"".join(json.dumps(step).encode() + b"\n" for step in steps)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Content-Length", str(len(body) + (100 if model == "broken" else 0)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = model == "broken"

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
