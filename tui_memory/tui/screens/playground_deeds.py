"""What the Playground's keys do beside asking: judge, why not, evaluate, tune, save, choose profiles and filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tui_memory.errors import TuiMemoryError
from tui_memory.model import Filters, MemoryKind, Tier
from tui_memory.safetext import clean, one_line
from tui_memory.tui import asking, describe, formats
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.playground_look import PlaygroundLook
from tui_memory.tui.screens.playground_rows import Line
from tui_memory.tui.widgets import empty, score_bars
from tui_memory.tui.widgets.evaluation_chart import Figures, by_query

if TYPE_CHECKING:
    from tui_memory.engine.evaluating import Tuning
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.reasons import WhyNot
    from tui_memory.retrieve.disclose import Disclosure
    from tui_memory.retrieve.profiles import Named

SINCE = {"1": "since yesterday", "7": "of the last week", "30": "of the last month", "90": "of the last 3 months"}
"""Days back, and how that is written."""
MENDS = {
    "threshold": "A threshold at or below its score would let it in.",
    "near": "Lower near meaning or near words would let it in, and others with it.",
    "cap": "A greater cap would let it in.",
    "diversity": "Less diversity would let it in.",
    "depth": "A greater depth would make it a candidate.",
    "filter": "F takes the filters away; P chooses another project.",
    "state": "Memories (2) shows it in its state, and can bring it back.",
}
LABELS = 30


class PlaygroundDeeds(PlaygroundLook):
    """The keys; what is asked and drawn is the base's."""

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """What is done to a result needs one, and what is said of an evaluation an evaluation."""
        row = self.listing.record
        if action == "judge" and (self.given is None or row is None or isinstance(row, Line)):
            return "A judgment needs a query and a result under the cursor. Nothing was judged."
        if action == "why_not" and self.given is None:
            return "Ask something first; then w says why a memory is not among the results."
        if action == "by_query" and (self.measured is None or self.figures is None):
            return "Nothing was measured yet in this run; e measures."
        return super().refusal(action, parameters)

    # judging

    def action_judge(self, relevant: bool) -> None:
        """Say of the row's memory that it answers the query, or not; the same again takes it back."""
        row, given = self.listing.record, self.given
        if given is None or row is None or isinstance(row, Line):
            return
        chosen, title, query = row.hit.id, row.hit.memory.title, given.wanted.query
        again = given.judged.get(chosen) is relevant
        deed = partial(_judge, query, chosen, None if again else relevant, self.host.project or None)
        asking.change(self, deed, partial(self._judged, query, title, None if again else relevant))

    def _judged(self, query: str, title: str, relevant: bool | None, judged: Mapping[int, bool]) -> None:
        if self.given is not None and self.given.wanted.query == query:
            self.given = replace(self.given, judged=judged)
            self.list_again()
        said = "taken back" if relevant is None else "relevant" if relevant else "irrelevant"
        self.notify(f"“{formats.short(title, 40)}”: {said} · e measures by it", markup=False)

    # why not

    def action_why_not(self) -> None:
        """Of a row without a place at once; else ask which memory was expected."""
        from tui_memory.tui.dialogs.expected import Expected
        from tui_memory.tui.screens.playground_rows import Kept

        if isinstance(self.listing.record, Kept):
            self._why(self.listing.record.hit.id)
        else:
            self.app.push_screen(Expected(), self._why)

    def _why(self, chosen: int | None) -> None:
        given = self.given
        if chosen is not None and given is not None:
            asked, profile = given.asked, given.now.profile
            asking.lead(self, "why", lambda memory: memory.trying.why_not(asked, profile, chosen), self._tell)

    def _tell(self, found: WhyNot) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        mend = MENDS.get(found.rule)
        said = found.sentence + (f"\n{mend}" if mend else "")
        summed = score_bars.written(found.scores, found.score or 0.0).plain if found.scores else ""
        blocks = [said, summed, f"{found.memory.title}\n{found.memory.summary}"]
        where = "is there" if found.rule == "present" else f"kept out by: {found.rule}"
        title = f"#{found.memory.id} {where}"
        self.app.push_screen(WholeText(title, "\n\n".join(block for block in blocks if block)))

    # what the agent is given

    def action_context(self) -> None:
        """Exactly what the agent would be given with these weights: for the query, or at a session's start."""
        query, project = self.box.query_text or None, self.host.project or self._project_of_row()
        profile = self.weights.profile
        asking.lead(
            self,
            "context",
            lambda memory: memory.trying.preview(profile, prompt=query, project=project),
            partial(self._show_context, query or ""),
        )

    def _project_of_row(self) -> str | None:
        """With every project on show: that of the result at hand, where an agent would ask."""
        row = self.listing.record
        return None if row is None or isinstance(row, Line) else row.hit.memory.project

    def _show_context(self, query: str, given: Disclosure) -> None:
        from tui_memory.tui.dialogs.given import Given

        when = f"for “{describe.line(query, 50)}”" if query else "at a session's start"
        self.app.push_screen(Given(when, given))

    # measuring

    def action_evaluate(self) -> None:
        """Measure these weights by all that was judged."""
        name, values = self.weights.title, dict(self.weights.values)
        self.chart_notice = empty.Notice("Measuring…", ("Every judged query is asked once.",), "◌", "muted")
        self.draw_chart()
        asking.ask(
            self,
            "evaluate",
            lambda memory: memory.evaluating.evaluate(unsaved={name: values}).public(),
            partial(self._measured, name),
            failed=self._not_measured,
        )

    def _measured(self, name: str, shown: Mapping[str, Any]) -> None:
        self.chart_notice = None
        self.measured = shown["profiles"][name]
        self.was, self.figures = self.figures, Figures.of(name, shown["profiles"][name], shown["queries"])
        self.draw_chart()
        if shown["left_out"]:
            left = formats.count(shown["left_out"], "query", "queries")
            self.notify(f"{left} left out: no memory that could be found answers.", markup=False)

    def _not_measured(self, error: TuiMemoryError) -> None:
        self.chart_notice = empty.unmeasured(error)
        self.draw_chart()

    def action_by_query(self) -> None:
        """The last evaluation, query by query."""
        from tui_memory.tui.dialogs.text import WholeText

        if self.measured is not None and self.figures is not None:
            self.app.push_screen(WholeText(f"By query · {self.figures.name}", by_query(self.measured)))

    def action_tune(self) -> None:
        """Search better weights, starting from these."""
        from tui_memory.tui.dialogs.tuning import Tune

        self.app.push_screen(Tune(self.weights.values), self._tuned)

    def _tuned(self, taken: tuple[Tuning, bool] | None) -> None:
        if taken is None:
            return
        done, saving = taken
        self.weigh(done.tuned.profile.as_dict())
        if saving:
            what = formats.count(len(done.changed), "weight") + " tuned; nothing got worse on the other half."
            self._keep_as(what, lambda name, memory: memory.evaluating.keep(done, name))
        else:
            self.notify("The tuned weights are on the sliders · s saves them", markup=False)

    # profiles

    def action_save(self) -> None:
        """Save these weights as a profile."""
        values = dict(self.weights.values)
        changed = ", ".join(self.weights.changed) or "nothing"
        what = f"Differs from {one_line(self.weights.name, 30)} in: {changed}."
        self._keep_as(what, lambda name, memory: memory.evaluating.save_profile(name, values))

    def _keep_as(self, what: str, deed: Any) -> None:
        from tui_memory.tui.dialogs.naming import Naming

        def named(name: str | None) -> None:
            if name is not None:
                asking.change(self, lambda memory: deed(name, memory), self._saved)

        first = self.weights.name if self.weights.origin == "saved" else ""
        self.app.push_screen(Naming(what, first), named)

    def _saved(self, named: Named) -> None:
        self.take_profile(named)
        name = clean(named.name)
        self.notify(
            f"Saved the profile {name} · `retrieve: {{profile: {name}}}` in the settings makes it the one in use",
            markup=False,
        )

    def action_pick_profile(self) -> None:
        """Another profile's weights on the sliders."""
        self._pick("Take the weights of", self.weights.name, self.take_profile)

    def action_pick_other(self) -> None:
        """The profile that stands beside this one."""
        self._pick("Compare with", self.other.name if self.other else "", self.compare_with)

    def _pick(self, title: str, current: str, then: Any) -> None:
        from tui_memory.tui.dialogs.pick import Choice, Pick

        def offer(named: list[Named]) -> None:
            by_name = {one.name: one for one in named}
            choices = [Choice(one.name, f"{one.name} · {one.origin}{' · in use' if one.used else ''}") for one in named]
            picked = Pick(title, choices, current)
            self.app.push_screen(picked, lambda name: then(by_name[name]) if name is not None else None)

        asking.lead(self, "profiles", lambda memory: memory.evaluating.profiles(), offer)

    # filters

    def action_filter(self) -> None:
        """Choose a filter: by what, then which."""
        from tui_memory.tui.dialogs.pick import Choice, Pick

        choices = [Choice("kind", "kind"), Choice("tier", "tier"), Choice("label", "label"), Choice("since", "time")]
        self.app.push_screen(Pick("Filter by", [*choices, Choice("", "no filter")], "kind"), self._filter_by)

    def _filter_by(self, name: str | None) -> None:
        if name == "":
            self.action_no_filter()
        elif name == "label":
            asking.lead(self, "labels", _labels, partial(self._offer, "label"))
        elif name is not None:
            words = {"kind": [str(kind) for kind in MemoryKind], "tier": [str(tier) for tier in Tier]}
            self._offer(name, words.get(name, list(SINCE)))

    def _offer(self, name: str, values: list[str]) -> None:
        from tui_memory.tui.dialogs.pick import Choice, Pick

        choices = [Choice("", "any"), *(Choice(value, SINCE[value] if name == "since" else value) for value in values)]
        title = "Filter by time" if name == "since" else f"Filter by {name}"
        self.app.push_screen(Pick(title, choices, self.chosen.get(name, "")), partial(self._filtered, name))

    def _filtered(self, name: str, value: str | None) -> None:
        if value is not None:
            rest = {key: kept for key, kept in self.chosen.items() if key != name}
            self.chosen = rest | ({name: value} if value else {})
            self.ask(keep=False)

    def action_no_filter(self) -> None:
        """Every kind, tier, label and time."""
        self.chosen = {}
        self.ask(keep=False)

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        yield Command("playground: Why not", "what kept a memory out", self.action_why_not)
        yield Command("playground: What the agent is given", "the text, its tokens, what was cut", self.action_context)
        yield Command("playground: Evaluate", "measure by all that was judged", self.action_evaluate)
        yield Command("playground: By query", "the last evaluation, query by query", self.action_by_query)
        yield Command("playground: Tune", "search better weights", self.action_tune)
        yield Command("playground: Save as a profile", "these weights under a name", self.action_save)
        yield Command("playground: Take a profile", "another profile's weights", self.action_pick_profile)
        yield Command("playground: Filter", "by kind, tier, label or time", self.action_filter)


def _judge(query: str, chosen: int, relevant: bool | None, project: str | None, memory: Memory) -> Mapping[int, bool]:
    """Judge, or take back; what is said of the query's memories then. Blocks, for a thread."""
    if relevant is None:
        memory.evaluating.take_back(query, chosen)
    else:
        memory.evaluating.judge(query, chosen, relevant=relevant, project=project)
    return memory.evaluating.judged(query)


def _labels(memory: Memory) -> list[str]:
    counts = memory.facets(Filters(), names=("label",))["label"]
    return sorted(counts, key=lambda label: -counts[label])[:LABELS]
