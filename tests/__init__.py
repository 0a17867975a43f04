"""The specification of tui-memory, run with `python -m tests`."""
