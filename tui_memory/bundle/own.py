"""The program's own wheel: built of the folder that it is installed from, or packed of the files that are installed."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo
from zipfile import Path as ZipPath

from packaging.utils import canonicalize_name

from tui_memory.bundle import pip
from tui_memory.errors import TuiMemoryError

_EPOCH = (1980, 1, 1, 0, 0, 0)
_OF_THE_INSTALLATION = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
"""Files that an installer adds to a wheel's metadata, and the list that is written anew."""


def wheel(distribution: metadata.Distribution, folder: Path) -> None:
    """Put the program's wheel into a folder. TuiMemoryError where what is installed is not what the wheel would be."""
    built_from = source(distribution)
    if built_from is None:
        pack(distribution, folder)
        return
    pip.build(built_from, folder)
    if _always(_needs(folder)) != _always(distribution.requires or ()):
        raise TuiMemoryError(
            f"The program in {built_from} needs other packages than when it was installed from there. No kit was"
            f" written; `pip install -e {built_from}` brings them, then give the same command again."
        )


def _always(needs: Iterable[str]) -> set[str]:
    """What is needed whichever extras are wanted."""
    return {need for need in needs if "extra ==" not in need}


def _needs(folder: Path) -> list[str]:
    """What the one wheel in a folder says it needs."""
    (path,) = folder.glob("*.whl")
    with ZipFile(path) as built:
        (name,) = [name for name in built.namelist() if name.endswith(".dist-info/METADATA")]
        told = metadata.PathDistribution(ZipPath(built, name.rpartition("/")[0] + "/"))
        return list(told.requires or ())


def source(distribution: metadata.Distribution) -> Path | None:
    """The folder that an editable installation runs from; None where the files themselves are installed."""
    told = json.loads(distribution.read_text("direct_url.json") or "{}")
    if not told.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlsplit(told["url"]).path))


def pack(distribution: metadata.Distribution, folder: Path) -> Path:
    """Write the wheel of what is installed into a folder: its path. TuiMemoryError where a file of it is gone."""
    stem = f"{canonicalize_name(distribution.metadata['Name']).replace('-', '_')}-{distribution.version}"
    told = distribution.read_text("WHEEL") or ""
    tags = [line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("Tag:")]
    if len(tags) != 1:
        raise TuiMemoryError(
            f"{stem} was not installed from a wheel of a single kind, so that none can be made of it. Nothing was"
            " written; install it with pip and give the same command again."
        )
    path, rows = folder / f"{stem}-{tags[0]}.whl", []
    with ZipFile(path, "w", ZIP_DEFLATED) as wheel:
        for name, content in _files(distribution):
            _write(wheel, name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append((name, f"sha256={digest}", len(content)))
        record = f"{stem}.dist-info/RECORD"
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
        _write(wheel, record, text.getvalue().encode())
    return path


def _files(distribution: metadata.Distribution) -> list[tuple[str, bytes]]:
    """Name and content of every file that came with the wheel; scripts are made again by each installation."""
    found = []
    for file in sorted(distribution.files or ()):
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        if file.parent.suffix == ".dist-info" and file.name in _OF_THE_INSTALLATION:
            continue
        try:
            found.append((file.as_posix(), file.read_binary()))
        except OSError as error:
            raise TuiMemoryError(
                f"This installation is not whole: {file} cannot be read ({error.strerror}). Nothing was written;"
                " install tui-memory again and give the same command."
            ) from error
    return found


def _write(wheel: ZipFile, name: str, content: bytes) -> None:
    entry = ZipInfo(name, _EPOCH)
    entry.external_attr, entry.compress_type = 0o644 << 16, ZIP_DEFLATED
    wheel.writestr(entry, content)
