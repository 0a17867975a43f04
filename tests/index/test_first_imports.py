"""Libraries that are loaded when they are first needed, by whichever of several threads needs them first.

A compiled library that imports numpy's inner part by itself meets a thread that is importing numpy: each waits for a
lock that the other has, Python breaks the tie by an ImportError, and numpy cannot be loaded again in that process.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

MEETING = """
import sys, threading

THEIRS = threading.Thread(target=lambda: attempt({theirs!r}))
failed = []

def attempt(statement):
    try:
        exec(statement)
    except BaseException as error:
        failed.append(f"{{statement}}: {{error!r}}")

# While this thread is in the middle of numpy. A finder of modules would be called with all imports held up.
def meet(event, given):
    if event == "import" and given[0] == "numpy.__config__" and not THEIRS.ident:
        THEIRS.start()
        THEIRS.join(3.0)

{before}
sys.addaudithook(meet)
attempt("import numpy")
THEIRS.join() if THEIRS.ident else sys.exit("the two did not meet")
sys.exit(", ".join(failed) or 0)
"""
TORCH = """
try:
    sentence._load(sentence.Path("/nowhere"), "cpu")
except sentence.ModelError as error:
    assert "/nowhere" in str(error.__cause__), error.__cause__
"""
EMBEDDER = "from tui_memory.index.embedders.minilm import OnnxMiniLM"


@pytest.mark.parametrize(
    ("before", "theirs"),
    [
        (EMBEDDER, "OnnxMiniLM()"),
        ("from tui_memory.index import approximate", "approximate.library()"),
        ("", "import tui_memory.upkeep.likeness, tui_memory.upkeep.contradicting"),
        ("from tui_memory.index.embedders import sentence", TORCH),
    ],
    ids=["onnxruntime", "faiss", "rapidfuzz", "torch"],
)
def test_a_library_may_be_loaded_while_another_thread_loads_numpy(before: str, theirs: str) -> None:
    code = MEETING.format(before=before, theirs=theirs)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
