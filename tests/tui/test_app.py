"""The application as a whole: screens, keys of one's own, themes, palette, what happens when something is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from tests.tui.conftest import Drive, make, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text, toasts
from tui_memory.engine.memory import Memory
from tui_memory.errors import StoreError
from tui_memory.tui import bindings, keymap, themes
from tui_memory.tui.app import TuiMemoryApp


async def test_numbers_and_tabs_switch_screens_and_each_keeps_its_place(drive: Drive) -> None:
    async with drive((100, 30), "2", "j", "j", "1") as pilot:
        assert "observations" in screen_text(pilot)
        await pilot.click("TabBar", offset=(13, 0))
        await settle(pilot)
        assert pilot.app.current_mode == "memories"
        assert pilot.app.screen.query_one("#list").cursor == 2  # type: ignore[attr-defined]


async def test_the_header_says_which_store_and_what_is_less_than_it_could_be(drive: Drive, fake: FakeMemory) -> None:
    fake.worker = {"running": False}
    async with drive((160, 30)) as pilot:
        first = screen_text(pilot).splitlines()[0]
        assert "all projects" in first and "30 memories" in first and "a test" in first
        assert "▲ no worker: words only" in first


async def test_another_project_is_chosen_for_all_screens(drive: Drive, fake: FakeMemory) -> None:
    fake.rows[0].project = "other"
    async with drive((100, 30), "2", "P", "G", "enter") as pilot:
        assert "orderly" in screen_text(pilot).splitlines()[0]
        assert "29 memories" in screen_text(pilot)


async def test_the_palette_knows_what_can_be_done_here(drive: Drive) -> None:
    async with drive((100, 30), "2", "ctrl+p", *"memory: pin") as pilot:
        assert "memory: Pin" in screen_text(pilot)


async def test_help_names_the_focused_part_and_the_persons_own_keys(fake: FakeMemory, tmp_path: Path) -> None:
    app = make(fake, tmp_path, keys={"memories.delete": "x"})
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        await pilot.press("2", "question_mark")
        await settle(pilot)
        lines = screen_text(pilot).splitlines()
        assert any("x " in line and "memories.delete" in line for line in lines)
        await pilot.press("escape", "x")
        await settle(pilot)
        assert fake.rows[0].state == "trash"


async def test_a_wrong_key_or_theme_is_a_toast_and_not_a_crash(fake: FakeMemory, tmp_path: Path) -> None:
    keys = {"memories.delet": "x", "live.follow": "hyper-f"}
    app = make(fake, tmp_path, theme="no-such-theme", keys=keys)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        said = toasts(pilot)
        assert "there is no memories.delet; did you mean memories.delete?" in said
        assert "no terminal sends the key hyper-f" in said
        assert "there is no theme no-such-theme" in said
        assert app.theme == "tui-memory-dark"


async def test_a_store_that_cannot_be_opened_is_said_and_can_be_tried_again(fake: FakeMemory, tmp_path: Path) -> None:
    broken = [StoreError("The store was made by a newer version. Nothing was changed; update tui-memory.")]

    def open_memory() -> Memory:
        if broken:
            raise broken.pop()
        return cast(Memory, fake)

    app = TuiMemoryApp(open_memory, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert "made by a newer version" in screen_text(pilot)
        await pilot.press("ctrl+l")
        await settle(pilot)
        assert "60 observations" in screen_text(pilot)


async def test_a_defect_in_the_engine_is_said_without_its_text_and_logged(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "2") as pilot:
        fake.history = lambda *_, **__: {}["private words"]  # type: ignore[method-assign,index]
        await pilot.press("h")
        await settle(pilot)
        assert "A defect in tui-memory (KeyError)" in toasts(pilot)
        assert "private words" not in toasts(pilot)


async def test_a_crash_leaves_one_sentence_and_a_log_without_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = make(FakeMemory(), tmp_path)

    def broken() -> None:
        private = "a secret in a local variable"
        raise ValueError(private)

    with pytest.raises(ValueError, match="secret"):
        async with app.run_test() as pilot:
            app.call_later(broken)
            await pilot.pause()
    said = "".join(str(item) for item in app._exit_renderables) + capsys.readouterr().err
    log = tmp_path / "log" / "application.log"
    assert "secret" not in said and "secret" not in log.read_text("utf-8")
    assert "in broken" in log.read_text("utf-8")
    assert log.stat().st_mode & 0o777 == 0o600
    assert app.return_code == 1


async def test_leaving_waits_for_the_changes_that_were_asked_for(fake: FakeMemory, tmp_path: Path) -> None:
    app = make(fake, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        fake.slow = 0.1
        await pilot.press("d", "q")
    assert fake.rows[0].state == "trash"
    assert fake.asked[-1] == "close"


@pytest.mark.parametrize("name", ["tui-memory-dark", "tui-memory-light", "tui-memory-clear", "tui-memory-contrast"])
async def test_every_theme_of_ours_draws(name: str, fake: FakeMemory, tmp_path: Path) -> None:
    app = make(fake, tmp_path, theme=name)
    async with app.run_test(size=(140, 30)) as pilot:
        await settle(pilot)
        assert app.theme == name
        assert "60 observations" in screen_text(pilot)


@pytest.mark.parametrize("name", ["ansi-dark", "textual-light", "nord"])
async def test_themes_that_know_nothing_of_ours_draw_too(name: str, fake: FakeMemory, tmp_path: Path) -> None:
    app = make(fake, tmp_path, theme=name)
    async with app.run_test(size=(140, 30)) as pilot:
        await settle(pilot)
        assert app.theme == name


def test_a_mistake_in_a_theme_names_the_file_and_the_key(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text("name: good\ncolours: {primary: '#112233'}\n")
    (tmp_path / "typo.yaml").write_text("colours: {primry: '#112233'}\n")
    (tmp_path / "hue.yaml").write_text("colours: {primary: blurple}\n")
    (tmp_path / "torn.yaml").write_text("colours: [\n")
    (tmp_path / "deep.yaml").write_text("colours: " + "[" * 20_000)
    (tmp_path / "day.yaml").write_text("name: 2026-99-99\ncolours: {primary: '#112233'}\n")
    shelf = themes.load([tmp_path])
    assert list(shelf.themes) == ["good"]
    said = "\n".join(shelf.wrong)
    assert "typo.yaml: there is no colours.primry; did you mean colours.primary?" in said
    assert "hue.yaml: primary: 'blurple' is no colour" in said
    assert all(f"{name}.yaml: not readable as YAML" in said for name in ("torn", "deep", "day"))


def test_two_actions_on_one_key_keep_the_default() -> None:
    good, wrong = keymap.check({"memories.delete": "p", "memories.pin": "x", "live.follow": "F"})
    assert good == {"memories.delete": "p", "memories.pin": "x", "live.follow": "F"}
    good, wrong = keymap.check({"memories.delete": "p"})
    assert good == {}
    assert "memories.delete: p is taken by memories.pin" in wrong[0]


def test_every_binding_has_an_id_a_label_and_a_tip() -> None:
    every = [binding for scope in bindings.SCOPES.values() for binding in scope]
    assert len(bindings.table()) == len(every)
    assert all(binding.tooltip and binding.description for binding in bindings.table().values())
    assert all(keymap.check({identity: binding.key})[1] == [] for identity, binding in bindings.table().items())


def test_the_application_loads_no_model_and_no_numbers() -> None:
    code = (
        "import sys; import tui_memory.tui.app, tui_memory.tui.screens.live, tui_memory.tui.screens.memories,"
        " tui_memory.tui.screens.playground\n"
        "print([name for name in ('faiss','torch','numpy','onnxruntime','tokenizers','sentence_transformers')"
        " if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_the_default_theme_is_the_one_of_the_file() -> None:
    file = Path(themes.__file__).resolve().parents[2] / "themes" / "tui-memory-dark.yaml"
    assert themes.read(file) == themes.default()
