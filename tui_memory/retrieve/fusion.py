"""Several signals into one score: each scaled over the candidates and weighted, or by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.retrieve.profile import MEANING, SIGNALS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.profile import Profile

    Floats = NDArray[np.float32]


_LEAST_SPAN = 0.25  # of the highest value
_SHORT = 12  # terms of a question; a pasted issue has a hundred


def fuse(signals: dict[str, Floats], profile: Profile, terms: int) -> dict[str, Floats]:
    """What each signal gives each candidate; the sum over the signals is the fused score, 0..1.

    A signal that is missing (no model) leaves its weight to the others. `terms`: how many the query has; nobody
    holds most of a long one, so that words are trusted at less, and of its many pairs of words few mean anything
    (measured: issues with bodies lose by them what titles and questions gain).
    """
    short = min(_SHORT / max(terms, 1), 1.0)
    enough = profile.trust * short
    trust = min(float(signals["coverage"].max(initial=0.0)) / max(enough, 1e-6), 1.0)
    signals = signals | {"coverage": signals["coverage"] + profile.context * signals["context"]}
    weights = {name: float(getattr(profile, name)) for name in SIGNALS if name in signals}
    if "phrase" in weights:
        weights["phrase"] *= short
    whole = sum(weights.values()) or 1.0
    scale = ByRank(profile.rank_constant) if profile.fusion == "rank" else min_max
    return {
        name: weight / whole * (1.0 if name in MEANING else trust) * scale(signals[name])
        for name, weight in weights.items()
    }


def min_max(values: Floats) -> Floats:
    """Scaled so that the highest is 1 and the lowest 0, or more where they hardly differ; nothing positive: all 0."""
    import numpy as np

    high = float(values.max(initial=0.0))
    if high <= 0:
        return np.zeros_like(values)
    # Two memories that say the same must not end at opposite ends for a word more in one of them.
    span = max(high - float(values.min()), _LEAST_SPAN * high)
    scaled: Floats = 1 - (high - values) / span
    return scaled


class ByRank:
    """Reciprocal ranks, scaled so that the first is 1; candidates without any of a signal get nothing."""

    def __init__(self, constant: float) -> None:
        self._constant = constant

    def __call__(self, values: Floats) -> Floats:
        import numpy as np

        ranks = np.empty(len(values), dtype=np.float32)
        ranks[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
        scores: Floats = np.where(values > 0, (self._constant + 1) / (self._constant + ranks), 0).astype(np.float32)
        return scores
