"""How well texts answer a query's words: BM25 by field, how much of the query they hold, title and phrases."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tui_memory.retrieve.function_words import function_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.query_words import Words

    Floats = NDArray[np.float32]
    Mask = NDArray[np.bool_]

K1 = 1.0
B_PROSE, B_NAMES = 0.4, 0.75  # how much a long text, a long list of names, counts against itself
_KIN = 0.3  # what a word of a term's kin counts of the term
_PIECE = re.compile(r"[A-Za-z]+|\d+")


class Text(NamedTuple):
    """A memory's tokens, as the analyser writes them."""

    at: int
    """Its row among what is scored."""
    title: str
    body: str
    names: str
    few: int
    """How many of the names are of its files and labels."""
    own: bool
    """Whether the title is more than the text's beginning."""

    @classmethod
    def of(cls, at: int, tokens: tuple[str, str, str], title: str, listed: Sequence[Sequence[str]]) -> Text:
        """A text from elsewhere; `listed`: its files and its labels."""
        few = sum(given_tokens(json.dumps(names, separators=(",", ":"))) for names in listed)
        return cls(at, *tokens, few, not title.endswith("…"))


@dataclass(frozen=True, slots=True)
class Scored:
    """The lexical signals of some versions, arrays of one length."""

    lexical: Floats
    """BM25 over title, summary, text and facts."""
    names: Floats
    """BM25 over title, files and labels."""
    coverage: Floats
    """The share of the query's weight that the version holds, 0..1; words of a term's kin count for a part of it."""
    title: Floats
    """The share of the title that the query has, 0..1; 0 for one that is only the text's beginning."""
    phrase: Floats
    """The share of the query's pairs of words that stand side by side in title or text too, 0..1."""
    has: NDArray[np.bool_]
    """(versions, terms): whether it holds the term."""


class _Counted(NamedTuple):
    """What texts hold of a query: arrays of (texts, terms), and of (texts, ...)."""

    title: Floats
    """How often each term is in the title; likewise in the text, and among the names of files and labels."""
    body: Floats
    names: Floats
    kin: Mask
    """Whether a word of the term's kin is in any of them."""
    lengths: Floats
    """(n, 5): tokens of title, text and names, whether the title is the text's own, and its words with a meaning."""
    phrase: Floats
    """(n,): the share of the query's pairs."""


def score_texts(words: Words, texts: Iterable[Text], count: int, means: tuple[float, float, float]) -> Scored:
    """The signals of `count` texts, wherever they are from; one that is not given holds nothing.

    `means`: a store's mean tokens of title, text and names.
    """
    import numpy as np

    width = len(words.terms)
    if not count or not width:
        nothing = np.zeros(count, dtype=np.float32)
        return Scored(nothing, nothing, nothing, nothing, nothing, np.zeros((count, width), dtype=bool))
    title, body, names, kin, lengths, phrase = _counted(words, texts, count)
    prose = _bm25(title + body, lengths[:, 0] + lengths[:, 1], means[0] + means[1], words.weights, B_PROSE)
    own = lengths[:, 3:4]  # 1 where the title says something that the text does not begin with
    named_length = own[:, 0] * lengths[:, 0] + lengths[:, 2]
    named = _bm25(own * title + names, named_length, max(float(named_length.mean()), 1.0), words.weights, B_NAMES)
    has = (title + body + names) > 0
    holds = np.where(has, 1, _KIN * kin).astype(np.float32)
    covered = (holds @ words.weights / max(words.mass, 1e-9)).astype(np.float32)
    asked = own[:, 0] * (title > 0).sum(axis=1) / (lengths[:, 4] + 1)  # + 1: a title of one word says little
    return Scored(prose, named, covered, np.minimum(asked, 1).astype(np.float32), phrase, has)


def _counted(words: Words, texts: Iterable[Text], count: int) -> _Counted:
    import numpy as np

    place = {term: at for at, term in enumerate(words.terms)}
    terms = frozenset(place)
    counts = np.zeros((3, count, len(place)), dtype=np.float32)
    akin = np.zeros((count, len(place)), dtype=bool)
    lengths, phrase = np.zeros((count, 5), dtype=np.float32), np.zeros(count, dtype=np.float32)
    whole, empty = sum(words.pairs.values()), function_words()
    cells: list[tuple[int, int, int, int]] = []  # one assignment of all is quicker than one each
    kin: list[tuple[int, int]] = []
    for at, title, body, names, few, own in texts:
        titled, said = title.split(), body.split()
        given = names.split(None, few)[:few] if few else []
        for field, tokens in enumerate((titled, said, given)):
            cells += [(field, at, place[term], tokens.count(term)) for term in terms.intersection(tokens)]
        meant = len(set(titled).difference(empty))
        lengths[at] = len(titled), len(said), len(given), own and title != body, meant
        text = f" {title} | {body} "
        if whole and cells and cells[-1][1] == at:
            phrase[at] = sum([weight for pair, weight in words.pairs.items() if pair in text]) / whole
        text += " ".join(given)
        kin += [(at, term) for term, beginning in words.kin if beginning in text]
    if kin:
        akin[tuple(zip(*kin, strict=True))] = True
    if cells:
        fields, rows, columns, times = zip(*cells, strict=True)
        counts[fields, rows, columns] = times
    return _Counted(counts[0], counts[1], counts[2], akin, lengths, phrase)


def given_tokens(listed: str) -> int:
    """About how many tokens the analyser makes of a JSON list of files or labels: they come first among the names."""
    return 0 if listed == "[]" else len(_PIECE.findall(listed)) + 4 * (listed.count('","') + 1)


def _bm25(frequency: Floats, length: Floats, mean: float, weights: Floats, b: float) -> Floats:
    norm = K1 * (1 - b + b * length / mean)
    scores: Floats = (frequency * (K1 + 1) / (frequency + norm[:, None])).astype("float32") @ weights
    return scores
