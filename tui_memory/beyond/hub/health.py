"""How the hub of a store is, without asking it: when it was last used, and what was wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui_memory.beyond.hub import address, link
from tui_memory.clock import local
from tui_memory.errors import StoreError
from tui_memory.store import marks

if TYPE_CHECKING:
    from tui_memory.store.db import Store


def checks(store: Store) -> Iterator[tuple[str, bool, str, str]]:
    """(id, whether it is well, what, the command that mends it); nothing where no hub is connected."""
    try:
        known = link.read(store.home)
    except StoreError as error:
        yield "hub", False, error.message, "tui-memory hub disconnect"
        return
    if known is None:
        return
    pushed, pulled, failed = (marks.get(store, f"hub_{name}") for name in ("pushed", "pulled", "failed"))
    what = f"team {known.team_name} at {address.shown(known.parameters)}: "
    done = [f"{word} at {local(moment)}" for word, moment in (("pushed", pushed), ("pulled", pulled)) if moment]
    what += ", ".join(done) or "nothing was pushed or pulled yet"
    if known.purged:
        what += f"; {len(known.purged):,} purged memories are still to leave it"
    good = failed <= max(pushed, pulled) and not known.purged
    if failed > max(pushed, pulled):
        what += f"; at {local(failed)} it failed: {known.error or 'the reason is not known'}"
    yield "hub", good, what, "tui-memory hub push" if known.purged else "tui-memory hub status"
