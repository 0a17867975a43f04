"""Makes a kit: aside, proved, and renamed to its place at the end, so that a folder of that name is a whole one."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.utils import parse_wheel_filename

from tui_memory.bundle import own, packages, pip, readme
from tui_memory.errors import NotFoundError, RefusedError, TuiMemoryError


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel of a kit."""

    name: str
    version: str
    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Kit:
    """A kit that was written."""

    path: str
    needs: str
    """The machine it is for, in words."""
    install: str
    """The line that installs it there, from within its folder."""
    wheels: tuple[Wheel, ...]

    @property
    def bytes(self) -> int:
        """All wheels together."""
        return sum(wheel.bytes for wheel in self.wheels)

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        return asdict(self) | {"bytes": self.bytes, "wheels": [asdict(wheel) for wheel in self.wheels]}


def make(
    path: str | os.PathLike[str],
    *,
    program: str = packages.PROGRAM,
    on_progress: Callable[[str, int, int], object] = lambda what, done, total: None,
) -> Kit:
    """Write a kit of the installed program to a folder that does not exist or is empty.

    `on_progress`: what is at hand, and how many of how many packages are there. NotFoundError where the folder above
    does not exist, RefusedError where something lies in the folder, TuiMemoryError where pip cannot bring everything
    or there is no room: then there is no kit, and nothing is left of what was begun.
    """
    target = Path(os.path.realpath(Path(path).expanduser()))
    _check(target)
    needed = packages.needed(program)
    with _aside(target) as scratch:
        kit = scratch / "kit"
        (kit / "wheels").mkdir(parents=True)
        _gather(kit / "wheels", scratch / "pins.txt", needed, program, on_progress)
        on_progress("checking", len(needed), len(needed))
        wheels = tuple(_wheel(file) for file in sorted((kit / "wheels").iterdir()))
        _complete(wheels, needed)
        made = Kit(str(target), readme.needs(wheel.file for wheel in wheels), readme.install_line(), wheels)
        _describe(kit, made, needed[program].version)
        pip.prove(kit, scratch / "report.json")
        os.rename(kit, target)
    return made


def _check(target: Path) -> None:
    if not target.parent.is_dir():
        raise NotFoundError(f"There is no folder {target.parent}. Nothing was written; make it, or name another.")
    if target.is_mount():
        raise RefusedError(f"{target} is a whole file system. Nothing was written; name a folder in it that is new.")
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise RefusedError(f"{target} exists and is not an empty folder. Nothing was written; name one that is new.")


@contextmanager
def _aside(target: Path) -> Iterator[Path]:
    """A folder beside the target, removed at the end with whatever is left in it."""
    scratch = None
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.part-", dir=target.parent))
        yield scratch
    except OSError as error:
        raise TuiMemoryError(
            f"The kit cannot be written to {target}: {error.strerror or error}. Nothing is left of what was begun."
        ) from error
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _gather(
    wheels: Path,
    pins: Path,
    needed: Mapping[str, metadata.Distribution],
    program: str,
    on_progress: Callable[[str, int, int], object],
) -> None:
    """Bring the wheel of every package, in the version that is installed: ours of this installation."""
    own.wheel(needed[program], wheels)
    others = [name for name in needed if name != program]
    pins.write_text("".join(f"{name}=={needed[name].version}\n" for name in others), encoding="utf-8")
    pip.fetch(
        pins,
        wheels,
        lambda line: on_progress(others[min(line, len(others)) - 1], line, len(needed)),
    )


def _wheel(file: Path) -> Wheel:
    """A wheel's name, version, size and digest; its bytes are on the disk after this."""
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
        os.fsync(content.fileno())
        size = os.fstat(content.fileno()).st_size
    name, version, _, _ = parse_wheel_filename(file.name)
    return Wheel(name, str(version), file.name, size, digest)


def _complete(wheels: tuple[Wheel, ...], needed: Mapping[str, metadata.Distribution]) -> None:
    missing = sorted(set(needed) - {wheel.name for wheel in wheels})
    if missing:
        raise TuiMemoryError(f"pip brought no wheel of {', '.join(missing)}. No kit was written.")


def _describe(kit: Path, made: Kit, version: str) -> None:
    """The files beside the wheels: what pip installs by, what a person reads, and what a check reads."""
    lines = [f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n" for wheel in made.wheels]
    (kit / "requirements.txt").write_text("".join(lines), encoding="utf-8")
    words = readme.text(version, [wheel.file for wheel in made.wheels], made.bytes)
    (kit / "README.md").write_text(words, encoding="utf-8")
    sums = [(wheel.sha256, f"wheels/{wheel.file}") for wheel in made.wheels]
    sums += [(_digest(kit / name), name) for name in ("README.md", "requirements.txt")]
    (kit / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for digest, name in sums), encoding="utf-8")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
