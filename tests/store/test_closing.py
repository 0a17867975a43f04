"""A store that is closed while other threads ask it ends their questions, not the process."""

import subprocess
import sys
from pathlib import Path

ASKING_WHILE_CLOSING = """
import sys, threading
from pathlib import Path
from tui_memory.errors import TuiMemoryError
from tui_memory.store.db import Store

home, rounds = Path(sys.argv[1]), int(sys.argv[2])
COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT sum(i) FROM n"
for _ in range(rounds):
    store, asked = Store(home), threading.Event()

    def ask():
        try:
            for _ in range(50):
                store.rows(COUNT)
                asked.set()
        except TuiMemoryError:
            pass
        finally:
            asked.set()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    asked.wait()
    store.close()
    for thread in threads:
        thread.join()
print("alive")
"""


def test_closing_ends_what_other_threads_ask_and_not_the_process(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKING_WHILE_CLOSING, str(tmp_path), "8"], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr
