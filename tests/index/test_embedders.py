"""Text to vectors, by either route, without any network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tui_memory.config import EmbedSettings
from tui_memory.errors import ModelError
from tui_memory.index.embedders import minilm, open_embedder
from tui_memory.index.embedders.base import prefixes
from tui_memory.index.embedders.choose import packaged

TEXTS = [
    f"{subject} {verb} {ending}"
    for subject in ("The payment retry", "def get_user_by_id(id):", "A flaky test", "Größe und Zürich", "日本語の注文")
    for verb in ("keeps", "fails when it meets", "was moved to", "returns None for", "logs")
    for ending in ("the idempotency key", "src/orderly/payments/client.py " * 12)
]


def test_both_routes_of_the_default_model_are_one_vector_space() -> None:
    onnx, torch = minilm.OnnxMiniLM(), packaged()
    cosines = (onnx.encode(TEXTS) * torch.encode(TEXTS)).sum(axis=1)
    assert onnx.name == torch.name
    assert onnx.dimension == torch.dimension
    assert len(TEXTS) == 50
    assert cosines.mean() >= 0.999
    assert cosines.min() >= 0.995


def test_the_default_model_comes_without_torch() -> None:
    code = (
        "import sys; from tui_memory.config import EmbedSettings; from tui_memory.index.embedders import open_embedder;"
        "print(open_embedder(EmbedSettings()).encode(['one']).shape, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(1, 384) False"


def test_importing_the_names_loads_no_library() -> None:
    code = (
        "import sys, tui_memory.index.embedders, tui_memory.index.work, tui_memory.index.faiss_index,"
        " tui_memory.retrieve.search, tui_memory.retrieve.disclose;"
        "print(sorted({'numpy', 'faiss', 'onnxruntime', 'torch', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_vectors_have_length_one_and_keep_the_order_of_the_texts() -> None:
    model = minilm.OnnxMiniLM()
    texts = ["a long one " * 40, "short", "", "middle " * 10]
    together = model.encode(texts)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-3)
    alone = np.concatenate([model.encode([text]) for text in texts])
    assert ((together * alone).sum(axis=1) > 0.99).all()


def test_no_texts_are_no_vectors() -> None:
    assert minilm.OnnxMiniLM().encode([]).shape == (0, 384)


def test_a_model_that_is_not_on_the_machine_is_an_error_and_no_download(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model directory"):
        open_embedder(EmbedSettings(model=str(tmp_path / "absent")))


def test_a_directory_that_holds_no_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="could not be loaded"):
        open_embedder(EmbedSettings(model=str(tmp_path)))


def test_weights_that_are_not_the_pinned_ones_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"something else")
    monkeypatch.setattr(minilm, "weights", lambda: tmp_path / "model.onnx")
    with pytest.raises(ModelError, match="not the ones"):
        minilm.OnnxMiniLM()


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("/models/e5-small-v2", "query: "),
        ("intfloat/multilingual-e5-base", "query: "),
        ("/models/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: "),
        ("/models/bge-m3", ""),
        ("all-MiniLM-L6-v2", ""),
    ],
)
def test_a_query_gets_the_prefix_of_its_models_family(name: str, query: str) -> None:
    assert prefixes(name)[0] == query
