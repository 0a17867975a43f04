"""Codex's hooks: in hooks.json, or in config.toml where a person keeps hooks there already."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from tui_memory.errors import ConfigError
from tui_memory.surfaces.install import hooks_file, running

TIMEOUT = 10  # seconds
_END_TIMEOUT = 3  # the most that Codex gives a session's end
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {},
    "UserPromptSubmit": {},
    "PostToolUse": {"matcher": ".*"},
    "PreCompact": {},
    "SubagentStop": {},
    "Stop": {},
    "SessionEnd": {},
}
_BEGIN, _END = "# >>> tui-memory >>>", "# <<< tui-memory <<<"
_BLOCK = re.compile(rf"\n?{re.escape(_BEGIN)}\r?\n.*?{re.escape(_END)}(?:\r?\n|\Z)", re.DOTALL)


def path(scope: str, project: Path) -> Path:
    """The file our hooks are in or go to: hooks.json, unless only config.toml has hooks (two places are warned of)."""
    folder = project / ".codex" if scope == "project" else home()
    listed, settings = folder / "hooks.json", folder / "config.toml"
    if listed.exists() or not settings.exists():
        return listed
    try:
        hooks = tomllib.loads(settings.read_text(encoding="utf-8")).get("hooks")
    except (OSError, ValueError):
        return listed  # whoever reads config.toml next says what is wrong with it
    return settings if isinstance(hooks, dict) and set(hooks) - {"state"} else listed


def home() -> Path:
    """Codex's own folder (CODEX_HOME counts)."""
    given = os.environ.get("CODEX_HOME", "")
    return Path(given) if given else Path.home() / ".codex"


def handler(event: str) -> dict[str, Any]:
    """How the hook is run; waited for, as its end would not be otherwise."""
    timeout = _END_TIMEOUT if event == "SessionEnd" else TIMEOUT
    return {"type": "command", "command": running.line("codex"), "timeout": timeout}


FORM = hooks_file.Form("Codex", EVENTS, handler)


def with_hooks(text: str, file: Path) -> str:
    """The file's text with our hooks; unchanged where they are there as they should be."""
    if file.suffix != ".toml":
        return hooks_file.with_hooks(FORM, text, file)
    _parsed(text, file)
    rest = without_hooks(text, file)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not rest or rest.endswith("\n") else newline
    after = rest + gap + newline.join(["", _BEGIN, *_tables(), _END, ""])
    found = _BLOCK.search(text)
    if found and found.group() in after:
        return text
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{file}: hooks are written there as one value, to which none can be added ({error}). Nothing was changed;"
            " write them as [[hooks.EVENT]] tables, or move them to hooks.json."
        ) from error
    return after


def without_hooks(text: str, file: Path) -> str:
    """The file's text without our hooks."""
    if file.suffix != ".toml":
        return hooks_file.without_hooks(FORM, text, file)
    return _BLOCK.sub("", text, count=1)


def advice(file: Path, *, changed: bool) -> str:
    """What a person must know after an installation: Codex asks for trust, or has hooks switched off."""
    off = ""
    try:
        features = tomllib.loads((home() / "config.toml").read_text(encoding="utf-8")).get("features")
        if isinstance(features, dict) and (features.get("hooks") is False or features.get("codex_hooks") is False):
            off = f"Hooks are switched off in {home() / 'config.toml'}: [features] hooks = false. "
    except (OSError, ValueError):
        off = ""  # no settings, or none that can be read: Codex will say so itself
    if not changed:
        return off.strip()
    asked = (
        "Codex runs a new or changed hook only once you trust it: start codex, type /hooks, and trust those of"
        f" {file}. Until then nothing is captured, and Codex does not say so. Upgrades keep the command as it is,"
        " so that this is asked once."
    )
    return off + asked


def _tables() -> list[str]:
    """Our hooks as TOML."""
    lines: list[str] = []
    for event, beside in EVENTS.items():
        lines += [f"[[hooks.{event}]]", *(f"{name} = {json.dumps(value)}" for name, value in beside.items())]
        lines.append(f"[[hooks.{event}.hooks]]")
        lines += [f"{name} = {json.dumps(value)}" for name, value in handler(event).items()]
    return lines


def _parsed(text: str, file: Path) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: {error}. Nothing was changed; mend the file and try again.") from error
