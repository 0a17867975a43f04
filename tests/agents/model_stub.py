#!/usr/bin/env python3
# mypy: ignore-errors
# ruff: noqa
"""A local model endpoint for driving real coding agents in tests.

Speaks just enough of four wire protocols for the agents' own command-line
programs to run against it, offline:

  Anthropic Messages   POST /v1/messages            (Claude Code)
  OpenAI Responses     POST /v1/responses           (Codex)
  OpenAI Chat          POST /v1/chat/completions    (OpenCode, Copilot CLI)
  Gemini               POST /v1beta/models/…        (Gemini CLI)

It plays a script instead of a model: a JSON list of steps, each
  {"text": "...", "tools": [{"name": "...", "input": {...}}]}
one step a model turn; the last step repeats. Every request body is appended
to the log, a JSON object a line, so a test can look for what the agent sent
(injected context, for example).

Usage: model_stub.py PORT LOG SCRIPT
"""

import http.server
import json
import sys
import threading


class Stub(http.server.ThreadingHTTPServer):
    def __init__(self, port, log_path, script):
        super().__init__(("127.0.0.1", port), Handler)
        self.log = open(log_path, "a", buffering=1)
        self.script, self.turn, self.lock = script, 0, threading.Lock()

    def next_step(self):
        with self.lock:
            step = self.script[min(self.turn, len(self.script) - 1)]
            self.turn += 1
            return self.turn, step


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        self.send_json({"data": [], "models": []})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            request = json.loads(body)
        except ValueError:
            request = {"raw": body.decode("utf-8", "replace")}
        self.server.log.write(json.dumps({"path": self.path, "request": request}) + "\n")
        if "count_tokens" in self.path or "countTokens" in self.path:
            self.send_json({"input_tokens": 10, "totalTokens": 10})
        elif "/v1/messages" in self.path:
            self.anthropic(request)
        elif self.path.split("?")[0].endswith("/responses"):
            self.openai(request)
        elif self.path.split("?")[0].endswith("/chat/completions"):
            self.chat(request)
        elif "enerateContent" in self.path:
            self.gemini(request)
        else:
            self.send_json({})

    # Anthropic Messages -------------------------------------------------

    def anthropic(self, request):
        turn, step = self.server.next_step() if request.get("tools") else (0, {"text": "ok"})
        blocks = [{"type": "text", "text": step["text"]}] if step.get("text") else []
        blocks += [
            {"type": "tool_use", "id": f"toolu_{turn}_{n}", "name": t["name"], "input": t["input"]}
            for n, t in enumerate(step.get("tools", []))
        ]
        stop = "tool_use" if step.get("tools") else "end_turn"
        message = {
            "id": f"msg_{turn}",
            "type": "message",
            "role": "assistant",
            "model": request.get("model"),
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
        if not request.get("stream"):
            return self.send_json(message)
        events = [("message_start", {"message": dict(message, content=[], stop_reason=None)})]
        for i, block in enumerate(blocks):
            text = block["type"] == "text"
            start = dict(block, text="") if text else dict(block, input={})
            delta = (
                {"type": "text_delta", "text": block["text"]}
                if text
                else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            )
            events += [
                ("content_block_start", {"index": i, "content_block": start}),
                ("content_block_delta", {"index": i, "delta": delta}),
                ("content_block_stop", {"index": i}),
            ]
        events += [
            ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}}),
            ("message_stop", {}),
        ]
        self.send_events(events)

    # OpenAI Responses ----------------------------------------------------

    def openai(self, request):
        turn, step = self.server.next_step() if request.get("tools") else (0, {"text": "ok"})
        items = []
        if step.get("text"):
            items.append(
                {
                    "type": "message",
                    "role": "assistant",
                    "id": f"msg_{turn}",
                    "content": [{"type": "output_text", "text": step["text"], "annotations": []}],
                }
            )
        for n, t in enumerate(step.get("tools", [])):
            call = {"call_id": f"call_{turn}_{n}", "id": f"fc_{turn}_{n}", "name": t["name"]}
            if isinstance(t["input"], str):  # a freeform tool, such as apply_patch
                items.append({"type": "custom_tool_call", "input": t["input"], **call})
            else:
                beside = {"namespace": t["namespace"]} if "namespace" in t else {}
                items.append({"type": "function_call", "arguments": json.dumps(t["input"]), **beside, **call})
        response = {
            "id": f"resp_{turn}",
            "object": "response",
            "status": "completed",
            "output": items,
            "usage": {
                "input_tokens": 10,
                "output_tokens": 5,
                "total_tokens": 15,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        }
        if not request.get("stream"):
            return self.send_json(response)
        events = [("response.created", {"response": dict(response, status="in_progress", output=[])})]
        for i, item in enumerate(items):
            events += [
                ("response.output_item.added", {"output_index": i, "item": item}),
                ("response.output_item.done", {"output_index": i, "item": item}),
            ]
        events.append(("response.completed", {"response": response}))
        self.send_events(events)

    # OpenAI Chat Completions -------------------------------------------------

    def chat(self, request):
        turn, step = self.server.next_step() if request.get("tools") else (0, {"text": "ok"})
        calls = [
            {
                "index": n,
                "id": f"call_{turn}_{n}",
                "type": "function",
                "function": {"name": t["name"], "arguments": json.dumps(t["input"])},
            }
            for n, t in enumerate(step.get("tools", []))
        ]
        message = {"role": "assistant", "content": step.get("text") or None}
        if calls:
            message["tool_calls"] = calls
        reason = "tool_calls" if calls else "stop"
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        head = {"id": f"chatcmpl-{turn}", "created": 0, "model": request.get("model")}
        if not request.get("stream"):
            return self.send_json(
                {
                    **head,
                    "object": "chat.completion",
                    "usage": usage,
                    "choices": [{"index": 0, "message": message, "finish_reason": reason}],
                }
            )
        head["object"] = "chat.completion.chunk"
        chunks = [
            {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
        ]
        self.send_stream([b"data: " + json.dumps(c).encode() + b"\n\n" for c in chunks] + [b"data: [DONE]\n\n"])

    # Gemini ----------------------------------------------------------------

    def gemini(self, request):
        turn, step = self.server.next_step() if request.get("tools") else (0, {"text": "ok"})
        parts = [{"text": step["text"]}] if step.get("text") else []
        parts += [{"functionCall": {"name": t["name"], "args": t["input"]}} for t in step.get("tools", [])]
        reply = {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
            "modelVersion": "stub",
        }
        if "stream" in self.path:
            self.send_stream([b"data: " + json.dumps(reply).encode() + b"\r\n\r\n"])
        else:
            self.send_json(reply)

    # Replies ---------------------------------------------------------------

    def send_json(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_events(self, events):
        self.send_stream(
            f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode() for kind, data in events
        )

    def send_stream(self, chunks):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(b"%x\r\n" % len(chunk) + chunk + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")


if __name__ == "__main__":
    port, log_path, script_path = sys.argv[1:4]
    with open(script_path, encoding="utf-8") as f:
        Stub(int(port), log_path, json.load(f)).serve_forever()
