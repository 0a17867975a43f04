"""What an agent starts per event: `python -I -S hook.py AGENT [--event NAME]`, the event on stdin.

The work is in `handover`. Python compiles a script at each start, but a module once: that is a sixth of the run.
"""

if __name__ == "__main__":
    import posix

    try:
        path = __file__.rpartition("/")[0] + "/handover.py"
        exec(type(__loader__)("handover", path).get_code("handover"), {"__name__": "__main__", "__file__": path})  # type: ignore[name-defined]
    finally:
        posix._exit(0)  # a program that is being replaced: the agent must not see it
else:
    from tui_memory.handover import main

    __all__ = ["main"]
