"""Which file system a store lies on: on one that is shared over a network SQLite's locks do not hold. Standard library.

Linux tells in /proc/self/mountinfo (read at every opening: a tenth of a millisecond), macOS by its `mount` command
(which takes too long for a hook: the worker and the commands look).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_NETWORK = frozenset({
    "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "webdav", "ncpfs", "afs", "ceph", "glusterfs",
    "lustre", "gpfs", "ocfs2", "gfs2", "beegfs",
})  # fmt: skip
_LOCAL_FUSE = frozenset({"fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.mergerfs", "fuse.bindfs", "fuse.portal"})
_FOREIGN = frozenset({"9p", "drvfs"})


def refused(path: Path) -> str:
    """The network file system that a path lies on; empty where it may hold a store."""
    kind = of(path)
    far = kind in _NETWORK or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE)
    return kind if far else ""


def doubtful(path: Path) -> str:
    """The file system where a store works and is slow or fragile (Windows' disks seen from WSL); empty elsewhere."""
    kind = of(path)
    return kind if kind in _FOREIGN else ""


def of(path: Path) -> str:
    """The type of the file system that holds a path, or will; empty where the system does not tell."""
    try:
        if sys.platform == "linux":
            with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
                return _in_mountinfo(file.read(), os.path.realpath(path))
        return _in_mount(_mounted(), os.path.realpath(path))
    except OSError:
        return ""


def _in_mountinfo(text: str, path: str) -> str:
    """Lines as proc(5) has them: id, parent, device, root, mount point, options …, -, type, source, options."""
    mounts = []
    for line in text.splitlines():
        fields = line.split(" ")
        if "-" in fields[6:]:
            point = fields[4]
            for code, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
                point = point.replace(code, sign)
            mounts.append((point, fields[fields.index("-", 6) + 1]))
    return _nearest(mounts, path)


def _in_mount(text: str, path: str) -> str:
    """Lines as `mount` prints them on macOS: `source on /point (type, options)`."""
    import re

    found = re.findall(r"^.* on (/.*) \((\w+)[,)]", text, re.MULTILINE)
    return _nearest(found, path)


def _nearest(mounts: list[tuple[str, str]], path: str) -> str:
    """The type of the longest mount point that holds the path; of two on one point the later hides the earlier."""
    best = ("", "")
    for point, kind in mounts:
        if (path == point or path.startswith(point.rstrip("/") + "/")) and len(point) >= len(best[0]):
            best = (point, kind)
    return best[1]


def _mounted() -> str:
    import subprocess

    return subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=5, check=False).stdout
