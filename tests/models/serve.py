"""A real language model behind Ollama's HTTP API, for tests on a machine without Ollama.

    python -m tests.models.serve [--port N] NAME=PATH.gguf …

It answers as Ollama does: version, tags, show, pull, chat (streamed or not; `format` constrains the sampling and is
not shown to the model; `think` is refused), errors as `{"error": …}`; and it keeps Ollama's trap: a question longer
than `num_ctx` (4096 unless asked for) is cut without a word, and only `prompt_eval_count` tells. The first line it
prints is its address. Needs llama-cpp-python.
"""

from __future__ import annotations

import argparse
import contextlib
import http.server
import importlib
import json
import select
import socket
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

DEFAULT_NUM_CTX = 4_096


class Refused(Exception):
    """An answer that is an error: status and words."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class Model:
    """One GGUF file, loaded when it is first asked, and again where another window is wanted."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.lock = threading.Lock()
        self._llama: Any = None
        self._window = 0

    def complete(self, asked: dict[str, Any]) -> Generator[str | dict[str, Any], None, None]:
        """Pieces of text, then the counts of the whole."""
        options = asked.get("options") or {}
        window = int(options.get("num_ctx") or DEFAULT_NUM_CTX)
        with self.lock:
            llama = self._load(window)
            tokens = self._tokens(asked["messages"], window)
            limit = int(options.get("num_predict") or -1)
            room = window - len(tokens)
            reason, count = "stop", 0
            for piece in llama.create_completion(
                tokens, stream=True, grammar=_grammar(asked.get("format")), seed=options.get("seed"),
                max_tokens=min(limit, room) if limit > 0 else room, temperature=float(options.get("temperature", 0.8)),
                repeat_penalty=float(options.get("repeat_penalty", 1.1)),
            ):  # fmt: skip
                choice = piece["choices"][0]
                reason = choice["finish_reason"] or reason
                if choice["text"]:
                    count += 1
                    yield choice["text"]
        yield {"done": True, "done_reason": reason, "prompt_eval_count": len(tokens), "eval_count": count}

    def _load(self, window: int) -> Any:
        if self._llama is None or self._window != window:
            _without_extra_buffers()
            self._llama, self._window = _runner().Llama(str(self.path), n_ctx=window, verbose=False), window
        return self._llama

    def _tokens(self, messages: list[dict[str, str]], window: int) -> list[int]:
        """The question as the model reads it, its middle missing where it is longer than the window."""
        ends = [self._llama.detokenize([token], special=True).decode() for token in self._ends()]
        render = _runner(".llama_chat_format").Jinja2ChatFormatter(
            template=self._llama.metadata["tokenizer.chat_template"], eos_token=ends[0], bos_token=ends[-1]
        )
        text: str = render(messages=messages).prompt
        tokens: list[int] = self._llama.tokenize(text.encode(), add_bos=False, special=True)
        return tokens if len(tokens) < window else tokens[:4] + tokens[5 - window :]

    def _ends(self) -> list[int]:
        return [self._llama.token_eos(), max(self._llama.token_bos(), 0)]


def _runner(module: str = "") -> Any:
    """llama-cpp-python, which not every machine has: loaded when a model is first asked."""
    return importlib.import_module(f"llama_cpp{module}")


def _without_extra_buffers() -> None:
    """No weights repacked for AMX: its tiles need a permission that some containers refuse, and the process dies."""
    low = _runner(".llama_cpp")
    defaults = low.llama_model_default_params

    def plain() -> Any:
        params = defaults()
        params.use_extra_bufts = False
        return params

    low.llama_model_default_params = plain


def _grammar(form: Any) -> Any:
    if not form:
        return None
    return _runner().LlamaGrammar.from_json_schema(
        json.dumps({"type": "object"} if form == "json" else form), verbose=False
    )


class Server(http.server.ThreadingHTTPServer):
    """Ollama's API over some models, on a port of loopback."""

    daemon_threads = True

    def __init__(self, port: int, models: dict[str, Model]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.models = models


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_GET(self) -> None:
        """Version and models."""
        if self.path == "/api/version":
            self._send({"version": "0.30.0"})
        elif self.path == "/api/tags":
            self._send({"models": [{"name": name, "model": name} for name in self.server.models]})
        else:
            self._send({"error": "not found"}, 404)

    def do_POST(self) -> None:
        """show, pull and chat."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            asked = json.loads(body)
            model = self._model(asked)
            if self.path == "/api/show":
                info = {"general.architecture": "llama", "llama.context_length": 8_192}
                self._send({"model_info": info, "capabilities": ["completion"]})
            elif self.path == "/api/pull":
                self._lines(iter([{"status": "pulling manifest"}, {"status": "success"}]))
            elif self.path == "/api/chat":
                self._chat(model, asked)
            else:
                raise Refused(404, "not found")
        except Refused as error:
            self._send({"error": error.message}, error.status)
        except ValueError as error:
            self._send({"error": str(error)}, 400)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # who asked has given up

    def _model(self, asked: dict[str, Any]) -> Model:
        name = str(asked.get("model") or asked.get("name") or "")
        found = self.server.models.get(name if ":" in name else f"{name}:latest")
        if found is None:
            raise Refused(404, f"model '{name}' not found")
        return found

    def _chat(self, model: Model, asked: dict[str, Any]) -> None:
        if asked.get("think"):
            raise Refused(400, f'"{model.name}" does not support thinking')
        head = {"model": asked["model"], "created_at": "2026-11-29T20:00:00Z"}
        if asked.get("stream", True):
            self._lines(head | _said(piece) for piece in model.complete(asked))
            return
        text, counts = "", dict[str, Any]()
        with contextlib.closing(model.complete(asked)) as pieces:
            for piece in pieces:
                if self._is_alone():
                    raise BrokenPipeError
                text, counts = (text, piece) if isinstance(piece, dict) else (text + piece, counts)
        self._send(head | _said(text) | counts)

    def _is_alone(self) -> bool:
        """Whether who asked has gone: the model stops then, as Ollama's does."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _send(self, value: object, status: int = 200) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _lines(self, values: Iterator[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for value in values:
            line = json.dumps(value).encode() + b"\n"
            self.wfile.write(b"%x\r\n" % len(line) + line + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")


def _said(piece: str | dict[str, Any]) -> dict[str, Any]:
    """A line of an answer: text on the way, or the counts at its end."""
    text, rest = ("", piece) if isinstance(piece, dict) else (piece, {"done": False})
    return {"message": {"role": "assistant", "content": text}, **rest}


def main() -> None:
    """Serve until it is killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=11434, help="0: any that is free")
    parser.add_argument("models", nargs="+", metavar="NAME=PATH")
    given = parser.parse_args()
    named = (one.split("=", 1) for one in given.models)
    models = {name if ":" in name else f"{name}:latest": Path(path) for name, path in named}
    server = Server(given.port, {name: Model(name, path) for name, path in models.items()})
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
