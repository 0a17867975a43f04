"""A demonstration says how far its sample is, when it is ready, and when the process that makes it died."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text, toasts
from tui_memory.engine.demo import Progress, Watched
from tui_memory.tui import sample, store_app


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks follow each other at once."""
    monkeypatch.setattr(store_app, "SAMPLE_EVERY", 0.05)


@pytest.fixture
def fake() -> FakeMemory:
    """A store that nothing came into yet."""
    return FakeMemory(sample=at("capture", 120, 501))


def at(stage: str, done: int, total: int, seconds: float = 4.0, *, alive: bool = True) -> Watched:
    """The sample at a stage."""
    return Watched(Progress(stage, done, total, seconds), alive)


def test_each_stage_is_said_with_how_long_it_takes() -> None:
    assert sample.judge(Watched(None, True), 0.2).sentence == "sample: starting · takes about 15 seconds"
    assert sample.judge(at("capture", 120, 501), 3.0).sentence == "sample: reading 120 of 501 · 4 s of about 15"
    assert sample.judge(at("compress", 40, 126), 6.0).sentence == "sample: compressing 40 of 126 · 6 s of about 15"
    assert sample.judge(at("compress", 126, 126), 9.0).sentence == "sample: embedding · 9 s of about 15"
    assert sample.judge(at("compress", 126, 126), 21.0).sentence == "sample: embedding · 21 s, a busy machine"
    assert sample.judge(at("ready", 1, 1), 14.0) == sample.Sample(ready=True)
    assert sample.judge(None, 1.0) == sample.Sample()


def test_a_process_that_died_is_told_from_one_that_has_not_begun() -> None:
    assert not sample.judge(Watched(None, False), 1.0).died
    assert sample.judge(Watched(None, False), sample.BEGINS_WITHIN + 1).died
    assert sample.judge(at("capture", 120, 501, alive=False), 1.0).died
    assert not sample.judge(at("ready", 1, 1, alive=False), 1.0).died


@pytest.mark.parametrize("room", ["1", "2", "4"])
async def test_header_and_empty_screens_say_how_far_it_is(room: str, drive: Drive) -> None:
    async with drive((100, 30), room, demo=True) as pilot:
        drawn = screen_text(pilot)
        assert "sample: reading 120 of 501" in drawn.splitlines()[0]
        assert "Sample: reading 120 of 501" in drawn
        assert "throw-away store" in drawn
        assert "--demo" not in drawn


@pytest.mark.parametrize("width", [*range(60, 90), 100])
async def test_the_header_says_whole_parts_or_none(width: int, drive: Drive, fake: FakeMemory) -> None:
    fake.sample = at("compress", 40, 98)
    async with drive((width, 20), demo=True) as pilot:
        first = screen_text(pilot).splitlines()[0].split(" ● ")[0].rstrip()
        assert first.endswith(("…", "compressing 40 of 98", f"s of about {sample.ABOUT}")), first


async def test_what_is_said_goes_on_while_nothing_is_committed(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), demo=True) as pilot:
        fake.sample = at("compress", 126, 126)
        await pilot.pause(0.3)
        await settle(pilot)
        assert "sample: embedding" in screen_text(pilot).splitlines()[0]
        assert "Sample: embedding" in screen_text(pilot)


async def test_one_toast_says_that_it_is_ready(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), demo=True) as pilot:
        fake.sample = at("ready", 1, 1, 14.2)
        await pilot.pause(0.3)
        await settle(pilot)
        assert toasts(pilot).count("The sample is ready: 0 events became 0 memories in 14 s.") == 1
        assert "sample:" not in screen_text(pilot)


async def test_a_death_is_said_with_what_to_do(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), demo=True) as pilot:
        fake.sample = at("capture", 120, 501, alive=False)
        await pilot.pause(0.3)
        await settle(pilot)
        assert "✗ sample: stopped while reading 120 of 501" in screen_text(pilot).splitlines()[0]
        assert "nothing else of yours was touched" in screen_text(pilot)
        assert "ended before it was done" in toasts(pilot)


async def test_a_store_of_ones_own_says_nothing_of_a_sample(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "2") as pilot:
        assert "sample:" not in screen_text(pilot)
        assert "demo" not in fake.asked
        assert "tui-memory ui --demo" in screen_text(pilot)


async def test_a_model_that_cannot_be_had_is_not_called_loading(drive: Drive, fake: FakeMemory) -> None:
    fake.worker = {"running": True, "model": None, "trouble": "ModelError at embedders.py:40"}
    async with drive((120, 30)) as pilot:
        assert "▲ no model: words only" in screen_text(pilot)
        assert "loading" not in screen_text(pilot)
