"""How the application asks the engine: never in a key's handler, always in a thread; answers come as messages.

Reading is exclusive by group: a newer question makes the older one's answer void. Changes go down one lane, in
the order the keys were pressed, and are finished before the application leaves. Where the answer is what the next keys
are for, as a dialog is, they wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from textual.worker import Worker, WorkerState, get_current_worker

from tui_memory.errors import TuiMemoryError

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from tui_memory.engine.memory import Memory

T = TypeVar("T")
Failed = Callable[[TuiMemoryError], object]


class Host(Protocol):
    """What asking needs of the application."""

    opened: Future[Memory]
    """The store, once it is open; its error where it cannot be."""
    changes: ThreadPoolExecutor
    """The one lane of changes."""

    def report(self, error: TuiMemoryError) -> None:
        """Show what went wrong as a toast."""

    def unforeseen(self, error: Exception) -> TuiMemoryError:
        """An error nobody raised on purpose, logged and put into words."""

    def expect(self, call_off: Callable[[], object] | None) -> Callable[[bool], None]:
        """Keys wait until what this gives is called with whether what they are for came."""


def host(node: DOMNode) -> Host:
    """The application a node belongs to."""
    return cast(Host, node.app)


def ask(
    node: DOMNode,
    group: str,
    question: Callable[[Memory], T],
    then: Callable[[T], object],
    *,
    failed: Failed | None = None,
) -> None:
    """Ask in a thread and hand the answer to `then` in the application's own; void if asked anew meanwhile."""
    app = host(node)

    def deliver(worker: Worker[None], receive: Callable[[], object]) -> None:
        if worker.state is not WorkerState.CANCELLED:
            receive()

    def body() -> None:
        worker = get_current_worker()
        receive = _attempt(app, lambda memory: _fresh(memory, question, lambda: worker.is_cancelled), then, failed)
        if not worker.is_cancelled:
            node.call_later(deliver, worker, receive)

    node.run_worker(body, name=group, group=group, description=group, thread=True, exclusive=True, exit_on_error=False)


def lead(
    node: DOMNode,
    group: str,
    question: Callable[[Memory], T],
    then: Callable[[T], object],
    *,
    failed: Failed | None = None,
) -> None:
    """As `ask`, where `then` shows what the next keys are for: they wait for it, and are nobody's where it fails."""
    app = host(node)
    then, failed = _leading(app, then, failed, lambda: node.workers.cancel_group(node, group))
    ask(node, group, question, then, failed=failed)


def _leading(
    app: Host, then: Callable[[T], object], failed: Failed | None, call_off: Callable[[], object] | None
) -> tuple[Callable[[T], object], Failed]:
    """The same two, which let the keys go on."""
    arrived = app.expect(call_off)

    def came(answer: T) -> None:
        try:
            then(answer)
        finally:
            arrived(True)

    def came_not(error: TuiMemoryError) -> None:
        (failed or app.report)(error)
        arrived(False)

    return came, came_not


def _fresh(memory: Memory, question: Callable[[Memory], T], is_stale: Callable[[], bool]) -> T:
    """The answer; its queries end as soon as nobody waits for it: a stale count of a million must not slow the next."""
    with memory.store.cancelling(is_stale):
        return question(memory)


def change(
    node: DOMNode,
    deed: Callable[[Memory], T],
    then: Callable[[T], object],
    *,
    failed: Failed | None = None,
    leads: bool = False,
) -> None:
    """Make a change after all earlier ones, and hand what came of it to `then`. `leads`: keys wait, as for `lead`."""
    app = host(node)
    if leads:
        then, failed = _leading(app, then, failed, None)
    app.changes.submit(lambda: node.call_later(_attempt(app, deed, then, failed)))


def _attempt(
    app: Host, question: Callable[[Memory], T], then: Callable[[T], object], failed: Failed | None
) -> Callable[[], object]:
    """What is to be done with the answer, or with the error."""
    try:
        answer = question(app.opened.result())
    except TuiMemoryError as error:
        kept = error
    except Exception as error:  # a defect: said and logged, and the application goes on
        kept = app.unforeseen(error)
    else:
        return lambda: then(answer)
    return lambda: (failed or app.report)(kept)
