"""tui-memory: a local, persistent memory for AI coding agents.

`Memory` and `Filters` are imported on first use: the hook and `--help` must not pay for the engine.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from tui_memory.engine.memory import Memory
    from tui_memory.model import Filters

__version__ = "0.1.0"
__all__ = ["Filters", "Memory", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Memory":
        from tui_memory.engine.memory import Memory

        return Memory
    if name == "Filters":
        from tui_memory.model import Filters

        return Filters
    raise AttributeError(f"module 'tui_memory' has no attribute '{name}'")
