"""A store that holds nothing says what can be done; each of the three shows first what it would change."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from tests.repositories import Repository
from tests.tui.conftest import FOUND, Drive, make, settle
from tests.tui.fake import FakeMemory, observation
from tests.tui.reading import screen_text, toasts, whole
from tui_memory.engine import memory as engine
from tui_memory.tui import first_run, importing, starting
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.widgets.first_steps import WayRow


@pytest.fixture
def fake() -> FakeMemory:
    """A store that nothing came into yet."""
    return FakeMemory()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of one's own with Claude Code in it, and two of its past sessions; in no repository."""
    home = tmp_path / "home"
    past = home / ".claude" / "projects" / "-work-orderly"
    past.mkdir(parents=True)
    for number in range(2):
        records = [record(number, "user", "Why do payments fail?"), record(number, "assistant", "The timeout was 2 s.")]
        (past / f"session-{number}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_DB", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return home


def record(number: int, role: str, text: str) -> dict[str, Any]:
    """A line of one of Claude Code's transcripts."""
    return {
        "type": role, "uuid": f"{number}-{role}", "sessionId": f"s{number}", "cwd": "/work/orderly",
        "timestamp": f"2026-11-2{number}T10:00:0{len(role) % 10}.000Z",
        "message": {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]},
    }  # fmt: skip


Real = Callable[[], TuiMemoryApp]


@pytest.fixture
def real(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Real:
    """The application on a real, empty store."""
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(machine))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))
    monkeypatch.setattr(engine.Memory, "start_worker", lambda self: {"running": False})
    monkeypatch.chdir(tmp_path / "here")

    def opened() -> TuiMemoryApp:
        return TuiMemoryApp(lambda: engine.Memory(tmp_path / "store", embedding="none"), tmp_path / "store")

    return opened


async def until(pilot: Pilot[None], said: str, limit: float = 20.0) -> None:
    """Until it stands on the screen or in a toast."""
    end = time.monotonic() + limit
    while said not in screen_text(pilot) and said not in toasts(pilot):
        assert time.monotonic() < end, f"{said!r} was not said:\n{screen_text(pilot)}\n{toasts(pilot)}"
        await pilot.pause(0.05)


async def test_an_empty_store_says_what_can_be_done_with_what_is_on_this_machine(drive: Drive) -> None:
    async with drive((120, 30)) as pilot:
        drawn = screen_text(pilot)
        for said in (
            "Nothing is remembered yet.", "i  install hooks…", "codex ● installed", "claude-code ○ not yet",
            "t  read past sessions…", "380 of claude-code, 32 of codex · 384.0 MB · since 4 March",
            "s  look around first…", "i install hooks  t past sessions  s sample",
        ):  # fmt: skip
            assert said in drawn, said
        assert "/ filter" not in drawn, "there is no list to filter"


async def test_it_goes_with_the_first_event_and_leaves_the_keys_to_the_list(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30)) as pilot:
        fake.seen.append(observation(1))
        fake.stamp += 1
        await pilot.pause(0.1)
        await settle(pilot)
        assert "install hooks" not in screen_text(pilot)
        assert "1 observation" in screen_text(pilot)
        assert pilot.app.focused is pilot.app.screen.query_one("#list")


async def test_esc_shows_the_screens_as_they_are_and_the_palette_brings_it_back(drive: Drive) -> None:
    async with drive((100, 30), "escape") as pilot:
        assert "install hooks…" not in screen_text(pilot)
        assert "start: First steps" in screen_text(pilot), "the empty list says how it comes back"
        await pilot.press("2", "ctrl+p", *"start: first", "enter")
        await settle(pilot)
        assert pilot.app.current_mode == "live"
        assert "i  install hooks…" in screen_text(pilot)


async def test_where_something_is_remembered_it_comes_only_for_who_asks(drive: Drive, fake: FakeMemory) -> None:
    fake.seen = [observation(1)]
    async with drive((100, 30)) as pilot:
        assert "install hooks…" not in screen_text(pilot)
        await pilot.press("ctrl+p", *"start: first", "enter")
        await settle(pilot)
        assert "First steps" in screen_text(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "1 observation" in screen_text(pilot)


async def test_other_screens_work_meanwhile(drive: Drive) -> None:
    async with drive((100, 30), *"213561") as pilot:
        assert "i  install hooks…" in screen_text(pilot)
        assert isinstance(pilot.app.focused, WayRow)


async def test_rows_are_gone_through_and_taken_by_keys_and_by_the_mouse(drive: Drive) -> None:
    async with drive((100, 30), "j", "down", "k", "j", "enter") as pilot:
        assert "Look at a sample project?" in screen_text(pilot)
        await pilot.press("escape")
        await pilot.click(pilot.app.screen.query(WayRow).last())
        await settle(pilot)
        assert "Look at a sample project?" in screen_text(pilot)


async def test_no_to_the_sample_changes_nothing_and_yes_lends_the_terminal(
    drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def lend() -> str:
        asked.append(1)
        return ""

    monkeypatch.setattr(starting, "_lend", lend)
    async with drive((100, 30), "s", "n") as pilot:
        await pilot.press("s", "y")
        await settle(pilot)
        assert not asked and "cannot be lent" in toasts(pilot), "a test has no terminal to lend"


def test_a_sample_that_cannot_run_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "SAMPLE", ("-c", "raise SystemExit(3)"))
    assert "The sample ended with 3; your own store is as it was." in starting._lend()
    monkeypatch.setattr(starting, "SAMPLE", ("-c", ""))
    assert starting._lend() == ""


async def test_a_demonstration_offers_none_of_it(drive: Drive) -> None:
    async with drive((100, 30), demo=True) as pilot:
        assert "install hooks" not in screen_text(pilot)
        app = cast(TuiMemoryApp, pilot.app)
        app.action_past_sessions()
        app.action_install_found()
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "thrown away with the sample" in toasts(pilot)


async def test_hooks_are_shown_and_written_on_a_yes(real: Real, machine: Path) -> None:
    settings = machine / ".claude" / "settings.json"
    async with real().run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, "claude-code ○ not yet")
        await pilot.press("i")
        await until(pilot, "Install the hooks of")
        await pilot.press("enter")
        await until(pilot, "y writes it")
        assert "tui_memory/hook.py" in whole(pilot) and not settings.exists()
        await pilot.press("n")
        await until(pilot, "Nothing was changed.")
        assert not settings.exists()
        await pilot.press("i")
        await until(pilot, "Install the hooks of")
        await pilot.press("enter")
        await until(pilot, "y writes it")
        await pilot.press("y")
        await until(pilot, "claude-code ● installed")
        assert "tui_memory/hook.py" in settings.read_text()


async def test_of_several_agents_one_that_cannot_be_written_is_left_out_and_said(real: Real, machine: Path) -> None:
    (machine / ".codex").mkdir()
    (machine / ".claude" / "settings.json").write_text("{ torn")
    async with real().run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, "codex ○ not yet")
        await pilot.press("i")
        await until(pilot, "all that are used here")
        await pilot.press("enter")
        await until(pilot, "y writes it")
        assert "Left out: claude-code" in whole(pilot) and "hooks.json" in whole(pilot)
        await pilot.press("y")
        await until(pilot, "codex ● installed")
    assert (machine / ".claude" / "settings.json").read_text() == "{ torn"


async def test_past_sessions_are_counted_asked_about_and_read(real: Real) -> None:
    async with real().run_test(size=(120, 40), notifications=True) as pilot:
        app = cast(TuiMemoryApp, pilot.app)
        await until(pilot, "2 of claude-code")
        await pilot.press("t")
        await until(pilot, "reads and stores it")
        assert "4 events of 4 read; 0 known already" in whole(pilot)
        assert app.opened.result().stats()["stored"] == 0
        await pilot.press("n")
        await until(pilot, "Nothing was stored.")
        await pilot.press("t")
        await until(pilot, "reads and stores it")
        await pilot.press("y")
        await until(pilot, "4 events of 2 sessions of claude-code became")
        await until(pilot, "4 observations")
        assert "install hooks" not in screen_text(pilot)
        app.action_past_sessions()
        await until(pilot, "all that is in them is here already")
        await pilot.press("ctrl+p", *"start: report", "enter")
        await until(pilot, "What was read of past sessions")


async def test_it_says_how_far_it_is_and_can_be_stopped(
    real: Real, monkeypatch: pytest.MonkeyPatch, machine: Path
) -> None:
    monkeypatch.setattr(importing, "BEAT", 0.0)
    past = machine / ".claude" / "projects" / "-work-orderly"
    for number in range(2, 60):
        lines = [json.dumps(record(number, "user", f"Question {number}-{line}") | {"uuid": f"{number}-{line}"})
                 for line in range(30)]  # fmt: skip
        (past / f"session-{number}.jsonl").write_text("\n".join(lines) + "\n")
    async with real().run_test(size=(120, 40), notifications=True) as pilot:
        app = cast(TuiMemoryApp, pilot.app)
        await until(pilot, "60 of claude-code")
        await pilot.press("t")
        await until(pilot, "reads and stores it")
        await pilot.press("y")
        await until(pilot, "past sessions: reading")
        await until(pilot, "X stop reading")
        await pilot.press("X")
        await until(pilot, "Stopped: what was stored stays")
        assert "past sessions: reading" not in screen_text(pilot)
        assert not app.importing.busy and app.opened.result().stats()["stored"] < 1_700


async def test_leaving_while_it_reads_waits_for_what_is_being_written(fake: FakeMemory, tmp_path: Path) -> None:
    ended: list[bool] = []

    def transcripts(*, cancelled: Callable[[], bool], **_: Any) -> None:
        while not cancelled():
            time.sleep(0.01)
        time.sleep(0.1)
        ended.append("close" not in fake.asked)

    fake.importing = SimpleNamespace(transcripts=transcripts)
    async with make(fake, tmp_path).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        cast(TuiMemoryApp, pilot.app).importing._start(dry_run=False)
        await pilot.press("q")
    assert ended == [True]


def test_what_is_on_this_machine(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(machine))
    (machine / ".gemini").mkdir()
    monkeypatch.chdir(Repository.make(tmp_path / "repo").folder)
    with engine.Memory(tmp_path / "other", embedding="none") as memory:
        found = first_run.look(memory)
    assert found.agents == ("claude-code", "gemini-cli", "git")
    assert found.sessions == {"claude-code": 2} and not found.installed and found.bytes > 100


def test_the_ways_say_what_was_found_in_words() -> None:
    assert first_run.ways(None)[0].found == "looking what is here…"
    assert [way.found for way in first_run.ways(first_run.Found())[:2]] == [
        "no agent's folder is here; all of them are offered", "no agent has kept any here"]  # fmt: skip
    assert first_run.ways(FOUND)[0].found == "claude-code ○ not yet · codex ● installed · git ○ not yet"


def test_times_are_said_roughly() -> None:
    assert [importing.about(seconds) for seconds in (0.2, 12, 49, 70, 400)] == [
        "about 5 seconds", "about 10 seconds", "about 50 seconds", "about 1 minute", "about 7 minutes"]  # fmt: skip
