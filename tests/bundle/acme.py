"""A made-up program that is installed, what it needs, and an index of wheels on the disk: kits without a network."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from zipfile import ZipFile

PROGRAM = "acme-notes"


NEEDS = ("acme_words>=2", 'acme-never; sys_platform == "never"', 'acme-more; extra == "more"')


def contents(name: str, version: str, needs: tuple[str, ...] = (), filler: int = 0) -> dict[str, bytes]:
    """The files of a made-up package: one module that prints, and its metadata. `filler`: bytes that no zip shrinks."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {n}" for n in needs)]
    lines += ["Provides-Extra: more"] if any("extra ==" in need for need in needs) else []
    files = {
        f"{module}/__init__.py": f"def main() -> None:\n    print('{name} {version}')\n".encode(),
        f"{info}/METADATA": ("\n".join(lines) + "\n").encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: acme\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {module}:main\n".encode(),
    }
    if filler:
        files[f"{module}/data.bin"] = os.urandom(filler)
    rows = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in files.items()]
    files[f"{info}/RECORD"] = ("\n".join([*rows, f"{info}/RECORD,,"]) + "\n").encode()
    return files


def wheel(folder: Path, name: str, version: str, needs: tuple[str, ...] = (), filler: int = 0) -> Path:
    """The wheel of such a package in a folder."""
    path = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
    with ZipFile(path, "w") as file:
        for inner, content in contents(name, version, needs, filler).items():
            file.writestr(inner, content)
    return path


def install(site: Path, files: dict[str, bytes]) -> None:
    """The files as an installer leaves them: with a script outside, compiled code, and a note of its own."""
    (info,) = {path.split("/")[0] for path in files if ".dist-info/" in path}
    record = f"{info}/RECORD"
    more = {f"{info}/INSTALLER": b"pip\n", "acme/__pycache__/x.cpython-311.pyc": b"\0"}
    rows = "".join(f"{path},,\n" for path in (*more, "../../bin/acme-notes"))
    for path, content in (files | more | {record: files[record] + rows.encode()}).items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(content)


def editable(site: Path, source: Path, needs: tuple[str, ...]) -> None:
    """The program installed from a folder of its own, which builds without any other package; it needs `needs` now."""
    source.mkdir()
    wheel(source, PROGRAM, "1.0", needs)
    name = f"{PROGRAM.replace('-', '_')}-1.0-py3-none-any.whl"
    (source / "backend.py").write_text(
        "import pathlib, shutil\n"
        "def build_wheel(folder, config_settings=None, metadata_directory=None):\n"
        f"    shutil.copy(pathlib.Path(__file__).with_name({name!r}), folder)\n"
        f"    return {name!r}\n"
    )
    (source / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    told = {"url": source.as_uri(), "dir_info": {"editable": True}}
    (site / "acme_notes-1.0.dist-info" / "direct_url.json").write_text(json.dumps(told))


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
