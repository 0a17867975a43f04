"""Run as a process: a back-up or a restore that is killed in the middle.

`python -m tests.beyond.interrupted backup|restore URL STEP [BYTES]`: killed without a word when STEP (`snapshot`,
`sending`, `verifying`, `fetching`) is half done; `replacing`: when a file of its own has grown over BYTES.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

from tui_memory.engine.memory import Memory


def main(what: str, url: str, step: str, size: str = "") -> None:
    """Begin, and be killed."""

    def tell(doing: str, done: int, of: int) -> None:
        if doing == step and done * 2 >= of:
            os.kill(os.getpid(), signal.SIGKILL)

    if size:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the kernel kills whoever writes on
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    with Memory(embedding="none") as memory:
        if what == "backup":
            memory.backing_up.make(url, tell=tell)
        else:
            memory.backing_up.restore(url, yes=True, tell=tell)


if __name__ == "__main__":
    main(*sys.argv[1:])
