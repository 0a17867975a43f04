"""The user's own rules: patterns that are secret beside the built-in ones, and values that never are.

A pattern written by a person may take for ever on the wrong text, and Python cannot interrupt it. So they run in a
child process with a time bound; a child that does not answer is killed and replaced, and nothing of the text is kept.
Standard library only.
"""

from __future__ import annotations

import io
import json
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from tui_memory.errors import TuiMemoryError
from tui_memory.redact.engine import Redacted, RedactedValue, Redactor, rank
from tui_memory.redact.spans import Span, View, bare, merged

if TYPE_CHECKING:
    from tui_memory.config import RedactSettings
    from tui_memory.model import JSON

BOUND = 0.3
"""Seconds for one text; a hook waits 0.45 for everything."""
BOUND_PER_MB = 1.5
"""Seconds more for each million characters: the built-in rules take some of it."""
START_PATIENCE = 10.0
_LAST_RESORT = 60  # seconds until the system ends a child whose parent was killed while it hung
_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from tui_memory.redact import custom; custom.serve()"


class Rules(NamedTuple):
    """What a person's settings say: (kind, pattern) pairs that are secret, patterns of values that are not."""

    extra: tuple[tuple[str, str], ...] = ()
    allow: tuple[str, ...] = ()


def of_settings(settings: RedactSettings) -> Rules | None:
    """The user's rules, None where there are none."""
    extra = tuple((rule.kind, rule.pattern) for rule in settings.extra)
    return Rules(extra, settings.allow) if extra or settings.allow else None


class RuleTimeout(TuiMemoryError):
    """The rules did not come to an end in time, or their process died: nothing of the text may be kept."""


class OwnRedactor(Redactor):
    """The built-in rules with a person's own around them. Not bounded in time, and for one thread: see `Guarded`."""

    __slots__ = ("_allow", "_extra", "_spared")

    def __init__(self, rules: Rules, key: bytes = b"", **given: Any) -> None:
        super().__init__(key, **given)
        self._extra = [(kind, re.compile(pattern)) for kind, pattern in rules.extra]
        self._allow = [re.compile(pattern) for pattern in rules.allow]
        self._spared: dict[str, int] = {}

    def text(self, text: str) -> Redacted:
        """As the built-in, with the own rules."""
        self._spared = {}
        found = super().text(text)
        return Redacted(found.text, self._counts(found.counts))

    def value(self, value: JSON) -> RedactedValue:
        """As the built-in, with the own rules."""
        self._spared = {}
        found = super().value(value)
        return RedactedValue(found.value, self._counts(found.counts))

    def masked(self, text: str, counts: dict[str, int]) -> str:
        """The own rules first: they see the text as it is, and name what they find."""
        view = View(text)
        spans = [
            part
            for kind, pattern in self._extra
            for match in pattern.finditer(view.text)
            if match.end() > match.start()
            for part in _whole(view, Span(match.start(), match.end(), kind))
        ]
        parts, at = [], 0
        for span in merged(spans, rank):
            start, end = view.origin(span.start), view.origin(span.end, end=True)
            parts += [text[at:start], self.placeholder(span.kind, view.text[span.start : span.end])]
            at = end
            counts[span.kind] = counts.get(span.kind, 0) + 1
        return super().masked("".join([*parts, text[at:]]), counts)

    def placeholder(self, kind: str, value: str) -> str:
        """The value itself where it is allowed."""
        if any(pattern.fullmatch(value) for pattern in self._allow):
            self._spared[kind] = self._spared.get(kind, 0) + 1
            return value
        return super().placeholder(kind, value)

    def _counts(self, counts: dict[str, int]) -> dict[str, int]:
        left = {kind: n - self._spared.get(kind, 0) for kind, n in counts.items()}
        return {kind: n for kind, n in left.items() if n > 0}


def _whole(view: View, span: Span) -> list[Span]:
    """The span without placeholders in it; a short one is kept as it is, for its rule says that it is secret."""
    return bare(view, span) if "\0" in view.text[span.start : span.end] else [span]


class Guarded:
    """A redactor whose work is done by a child process within a time bound. Safe in several threads.

    `text` and `value` raise RuleTimeout where the child did not answer in time.
    """

    def __init__(
        self,
        rules: Rules,
        key: bytes = b"",
        *,
        kinds_off: frozenset[str] = frozenset(),
        bound: float = BOUND,
        identity: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._identity = identity
        self._first = {
            "key": key.hex(), "off": sorted(kinds_off), "extra": list(rules.extra), "allow": list(rules.allow),
        }  # fmt: skip
        self._bound = bound
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._ready = False  # whether the child has come up: its start is no part of a text's time
        self.restarts = 0
        """How many children were killed because they did not answer."""

    def text(self, text: str) -> Redacted:
        """The text without secrets, and counts by kind."""
        value, counts = self._ask("text", text, (), self._own(text))
        return Redacted(cast(str, value), counts)

    def value(self, value: JSON) -> RedactedValue:
        """A JSON value without secrets, and counts by kind."""
        return RedactedValue(*self._ask("value", value, (), self._own(json.dumps(value))))

    def _own(self, text: str) -> tuple[str, ...]:
        return tuple(self._identity()) if "@" in text else ()

    def knowing(self, known: Iterable[str], identity: Iterable[str]) -> _Knowing:
        """The same with one event's known secrets (`NAME=value`) and the user's own addresses."""
        return _Knowing(self, tuple(entry.partition("=")[2] for entry in known), tuple(identity))

    def start(self) -> None:
        """Have a child ready, so that the first event need not wait for it. RuleTimeout where none comes up."""
        self._ask("text", "", (), (), START_PATIENCE)

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _ask(
        self, what: str, value: JSON, known: Sequence[str], identity: Sequence[str], bound: float = 0.0
    ) -> tuple[JSON, dict[str, int]]:
        request = json.dumps({"what": what, "value": value, "known": list(known), "identity": list(identity)}).encode()
        patience = max(bound, self._bound + BOUND_PER_MB * len(request) / 1e6)
        with self._lock:
            try:
                child = self._child if self._child is not None and self._child.poll() is None else self._begin()
                if not self._ready:
                    _read(cast(BinaryIO, child.stdout), time.monotonic() + START_PATIENCE)
                    self._ready = True
                until = time.monotonic() + patience
                _write(cast(BinaryIO, child.stdin), request)
                answer = _read(cast(BinaryIO, child.stdout), until)
            except (OSError, EOFError) as error:
                self._end()
                self.restarts += 1
                self._begin()  # the next text need not wait for it
                raise RuleTimeout("The rules of `redact:` took too long; nothing of that text was kept.") from error
        found = json.loads(answer)
        if "error" in found:
            raise RuleTimeout(f"The rules of `redact:` failed ({found['error']}); nothing of that text was kept.")
        return found["value"], found["counts"]

    def _begin(self) -> subprocess.Popen[bytes]:
        self._child = child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM, str(_ROOT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, cwd="/", env={},
        )  # fmt: skip
        self._ready = False
        _write(cast(BinaryIO, child.stdin), json.dumps(self._first).encode())
        return child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()


class _Knowing:
    """A guarded redactor for one event."""

    def __init__(self, guarded: Guarded, known: tuple[str, ...], identity: tuple[str, ...]) -> None:
        self._guarded, self._known, self._identity = guarded, known, identity

    def value(self, value: JSON) -> RedactedValue:
        """A JSON value without secrets, and counts by kind. RuleTimeout."""
        return RedactedValue(*self._guarded._ask("value", value, self._known, self._identity))


def serve() -> None:
    """The child's life: rules first, then one text after the other, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    source, target = cast(BinaryIO, io.FileIO(0, "r")), cast(BinaryIO, io.FileIO(1, "w"))
    first = json.loads(_read(source))
    rules = Rules(tuple((kind, pattern) for kind, pattern in first["extra"]), tuple(first["allow"]))
    key, off = bytes.fromhex(first["key"]), frozenset(first["off"])
    _write(target, b"ready")
    while True:
        try:
            request = json.loads(_read(source))
        except EOFError:
            return
        signal.alarm(_LAST_RESORT)
        answer: dict[str, Any]
        try:
            redactor = OwnRedactor(rules, key, known=request["known"], kinds_off=off, identity=request["identity"])
            found, counts = getattr(redactor, "text" if request["what"] == "text" else "value")(request["value"])
            answer = {"value": found, "counts": counts}
        except Exception as error:  # whatever it is, the text is not kept; the parent says so by the type alone
            answer = {"error": type(error).__name__}
        signal.alarm(0)
        _write(target, json.dumps(answer).encode())


def _write(stream: BinaryIO, message: bytes) -> None:
    whole = memoryview(len(message).to_bytes(4, "big") + message)
    while whole:
        whole = whole[stream.write(whole) :]


def _read(stream: BinaryIO, until: float | None = None) -> bytes:
    """The next message; EOFError where the other side is gone, TimeoutError at `until` (monotonic)."""
    size = int.from_bytes(_exactly(stream, 4, until), "big")
    return _exactly(stream, size, until)


def _exactly(stream: BinaryIO, size: int, until: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        if until is not None and not select.select([stream], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError
        part = stream.read(min(size - len(parts), 1 << 20))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
