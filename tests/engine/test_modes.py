"""Modes that others widened are narrowed when the store is opened, and it is said."""

from __future__ import annotations

from pathlib import Path

from tui_memory import Memory


def test_what_others_could_read_is_mended_and_told_of(tmp_path: Path) -> None:
    home = tmp_path / "store"
    with Memory(home, embedding="none") as memory:
        memory.add(title="a")
    (home / "ui.json").write_text("{}")
    for path, mode in ((home, 0o755), (home / "memory.db", 0o644), (home / "ui.json", 0o666), (home / "key", 0o640)):
        path.chmod(mode)
    with Memory(home, embedding="none") as memory:
        (check,) = [check for check in memory.doctor()["checks"] if check["id"] == "modes"]
    assert check["ok"] and check["what"].startswith("others could read") and "now only you can" in check["what"]
    assert {path.stat().st_mode & 0o777 for path in home.rglob("*") if path.is_file()} == {0o600}
    assert home.stat().st_mode & 0o777 == 0o700
    (home / "memory.db").chmod(0o644)
    with Memory(home, embedding="none") as memory:
        assert [path.name for path in memory.store.narrowed] == ["memory.db"]
    with Memory(home, embedding="none") as memory:
        (check,) = [check for check in memory.doctor()["checks"] if check["id"] == "modes"]
    assert check["what"] == "only you can read the store's files"
