"""Memories: facets, list, and the memory in full; found by meaning; marked, pinned, merged, deleted, taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from tui_memory import model
from tui_memory.errors import TuiMemoryError
from tui_memory.retrieve.result import SearchResult
from tui_memory.tui import asking, bindings, describe, formats, keepsake
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.memory_detail import MemoryDetail
from tui_memory.tui.screens.memory_rows import SORTS, STATES, WHY_EMPTY, Listed, MemorySource, degraded, draw
from tui_memory.tui.widgets import empty, facets
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.facets import Facet
from tui_memory.tui.widgets.mark_list import MarkList
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell
from tui_memory.tui.widgets.search_box import PAST, SearchBox

if TYPE_CHECKING:
    from tui_memory.engine.exporting import Wanted
    from tui_memory.engine.memory import Memory

MOST_HITS = 100
FACETS_AFTER = 0.25
"""Seconds from a change to new facets: counting 100,000 memories takes a quarter of one."""


class MemoriesScreen(MemoryDetail):
    """The list asks for its pages itself; this decides what it lists and shows the row in full."""

    ROOM = "memories"
    HELP = "All that is remembered. / finds by meaning; space marks; what you do can be taken back with u."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.MEMORIES
    AUTO_FOCUS = "#list"
    state, sort = "active", "created"
    _result: SearchResult | None = None
    _sought_now = ""
    """The query whose results are on their way; the rows on show are those of before."""
    _waited_for: Callable[[bool], None] | None = None
    """What lets the keys go on that wait for them."""
    _facets_due: Timer | None = None
    _facets_old = True
    _counts: dict[str, dict[str, int]] = {}  # noqa: RUF012  (replaced, never changed)
    only: tuple[int, ...] = ()
    """Only these are listed: what one observation became."""
    only_of = ""
    """What they came from, for the title."""

    def body(self) -> Iterable[Widget]:
        """Facets, list with its search box, detail."""
        self.chosen_facets: list[tuple[str, str]] = []
        self.facets: RecordList[Facet] = RecordList(
            lambda facet: facet.number, self._draw_facet, what="facets", id="facets"
        )
        self.facets.add_class("pane", "third")
        self.facets.border_title = "facets"
        self.facets.one_click = True
        self.facets.help_text = "Counts of what is listed. enter filters by one, and again takes it away."
        self.listing: MarkList[Listed] = MarkList(lambda row: row.memory.id, draw, what="memories", id="list")
        self.listing.empty = self._empty
        self.box = SearchBox("/ find by meaning or words", id="box")
        self.main = Vertical(self.box, self.listing, classes="pane main")
        self.detail = Detail(classes="pane side")
        return (self.main, self.detail)

    def third(self) -> Widget:
        """The facets."""
        return self.facets

    def on_mount(self) -> None:
        """The title counts by what the header counts by."""
        super().on_mount()
        self.watch(self.app, "status", self.say, init=False)

    # what is remembered from run to run

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Order, state; facets, the query and those before it."""
        plain, texts = super().keepsake()
        facets_kept = [f"{name}={value}" for name, value in self.chosen_facets]
        kept = {"query": self.box.query_text, "queries": list(self.box.past), "facets": facets_kept}
        return plain | {"sort": self.sort, "state": self.state}, texts | kept

    def recall(self, plain: dict[str, Any], texts: dict[str, Any]) -> None:
        """The same, put back."""
        super().recall(plain, texts)
        self.sort = sort if (sort := keepsake.text(plain, "sort")) in SORTS else self.sort
        self.state = state if (state := keepsake.text(plain, "state")) in STATES else self.state
        pairs = (one.partition("=") for one in keepsake.listed(texts, "facets", 50))
        self.chosen_facets = [(name, value) for name, _, value in pairs if name in facets.ORDER]
        self.box.past = keepsake.listed(texts, "queries", PAST)
        self.box.put(keepsake.text(texts, "query"))
        self.state = "active" if self.box.query_text else self.state

    def forget_texts(self) -> None:
        """No query is kept that a purge may have named."""
        self.box.past = []

    # what is listed

    @property
    def filters(self) -> model.Filters:
        """The project and the chosen facets."""
        return facets.filters(self.host.project, self.chosen_facets)

    def begin(self) -> None:
        """List from the top."""
        self._list(keep=False)

    def renew(self) -> None:
        """The store changed: list again, the place kept."""
        self._list(keep=True)

    def cannot(self, error: TuiMemoryError) -> None:
        """Say so in the list."""
        self.listing.fail(error)

    def _list(self, *, keep: bool) -> None:
        query = self.box.query_text
        if self.only:
            ids = self.only
            asking.ask(self, "search", lambda memory: memory.get(ids), partial(self._found_only, keep))
        elif query:
            self._sought_now = "" if keep else query
            found = partial(self._found, query, keep)
            asking.ask(self, "search", partial(self._search, query), found, failed=self._not_found)
        else:
            self._result = None
            source = MemorySource(self.host.opened.result(), self.filters, self.state, self.sort)
            self.listing.show(source, keep=keep)
        self.facets.refresh()  # which of them are chosen is seen at once, counts follow
        if self._facets_due is None:  # rows first, and one count for many changes
            self._facets_due = self.set_timer(FACETS_AFTER, self._count_facets)

    def _count_facets(self) -> None:
        self._facets_due = None
        self._facets_old = not self.facets.region.width  # out of view: counted when they come into it
        if not self._facets_old:
            filters, state = self.filters, self.state
            quick = partial(_count, filters, state, facets.QUICK)
            asking.ask(self, "facets", quick, partial(self._show_quick, filters, state))

    def on_resize(self) -> None:
        """The facets may be in view, once this is laid out."""
        if self.begun and self._facets_old:
            self.call_after_refresh(self._count_facets)

    def _search(self, query: str, memory: Memory) -> SearchResult:
        return memory.search_result(query, limit=MOST_HITS, filters=self.filters)

    def _found(self, query: str, keep: bool, result: SearchResult) -> None:
        if query == self.box.query_text:
            self._arrived()
            self._result = result
            self.listing.show(ListSource([Listed(hit.memory, hit.score) for hit in result.results]), keep=keep)

    def _not_found(self, error: TuiMemoryError) -> None:
        self._arrived(came=False)
        self.host.report(error)

    def _arrived(self, *, came: bool = True) -> None:
        """What was sought is there, or will not come: keys typed behind the query go on."""
        self._sought_now = ""
        if self._waited_for is not None:
            self._waited_for(came)
            self._waited_for = None

    def _found_only(self, keep: bool, rows: list[model.Memory]) -> None:
        self._result = None
        self.listing.show(ListSource([Listed(row) for row in rows]), keep=keep)

    def show_only(self, ids: tuple[int, ...], of: str) -> None:
        """List these alone, until esc goes back to where they were asked for."""
        self.only, self.only_of = ids, of
        self.listing.clear_marks()
        if self.begun:
            self._list(keep=False)
        self.listing.focus()

    def wanted(self, ids: list[int]) -> Wanted:
        """The marked, else all that is listed: of a search what it found."""
        from tui_memory.engine.exporting import Wanted

        found = self._result.results if self._result is not None else []
        ids = ids or list(self.only) or [hit.id for hit in found]
        return Wanted(ids=tuple(ids)) if ids else Wanted(self.filters, self.state)

    def _empty(self) -> empty.Notice:
        if self.box.query_text:
            return empty.no_match(self.box.query_text)
        if self.chosen_facets:
            return empty.Notice("Nothing has all that is chosen.", ("esc takes the filters away.",), "○")
        if self.state in WHY_EMPTY and not (self.state == "all" and self.host.demo):
            return empty.Notice(WHY_EMPTY[self.state], ("t goes on to the next state; esc to what is active.",), "○")
        return self.first_run()

    @on(SearchBox.Sought)
    def _sought(self, event: SearchBox.Sought) -> None:
        self.only, self._sought_now = (), ""
        if event.query and self.state != "active":
            self.state = "active"
            self.notify("A search finds what is active or superseded; t lists the other states.", markup=False)
        self.listing.end_range()
        self._list(keep=False)
        self.say()

    @on(SearchBox.Left)
    def _left_box(self) -> None:
        self.listing.focus()
        if self._sought_now:
            self._waited_for = self.host.expect(self._arrived)

    def action_search(self) -> None:
        """Into the search box."""
        self.box.focus()

    def action_state(self) -> None:
        """The next of: active, held, superseded, merged, trash, everything."""
        self.show_state(STATES[(STATES.index(self.state) + 1) % len(STATES) if self.state in STATES else 0])

    def action_held(self) -> None:
        """What waits for a person, or what is active again."""
        self.show_state("active" if self.state == "held" else "held")

    def show_all_of(self, state: str) -> None:
        """List every memory of one state, whatever was sought before; esc goes back to where it was asked for."""
        self.box.put("")
        self.chosen_facets.clear()
        self.show_state(state)
        self.listing.focus()

    def show_state(self, state: str) -> None:
        """List the memories of one state: all of them, for a search knows no state."""
        self.state, self.only = state, ()
        self.box.put("")
        self.listing.end_range()
        if not self.begun:
            return
        self._list(keep=False)

    def action_sort(self) -> None:
        """The next order."""
        orders = list(SORTS)
        self.sort = orders[(orders.index(self.sort) + 1) % len(orders)]
        self._list(keep=False)

    def action_leave(self) -> None:
        """End the range or the marks, the search, the filters, the state: one at a time."""
        if self.listing.marked or self.listing.ranging:
            self.listing.clear_marks()
        elif self.only:
            self.only, self.only_of = (), ""
            self._list(keep=False)
            self.host.go_back()
        elif self.box.value:
            self.box.action_clear()
        elif self.chosen_facets:
            self.chosen_facets.clear()
            self._list(keep=False)
        elif self.state != "active":
            self.show_state("active")
            self.host.go_back()
        else:
            self.host.go_back()
        self.listing.focus()

    # facets

    def _show_quick(self, filters: model.Filters, state: str, counts: dict[str, dict[str, int]]) -> None:
        """What an index counts is shown at once; labels and files follow, with those of before until then."""
        self._show_facets({name: self._counts.get(name, {}) for name in facets.SLOW} | counts)
        slow = partial(_count, filters, state, facets.SLOW)
        asking.ask(self, "facets", slow, lambda more: self._show_facets(counts | more))

    def _show_facets(self, counts: dict[str, dict[str, int]]) -> None:
        self._counts = counts
        if self.host.project:
            counts = {name: values for name, values in counts.items() if name != "project"}
        self.facets.show(ListSource(facets.rows(counts)), keep=True)

    def _draw_facet(self, facet: Facet, width: int) -> list[Cell]:
        chosen = [*self.chosen_facets, ("state", self.state)]
        return facets.draw(facet, chosen, width)

    @on(RecordList.Opened, "#facets")
    def _facet_chosen(self, event: RecordList.Opened) -> None:
        facet = event.record
        if not isinstance(facet, Facet) or not facet.name:
            return
        pair = (facet.name, facet.value)
        if facet.name == "state":
            self.show_state("active" if self.state == facet.value else facet.value)
            return
        if pair in self.chosen_facets:
            self.chosen_facets.remove(pair)
        else:
            self.chosen_facets.append(pair)
        self.listing.end_range()
        self._list(keep=False)

    # what the borders say

    @on(MarkList.Marked)
    @on(RecordList.Counted, "#list")
    def say(self) -> None:
        """Count, filters and order, in the borders."""
        shown, query, every = self.listing.total, self.box.query_text, formats.number(self.host.status.memories)
        title = formats.count(shown, "memory", "memories") if not query else f"{shown} of {every}"
        parts: list[tuple[str, str]] = [("looking for" if self._sought_now else title, "")]
        if query:
            parts.append((f"{' ' if self._sought_now else ' · '}“{describe.line(query, 40)}”", ""))
        if self.only:
            parts.append((f" · from {self.only_of} · esc goes back", "$text-accent"))
        elif self.state != "active":
            parts.append((f" · {self.state if self.state != 'all' else 'every state'}", "$text-warning"))
        parts += [(f" · {describe.line(facets.shown(*one), 24)}", "$text-accent") for one in self.chosen_facets]
        self.main.border_title = Content.assemble(*parts)
        marks = f"{formats.number(self.listing.marked)} marked · " if self.listing.marked else ""
        took = f"{self._result.took_ms:.0f} ms" if self._result is not None else SORTS[self.sort]
        less = f" · ▲ {degraded(self._result)}" if self._result is not None and self._result.degraded else ""
        self.main.border_subtitle = Content.assemble((f"{marks}{took}", ""), (less, "$text-warning"))

    def commands(self) -> Iterator[Command]:
        """What can be done here, and to the row."""
        yield Command("memories: Search", "find by meaning and by words", self.action_search)
        for state in STATES:
            if state != self.state:
                yield Command(f"memories: Show {state}", "list these", partial(self.show_state, state))
        yield Command("memories: Next order", f"now {SORTS[self.sort]}", self.action_sort)
        if self.listing.record is not None:
            yield Command("memory: Sources", "the observations it came from", self.action_sources)
            yield Command("memory: History", "every change to it", self.action_history)
            yield from self.deeds()


def _count(filters: model.Filters, state: str, names: tuple[str, ...], memory: Memory) -> dict[str, dict[str, int]]:
    """Some of the facets, in a thread."""
    return memory.facets(filters, state=state, names=names)
