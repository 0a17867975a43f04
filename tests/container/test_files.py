"""The image's and the composition's files: what linters say, and what they promise about rights."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

ROOT = Path(__file__).parents[2]
IMAGE = (ROOT / "Containerfile").read_text()
COMPOSE = (ROOT / "compose.yaml").read_text()
LAST = IMAGE.rpartition("\nFROM ")[2]


def services() -> dict[str, dict[str, Any]]:
    """The services of the composition, anchors resolved."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE)["services"]
    return found


@pytest.mark.parametrize("words", [["hadolint", "--failure-threshold", "style", "Containerfile"],
                                   ["compose-lint", "check", "--fail-on", "high", "compose.yaml"]])  # fmt: skip
def test_the_linters_find_nothing(words: list[str]) -> None:
    program = Path(sys.executable).with_name(words[0])
    done = subprocess.run([str(program), *words[1:]], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_composition_is_one_by_its_own_specification() -> None:
    filled = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", COMPOSE)
    plain = yaml.safe_load(filled)  # filled in and merged, as an engine reads it
    found = PyCompose.from_yaml(yaml.safe_dump(plain))
    assert set(found.service_names()) == {"worker", "backup", "hub", "member"}


def test_the_image_is_of_a_user_without_rights_and_writes_only_the_store() -> None:
    assert re.findall(r"^USER (.*)$", LAST, re.MULTILINE) == ["10001:10001"]
    assert json.loads(re.findall(r"^VOLUME (.*)$", LAST, re.MULTILINE)[0]) == ["/store"]
    assert "EXPOSE" not in IMAGE and "ADD " not in IMAGE and "sudo" not in IMAGE
    assert "-o 10001 -g 10001 /store" in LAST and "TUI_MEMORY_HOME=/store" in LAST


@pytest.mark.parametrize("name", ["worker", "backup", "member"])
def test_every_service_is_confined(name: str) -> None:
    service = services()[name]
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"] and not service.get("cap_add")
    assert service["security_opt"] == ["no-new-privileges:true"] and not service.get("privileged")
    assert not service.get("ports") and service["user"].startswith("${TUI_MEMORY_UID:-10001}")
    assert all("noexec" in place for place in service["tmpfs"])


def test_the_worker_has_no_network() -> None:
    assert services()["worker"]["network_mode"] == "none"


def test_the_hub_is_postgresql_with_pgvector_confined_and_keeps_what_it_has() -> None:
    hub = services()["hub"]
    image, _, version = hub["image"].rpartition(":")
    assert image == "docker.io/pgvector/pgvector" and re.fullmatch(r"\d+\.\d+\.\d+-pg\d+", version), "a fixed version"
    assert hub["read_only"] is True and hub["cap_drop"] == ["ALL"] and hub["user"] == "999:999"
    assert hub["security_opt"] == ["no-new-privileges:true"] and all("noexec" in place for place in hub["tmpfs"])
    assert hub["volumes"] == ["hub:/var/lib/postgresql/data"] and not hub.get("ports")
    assert hub["environment"]["POSTGRES_PASSWORD"] is None, "no password is written here; without one it does not start"
    assert "PGPASSWORD" in services()["member"]["environment"]


def test_only_who_asks_starts_the_hub_and_its_network_leads_nowhere() -> None:
    found = yaml.safe_load(COMPOSE)
    on_it = {name for name, service in found["services"].items() if "networks" in service}
    assert found["networks"] == {"team": {"internal": True}} and on_it == {"hub", "member"}
    asked = {name: service.get("profiles") for name, service in found["services"].items()}
    assert asked == {"worker": None, "backup": ["backup"], "hub": ["hub"], "member": ["member"]}


def test_the_image_has_what_the_services_need_and_the_document_names_them() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (installed,) = re.findall(r"'\.\[([\w,]+)\]'", IMAGE)
    assert installed.split(",") == ["s3", "hub"] and set(installed.split(",")) <= extras.keys()
    text = (ROOT / "docs/CONTAINER.md").read_text()
    assert all(re.search(rf"`{name}`|run --rm {name}| {name}\b", text) for name in services())


def test_what_the_package_is_built_from_is_in_the_image_and_not_kept_out() -> None:
    copied = set(" ".join(re.findall(r"^COPY (?!--from)(.*) \S+$", IMAGE, re.MULTILINE)).split())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    built = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    wanted = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    wanted |= {*built["packages"], *built["force-include"]}
    assert copied == wanted and all((ROOT / name).exists() for name in copied)
    let_in = {line[1:] for line in (ROOT / ".containerignore").read_text().splitlines() if line.startswith("!")}
    assert let_in == copied


def test_the_entry_point_and_the_health_check_are_the_modules_own() -> None:
    (entry,) = re.findall(r"^ENTRYPOINT (.*)$", LAST, re.MULTILINE)
    (check,) = re.findall(r"^    CMD (.*)$", LAST, re.MULTILINE)
    assert json.loads(check) == [*json.loads(entry), "health"]
