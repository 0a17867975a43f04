"""A team's hub: connected to by a person, fed and read when asked, searched beside the store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tui_memory.beyond.hub import address, link, pulling, pushing, schema, session, shapes
from tui_memory.beyond.hub.asking import Asking
from tui_memory.beyond.hub.link import Link, Share
from tui_memory.beyond.hub.pulling import Pulled
from tui_memory.beyond.hub.pushing import Pushed
from tui_memory.beyond.hub.schema import Made
from tui_memory.beyond.hub.showing import Showing
from tui_memory.beyond.hub.there import There, team_of
from tui_memory.clock import iso, now_ms
from tui_memory.engine.exporting import Exported
from tui_memory.errors import NotFoundError, RefusedError, RemoteError, StoreError, TuiMemoryError, UnfinishedError
from tui_memory.model import Memory, MemoryKind
from tui_memory.retrieve.elsewhere import Away, Elsewhere
from tui_memory.store import marks, projects, whereabouts
from tui_memory.store.portable import Record

if TYPE_CHECKING:
    from tui_memory.engine.services import Services

PUSHED, PULLED, FAILED = "hub_pushed", "hub_pulled", "hub_failed"
"""The marks of the last push and pull that were done, and of the last that failed (ms)."""


class Hub:
    """The hub of one store; reads and sends nothing before a person has connected it."""

    def __init__(self, memory: Services) -> None:
        self._memory, self._home = memory, memory.home
        self._lock = threading.Lock()
        self._asking: Asking | None = None

    # the link

    def init(self, dsn: str, team: str) -> Made:
        """Make a database a hub, or bring its schema up to date, and make a team: its owner's to do."""
        found, password = address.parse(dsn, self._memory.settings.remote.allowed_hosts)
        model, dimension = self._model()
        with session.connect(found, password, statement_ms=0) as connection:
            return schema.make(connection, found, model, dimension, team)

    def connect(self, dsn: str, team: str = "") -> dict[str, Any]:
        """Connect the store to a team of a hub: what `status` says. Nothing is sent but the question who one is."""
        found, password = address.parse(dsn, self._memory.settings.remote.allowed_hosts)
        with session.connect(found, password) as connection:
            session.check(connection, found)
            id_, name = team_of(connection, team)
            found |= {"user": connection.info.user, "dbname": connection.info.dbname}  # as the environment had it now
        known = link.read(self._home)
        made = Link(found, id_, name, password=password)
        if known and (known.parameters, known.team) == (found, id_):
            made = replace(made, shares=known.shares, purged=known.purged, pulled=known.pulled)
        elif known and known.purged:
            raise RefusedError(
                f"{len(known.purged)} purged memories are still to leave the hub {address.shown(known.parameters)}."
                " Nothing was changed; `tui-memory hub push`, or `hub disconnect` to leave them there."
            )
        _ = self._memory.store  # makes the folder, and narrows it
        link.write(self._home, made)
        self._told(made.shares)
        return self.status()

    def disconnect(self) -> bool:
        """Forget the hub, and the password; what is there stays. False where none was connected."""
        self._let_go()
        was_there = link.forget(self._home)
        if was_there:
            with suppress(StoreError):  # the link is gone, whatever the store is like
                self._told(())
        return was_there

    def status(self) -> dict[str, Any]:
        """What is connected and shared, how old it is, what was wrong; and whether the hub answers now."""
        known = link.read(self._home)
        if known is None:
            return {"connected": False}
        store = self._memory.store
        names = {row["uid"]: row["name"] for row in store.rows("SELECT uid, name FROM projects")}
        when = {name: marks.get(store, f"hub_{name}") for name in ("pushed", "pulled", "failed")}
        told: dict[str, Any] = {
            "connected": True, "hub": address.shown(known.parameters), "team": known.team_name,
            "shares": [
                {"project": names.get(one.project, one.project), "kinds": list(one.kinds)} for one in known.shares
            ],
            "purges_waiting": len(known.purged), "error": known.error,
        } | {name: iso(moment) if moment else None for name, moment in when.items()}  # fmt: skip
        try:
            with self._there(known) as there:
                waiting = pushing.Pushing(store, there, self._masked)
                return told | {
                    "answers": True, "memories": there.counts(),
                    "to_push": sum(len(waiting.waiting(share)) for share in known.shares),
                }  # fmt: skip
        except TuiMemoryError as error:
            return told | {"answers": False, "error": error.message}

    def members(self) -> list[dict[str, Any]]:
        """Who belongs to the team."""
        with self._there(self._known()) as there:
            return there.members()

    def change_members(
        self, *, add: str = "", remove: str = "", admin: bool = False, dsn: str = "", team: str = ""
    ) -> list[dict[str, Any]]:
        """Add a login of the database to the team, or take one out of it; who belongs to it then.

        `dsn`: as the hub's owner, who belongs to none. RefusedError where one is no admin.
        """
        with self._by_owner(dsn, team) if dsn else self._there(self._known()) as there:
            if add:
                there.add_member(add, admin)
            if remove:
                there.remove_member(remove)
            return there.members()

    # what is shared

    def share(self, project: str, kinds: Sequence[str] = ()) -> dict[str, Any]:
        """Share a project, all of it or some kinds: what a push would send now. Nothing is sent yet."""
        known = self._known()
        uid = self._uid(project)
        unknown = sorted({*kinds} - {*MemoryKind})
        if unknown:
            raise NotFoundError(
                f"There is no kind {unknown[0]}. Nothing was changed; there are {', '.join(MemoryKind)}."
            )
        share = Share(uid, tuple(sorted(kinds)))
        shares = (*(one for one in known.shares if one.project != uid), share)
        with self._there(known) as there:
            waiting = pushing.Pushing(self._memory.store, there, self._masked).waiting(share)
        link.update(self._home, lambda now: replace(now, shares=shares))
        self._told(shares)
        return {
            "project": self._name(uid),
            "kinds": list(share.kinds),
            "team": known.team_name,
            "to_push": len(waiting),
        }

    def withdraw(self, project: str) -> dict[str, Any]:
        """Share a project no more, and take out of the hub what one shared of it; what others pulled they have."""
        known = self._known()
        uid = self._uid(project)
        with self._there(known) as there:
            own = pushing.own(self._memory.store, self._masked, projects.find(self._memory.store, uid))
            found = there.project(own)
            taken = there.withdraw(found) if found else 0
        kept = tuple(one for one in known.shares if one.project != uid)
        link.update(self._home, lambda now: replace(now, shares=kept))
        self._told(kept)
        return {"project": self._name(uid), "team": known.team_name, "withdrawn": taken}

    def push(self, *, on_progress: Callable[[int, int], object] = lambda _done, _of: None) -> Pushed:
        """Send what is shared and new or changed, masked once more; take out what was purged here."""
        known = self._known()
        with self._there(known) as there:
            there.check_clock()
            purged = self._purge(there, known) if known.purged else 0
            run = pushing.Pushing(self._memory.store, there, self._masked, rewrite=known.rewrite)
            done = run.run(known.shares, on_progress)
        done.purged = purged
        self._went_well(PUSHED, rewrite=False)
        return done

    def pull(
        self, named: Sequence[str] = (), *, every: bool = False, on_progress: Callable[[int], object] = lambda _n: None
    ) -> Pulled:
        """Take in what others share of the projects that are here, of those that are named, or of all.

        One group of the journal for each who shared it: `undo` takes it back. What they purged is purged here too.
        """
        known, store = self._known(), self._memory.store
        with self._there(known) as there:
            there.check_clock()
            run = pulling.Pulling(store, there, self._masked)
            reached = run.run(named, every, known.pulled, on_progress)
            gone = run.gone()
        if gone:
            run.done.purged = self._memory.forgetting.purge_all(gone)
        self._went_well(PULLED, pulled=reached)
        return run.done

    def is_connected(self) -> bool:
        """Whether there is a hub; a look at the folder."""
        return (self._home / "hub.json").exists()

    def to_purge(self, uids: Sequence[str]) -> None:
        """Remember, before it happens, that these are to leave the hub too, where anything is shared there."""

        def noted(now: Link) -> Link:
            return replace(now, purged=tuple(dict.fromkeys((*now.purged, *uids)))) if now.shares else now

        link.update(self._home, noted)

    def to_rewrite(self) -> None:
        """Remember that what is stored is masked by newer rules: the next push brings all of it again."""
        link.update(self._home, lambda now: replace(now, rewrite=bool(now.shares)))

    def purge(self) -> int:
        """Take what was purged here out of the hub: how many. UnfinishedError where it cannot be reached now."""
        known = link.read(self._home)
        if known is None or not known.purged:
            return 0
        try:
            with self._there(known) as there:
                return self._purge(there, known)
        except TuiMemoryError as error:
            raise UnfinishedError(
                f"It is purged here. {len(known.purged):,} of it, as far as they were shared, are still in the hub"
                f" {address.shown(known.parameters)}: {error.message} `tui-memory hub push` finishes it."
            ) from error

    # what is there

    def elsewhere(self) -> Elsewhere | None:
        """What a search asks beside the store; None where no hub is connected."""
        settings = self._memory.settings
        try:
            known = link.read(self._home)
            if known is None:
                return None
            address.check(known.parameters, settings.remote.allowed_hosts)
        except TuiMemoryError:
            return Away()  # `doctor` says why
        with self._lock:
            if self._asking is None or not self._asking.is_of(known):
                self._asking = Asking(known, settings.hub.deadline_ms / 1000, self._showing())
            return self._asking

    def get(self, numbers: Sequence[int]) -> list[Memory]:
        """Memories of the hub by their numbers, in that order. NotFoundError names what is not there."""
        with self._there(self._known()) as there:
            rows = {row["number"]: row for row in there.numbered(numbers) if shapes.is_sound(row)}
        missing = [number for number in numbers if number not in rows]
        if missing:
            raise NotFoundError(f"The hub has no memory {', '.join(f'hub:{number}' for number in missing)}.")
        return [self._showing().plain(shapes.memory(rows[number])) for number in numbers]

    def _showing(self) -> Showing:
        return Showing(self._memory.store, self._memory.redactor)

    # the connection

    def _known(self) -> Link:
        known = link.read(self._home)
        if known is None:
            raise NotFoundError("No hub is connected. Nothing was changed; `tui-memory hub connect DSN` connects one.")
        return known

    @contextmanager
    def _there(self, known: Link) -> Iterator[There]:
        """A connection as the member one is; what goes wrong is remembered for `doctor`."""
        is_in = False
        try:
            address.check(known.parameters, self._memory.settings.remote.allowed_hosts)
            with session.connect(known.parameters, known.password) as connection, session.explained(known.parameters):
                told = session.check(connection, known.parameters)
                there = There(connection, told, team_of(connection, known.team_name)[0])
                is_in = True
                yield there
        except TuiMemoryError as error:
            if not is_in or isinstance(error, RemoteError):
                self._failed(error.message)
            raise

    @contextmanager
    def _by_owner(self, dsn: str, team: str) -> Iterator[There]:
        found, password = address.parse(dsn, self._memory.settings.remote.allowed_hosts)
        with session.connect(found, password) as connection, session.explained(found):
            told = session.check(connection, found)
            yield There(connection, told, team_of(connection, team, keeper=True)[0])

    def _told(self, shares: Sequence[Share]) -> None:
        """Tell the store what is shared: lists say and filter by it."""
        whereabouts.share(self._memory.store, ((one.project, one.kinds) for one in shares))

    def _went_well(self, mark: str, **changes: Any) -> None:
        marks.put(self._memory.store, {mark: now_ms()})
        link.update(self._home, lambda now: replace(now, error="", **changes))

    def _failed(self, message: str) -> None:
        with suppress(StoreError):  # a full disk: what failed is what is to be said
            marks.put(self._memory.store, {FAILED: now_ms()})
            link.update(self._home, lambda now: replace(now, error=message))

    def _purge(self, there: There, known: Link) -> int:
        count = pushing.purge(self._memory.store, there, known.purged)
        gone = frozenset(known.purged)
        link.update(self._home, lambda now: replace(now, purged=tuple(uid for uid in now.purged if uid not in gone)))
        return count

    def _let_go(self) -> None:
        with self._lock:
            held, self._asking = self._asking, None
        if held is not None:
            held.close()

    def _masked(self, records: Any) -> Iterator[Record]:
        return self._memory.exporting.masked(records, Exported("", "jsonl"))

    def _model(self) -> tuple[str, int]:
        from tui_memory.index import serving

        found = serving.model(self._memory.store)
        return (found.name, found.dimension) if found else (self._memory.settings.embed.model, 384)

    def _uid(self, project: str) -> str:
        return projects.named(self._memory.store, project).uid

    def _name(self, uid: str) -> str:
        return str(self._memory.store.rows("SELECT name FROM projects WHERE uid = ?", (uid,))[0][0])
