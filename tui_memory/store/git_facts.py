"""What git says about a folder, without running anything of the repository's: no hook, no fsmonitor, no prompt."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from tui_memory.capture import git_run

TIMEOUT_S = 2.0
_NO_BRANCH = ".invalid"  # what HEAD says where references are kept in another format than files


@dataclass(frozen=True, slots=True)
class GitFacts:
    """A working tree's identity. `roots`: first commits, empty for a shallow or empty repository."""

    top: str
    common_dir: str
    git_dir: str
    roots: tuple[str, ...] = ()
    remote: str = ""
    """Normalised: host/path, lower-case host, no credentials, no `.git`."""
    trunk: str = ""
    """The first commit of the line that everything was merged into: one also where histories were joined."""
    local_remote: str = ""
    """The folder a clone was made from, where its remote is one."""


def facts(folder: str) -> GitFacts | None:
    """The facts of the repository that holds a folder; None where there is none, or git is missing or too slow."""
    told = _git(
        folder, "rev-parse", "--show-toplevel", "--git-common-dir", "--absolute-git-dir", "--is-shallow-repository"
    )
    lines = told.splitlines()
    if len(lines) != 4 or not lines[0]:
        return None
    top = os.path.realpath(lines[0])
    common = os.path.realpath(os.path.join(folder, lines[1]))
    roots = () if lines[3] == "true" else tuple(sorted(_git(folder, "rev-list", "--max-parents=0", "HEAD").split()))
    remote, local = _remote(folder, top)
    trunk = _git(folder, "rev-list", "--max-parents=0", "--first-parent", "HEAD").strip() if roots[1:] else ""
    return GitFacts(
        top, common, os.path.realpath(lines[2]), roots, remote, trunk or "".join(roots[:1]), local_remote=local
    )


def branch(found: GitFacts) -> str:
    """The branch that is checked out, read from the repository's HEAD; empty where none is."""
    try:
        head = Path(found.git_dir, "HEAD").read_text("utf-8", "replace")
    except OSError:
        return ""  # the working tree is gone
    name = head.strip().removeprefix("ref: refs/heads/")
    if name == _NO_BRANCH:
        return _git(found.top, "symbolic-ref", "--quiet", "--short", "HEAD").strip()
    return "" if name == head.strip() else name


def normalised(url: str) -> str:
    """A remote's address without scheme, credentials, port and `.git`; empty for a folder of this machine."""
    text = url.strip()
    match = re.match(r"(?:[\w+.-]+://)(?:[^/@]*@)?([^/:]+)(?::\d+)?/(.+)$", text) if "://" in text else None
    match = match or re.match(r"(?:[^/@:]+@)?([\w.-]{2,}):(?!//)([^\\].*)$", text)  # git@host:path
    if match is None or text.startswith("file:"):
        return ""
    path = match[2].strip("/").removesuffix(".git")
    return f"{match[1].lower()}/{path}"


def _remote(folder: str, top: str) -> tuple[str, str]:
    """The remote (origin, else the first) as normalised address, or as a folder."""
    found = dict(
        line.split(" ", 1)
        for line in _git(folder, "config", "--get-regexp", r"^remote\..*\.url$").splitlines()
        if " " in line
    )
    url = found.get("remote.origin.url") or next(iter(found.values()), "")
    if not url or normalised(url):
        return normalised(url), ""
    return "", os.path.realpath(os.path.join(top, url.removeprefix("file://")))


def _git(folder: str, *arguments: str) -> str:
    """What git prints; nothing where it fails, is missing or takes too long: a project is then known by less."""
    return git_run.output(folder, *arguments, timeout=TIMEOUT_S) or ""
