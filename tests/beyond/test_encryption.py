"""Encrypted with age, by passphrase or for public keys; what cannot be opened is told."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pyrage
import pytest

from tests.beyond.looking import content, everything, titles
from tests.cli.processes import ROOT
from tests.cli.shell import Shell
from tui_memory.capture.transcripts.unpacking import Unpacked
from tui_memory.engine.memory import Memory


def test_a_passphrase_opens_it_and_no_other_does(
    memory: Memory, home: Path, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = str(tmp_path / "disk")
    asked = shell("backup", url, "--encrypt")
    assert asked.code == 4 and "TUI_MEMORY_PASSPHRASE" in asked.err
    monkeypatch.setenv("TUI_MEMORY_PASSPHRASE", "four words of mine")
    made = shell("backup", url, "--encrypt", "--json").json
    there = content(url)
    assert made["encryption"] == "passphrase" and made["verified"]
    assert there[f"{made['name']}.db.zst.age"].startswith(b"age-encryption.org/v1")
    assert not any(b"SQLite format" in one or b"four words" in one for one in there.values())
    assert opened_by_hand(there, "four words of mine").startswith(b"SQLite format 3")
    before = everything(home)
    memory.add(title="Came later")
    memory.close()
    monkeypatch.setenv("TUI_MEMORY_PASSPHRASE", "four words of yours")
    wrong = shell("restore-backup", url, "--yes")
    assert wrong.code == 1 and "passphrase is not the one" in wrong.err and "Nothing was changed" in wrong.err
    assert "Came later" in titles(home) and content(url) == there
    monkeypatch.setenv("TUI_MEMORY_PASSPHRASE", "four words of mine")
    assert shell("restore-backup", url, "--yes").code == 0 and everything(home) == before


def opened_by_hand(there: dict[str, bytes], passphrase: str) -> bytes:
    """As the document says it is done without this program: `age -d` of the key, `age -d -i` of the file, `zstd -d`."""
    (said,) = (json.loads(one) for name, one in there.items() if name.endswith(".json"))
    (sealed,) = (one for name, one in there.items() if name.endswith(".age"))
    key = pyrage.x25519.Identity.from_str(pyrage.passphrase.decrypt(said["key"].encode(), passphrase).decode())
    return Unpacked(io.BytesIO(pyrage.decrypt(sealed, [key]))).read()


def test_the_terminal_is_asked_for_the_passphrase_twice_and_shows_none(memory: Memory, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tui_memory", "backup", str(tmp_path / "disk"), "--encrypt"], cwd=ROOT,
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    for question in (b"Passphrase:", b"Repeat", b"Fetched again"):
        while question not in shown:
            shown += os.read(ours, 65536)
        os.write(ours, b"sesame\n" if question != b"Fetched again" else b"")
    assert process.wait(60) == 0 and b"sesame" not in shown
    os.close(ours)


def test_it_is_encrypted_for_public_keys_and_a_private_one_opens_it(
    memory: Memory, home: Path, url: str, shell: Shell, tmp_path: Path
) -> None:
    mine, other = (pyrage.x25519.Identity.generate() for _ in range(2))
    for name, key in (("mine", mine), ("other", other)):
        (tmp_path / name).write_text(f"# created by age-keygen\n{key}\n")
    (tmp_path / "none").write_text("no key")
    made = shell("backup", url, "--recipient", str(mine.to_public()), "--json").json
    assert made["encryption"] == "recipients" and made["verified"]
    memory.close()
    before = everything(home)
    tries = {
        "the private one": shell("restore-backup", url, "--yes"),
        "cannot be decrypted": shell("restore-backup", url, "--yes", "--identity", str(tmp_path / "other")),
        "holds no private key": shell("restore-backup", url, "--yes", "--identity", str(tmp_path / "none")),
    }
    for words, answer in tries.items():
        assert answer.code in (1, 2, 4) and words in answer.err and "Nothing was changed" in answer.err
    assert everything(home) == before
    assert shell("restore-backup", url, "--yes", "--identity", str(tmp_path / "mine")).code == 0


def test_a_public_key_that_is_none_is_told_before_anything_is_sent(
    memory: Memory, tmp_path: Path, shell: Shell
) -> None:
    for key in ("age1nothing", "ssh-ed25519 nothing", ""):
        answer = shell("backup", str(tmp_path / "disk"), "--recipient", key)
        assert answer.code == 2 and "public key" in answer.err
    assert not (tmp_path / "disk").exists()
