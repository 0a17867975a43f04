"""A store is refused where SQLite's locks do not hold, and said to be fragile where they may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_memory.errors import StoreError
from tui_memory.store import filesystems
from tui_memory.store.db import Store

LINUX = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /home/me/my\\040share rw shared:7 master:1 - {kind} nas:/x rw
31 22 0:41 / /home/me/my\\040share/inside rw - xfs /dev/vdb rw
"""
MAC = "/dev/disk1s1 on / (apfs, sealed, local)\n//me@nas/x on /Volumes/My Share (smbfs, nodev)\n"


@pytest.mark.parametrize(
    ("kind", "refused", "doubtful"),
    [
        ("nfs4", "nfs4", ""), ("cifs", "cifs", ""), ("smb3", "smb3", ""), ("fuse.sshfs", "fuse.sshfs", ""),
        ("fuse.rclone", "fuse.rclone", ""), ("fuse.gocryptfs", "", ""), ("9p", "", "9p"), ("ext4", "", ""),
    ],
)  # fmt: skip
def test_by_its_type(monkeypatch: pytest.MonkeyPatch, kind: str, refused: str, doubtful: str) -> None:
    monkeypatch.setattr(filesystems, "of", lambda _: kind)
    assert (filesystems.refused(Path("/x")), filesystems.doubtful(Path("/x"))) == (refused, doubtful)


def test_the_nearest_mount_decides() -> None:
    text = LINUX.format(kind="nfs4")
    kinds = [filesystems._in_mountinfo(text, path) for path in ("/home/me", "/home/me/my share/store")]
    assert kinds == ["ext4", "nfs4"]
    assert filesystems._in_mountinfo(text, "/home/me/my share/inside/store") == "xfs"
    assert filesystems._in_mount(MAC, "/Volumes/My Share/store") == "smbfs"
    assert filesystems._in_mount(MAC, "/Volumes/My Shared") == "apfs"


def test_a_store_is_not_made_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystems, "of", lambda _: "nfs4")
    with pytest.raises(StoreError, match=r"network file system \(nfs4\).*Nothing was changed.*TUI_MEMORY_HOME"):
        Store(tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_this_machine_tells(tmp_path: Path) -> None:
    assert filesystems.of(tmp_path / "not" / "there" / "yet")
