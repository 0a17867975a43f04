"""A hook whose deadline comes at one step of its way: `python -I -S interrupted.py STEP MARK HANDOVER AGENT`.

The step is a line of `handover`, the first time that it is run after the alarm was set. MARK is made where the way was
that long.
"""

import _signal  # type: ignore[import-not-found]
import posix
import sys

step, mark, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
del sys.argv[0:3]
seen: set[int] = set()
watched = False


def trace(frame, event, _):  # type: ignore[no-untyped-def]
    """Count the lines of the hook's own code once its alarm is set; ring it at the one that was asked for."""
    global watched
    if frame.f_code.co_filename != path:
        return None
    if event == "return" and frame.f_code.co_name == "watch":
        watched = True
    elif event == "line" and watched and frame.f_lineno not in seen:
        seen.add(frame.f_lineno)
        if len(seen) == step:
            sys.settrace(None)
            posix.close(posix.open(mark, posix.O_WRONLY | posix.O_CREAT))
            _signal.raise_signal(_signal.SIGALRM)
    return trace


code = type(__loader__)("handover", path).get_code("handover")  # type: ignore[name-defined]
sys.settrace(trace)
exec(code, {"__name__": "__main__", "__file__": path})
