"""Two processes change one memory at once: what each of them changed is kept."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tui_memory import Memory, config
from tui_memory.engine import bodies
from tui_memory.errors import ConflictError

RULES_ONLY = config.Settings(compress=config.CompressSettings(routes=("extractive",)))
EDITOR = """
    import sys
    from tui_memory import Memory, config
    settings = config.Settings(compress=config.CompressSettings(routes=("extractive",)))
    with Memory(sys.argv[1], embedding="none", settings=settings) as memory:
        memory.get(1)
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(int(sys.argv[3])):
            memory.edit(1, **{sys.argv[2]: f"{number}"})
"""
TIMES = 40


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_no_edit_takes_back_what_the_other_one_wrote(home: Path) -> None:
    with Memory(home, embedding="none", settings=RULES_ONLY) as memory:
        memory.add(title="-1", text="-1", summary="-1")
        two = [
            subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(EDITOR), str(home), field, str(TIMES)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for field in ("text", "summary")
        ]  # fmt: skip
        for process in two:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        for process in two:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.communicate() and process.returncode for process in two] == [0, 0]
        said = memory.store.rows("SELECT text, summary FROM versions ORDER BY id")
        assert len(said) == 2 * TIMES + 1
        for column in range(2):
            numbers = [int(row[column]) for row in said]
            assert numbers == sorted(numbers) and numbers[-1] == TIMES - 1


def test_a_merge_holds_what_was_written_while_it_was_made(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(home, embedding="none", settings=RULES_ONLY) as memory, Memory(home, embedding="none") as other:
        ids = memory.add_many([{"title": "one", "text": "first"}, {"title": "two", "text": "second"}])
        union, left = bodies.union, ["first, corrected"]

        def slowly(originals: list[object]) -> object:
            made = union(originals)  # type: ignore[arg-type]
            if left:
                other.edit(ids[0], text=left.pop())
            return made

        monkeypatch.setattr(bodies, "union", slowly)
        (made,) = memory.get(memory.merge(ids))
        assert "first, corrected" in made.text


def test_a_merge_that_was_looked_at_is_refused_where_an_original_is_another_now(home: Path) -> None:
    with Memory(home, embedding="none", settings=RULES_ONLY) as memory:
        ids = memory.add_many([{"title": "one"}, {"title": "two"}])
        seen = memory.merging.preview(ids)
        memory.edit(ids[1], text="more")
        with pytest.raises(ConflictError, match=f"#{ids[1]} has been edited since you opened it"):
            memory.merge(ids, body=seen.body, base=seen.versions)
        assert [row.state for row in memory.get(ids)] == ["active", "active"]
