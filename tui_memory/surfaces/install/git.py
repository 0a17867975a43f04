"""Git's hooks of one repository: chained with what is there, shown first, taken out to the byte."""

from __future__ import annotations

import difflib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tui_memory import config, places
from tui_memory.capture import git_run
from tui_memory.errors import ConfigError, ConflictError, RefusedError, UsageError
from tui_memory.store.connection import make_directory
from tui_memory.surfaces.install import git_files

EVENTS = ("post-commit", "post-merge", "post-rewrite", "post-checkout")
ASIDE = ".pre-tui-memory"
"""How the name of a hook ends that a wrapper of ours runs."""
_TIMEOUT_S = 10.0
_LEGACY = ".legacy"  # where pre-commit puts a hook that it finds in its place
_OLD = ".old"  # where lefthook does, and runs it no more


@dataclass(frozen=True, slots=True)
class Change:
    """One file: its bytes before and after (None: there is none), and where it goes when it is put aside or back."""

    path: Path
    before: bytes | None
    after: bytes | None
    moved_to: Path | None = None

    @property
    def diff(self) -> str:
        """The change as a unified diff; a move in one line."""
        if self.moved_to is not None:
            return f"rename {self.path} → {self.moved_to}"
        before, after = ((side or b"").decode("utf-8", "replace").splitlines() for side in (self.before, self.after))
        return "\n".join(difflib.unified_diff(before, after, str(self.path), str(self.path), lineterm=""))


@dataclass(frozen=True, slots=True)
class HooksPlan:
    """What changes in a repository's hooks. `reason`: why it is refused without a person's word."""

    hooks: Path
    changes: tuple[Change, ...]
    reason: str = ""

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.changes)

    @property
    def diff(self) -> str:
        """All changes, one after the other."""
        return "\n".join(change.diff for change in self.changes)


@dataclass(frozen=True, slots=True)
class State:
    """What of ours is in a repository's hooks now."""

    hooks: Path
    events: tuple[str, ...] = ()
    """The hooks that run ours."""
    chained: bool = False
    """Whether something else is in one of them, too."""
    outdated: bool = False
    """Whether an installation would change any of them."""
    python: str = ""
    """The interpreter that the first of them names."""


@dataclass(frozen=True, slots=True)
class _Place:
    hooks: Path
    by_name: bool
    """Husky runs hooks as `sh -e FILE`, whatever the file's mode."""
    reason: str


def install(folder: Path, *, dry_run: bool = False, yes: bool = False) -> HooksPlan:
    """Have the repository of a folder tell of its commits; what changes. `dry_run`: nothing is written.

    RefusedError where the hooks' folder is not this repository's own, unless `yes`; UsageError outside of a repository.
    """
    place = _place(folder)
    changes = tuple(change for event in EVENTS for change in _added(place, event))
    plan = HooksPlan(place.hooks, changes, place.reason if changes else "")
    if not dry_run and plan.changed:
        if plan.reason and not yes:
            raise RefusedError(f"{plan.reason} Nothing was changed; --yes does it all the same.")
        _apply(plan)
        make_directory(places.home())
        # So that the hook knows the settings before any worker has run.
        config.compile_settings(config.load(), places.home(), places.config_file())
    return plan


def uninstall(folder: Path, *, dry_run: bool = False) -> HooksPlan:
    """Take our hooks out again: what was there before is there again, byte for byte."""
    place = _place(folder)
    changes = tuple(change for event in EVENTS for change in _removed(place, event))
    plan = HooksPlan(place.hooks, changes)
    if not dry_run:
        _apply(plan)
        for event in EVENTS:
            _kept(place.hooks / event).unlink(missing_ok=True)
    return plan


def state(folder: Path) -> State:
    """What of ours is in the hooks of a folder's repository. UsageError outside of one."""
    place = _place(folder)
    found = {event: content for event in EVENTS if (content := _running(place, event)) is not None}
    alone = [git_files.without(content) is None for content in found.values()]
    outdated = any(change for event in found for change in _added(place, event))
    python = next((git_files.python(content) for content in found.values()), "")
    return State(place.hooks, tuple(found), not all(alone), outdated, python)


def _running(place: _Place, event: str) -> bytes | None:
    """The file of one hook in which ours is, and which git, or pre-commit for it, runs; None where there is none."""
    path = place.hooks / event
    if _is_in_legacy(place, event):
        path = path.with_name(f"{event}{_LEGACY}")
    content = _read(path)
    is_run = place.by_name or os.access(path, os.X_OK)
    return content if content is not None and is_run and git_files.is_ours(content) else None


def _place(folder: Path) -> _Place:
    told = git_run.output(str(folder), "rev-parse", "--show-toplevel", "--git-common-dir", timeout=_TIMEOUT_S)
    lines = (told or "").splitlines()
    if len(lines) != 2:
        raise UsageError(f"{folder} is in no git repository with a working tree. Nothing was changed.")
    top, common = Path(os.path.realpath(lines[0])), Path(os.path.realpath(os.path.join(folder, lines[1])))
    said = git_run.setting(lines[0], "core.hooksPath", timeout=_TIMEOUT_S)
    hooks = Path(os.path.realpath(top / Path(said).expanduser())) if said else common / "hooks"
    if hooks == common / "hooks":
        return _Place(hooks, False, "")
    husky = hooks.name == "_" and hooks.parent.name == ".husky"
    hooks = hooks.parent if husky else hooks
    if not hooks.is_relative_to(top):
        reason = f"core.hooksPath is {hooks}: those hooks run in every repository that uses that folder."
    elif husky or git_run.output(str(top), "ls-files", "--", str(hooks), timeout=_TIMEOUT_S):
        name = " (husky's)" if hooks.name == ".husky" else ""
        reason = f"{hooks}{name} is part of the repository: what is written there reaches everybody who works on it."
    else:
        reason = ""
    return _Place(hooks, husky, reason)


def _added(place: _Place, event: str) -> Iterator[Change]:
    """What makes one hook run ours; nothing where it does."""
    path, aside = place.hooks / event, place.hooks / f"{event}{ASIDE}"
    before = _read(path)
    if before is None:
        if not _is_in_legacy(place, event):
            yield Change(path, None, git_files.fresh(event))
        return
    if _is_in_legacy(place, event):
        return  # pre-commit was installed after us and runs ours
    own = git_files.wrapper(event, aside.name, by_name=place.by_name)
    if git_files.is_wrapper(before):
        after = own
    elif git_files.is_ours(before):
        rest = git_files.without(before)
        after = git_files.fresh(event) if rest is None else git_files.appended(rest, event)
    elif not path.is_symlink() and (place.by_name or os.access(path, os.X_OK)) and git_files.can_append(before, event):
        after = git_files.appended(before, event)
    else:
        yield from _cleared(place, event)
        yield Change(path, before, before, moved_to=aside)
        yield Change(path, None, own)
        return
    if after != before:
        yield Change(path, before, after)


def _cleared(place: _Place, event: str) -> Iterator[Change]:
    """What makes room for a hook to be put aside: lefthook, run again, has put ours aside and written its own anew."""
    path, aside = place.hooks / f"{event}{_OLD}", place.hooks / f"{event}{ASIDE}"
    old, kept = _read(path), _read(aside)
    is_ours = old is not None and (git_files.is_wrapper(old) or git_files.without(old) is None)
    if kept is not None and not (is_ours and old is not None and git_files.is_wrapper(old)):
        there = place.hooks / event
        raise ConfigError(f"{aside} is there already, and {there} is not ours. Nothing was changed; look at both.")
    if is_ours:
        yield Change(path, old, None)
    if kept is not None:
        yield Change(aside, kept, None)  # an older copy of the one that runs


def _removed(place: _Place, event: str) -> Iterator[Change]:
    """What takes ours out of one hook, also where pre-commit or lefthook has put it aside."""
    aside = place.hooks / f"{event}{ASIDE}"
    kept = _read(aside)
    for path in (place.hooks / event, place.hooks / f"{event}{_LEGACY}", place.hooks / f"{event}{_OLD}"):
        before = _read(path)
        if before is None or not git_files.is_ours(before):
            continue
        if not git_files.is_wrapper(before):
            yield Change(path, before, git_files.without(before))
        else:
            yield Change(path, before, None)
            if kept is not None and path.name == event:
                yield Change(aside, kept, kept, moved_to=path)
            elif kept is not None:
                yield Change(aside, kept, None)  # an older copy of the one that runs
            kept = None


def _is_in_legacy(place: _Place, event: str) -> bool:
    present, legacy = _read(place.hooks / event), _read(place.hooks / f"{event}{_LEGACY}")
    return present is not None and legacy is not None and git_files.is_ours(legacy) and b"pre-commit" in present


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. Nothing was changed.") from error


def _apply(plan: HooksPlan) -> None:
    """Make the changes in their order; ConfigError where one cannot be made (those before it stand and are named)."""
    done: list[Path] = []
    for change in plan.changes:
        try:
            if done.count(change.path) == 0 and _read(change.path) != change.before:
                raise ConflictError(f"{change.path} has changed since it was looked at. {_said(done)} Try again.")
            _carry_out(change)
        except OSError as error:
            raise ConfigError(f"{change.path} cannot be written: {error.strerror}. {_said(done)}") from error
        done.append(change.path)


def _said(done: list[Path]) -> str:
    return f"Changed before it: {', '.join(map(str, done))}." if done else "Nothing was changed."


def _carry_out(change: Change) -> None:
    if change.moved_to is not None:
        os.rename(change.path, change.moved_to)
    elif change.after is None:
        change.path.unlink()
    else:
        if change.before is not None and not git_files.is_ours(change.before):
            _keep(change)
        _write(change.path, change.after, 0o755 if change.before is None else change.path.stat().st_mode & 0o7777)


def _write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), mode)
        os.replace(fresh, path)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise


def _keep(change: Change) -> None:
    """A back-up of a file that is not only ours."""
    make_directory(_kept(change.path).parent)
    _write(_kept(change.path), change.before or b"", 0o600)


def _kept(path: Path) -> Path:
    return places.home() / "installs" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}.before"
