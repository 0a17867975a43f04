"""One value of an agent's own settings: what may switch its hooks off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tui_memory.surfaces.install import jsontext


def value(file: Path, name: str) -> Any:
    """The value of a name in a JSON file; None where there is no such file or name, or it cannot be read."""
    try:
        found = json.loads(jsontext.loose(file.read_text(encoding="utf-8")).removeprefix("\ufeff"))
    except (OSError, ValueError, RecursionError):
        return None  # whoever reads it next says what is wrong with it
    return found.get(name) if isinstance(found, dict) else None
