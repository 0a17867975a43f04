"""Lists say and filter by what came from a team's hub, and by what one shares there; also in the application."""

from __future__ import annotations

from pathlib import Path

from tests.tui.conftest import settle
from tests.tui.reading import detail, screen_text
from tests.tui.test_engine import app_on
from tui_memory.engine import reaching
from tui_memory.engine.memory import Memory
from tui_memory.model import Filters


def titles(memory: Memory, *where: str) -> set[str]:
    """What the filter lists."""
    return {row.title for row in memory.memories(Filters(where=where))}


def pushed(ana: Memory) -> None:
    """Of ana's, the decisions of one project are shared."""
    ana.add(title="Retries reuse the key", kind="decision", project="orderly")
    ana.add(title="A socket leaked", kind="bugfix", project="orderly")
    ana.add(title="Of another project", kind="decision", project="other")
    ana.hub.share("orderly", ["decision"])
    ana.hub.push()


def test_what_is_shared_and_what_came_is_told_apart(ana: Memory, ben: Memory) -> None:
    pushed(ana)
    ben.add(title="Retries wait longer", project="orderly")
    ben.hub.share("orderly")
    ben.hub.pull()
    assert titles(ana, "shared") == {"Retries reuse the key"} and not titles(ana, "hub")
    assert titles(ana, "here") == {"A socket leaked", "Of another project"}
    assert titles(ben, "hub") == {"Retries reuse the key"}, "what came is not one's own to share"
    assert titles(ben, "shared") == {"Retries wait longer"}
    assert ben.facets()["where"] == {"hub": 1, "shared": 1}
    theirs = next(row for row in ben.memories() if row.where == ["hub"])
    assert theirs.shared_by == "ana"


def test_what_is_shared_no_more_is_here_alone_again(ana: Memory) -> None:
    pushed(ana)
    ana.hub.withdraw("orderly")
    assert not titles(ana, "shared") and len(titles(ana, "here")) == 3
    ana.hub.share("orderly")
    assert len(titles(ana, "shared")) == 2
    ana.hub.disconnect()
    assert not titles(ana, "shared")


def test_a_store_brought_back_shares_what_it_shares_now(ana: Memory, tmp_path: Path) -> None:
    ana.backing_up.make(str(tmp_path / "disk"))
    pushed(ana)
    ana.backing_up.make(str(tmp_path / "later"))
    ana.hub.withdraw("orderly")
    ana.backing_up.restore(str(tmp_path / "later"), yes=True)
    assert not titles(ana, "shared"), "the copy's own word is of another day"
    assert ana.store


def test_what_is_in_the_hub_alone_lives_there(ana: Memory, ben: Memory) -> None:
    pushed(ana)
    (found,) = ben.search_result("retries reuse the key").results
    assert found.memory.id < 0 and found.memory.where == ["hub"]
    assert ben.search_result("retries reuse the key", filters=Filters(where=("here",))).results == []


def test_health_has_the_hub_with_its_times(ana: Memory) -> None:
    pushed(ana)
    hub = next(one for one in reaching.every(ana.store) if one.id == "hub")
    assert hub.begun and hub.ok and hub.last["pushed"] and not hub.last["pulled"] and "blue" in hub.what


async def test_memories_shows_from_whom_and_a_facet_filters_by_it(ana: Memory, ben: Memory) -> None:
    pushed(ana)
    ben.add(title="Only mine")
    ben.hub.pull(every=True)
    ben.close()
    async with app_on(ben.home).run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        await pilot.pause(0.4)
        await settle(pilot)
        assert "here alone" in screen_text(pilot) and "from the hub" in screen_text(pilot)
        line = next(n for n, row in enumerate(screen_text(pilot).splitlines()) if "from the hub" in row)
        await pilot.click(offset=(12, line))
        await settle(pilot)
        shown = screen_text(pilot)
        assert "1 memory · from the hub" in shown and "Only mine" not in shown
        assert "from ana, through the team's hub" in " ".join(detail(pilot).split())
