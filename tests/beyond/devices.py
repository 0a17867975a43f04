"""One person's devices in folders of their own, a place between them that breaks off, and what each of them holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_memory.beyond import sealing, segments, syncing
from tui_memory.beyond.place import Place, opened
from tui_memory.beyond.sync_door import Asked
from tui_memory.beyond.synced import Synced
from tui_memory.clock import now_ms
from tui_memory.store import erasing, journal, portable, purging
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store
from tui_memory.store.purging import Scope
from tui_memory.store.taking_in import TakingIn


class BrokenOff(BaseException):
    """Nothing is done any more, as after a kill or a cut line."""


class Line:
    """A place behind a line that is cut after so many uses of it; `None`: never."""

    def __init__(self, place: Place, uses: int | None) -> None:
        self._place, self._left = place, uses

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._place, name)
        return self._counted(found) if name in ("names", "get", "put", "remove", "make") else found

    def tell(self, *_how_far: object) -> None:
        """Between two steps it is cut as well."""
        self._counted(len)(())

    def _counted(self, work: Any) -> Any:
        def use(*given: Any) -> Any:
            """An even number is cut before the work is done, an odd one after it."""
            if self._left is None:
                return work(*given)
            self._left -= 1
            if self._left == -1:
                raise BrokenOff
            done = work(*given)
            if self._left == 0 and work.__name__ in ("put", "remove"):
                raise BrokenOff
            return done

        return use


class Device:
    """A store, its clock (`skew` ms from the others'), and all that was ever said of a memory on it."""

    def __init__(self, home: Path, name: str, skew: int = 0) -> None:
        self.store, self.skew = Store(home), skew
        with self.store.transaction() as connection:
            connection.execute("UPDATE meta SET value = ? WHERE key = 'device'", (name,))
        self.store.__dict__.pop("device", None)

    def changes(self, actor: str = "person") -> Changes:
        """What somebody does here."""
        return Changes(self.store, actor)

    def sync(self, folder: Path, uses: int | None = None) -> Synced | None:
        """Sync; None where the line was cut."""
        line: Any = Line(opened(str(folder), ()), uses)
        try:
            return syncing.Sync(self.store, line, Asked(), iter, line.tell).run()
        except BrokenOff:
            return None

    def take_in(self, other: Device) -> None:
        """Import what another device exports."""
        ids = portable.chosen(other.store)
        taking = TakingIn(self.store, "person")
        taking.projects(portable.projects(other.store, ids))
        taking.memories(list(portable.memories(other.store, ids)))
        taking.settle()

    def purge(self, memory: int) -> None:
        """Forget a memory for good."""
        scope = Scope(ids=(memory,))
        found = purging.plan(self.store.connection, scope)
        purging.purge(self.store, scope, found, "person", lambda _: None)
        erasing.finish(self.store)

    def ids(self) -> list[int]:
        """The memories that are listed."""
        return [row[0] for row in self.store.rows("SELECT id FROM memories WHERE state <> 'undone' ORDER BY uid")]

    def uid(self, memory: int) -> str:
        """A memory's uid."""
        return str(self.store.rows("SELECT uid FROM memories WHERE id = ?", (memory,))[0][0])

    def says(self) -> dict[str, Any]:
        """What every listed memory is and says, in words that mean the same on each device, by uid."""
        rows = self.store.rows(
            "SELECT m.uid, m.state, m.pinned, m.branch, p.name AS project, v.title, v.text, v.facts, v.labels, v.files,"
            " (SELECT uid FROM memories WHERE id = m.superseded_by) AS superseded_by,"
            " (SELECT uid FROM memories WHERE id = m.merged_into) AS merged_into,"
            " (SELECT json_group_array(label) FROM (SELECT label FROM memory_labels WHERE memory_id = m.id ORDER BY 1))"
            " FROM memories m JOIN versions v ON v.id = m.version_id LEFT JOIN projects p ON p.id = m.project_id"
            " WHERE m.state <> 'undone'"
        )
        return {row["uid"]: tuple(row)[1:] for row in rows}

    def texts(self) -> set[str]:
        """Every text that is kept, older ones too."""
        return {row[0] for row in self.store.rows("SELECT text FROM versions")}

    def heads(self) -> list[tuple[str, str]]:
        """(uid, text) of every text of a listed memory that no other replaced."""
        sql = (
            "SELECT t.uid, v.text FROM sync_texts t JOIN versions v ON v.id = t.version_id"
            " JOIN memories m ON m.uid = t.uid WHERE t.head = 1 AND m.state <> 'undone'"
        )
        return sorted((row[0], row[1]) for row in self.store.rows(sql))

    def tombs(self) -> set[str]:
        """The uids of what was forgotten for good."""
        return {row[0] for row in self.store.rows("SELECT name FROM sync_tombs WHERE kind = 'memory'")}

    def close(self) -> None:
        """Close the store."""
        self.store.close()


def lines(folder: Path) -> Iterator[str]:
    """Every line of every segment in a folder."""
    import io

    for file in sorted(folder.glob("*.jsonl.zst")):
        target = io.BytesIO()
        sealing.unseal(io.BytesIO(file.read_bytes()), target, (), segments.LARGEST, lambda _: None)
        yield from target.getvalue().decode().splitlines()


def records(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The records of a kind in a folder's segments."""
    return [found for line in lines(folder) if (found := json.loads(line)).get("type") == kind]


def clock(device: Device | None, step: int = 0) -> None:
    """Let the journal's clock be this device's; None: the machine's again."""
    read = now_ms if device is None else lambda: 1_700_000_000_000 + step * 1_000 + device.skew
    setattr(journal, "now_ms", read)  # noqa: B010
