"""Whatever a client writes is answered: by its id where it has one, by JSON-RPC's codes where it is no request."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mcp.conftest import ROOT
from tests.mcp.test_server import requests
from tui_memory.surfaces.mcp import lines
from tui_memory.surfaces.mcp.lines import Refused, looked_at

PARSE, REQUEST, PARAMS = -32700, -32600, -32602


def call(name: str, arguments: str, number: str = "7") -> bytes:
    """A tool call as bytes, its arguments as they are written."""
    head = f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":'
    return f'{head}{{"name":"{name}","arguments":{arguments}}}}}'.encode("utf-8", "surrogateescape")


BROKEN: list[tuple[bytes, int | str | None, int]] = [
    (b"{nonsense", None, PARSE),
    (b'{"jsonrpc":"2.0","id":7,"method":', 7, PARSE),
    (b'{"id":"a-1","jsonrpc":"2.0",', "a-1", PARSE),
    (b"[" * 100_000 + b"]" * 100_000, None, PARSE),
    (call("memory_search", '{"query":' + "[" * 100_000 + "]" * 100_000 + "}"), 7, PARSE),
    (b"[" + call("memory_search", "{}") + b"]", None, REQUEST),
    (b"[]", None, REQUEST),
    (b"5", None, REQUEST),
    (b"null", None, REQUEST),
    (b'{"a":1}', None, REQUEST),
    (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, REQUEST),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, REQUEST),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, REQUEST),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, REQUEST),
    (b'{"jsonrpc":"2.0","id":7,"method":5}', 7, REQUEST),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}', 7, PARAMS),
]


@pytest.mark.parametrize(("line", "whose", "code"), BROKEN)
def test_what_is_no_request_is_refused_in_a_sentence(line: bytes, whose: int | str | None, code: int) -> None:
    found = looked_at(line)
    assert isinstance(found, Refused) and (found.id, found.code) == (whose, code)
    assert found.sentence.lstrip('"')[0].isalpha() and found.sentence.endswith(".") and len(found.sentence) < 200


@given(st.binary(max_size=300))
def test_no_bytes_are_a_crash(line: bytes) -> None:
    found = looked_at(line)
    assert isinstance(found, Refused) or json.loads(found)["jsonrpc"] == "2.0"


@given(st.dictionaries(st.text(), st.text()))
def test_a_request_stays_what_it_was(arguments: dict[str, str]) -> None:
    found = looked_at(call("memory_search", json.dumps(arguments)))
    assert isinstance(found, str) and json.loads(found)["params"]["arguments"] == arguments


@pytest.mark.parametrize("text", [r"\ud800 x", r"\udfff", "\udcff\udcfe"])
def test_half_characters_are_replaced(text: str) -> None:
    found = looked_at(call("memory_search", f'{{"query":"{text}"}}'))
    assert isinstance(found, str)
    assert "\ufffd" in json.loads(found)["params"]["arguments"]["query"] and found.encode()


def test_a_message_without_an_end_costs_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST", 100)
    reader = lines.Lines(io.BytesIO(b'{"jsonrpc":"2.0","id":7,' + b"x" * 1_000 + b"\nnext\n"))
    assert len(reader._line()) == 101 and reader._line() == b"next\n" and reader._line() == b""


def test_the_process_answers_each_and_goes_on(store: Path, project: Path) -> None:
    asked = [
        call("memory_save", r'{"title":"half \ud800","text":"x"}', "1"),
        call("memory_delete", "{}", "2"),
        call("memory_get", '{"ids":["\\udcff"]}', "3"),
        b"{nonsense",
        b"",
        call("memory_save", '{"title":"a","text":"' + "x" * (lines.MOST + 10) + '"}', "4"),
        b'{"jsonrpc":"2.0","id":9,"method":"ping"}',
    ]
    environment = os.environ | {"TUI_MEMORY_HOME": str(store), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-m", "tui_memory", "mcp"], cwd=project, env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(requests() + b"\n".join(asked) + b"\n")
        process.stdin.flush()
        answers: dict[Any, Any] = {}
        for _ in range(7):
            answer = json.loads(process.stdout.readline())
            answers[answer["id"]] = answer.get("error") or answer["result"]
        process.stdin.close()
        assert process.wait(30) == 0 and process.stderr.read() == b""
    assert answers[1]["content"][0]["text"].startswith("Saved as #1")
    assert answers[2]["isError"] and "memory_search" in answers[2]["content"][0]["text"]
    assert answers[3]["isError"] and "memory_search" in answers[3]["content"][0]["text"]
    assert answers[None]["code"] == PARSE and answers[4]["code"] == REQUEST and answers[9] == {}
