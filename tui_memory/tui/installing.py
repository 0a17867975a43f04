"""Having agents, or git, send their events: what would be written is shown first, and written only on a yes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.errors import ConflictError, RefusedError, TuiMemoryError
from tui_memory.light import dataclass
from tui_memory.safetext import clean
from tui_memory.tui import asking

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.surfaces.install import Setup
    from tui_memory.surfaces.install.git import HooksPlan
    from tui_memory.tui.store_app import StoreApp

GIT = "git"


@dataclass(frozen=True, slots=True)
class Offer:
    """What would be written for each agent; a sentence for each that is left out."""

    plans: Mapping[str, Setup | HooksPlan]
    left_out: tuple[str, ...] = ()


def offer(app: StoreApp, agents: Sequence[str], then: Callable[[], object]) -> None:
    """Show what would be written for these agents, write it on a yes, and call `then`."""
    if app.demo:
        app.notify("This store is thrown away with the sample: leave with q, and install then.", markup=False)
        return
    asking.lead(app, "install", partial(_plans, tuple(agents)), partial(_show, app, then))


def _show(app: StoreApp, then: Callable[[], object], offered: Offer) -> None:
    from tui_memory.tui.dialogs.preview import Preview

    names = ", ".join(offered.plans)
    wanted = {agent: plan for agent, plan in offered.plans.items() if plan.changed}
    if not wanted:
        app.notify(
            " ".join((f"Nothing to do for {names}: it is written as it should be.", *offered.left_out)), markup=False
        )
        return

    def answered(yes: bool | None) -> None:
        if yes:
            asking.change(app, partial(_carry_out, wanted), partial(_written, app, then))
        else:
            app.notify("Nothing was changed.", markup=False)

    who = f"{next(iter(wanted))} sends its" if len(wanted) == 1 else f"{', '.join(wanted)} send their"
    title = f"What is written so that {who} events"
    text = "\n\n".join([*(f"Left out: {said}" for said in offered.left_out), *(plan.diff for plan in wanted.values())])
    app.push_screen(Preview(title, text, "writes it"), answered)


def _written(app: StoreApp, then: Callable[[], object], told: list[str]) -> None:
    """A toast where it is one sentence or two; what has to be done in several agents is there until it is closed."""
    from tui_memory.tui.dialogs.text import WholeText

    if len(told) > 2:
        app.push_screen(WholeText("Written, and what there is to know", "\n\n".join(told)))
    else:
        app.notify(clean(" ".join(told)), markup=False, timeout=12)
    then()


def _plans(agents: tuple[str, ...], _memory: Memory) -> Offer:
    """What installations would change; of several, one that cannot be is left out, and the reason said."""
    plans: dict[str, Setup | HooksPlan] = {}
    left_out: list[str] = []
    for agent in agents:
        try:
            plans[agent] = _plan(agent)
        except TuiMemoryError as error:
            if len(agents) == 1:
                raise
            left_out.append(f"{agent}: {error.message}")
    return Offer(plans, tuple(left_out))


def _plan(agent: str) -> Setup | HooksPlan:
    """What an installation would change; nothing is written. RefusedError where it needs a person's word first."""
    if agent != GIT:
        from tui_memory.surfaces import install

        return install.install(agent, dry_run=True)
    from tui_memory.surfaces.install import git

    plan = git.install(Path.cwd(), dry_run=True)
    if plan.reason:
        raise RefusedError(f"{plan.reason} Nothing was changed; `tui-memory install git` asks for your word.")
    return plan


def _carry_out(shown: Mapping[str, Setup | HooksPlan], _memory: Memory) -> list[str]:
    """Write what was shown: the receipt, and what there is to know; ConflictError where a file has changed since."""
    if any(_plan(agent) != plan for agent, plan in shown.items()):
        raise ConflictError("A file has changed since it was shown. Nothing was changed; try again.")
    told: list[str] = []
    for agent in shown:
        try:
            told.append(_write(agent))
        except TuiMemoryError as error:
            done = f" Written before that: {', '.join(list(shown)[: len(told)])}." if told else ""
            raise ConflictError(f"{agent}: {error.message}{done}") from error
    one = next(iter(shown)) if len(shown) == 1 else "AGENT"
    said = f"Written for {', '.join(shown)} · tui-memory uninstall {one} gives the exact bytes back."
    return [said, *(advice for advice in told if advice)]


def _write(agent: str) -> str:
    """Write one agent's settings: what a person must know or do after it."""
    if agent == GIT:
        from tui_memory.surfaces.install import git

        git.install(Path.cwd())
        return ""
    from tui_memory.surfaces import install

    return install.advice(agent, install.install(agent))
