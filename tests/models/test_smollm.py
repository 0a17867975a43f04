"""With a real model that makes things up, the store holds nothing that was made up, and every failure is counted.

What is invented is looked for here by other means than the program's own: were its grounding wrong, this would not be.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.compress.make import FIXED, Agent, settings
from tests.models.conftest import NAME
from tui_memory.compress import turns
from tui_memory.compress.made import Cost
from tui_memory.compress.ollama import ANSWER, Ollama
from tui_memory.compress.pulling import Pulled, pull
from tui_memory.compress.queue import Progress, drain
from tui_memory.compress.router import Router
from tui_memory.config import CompressSettings, Settings
from tui_memory.errors import CompressError
from tui_memory.model import Filters, Memory, Observation
from tui_memory.store import counters, memories, observations, queue
from tui_memory.store.db import Store

pytestmark = pytest.mark.timeout(900)  # a real model on a busy machine

_TELLING = re.compile(r"[_./\d]|::|[A-Za-z][a-z]*[a-z][A-Z]")
_EDGE = "\"'`“”‘’()[]{}<>,;:!?*…. "


def telling(memory: Memory) -> set[str]:
    """The words of a memory that name something: with `_`, `.`, `/`, `::`, a digit or an inner capital."""
    parts = (memory.title, memory.summary, memory.text, *memory.facts, *memory.labels, *memory.files)
    words = {word.strip(_EDGE) for part in parts for word in part.split()}
    return {word for word in words if _TELLING.search(word)}


def said(found: list[Observation]) -> str:
    """All that observations say, on one line."""
    parts = [f"{one.text} {' '.join(one.files)} {one.branch} {one.detail}" for one in found]
    return " ".join(" ".join(parts).split())


def invented(store: Store, memory: Memory) -> list[str]:
    """The telling words of a memory that its own sources do not hold."""
    whole = said(observations.get(store, memory.sources))
    return sorted(word for word in telling(memory) if word not in whole)


def a_session(home: Path) -> Agent:
    """Some turns of different kinds, each of a few events."""
    agent = Agent(home)
    agent.turn("Customers are charged twice when the gateway times out, fix it.", *FIXED)
    agent.turn(
        "Always use httpx 0.28 instead of requests in src/clients.", "Noted: httpx 0.28 in src/clients from now on."
    )
    agent.turn(
        "Is the flaky test_retry_backoff a race?",
        "It is not a race. `RetryQueue.pop` returned None after 30 s because the clock was mocked in conftest.py.",
        ("tests/conftest.py", "freeze_time()", "freeze_time(tick=True)"),
    )
    return agent


def shown(store: Store) -> list[Memory]:
    """Every memory, whole."""
    return memories.get(store, [memory.id for memory in memories.page(store, Filters(), state="all")])


def wanted(route: str) -> Settings:
    """The model and then the rules, in a window that a small machine reads in time."""
    return settings(route, "extractive", num_ctx=4_096, timeout_s=25)


def test_no_memory_of_a_model_that_makes_things_up_holds_a_word_that_its_sources_lack(
    tmp_path: Path, real_model: str
) -> None:
    agent = a_session(tmp_path / "s")
    seen: list[Progress] = []
    done = drain(agent.store, Router(wanted(real_model)), worker="w", limit=3, on_turn=seen.append)
    assert (done.turns, done.failed) == (3, 0)
    assert queue.counts(agent.store) == {"done": 3}
    made = shown(agent.store)
    assert {memory.id: invented(agent.store, memory) for memory in made} == {memory.id: [] for memory in made}
    calls = agent.store.rows("SELECT sum(calls) FROM usage WHERE model = ?", (NAME,))[0][0]
    assert calls >= 3
    counted = counters.all(agent.store)
    by_model = sum(one.compressed.route == real_model for one in seen)
    assert counted.get(f"compress:{real_model}", 0) == by_model
    assert counted.get("compress:fallback", 0) == 3 - by_model


def test_a_question_longer_than_the_window_is_noticed_by_what_the_model_read(tmp_path: Path, real_model: str) -> None:
    agent = Agent(tmp_path / "s")
    agent.turn("Why? " + "ab1/x_" * 700, "Because.")  # far more tokens than the characters suggest
    turn = turns.load(agent.store, 1, 1)
    cost = Cost()
    with pytest.raises(CompressError, match="did not fit the window"):
        asyncio.run(Ollama(NAME, settings(num_ctx=3_072)).compress(turn, cost))
    assert cost.calls == 1
    assert cost.tokens_in + ANSWER > 3_072


def test_a_model_that_takes_too_long_is_given_up_in_time(tmp_path: Path, real_model: str) -> None:
    agent = Agent(tmp_path / "s")
    agent.turn("Customers are charged twice, fix it.", *FIXED)
    started = time.monotonic()
    done = drain(agent.store, Router(replace(wanted(real_model), compress=_hurried(real_model))), worker="w")
    assert time.monotonic() - started < 60
    assert done.memories == 1
    assert "did not answer within" in done.notes[0]


def _hurried(route: str) -> CompressSettings:
    return replace(settings(route).compress, timeout_s=0)


def test_it_is_fetched_and_one_that_is_not_there_is_refused(real_model: str) -> None:
    seen: list[Pulled] = []
    pull(NAME, (), seen.append)
    assert seen[-1].step == "success"
