"""The worker's loop: connections in, one thread for each kind of work, out when there is nothing to do."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from logging import Logger
from pathlib import Path
from typing import Any, TypeVar

from tui_memory import __version__, capture
from tui_memory.errors import TuiMemoryError
from tui_memory.store import queue
from tui_memory.store.db import Store
from tui_memory.store.ingest import STORED, Outcome
from tui_memory.surfaces.rest.door import Door
from tui_memory.surfaces.worker import frame, standing
from tui_memory.surfaces.worker.chores import Chores
from tui_memory.surfaces.worker.context import Context
from tui_memory.surfaces.worker.intake import Intake
from tui_memory.surfaces.worker.keeping import Keeping
from tui_memory.surfaces.worker.logs import what
from tui_memory.surfaces.worker.model import Model
from tui_memory.surfaces.worker.settings import Watched

T = TypeVar("T")

CONTEXT_PATIENCE = 0.3  # seconds: the hook waits 0.45 for everything
READ_PATIENCE = 10.0
LEAVE_PATIENCE = 5.0
TICK = 2.0  # seconds between looks at what other processes changed
AT_ONCE = 32  # events held in memory at the same time
THREADS = ("intake", "start", "ask", "house", "drain", "embed", "keep")


class Server:
    """One store's worker."""

    def __init__(self, home: Path, idle: float, log: Logger, lock: int) -> None:
        self._home, self._idle, self._log, self._lock = home, idle, log, lock
        self._store = Store(home, worker=True)
        self._settings = Watched(home, log)
        self._model = Model(self._store, self._settings, log)
        self._context = Context(self._store, self._settings, self._model)
        self._chores = Chores(self._store, self._settings, self._model, self._context, log)
        self._keeping = Keeping(home, self._settings, log, self._chores.stopping)
        self._intake = Intake(self._store, self._settings)
        self._threads = {name: ThreadPoolExecutor(1, name) for name in THREADS}
        self._busy: dict[str, int] = dict.fromkeys(self._threads, 0)
        self._last = time.monotonic()
        self._events = self._connections = 0
        self._bells = {name: asyncio.Event() for name in ("house", "drain", "embed", "keep")}
        self._leave = asyncio.Event()
        self._room = asyncio.Semaphore(AT_ONCE)

    async def run(self, listening: socket.socket) -> None:
        """Serve until idle, told to stop, or outdated; what was accepted is committed then."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._leave.set)
        server = await asyncio.start_unix_server(
            self._connected, sock=listening, limit=1 << 20, backlog=standing.BACKLOG
        )
        rest = Door(self._home, listening, self._touch, self._log, self._context.searcher)
        rest.open()
        chores = [
            asyncio.create_task(job)
            for job in (self._keep_house(), self._keep_draining(), self._keep_embedding(), self._keep_upkeep())
        ]
        chores.append(asyncio.create_task(self._watch_idleness()))
        warming = asyncio.create_task(self._on("ask", self._chores.guarded(self._context.warm)))
        await self._leave.wait()
        self._chores.stopping.set()
        await asyncio.to_thread(rest.close, ours=standing.holds(self._lock, self._home))
        server.close()
        for task in (*chores, warming):
            task.cancel()
        await self._settle()
        self._log.info("leaves after %d events", self._events)

    def _touch(self) -> None:
        self._last = time.monotonic()

    async def _settle(self) -> None:
        """Let what is in work end, as long as there is patience: what it leaves is leased, and done next time."""
        until = time.monotonic() + LEAVE_PATIENCE
        while (self._connections or any(self._busy.values())) and time.monotonic() < until:
            await asyncio.sleep(0.01)
        if not any(self._busy.values()):
            await self._on("house", self._chores.guarded(self._last_checkpoint))

    def _last_checkpoint(self) -> bool:
        self._chores.checkpoint()
        return True

    async def _on(self, thread: str, work: Callable[[], T]) -> T:
        """Run work on a named thread."""
        self._busy[thread] += 1
        future = asyncio.get_running_loop().run_in_executor(self._threads[thread], work)
        future.add_done_callback(lambda _: self._freed(thread))
        return await future

    def _freed(self, thread: str) -> None:
        self._busy[thread] -= 1

    # what keeps going

    async def _keep_house(self) -> None:
        await self._on("house", self._chores.guarded(self._chores.begin))
        while True:
            if await self._chore("house"):
                self._ring()
            if self._chores.outdated or not standing.holds(self._lock, self._home):
                self._log.info("the program on disk has changed, or the store is gone")
                self._leave.set()
            await self._occasion("house")

    async def _keep_draining(self) -> None:
        while True:
            if await self._chore("drain"):
                self._last = time.monotonic()
                self._ring()
            await self._occasion("drain")

    async def _keep_embedding(self) -> None:
        while True:
            await self._chore("embed")
            await self._occasion("embed")

    async def _keep_upkeep(self) -> None:
        while True:
            if await self._on("keep", self._chores.guarded(self._keeping.keep)):
                self._ring()
            await self._occasion("keep")

    async def _chore(self, name: str) -> bool:
        """Run a chore on its thread; whether it changed anything."""
        return await self._on(name, self._chores.guarded(getattr(self._chores, name)))

    def _ring(self) -> None:
        """Something changed: every chore looks at once."""
        for bell in self._bells.values():
            bell.set()

    async def _occasion(self, name: str) -> None:
        """Until something changed, or for one tick; then a moment more, so that a burst is one occasion."""
        bell = self._bells[name]
        try:
            async with asyncio.timeout(TICK):  # wait_for would swallow a cancellation while the bell rings
                await bell.wait()
        except TimeoutError:
            return
        await asyncio.sleep(0.05)
        bell.clear()

    async def _watch_idleness(self) -> None:
        while time.monotonic() - self._last < self._idle or any(self._busy.values()) or self._connections:
            await asyncio.sleep(min(1.0, self._idle / 4))
        self._leave.set()

    # connections

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        try:
            if standing.is_ours(writer.get_extra_info("socket")):
                async with self._room:
                    await self._converse(reader, writer)
        except (OSError, TimeoutError):
            return  # the other side left, or never said what it wanted: nothing was acknowledged
        finally:
            self._connections -= 1
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not self._leave.is_set():
            try:
                request = await asyncio.wait_for(frame.read(reader), READ_PATIENCE)
                if request is None:
                    return
                answer = await self._handle(request)
            except (frame.FrameError, TuiMemoryError) as error:
                answer = frame.answer(frame.FAILED, str(error).encode("utf-8", "replace"))
            except Exception as error:
                self._log.error("request: unexpected %s", what(error))
                answer = frame.answer(
                    frame.FAILED, b"The worker failed at that; its log says where. Nothing was changed."
                )
            writer.write(answer)
            await writer.drain()

    async def _handle(self, request: frame.Request) -> bytes:
        handlers: dict[str, Callable[[frame.Request], Awaitable[bytes]]] = {
            "event": self._event,
            "embed": self._embed,
            "status": self._status,
            "drain": self._drain,
            "refresh": self._refresh,
            "stop": self._stop,
        }
        handler = handlers.get(request.operation)
        if handler is None:
            raise frame.FrameError(f"The worker knows no operation {request.operation[:40]!r}. Nothing was changed.")
        if request.operation != "status":  # an open application asks for it all the time
            self._last = time.monotonic()
        return await handler(request)

    async def _event(self, request: frame.Request) -> bytes:
        # Git's hooks only name their commits, and reading those must hold up nobody else's event.
        arrived = partial(self._intake.arrived, request.fields, request.body)
        events = await asyncio.to_thread(arrived) if _is_git(request) else None
        outcome = await self._on("intake", lambda: self._intake.receive(arrived() if events is None else events))
        self._events += 1
        self._ring()
        body = b""
        if outcome.observation is not None and outcome.wants_context:
            body = await self._answer(request, outcome)
        return frame.answer(frame.ACCEPTED if outcome.outcome == STORED else frame.DROPPED, body)

    async def _answer(self, request: frame.Request, outcome: Outcome) -> bytes:
        """The context in the agent's own form; nothing where it is not there in time."""
        thread = "start" if outcome.wants_context == "start" else "ask"
        work = self._on(thread, partial(self._context.answer, outcome, request.fields[3]))
        try:
            event, context = await asyncio.wait_for(asyncio.shield(work), CONTEXT_PATIENCE)
        except TimeoutError:
            return b""
        except Exception as error:
            self._log.error("context: %s", what(error))  # the event is stored: that must be said all the same
            return b""
        agent, _, named = request.fields[0].partition(":")
        return capture.answer(agent, named or event, context, request.body)

    async def _embed(self, request: frame.Request) -> bytes:
        query = request.fields[:1] == ["query"]
        return frame.answer(
            frame.ACCEPTED, await self._on("ask", partial(self._model.answer, request.body, query=query))
        )

    async def _status(self, _request: frame.Request) -> bytes:
        waiting = await asyncio.to_thread(queue.waiting, self._store)
        value: dict[str, Any] = {
            "running": True,
            "pid": os.getpid(),
            "version": __version__,
            "model": self._model.name or None,
            "queue": waiting,
            "idle_s": round(time.monotonic() - self._last, 1),
            "events": self._events,
            "trouble": self._model.trouble,
        }
        return frame.answer(frame.ACCEPTED, json.dumps(value).encode())

    async def _drain(self, _request: frame.Request) -> bytes:
        for name in ("drain", "house", "embed"):
            await self._chore(name)
        waiting = await asyncio.to_thread(queue.waiting, self._store)
        return frame.answer(frame.ACCEPTED, json.dumps({"queue": waiting}).encode())

    async def _refresh(self, _request: frame.Request) -> bytes:
        await asyncio.to_thread(self._settings.refresh)
        self._chores.look_again()
        self._ring()
        return frame.answer(frame.ACCEPTED)

    async def _stop(self, _request: frame.Request) -> bytes:
        self._leave.set()
        return frame.answer(frame.ACCEPTED)


def _is_git(request: frame.Request) -> bool:
    return bool(request.fields) and request.fields[0].partition(":")[0] == "git"
