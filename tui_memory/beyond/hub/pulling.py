"""What others share, taken into this store: masked by this machine's rules, the later state current, what was purged
by whoever shared it, out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from tui_memory.beyond.hub import here, meeting, shapes
from tui_memory.beyond.hub.here import Here
from tui_memory.beyond.hub.meeting import Masked
from tui_memory.beyond.hub.there import There
from tui_memory.model import MemoryState
from tui_memory.store import identity
from tui_memory.store.portable import Record
from tui_memory.store.taking_in import TakingIn

if TYPE_CHECKING:
    from psycopg.rows import DictRow

    from tui_memory.store.db import Store

_BEGINNING = "-infinity"


@dataclass(slots=True)
class Pulled:
    """What came from the hub."""

    new: int = 0
    changed: int = 0
    later_here: int = 0
    """What was changed here since: the next push tells the hub."""
    conflicts: int = 0
    """Of both, what was written here and there and neither knew of the other's: cases of the audit."""
    unreadable: int = 0
    purged: int = 0
    projects: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """The team's projects that this store does not have, and that were not asked for."""

    def public(self) -> dict[str, Any]:
        """JSON."""
        return asdict(self)


class Pulling:
    """One run."""

    def __init__(self, store: Store, there: There, masked: Masked) -> None:
        self._store, self._there, self._masked = store, there, masked
        self.done = Pulled()

    def run(
        self, named: Sequence[str], every: bool, reached: Mapping[str, str], on_progress: Callable[[int], object]
    ) -> dict[str, str]:
        """Take in the projects that the store has, those that are named, or all of the team's.

        `reached`, and what is given back: by project, up to which moment of the hub it was seen.
        """
        wanted = list(self._masked(self._wanted(named, every)))
        self.done.projects = [project["name"] for project in wanted]
        uids = [project["uid"] for project in wanted]
        moment = min((reached.get(uid, "") for uid in uids), default="")
        start = self._there.shortly_before(moment) if moment else _BEGINNING
        at, seen = (start, 0), 0
        while wanted and (rows := self._there.since(*at, uids)):
            self._take(rows, wanted)
            at, seen = (rows[-1]["moment"], rows[-1]["number"]), seen + len(rows)
            on_progress(seen)
        return dict(reached) | {uid: at[0] for uid in uids if at[0] != start}

    def gone(self) -> list[str]:
        """The uids of what came from others who have purged it since, and is still here."""
        purged = self._there.purged()
        known = here.of_uids(self._store, list(purged))
        return [uid for uid, one in known.items() if one.shared_by == purged[uid]]

    def _wanted(self, named: Sequence[str], every: bool) -> list[Record]:
        found = []
        for project in self._there.projects():
            if every or project["name"] in named or project["uid"] in named or (not named and self._is_known(project)):
                found.append(project)
            else:
                self.done.others.append(project["name"])
        return found

    def _is_known(self, project: Record) -> bool:
        connection = self._store.connection
        if connection.execute("SELECT 1 FROM projects WHERE uid = ?", (project["uid"],)).fetchone():
            return True
        for remote in project["remotes"]:
            sql = "SELECT 1 FROM project_aliases WHERE kind = 'remote' AND value = ?"
            if connection.execute(sql, (remote,)).fetchone():
                return True
        return identity.by_name(connection, project["name"]) is not None

    def _take(self, rows: Sequence[DictRow], projects: Sequence[Record]) -> None:
        sound = [row for row in rows if shapes.is_sound(row)]
        self.done.unreadable += len(rows) - len(sound)
        known = here.of_uids(self._store, [str(row["uid"]) for row in sound])
        later: list[DictRow] = []
        earlier: list[DictRow] = []
        for row in sound:
            mine = known.get(str(row["uid"]))
            if mine is not None and mine.changed >= row["changed"]:
                self.done.later_here += mine.edited and mine.changed > row["changed"]
                earlier.append(row)
            elif mine is not None or row["state"] != MemoryState.TRASH:
                later.append(row)
        self.done.conflicts += meeting.keep_theirs(self._store, self._masked, earlier, known)
        for author in dict.fromkeys(row["author"] for row in later):
            self._settle(author, [row for row in later if row["author"] == author], projects, known)

    def _settle(
        self, author: str, rows: Sequence[DictRow], projects: Sequence[Record], known: Mapping[str, Here]
    ) -> None:
        """Make what one of them shared what it is here too: a group of the journal."""
        records = list(self._masked(shapes.record(row) for row in rows))
        taking = TakingIn(self._store, f"{here.ACTOR}{author}", action=here.PULL, chosen=True)
        taking.projects(projects)
        taking.memories(
            [one | {"pinned": (mine := known.get(one["uid"])) is not None and mine.pinned} for one in records]
        )
        taken = taking.settle()
        self.done.new += len(taken.added)
        self.done.changed += len(taken.changed)
        self.done.conflicts += meeting.keep_mine(self._store, rows, known)
