"""Editing in a person's own editor: the file, its fields, and every way that an editor can go wrong."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory, memory
from tests.tui.reading import screen_text, toasts
from tui_memory.errors import NotFoundError, TuiMemoryError, UsageError
from tui_memory.tui import editor, fields
from tui_memory.tui.app import TuiMemoryApp

TITLES = ["plain", "title: with colon", "- dashes", "---", "日本 é"]


def script(folder: Path, body: str) -> str:
    """An editor that does this to `path`."""
    file = folder / "editor.py"
    file.write_text(f"import os, sys, pathlib\npath = pathlib.Path(sys.argv[-1])\n{body}\n")
    return f"{sys.executable} {file}"


@pytest.mark.parametrize("title", TITLES)
def test_fields_come_back_as_they_were_written(title: str) -> None:
    row = memory(
        1, title, text="---\nnot the end\n\n- x: y", facts=["one\ntwo", "- three"], files=["a b.py", "c.py"],
        labels=["x", "y z"], summary="in: short",
    )  # fmt: skip
    shown = fields.shown(row)
    assert fields.changes(shown, fields.parsed(fields.document(shown))) == {}


def test_what_was_changed_and_only_that_comes_back() -> None:
    shown = fields.shown(memory(1, facts=["one", "two"], files=["a.py"]))
    after = fields.parsed(fields.document(shown).replace("- two", "- two\n  and more\n- three").replace("api", "x, y"))
    assert fields.changes(shown, after) == {"facts": ["one", "two\nand more", "three"], "labels": ["x", "y"]}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("---\ntitle", "title", "no longer begins"), ("kind: bugfix", "kind: bug", "“bug” is no kind"),
     ("title: Memory number 1", "title:", "needs a title"), ("tier:", "stray\ntier:", "belongs to no field")],
)  # fmt: skip
def test_a_head_that_cannot_be_read_is_said(old: str, new: str, said: str) -> None:
    shown = fields.shown(memory(1))
    with pytest.raises(UsageError, match=said):
        fields.changes(shown, fields.parsed(fields.document(shown).replace(old, new, 1)))


class TestTheFile:
    def test_it_is_private_and_gone_afterwards(self, tmp_path: Path) -> None:
        seen = tmp_path / "seen"
        command = script(
            tmp_path, f"open({str(seen)!r}, 'w').write(oct(os.stat(path).st_mode)); path.write_text('new')"
        )
        store = tmp_path / "store"
        store.mkdir()
        assert editor.edited(command.split(), "old", store) == "new"
        assert seen.read_text() == oct(stat.S_IFREG | 0o600) and not list(store.iterdir())

    @pytest.mark.parametrize(
        ("body", "said"),
        [("sys.exit(3)", "ended with 3"), ("path.unlink()", "took the file away"),
         ("path.write_bytes(b'\\xff')", "not UTF-8")],
    )  # fmt: skip
    def test_what_goes_wrong_is_said_and_nothing_is_left(self, tmp_path: Path, body: str, said: str) -> None:
        store = tmp_path / "store"
        store.mkdir()
        with pytest.raises(TuiMemoryError, match=said):
            editor.edited(script(tmp_path, body).split(), "old", store)
        assert not list(store.iterdir())

    def test_what_editors_leave_beside_it_goes_too(self, tmp_path: Path) -> None:
        store = tmp_path / "store"
        store.mkdir()
        body = "[path.with_name(name).touch() for name in (path.name + '~', '.' + path.name + '.swp')]"
        editor.edited(script(tmp_path, body).split(), "old", store)
        assert not list(store.iterdir())

    def test_leftovers_of_a_dead_application_are_swept(self, tmp_path: Path) -> None:
        mine, dead = tmp_path / f"edit-{os.getpid()}-x.md", tmp_path / "edit-99999999-x.md"
        mine.touch()
        dead.touch()
        editor.sweep(tmp_path)
        assert list(tmp_path.glob("edit-*")) == [mine]


class TestWhichEditor:
    def test_visual_before_editor_with_its_arguments(self) -> None:
        assert editor.command({"VISUAL": f"'{sys.executable}' -w", "EDITOR": "nano"}) == [sys.executable, "-w"]

    def test_one_that_is_not_here_is_named(self) -> None:
        with pytest.raises(NotFoundError, match="EDITOR names no-such-editor"):
            editor.command({"EDITOR": "no-such-editor"})
        with pytest.raises(NotFoundError, match="open quote"):
            editor.command({"EDITOR": "'vi"})

    def test_without_any_it_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("shutil.which", lambda _name: None)
        with pytest.raises(NotFoundError, match="set EDITOR"):
            editor.command({})


class TestInTheApplication:
    @pytest.fixture
    def lent(self, monkeypatch: pytest.MonkeyPatch, fake: FakeMemory, tmp_path: Path) -> list[str]:
        """The terminal as it was lent and taken back; as Textual's own, it is not where something is raised inside."""
        seen: list[str] = []

        @contextmanager
        def suspend(_app: TuiMemoryApp) -> Iterator[None]:
            seen.append("lent")
            yield
            seen.append("taken back")

        monkeypatch.setattr(TuiMemoryApp, "suspend", suspend)
        (tmp_path / "store").mkdir()
        fake.home = tmp_path / "store"
        return seen

    async def test_o_edits_and_u_would_undo(
        self, drive: Drive, fake: FakeMemory, lent: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv(
            "VISUAL", script(tmp_path, "path.write_text(path.read_text().replace('The text', 'New text'))")
        )
        async with drive((120, 40), "2", "o") as pilot:
            assert lent == ["lent", "taken back"]
            assert fake.rows[0].text == "New text of memory 1." and "Changed text · u undoes" in toasts(pilot)

    @pytest.mark.parametrize(
        ("body", "said"), [("sys.exit(3)", "ended with 3"), ("pass", "Nothing was changed."), ("path.unlink()", "away")]
    )
    async def test_an_editor_that_fails_or_does_nothing_changes_nothing(
        self, drive: Drive, fake: FakeMemory, lent: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
        body: str, said: str,
    ) -> None:  # fmt: skip
        monkeypatch.setenv("VISUAL", script(tmp_path, body))
        async with drive((120, 40), "2", "o") as pilot:
            assert said in toasts(pilot) and lent == ["lent", "taken back"]
            assert fake.rows[0].text == "The text of memory 1." and not list(fake.home.iterdir())

    async def test_what_cannot_be_read_is_in_the_boxes_and_not_lost(
        self, drive: Drive, fake: FakeMemory, lent: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        body = "path.write_text(path.read_text().replace('kind: bugfix', 'kind: bug').replace('The text', 'Long work'))"
        monkeypatch.setenv("VISUAL", script(tmp_path, body))
        async with drive((120, 40), "2", "o") as pilot:
            assert "“bug” is no kind" in toasts(pilot)
            assert "Long work of memory 1." in screen_text(pilot)
            await pilot.press("ctrl+s")
            await settle(pilot)
            assert fake.rows[0].text == "Long work of memory 1." and fake.rows[0].kind == "bugfix"

    async def test_without_an_editor_it_says_so(
        self, drive: Drive, fake: FakeMemory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("VISUAL", "no-such-editor")
        async with drive((120, 40), "2", "o") as pilot:
            assert "VISUAL names no-such-editor, which is not here" in toasts(pilot)
