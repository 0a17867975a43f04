"""What a model left out is put back by what the rules say, within a memory's room; what says it all stays as it is."""

from __future__ import annotations

from tui_memory.compress import complement, grounding
from tui_memory.compress.made import Made
from tui_memory.model import Body, MadeBy, MemoryKind, Tier
from tui_memory.tokens import count_tokens

SOURCES = (
    "The load balancer cut idle connections after 60 seconds. Websockets send a ping every 25 seconds now,"
    " see src/hub.py and PING_EVERY. Hub.leave checked nothing, so a late leave removed the new socket."
)
TELLING = grounding.terms(SOURCES)
BY_MODEL = MadeBy("ollama", "small", 1, 1)


def by_model(title: str, text: str, *sources: int, kind: str = MemoryKind.BUGFIX) -> Made:
    """A memory as a model wrote it."""
    body = Body(title, summary=text.split(". ")[0], text=text, kind=kind, made_by=BY_MODEL)
    return Made(body, list(sources), written=body)


def by_rule(title: str, text: str, *sources: int, kind: str = MemoryKind.BUGFIX, tier: str = Tier.EPISODIC) -> Made:
    """A memory as the rules make it."""
    made_by = MadeBy("extractive", "", 2, 1)
    return Made(
        Body(title, summary=text, text=text, kind=kind, tier=tier, made_by=made_by, files=["src/hub.py"]), list(sources)
    )


RULED = by_rule("A late leave no longer removes the new socket", SOURCES, 1, 2, 3)


def whole(made: Made) -> str:
    """All that a memory says."""
    return "\n".join((made.body.title, made.body.summary, made.body.text, *made.body.facts))


def test_what_a_vague_memory_lacks_is_put_back_in_the_sources_words() -> None:
    (one,) = complement.complete(
        [by_model("The issue", "The developer fixed the issue in the hub.", 2)], [RULED], TELLING
    )
    assert one.body.title == RULED.body.title
    assert all(word in whole(one) for word in ("60 seconds", "PING_EVERY", "Hub.leave"))
    assert "The developer fixed" not in whole(one)
    assert (one.body.made_by, one.sources, one.body.files) == (BY_MODEL, [1, 2, 3], ["src/hub.py"])


def test_a_memory_that_says_it_all_keeps_its_words() -> None:
    good = by_model("Websockets died because Hub.leave removed the new socket", SOURCES, 1, 2, 3)
    (one,) = complement.complete([good], [RULED], TELLING)
    assert one.body.title == good.body.title
    assert whole(one).count("PING_EVERY") == whole(good).count("PING_EVERY") == 1


def test_a_memory_has_its_room() -> None:
    long = " ".join(f"Setting number {n} is read from file_{n}.yaml and means value_{n}." for n in range(60))
    ruled = by_rule("Sixty settings are read from files", long, 1)
    (one,) = complement.complete([by_model("Settings", "Settings are read.", 1)], [ruled], grounding.terms(long))
    assert complement.ROOM // 2 < count_tokens(whole(one)) <= complement.ROOM + count_tokens(one.body.summary)


def test_a_rule_that_the_person_stated_is_never_lost() -> None:
    stated = by_rule(
        "Never release on a Friday", "Never release on a Friday.", 1, kind=MemoryKind.CONVENTION, tier=Tier.SEMANTIC
    )
    about = by_model("Websockets are kept open", "Websockets send a ping every 25 seconds now.", 2)
    found = complement.complete([about], [stated], TELLING)
    assert found == [about, stated]
    same = by_model("The release schedule", "Never release on a Friday, as the person says.", 1)
    (one,) = complement.complete([same], [stated], grounding.terms("Never release on a Friday"))
    assert (one.body.kind, one.body.tier) == (MemoryKind.CONVENTION, Tier.SEMANTIC)


def test_without_the_models_the_rules_own_stand_as_they_are() -> None:
    assert complement.complete([], [RULED], TELLING) == [RULED]
    vague = by_model("The issue", "The developer fixed the issue.", 2)
    assert complement.complete([vague], [], TELLING) == [vague]


def test_what_the_model_wrote_is_kept_beside_it() -> None:
    vague = by_model("The issue", "The developer fixed the issue.", 2)
    (one,) = complement.complete([vague], [RULED], TELLING)
    assert one.written == vague.body
    assert vague.body.title == "The issue"
