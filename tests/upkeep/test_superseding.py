"""What replaced a memory stands above it, in every process, and takes its place in what agents are given."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.upkeep import labelled
from tui_memory import Memory, config

RULES_ONLY = config.Settings(compress=config.CompressSettings(routes=("extractive",)))


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, dict[int, int]]]:
    """Every labelled pair of a truth and what replaced it, superseded as a person does from the proposals."""
    with Memory(tmp_path_factory.mktemp("replaced") / "store", settings=RULES_ONLY) as memory:
        rows = [text for pair in labelled.pairs("replaced")[:16] for text in (pair.one, pair.other)]
        ids = memory.add_many([
            {"title": text.title, "text": text.text, "project": "orderly", "created": 1_700_000_000_000 + n}
            for n, text in enumerate(rows)
        ])  # fmt: skip
        memory.upkeep.refresh()
        pairs = {low: high for low, high in zip(ids[::2], ids[1::2], strict=True)}
        for found in memory.upkeep.contradictions():
            if pairs.get(found.low) == found.high:
                memory.supersede(found.low, found.high)
        yield memory, pairs


def test_the_older_one_is_found_below_what_replaced_it(replaced: tuple[Memory, dict[int, int]]) -> None:
    memory, pairs = replaced
    with Memory(memory.home, settings=RULES_ONLY) as elsewhere:
        for old, new in pairs.items():
            whole = elsewhere.get(old)[0]
            assert (whole.state, whole.superseded_by) == ("superseded", new)
            assert whole.superseded_at is not None and whole.superseded_at >= whole.updated - 5_000
            order = [hit.id for hit in elsewhere.search(f"{whole.title} {whole.text}", limit=40)]
            assert order.index(new) < order.index(old), whole.title


def test_the_older_one_leaves_what_agents_are_given(replaced: tuple[Memory, dict[int, int]]) -> None:
    memory, pairs = replaced
    shown = memory.context(project="orderly", budget=16_000).memories
    assert not set(shown) & set(pairs)
    assert set(shown) >= set(pairs.values())


def test_what_is_settled_is_proposed_no_more(replaced: tuple[Memory, dict[int, int]]) -> None:
    memory, pairs = replaced
    memory.upkeep.refresh(full=True)
    assert not {pair.low for pair in memory.upkeep.contradictions()} & set(pairs)
