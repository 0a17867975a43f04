"""What `hook.py` does: one event, from its standard input to the store.

It hands the bytes to the worker, waits until they are committed, prints what the agent may be told and leaves:
always with status 0, within a second, never with a word about itself. Without a worker a child process stores the
event (`fallback`), so that a hang in the store cannot hold the agent up either. When the second is over, wherever this
process is then, it leaves, and a copy of it that the agent knows nothing of goes on at that place. What fails all the
same is a line in hook.log.

Only built-in and C modules here, and no __future__ import: each module read from disk costs a tenth of the whole run.
"""

import gc
import posix
import sys
import time

DEADLINE = 0.93  # seconds for everything, of the agent's patience of 1 s
PATIENCE = 0.45  # of which the worker may take this much to its answer: the child has the rest
LIFETIME = 30  # seconds that a copy goes on for, where the event does not come to its end
PAYLOAD_LIMIT = 64 << 20  # bytes read of one event
ANSWER_LIMIT = 1 << 20
MOST_LOST = 1_000  # files that each stand for an event which found the disk full
LOG_LIMIT = 256_000  # bytes
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
    """Have the process leave at the deadline, and whenever somebody ends it; a copy of it goes on."""
    import _signal  # type: ignore[import-not-found]

    on_signals(go_on_alone)
    _signal.setitimer(_signal.ITIMER_REAL, DEADLINE)


def on_signals(handler: object) -> None:
    """What to do when the time is up, or the agent, a person or a terminal that closes ends this process."""
    import _signal

    for number in (_signal.SIGALRM, _signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, handler)


def go_on_alone(*_: object) -> None:
    """Leave, and go on in a copy at the same place, out of the agent's reach; the agent waits for none of its streams.

    Nothing is raised here: between any two instructions that would lose what has just been read. The copy still reads
    the agent's stdin where the event is not whole; of a terminal, where a person tries the hook, it must not.
    """
    import _signal

    if posix.isatty(0) or posix.fork():
        posix._exit(0)
    stand_apart(0)
    _signal.signal(_signal.SIGALRM, stay)
    _signal.raise_signal(_signal.SIGALRM)  # a deadline that came with what ended it is noted still: not for the copy
    _signal.signal(_signal.SIGALRM, give_up)
    _signal.alarm(LIFETIME)


def stand_apart(keeping: int) -> None:
    """Leave the agent's session and its streams but that one, in a process that it does not know."""
    try:  # noqa: SIM105 - contextlib would be read from the disk
        posix.setsid()
    except PermissionError:
        pass  # a copy that went on here has a session of its own already
    null = posix.open("/dev/null", posix.O_RDWR)
    for descriptor in (0, 1, 2):
        if descriptor != keeping:
            posix.dup2(null, descriptor)
    if null > 2:
        posix.close(null)


def leave(*_: object) -> None:
    """Be done."""
    posix._exit(0)


def stay(*_: object) -> None:
    """Go on."""


def give_up(*_: object) -> None:
    """Wait no longer."""
    raise TimeoutError


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
    home = b""
    try:
        home = store_home()
        payload = read_event()
        if not payload.strip():
            return b""
        fields = [b"event", agent.encode("utf-8", "replace"), posix.urandom(16).hex().encode(), working_directory()]
        fields.append(next((posix.environ[name] for name in PROJECT_DIRS if posix.environ.get(name)), b""))
        fields += secrets()
        header = b"\0".join(fields)
        try:
            return ask_worker(home, header, payload)
        except OSError:
            # No worker, or none in time: the child does it, under the same delivery id.
            return in_child(home, header, payload, agent, began)
    except Exception as error:
        note(home, agent, error, began)
        return b""


def read_event() -> bytes:
    """All of stdin, up to the limit. What is there when nobody waits any longer is given as it is: counted at least."""
    parts: list[bytes] = []
    size = 0
    try:
        while size < PAYLOAD_LIMIT and (part := posix.read(0, 1 << 20)):
            parts.append(part)
            size += len(part)
    except TimeoutError:
        if not parts:
            raise
    return b"".join(parts)


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


def ask_worker(home: bytes, header: bytes, payload: bytes) -> bytes:
    """Send one event, wait for its commitment; the answer to print. OSError where that fails or takes too long."""
    import _socket

    until = time.monotonic() + PATIENCE
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


def in_child(home: bytes, header: bytes, payload: bytes, agent: str, began: float) -> bytes:
    """Store the event in a child process of its own session; its answer, or nothing where it takes too long.

    The child goes on when this process has to leave: a locked database is waited for, not given up.
    """
    reader, writer = posix.pipe()
    if posix.fork() == 0:
        try:
            posix.close(reader)
            gc.disable()  # it would look through every class made from here on, for a process of one event
            sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0])
            stand_apart(writer)
            load_fallback().run(home, header, payload, writer)
        except Exception as error:
            note(home, agent, error, began)
        finally:
            posix._exit(0)
    on_signals(leave)  # the child has all there is: no copy of this is needed
    posix.close(writer)
    answer = b""
    while part := posix.read(reader, 1 << 16):
        answer += part
    return answer


def load_fallback() -> "ModuleType":  # type: ignore[name-defined]  # noqa: F821
    """The module, of a program that may just be replaced by another version: then a little later."""
    for pause in (0.3, 1, 3, 0):
        try:
            from tui_memory import fallback
        except Exception:  # a file that is not there yet, or half of one
            if not pause:
                raise
            for name in [name for name in sys.modules if name.partition(".")[0] == "tui_memory"]:
                del sys.modules[name]
            sys.path_importer_cache.clear()
            time.sleep(pause)
        else:
            return fallback


def note(home: bytes, agent: str, error: BaseException, began: float) -> None:
    """One line about what failed, without a word of the event; where even that fails there is nobody to tell."""
    known = agent if agent.isascii() and agent.replace("-", "").replace(":", "").isalnum() else "?"
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {known[:40]!r} {type(error).__name__}"
    line += f" after {(time.monotonic() - began) * 1000:.0f} ms: not stored\n"
    path = home + b"/log/hook.log"
    if not home:
        return  # this user has no home, so there is no store
    for folder in (home, home + b"/log"):
        try:
            posix.mkdir(folder, 0o700)
        except OSError:
            continue  # it is there, or the next step fails
    try:
        descriptor = posix.open(path, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
        posix.write(descriptor, line.encode())
        if posix.fstat(descriptor).st_size > LOG_LIMIT:
            posix.rename(path, path + b".1")
        posix.close(descriptor)
    except OSError:
        note_without_room(home, known[:40])


def note_without_room(home: bytes, agent: str) -> None:
    """On a full disk an empty file is what can still be made: its name is the line. On a read-only one nothing can."""
    folder = home + b"/log/"
    name = f"lost-{time.time_ns() // 1_000_000}-{posix.getpid()}-{agent.partition(':')[0]}"
    try:
        if len(posix.listdir(folder)) < MOST_LOST:
            posix.close(posix.open(folder + name.encode(), posix.O_WRONLY | posix.O_CREAT | posix.O_CLOEXEC, 0o600))
    except OSError:
        return  # a read-only home: the agent must not hear of it


if __name__ == "__main__":
    main()
