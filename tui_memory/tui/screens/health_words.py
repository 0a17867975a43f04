"""What each check of Health means, and what was and was not done: the sentences, apart from how they are drawn."""

from __future__ import annotations

from tui_memory.light import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """One check in a person's words. `means` and `done` are said where it is not ready."""

    title: str
    means: str = ""
    done: str = ""
    broken: bool = False
    """A failure of this is worse than degraded."""
    deed: str = ""
    """The mend that is run here; empty: its command is to be copied."""
    verb: str = ""
    """What enter does, in a word or two."""


CHECKS = {
    "store": Words(
        "store",
        "A part of the database file is damaged, so that some rows may be lost or wrong.",
        "Nothing was changed. Stop the agents, keep a copy of the folder, then put a back-up in its place.",
        broken=True,
    ),
    "sqlite": Words("SQLite"),
    "modes": Words(
        "permissions",
        "Other users of this machine can look into the folder. The files inside are still their owner's alone.",
        "Nothing was changed. Enter makes the folder private.",
        deed="private",
        verb="closes it",
    ),
    "settings": Words(
        "settings",
        "What to mask and to ignore is not known, so hooks keep only that something happened, and no text of it.",
        "Nothing was changed. Correct the file: the next event is stored whole again.",
    ),
    "values": Words(
        "what settings say",
        "Where it is a route, turns wait and become no memories; a half-life, and the limits are not kept; a profile,"
        " and searches are refused.",
        "Nothing was lost: what waits is done once the file is corrected.",
    ),
    "disk": Words(
        "disk",
        "When it is full, what happens is counted and not kept, and a purge or a rebuild cannot be done.",
        "Nothing was lost yet. Make room there, or move the store's folder and name it by TUI_MEMORY_HOME.",
    ),
    "worker": Words(
        "worker",
        "Without it nothing is compressed or embedded, and a search finds words only.",
        "Nothing is lost: hooks store events by themselves, and the next one starts a worker.",
        deed="start",
        verb="starts it",
    ),
    "embedding": Words(
        "embedding model",
        "A search finds words only, not meaning; what has no vectors gets them once the model is there.",
        "Nothing was lost or sent anywhere: models are never fetched without being asked for.",
    ),
    "backup": Words(
        "back-up",
        "What was remembered since the last back-up is on this disk alone.",
        "The earlier back-ups are as they were. Whatever calls the command may not have run: look at it.",
    ),
    "sync": Words(
        "sync",
        "What was remembered here since is not on your other devices, nor theirs here.",
        "Both sides are as they were; the next sync goes on from there.",
    ),
    "hub": Words(
        "team's hub",
        "What others share may be missing from a search, and what is shared or was purged here may not be there yet.",
        "Nothing here was changed. Its line says what was wrong; the command says whether it answers now.",
    ),
    "log": Words(
        "write-ahead log",
        "What was written last is still in a side file, which makes reading slower as it grows.",
        "Nothing is lost. A worker folds it into the database.",
        deed="start",
        verb="starts a worker",
    ),
    "capture": Words(
        "capture",
        "What agents do now is counted, but not stored; it cannot be had later.",
        "What was captured before is all there.",
        deed="resume",
        verb="resumes it",
    ),
    "queue": Words(
        "compression",
        "More than one turn in ten could not be made into memories.",
        "Their events are stored and can be searched on Live; enter tries the turns again.",
        deed="retry",
        verb="tries again",
    ),
    "purge": Words(
        "purge",
        "Bytes of what was to be forgotten may still be in the file: a reader did not let go of it.",
        "No list and no search shows any of it. The worker finishes it once every reader has let go.",
        deed="start",
        verb="starts a worker",
    ),
    "redaction": Words(
        "redaction",
        "Some of what is stored was masked by older rules. Whatever is shown is masked by today's all the same.",
        "The file still holds it as it was. The worker goes over it; the command does it now.",
        deed="start",
        verb="starts a worker",
    ),
    "held": Words(
        "held memories",
        "They hold text from outside that reads as instructions to an agent, so no agent is given them.",
        "They are stored and shown to you alone. Enter lists them: a accepts one, d deletes it.",
        deed="held",
        verb="lists them",
    ),
    "agents": Words(
        "agents",
        "No agent writes here, so nothing new will be remembered.",
        "Nothing was changed. The command shows each change before it makes it.",
    ),
    "refused": Words(
        "events of hooks",
        "Events of the last day came to a hook that could store them nowhere; they cannot be had later.",
        "What was stored before is all there.",
    ),
    "unknown": Words(
        "unknown agents",
        "A hook calls this program by a name that is no agent's; what it sends is not kept.",
        "Nothing else was changed or lost.",
    ),
    "index": Words("search index"),
    "limits": Words(
        "limits",
        "The store is above what the settings allow, and nothing is left that may go.",
        "Nothing was deleted that is pinned, or whose days in the trash are not over.",
    ),
    "sample": Words(
        "sample",
        "The process that makes the sample has ended before it was done.",
        "What is here can be used. Leave with q and start it again.",
        broken=True,
    ),
}
AGENT = Words(
    "",
    "Its hook is not proved to work: what this agent does may not be remembered.",
    "Nothing was changed.",
)
FIRE = Words(AGENT.title, AGENT.means, f"{AGENT.done} Enter sends a made-up event through it and removes it again.",
             deed="fire", verb="proves it")  # fmt: skip
DROPS = {
    "duplicate": "the same event came again (a redelivery, or two agents' settings); it is stored once",
    "ignored": "it carries nothing to remember, or a rule of yours ignores its file",
    "paused": "capture was paused, or off",
    "private": "all of it was marked <private>",
    "error": "it could not be read, or not be stored; the error log has its id",
}
"""Why an event was not stored, by reason."""


def of(check: str, fix: str) -> Words:
    """The words of a check; those of agents by what mends them."""
    if check.startswith(("agent:", "fire:")):
        return FIRE if " doctor --fire " in f"{fix} " else AGENT
    return CHECKS.get(check, Words(check))
