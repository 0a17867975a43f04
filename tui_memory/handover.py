"""What `hook.py` does: one event, from its standard input to the store.

It hands the bytes to the worker, waits until they are committed, prints what the agent may be told and leaves:
always with status 0, within a second, never with a word about itself. Without a worker a child process stores the
event (`fallback`), so that a hang in the store cannot hold the agent up either.

Only built-in and C modules here, and no __future__ import: each module read from disk costs a tenth of the whole run.
"""

import gc
import posix
import sys
import time

DEADLINE = 0.93  # seconds for everything, of the agent's patience of 1 s
PATIENCE = 0.45  # of which the worker may take this much, from the first byte to its answer: the child has the rest
RESERVE = 0.2  # of which this much is left for starting the child, however long the reading took
PAYLOAD_LIMIT = 64 << 20  # bytes read of one event
ANSWER_LIMIT = 1 << 20
MAGIC = b"TM1\n"
SECRET_NAMES = (b"TOKEN", b"SECRET", b"PASSW", b"PASSPHRASE", b"_KEY", b"APIKEY", b"CREDENTIAL")
PROJECT_DIRS = (b"CLAUDE_PROJECT_DIR", b"GEMINI_PROJECT_DIR", b"CURSOR_PROJECT_DIR", b"DEVIN_PROJECT_DIR")
SOCKET_PATH_LIMIT = 100


def main() -> None:
    """One event, from stdin to the store. Does not return."""
    try:
        if posix.environ.get(b"TUI_MEMORY_OFF", b"0") in (b"", b"0") and len(sys.argv) > 1:
            watch()
            hold_standard_streams()
            answer = deliver(sys.argv)
            while answer:
                answer = answer[posix.write(1, answer) :]
    except Exception:
        # Whatever it is (a closed pipe, no memory), the agent must not see it: an error here may block its prompt.
        posix._exit(0)
    posix._exit(0)


def watch() -> None:
    """Have the process leave at the deadline, whatever it waits for; a child goes on where there is an event."""
    import _signal  # type: ignore[import-not-found]

    def leave(*_: object) -> None:
        raise TimeoutError

    _signal.signal(_signal.SIGALRM, leave)
    _signal.setitimer(_signal.ITIMER_REAL, DEADLINE)


def hold_standard_streams() -> None:
    """Fill closed standard streams with /dev/null: a socket that takes their number would receive the answer."""
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        while (descriptor := posix.open("/dev/null", posix.O_RDWR)) <= 2:
            continue
        posix.close(descriptor)


def deliver(arguments: list[str]) -> bytes:
    """Read the event and hand it over; what is to be printed."""
    began = time.monotonic()
    agent = arguments[1]
    if len(arguments) > 3 and arguments[2] == "--event":
        agent += ":" + arguments[3]
    parts: list[bytes] = []
    try:
        read_event(parts)
    except TimeoutError:  # a large event on a busy machine: the child reads what is still to come
        if not parts:
            return b""
    payload = b"".join(parts)
    if not payload.strip():
        return b""
    home = store_home()
    fields = [b"event", agent.encode("utf-8", "replace"), posix.urandom(16).hex().encode(), working_directory()]
    fields.append(next((posix.environ[name] for name in PROJECT_DIRS if posix.environ.get(name)), b""))
    fields += secrets()
    header = b"\0".join(fields)
    try:
        return ask_worker(home, header, payload, min(time.monotonic() + PATIENCE, began + DEADLINE - RESERVE), began)
    except OSError:
        # No worker, or none in time: the child does it, under the same delivery id.
        return in_child(home, header, payload, began, late=is_late(began))


def read_event(parts: list[bytes]) -> None:
    """Add all of stdin to the parts, up to the limit."""
    size = sum(map(len, parts))
    while size < PAYLOAD_LIMIT and (part := posix.read(0, 1 << 20)):
        parts.append(part)
        size += len(part)


def store_home() -> bytes:
    """The store's directory: as `places.home`, which needs modules that are too slow for here."""
    environ = posix.environ
    given = environ.get(b"TUI_MEMORY_HOME", b"")
    user = environ.get(b"HOME", b"")
    if not user and not given.startswith(b"/"):
        import pwd

        user = pwd.getpwuid(posix.getuid()).pw_dir.encode()
    if given:
        if given == b"~" or given.startswith(b"~/"):
            given = user + given[1:]
        return given if given.startswith(b"/") else working_directory() + b"/" + given
    data = environ.get(b"XDG_DATA_HOME", b"")
    if sys.platform == "darwin":
        data = user + b"/Library/Application Support"
    elif not data.startswith(b"/"):
        data = user + b"/.local/share"
    return data + b"/tui-memory"


def working_directory() -> bytes:
    """The working directory, empty where it was deleted."""
    try:
        return posix.getcwdb()
    except OSError:
        return b""


def secrets() -> list[bytes]:
    """NAME=value of the environment's secrets: they are masked wherever the event repeats them, and never stored."""
    found = []
    for name, value in posix.environ.items():
        upper = name.upper()
        if 8 <= len(value) <= 4096 and value[:1] != b"/" and any(part in upper for part in SECRET_NAMES):
            found.append(name + b"=" + value)
    return found[:64]


def is_late(began: float) -> bool:
    """Whether the deadline has come: the alarm rings once."""
    return time.monotonic() - began > DEADLINE - 0.01


def ask_worker(home: bytes, header: bytes, payload: bytes, until: float, began: float) -> bytes:
    """Send one event, wait for its commitment; the answer to print. OSError where that fails, or lasts till `until`."""
    import _socket

    if is_late(began):
        raise TimeoutError  # the event is not whole yet
    channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    channel.settimeout(left(until))
    channel.connect(socket_path(home))
    channel.settimeout(left(until))
    channel.sendall(MAGIC + len(header).to_bytes(4, "big") + len(payload).to_bytes(4, "big") + header)
    channel.settimeout(left(until))
    channel.sendall(payload)
    head = receive(channel, 5, until)
    size = int.from_bytes(head[1:], "big")
    if head[:1] == b"E" or size > ANSWER_LIMIT:
        raise OSError("the worker could not store the event")
    return receive(channel, size, until)


def left(until: float) -> float:
    """Seconds until then; never nothing, which would mean not to wait at all for what is there."""
    return max(until - time.monotonic(), 0.001)


def receive(channel: "_socket.socket", size: int, until: float) -> bytes:  # type: ignore[name-defined]  # noqa: F821
    """Exactly `size` bytes; OSError where the other side ends before, or they are not there in time."""
    parts = b""
    while len(parts) < size:
        channel.settimeout(left(until))
        part = channel.recv(size - len(parts))
        if not part:
            raise OSError("the worker hung up")
        parts += part
    return parts


def socket_path(home: bytes) -> bytes:
    """The worker's socket beside the store, or where worker.json says when that path is too long for the system."""
    path = home + b"/hook.sock"
    if len(path) <= SOCKET_PATH_LIMIT:
        return path
    descriptor = posix.open(home + b"/worker.json", posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        said = posix.read(descriptor, 4096)
    finally:
        posix.close(descriptor)
    return said.partition(b'"socket": "')[2].partition(b'"')[0]


def in_child(home: bytes, header: bytes, payload: bytes, began: float, *, late: bool = False) -> bytes:
    """Store the event in a child process of its own session; its answer, or nothing where it takes too long.

    The child goes on when this process has to leave: a locked database is waited for, not given up. `late`: it has to
    leave now, and the rest of the event is still to be read.
    """
    reader, writer = posix.pipe()
    if posix.fork() == 0:
        try:
            posix.close(reader)
            gc.disable()  # it would look through every class made from here on, for a process of one event
            sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0])
            from tui_memory import fallback

            if late:
                fallback.detach((0, writer))
                rest = [payload]
                read_event(rest)
                payload = b"".join(rest)
            fallback.run(home, header, payload, writer, began)
        finally:
            posix._exit(0)
    posix.close(writer)
    answer = b""
    if late:
        return answer
    while part := posix.read(reader, 1 << 16):
        answer += part
    return answer


if __name__ == "__main__":
    main()
