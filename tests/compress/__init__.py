"""Turns into memories: the specification of `tui_memory.compress`."""
