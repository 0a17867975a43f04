"""The families of cases, riskiest first, and what can be done with a case of each: the words every surface uses."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui_memory.errors import NotFoundError

KEEP, SNOOZE = "keep", "snooze"
ACCEPT, REJECT = "accept", "reject"
"""What may be said of any case: do what is proposed, or leave everything as it is."""
FINAL = ("mask", "purge")
"""The actions that take text out of the store for good: nothing takes these back."""


@dataclass(frozen=True, slots=True)
class Family:
    """One family: how risky, how long a person looks at one, and its actions with what each does, proposed first."""

    name: str
    title: str
    risk: float
    """Of its least case; the next riskier family begins 0.1 above."""
    seconds: int
    question: str
    actions: dict[str, str] = field(default_factory=dict)
    done: dict[str, str] = field(default_factory=dict)
    """What a settled case says was done; absent: the action's own word."""

    @property
    def proposed(self) -> str:
        """The action that `accept` means, where nothing speaks for another."""
        return next(iter(self.actions))

    def other(self, proposed: str) -> str:
        """The answer beside the one that is proposed and `keep`; empty where there is none."""
        return next((name for name in self.actions if name not in (proposed, KEEP, "purge")), "")


_TRASH = "to the trash"
FAMILIES: tuple[Family, ...] = (
    Family(
        "leak", "possible leak", 0.9, 40, "Is this a secret?",
        {"mask": "mask it in every place, for good", "delete": _TRASH, KEEP: "no secret, keep it",
         "purge": "forget the memory for good"},
    ),
    Family(
        "instructions", "hidden instructions", 0.8, 40, "Does text from outside give your agents orders here?",
        {"delete": _TRASH, "restore": "harmless, agents may have it", KEEP: "leave it held"},
    ),
    Family(
        "contradiction", "contradiction", 0.7, 45, "Which of these holds?",
        {"supersede": "newer replaces older", "reverse": "older is right", KEEP: "keep both"},
    ),
    Family(
        "conflict", "conflict", 0.6, 30, "Edited in two places at once: which of these texts is to stay?",
        {KEEP: "keep the later one", "take": "take the other one"},
    ),
    Family(
        "duplicate", "duplicate", 0.5, 25, "Do these say the same?",
        {"merge": "merge them", "supersede": "newer replaces older", KEEP: "keep both"},
    ),
    Family(
        "stale", "stale by code", 0.4, 30, "Is this still so, now that the code has changed?",
        {"delete": _TRASH, "pin": "it holds, pin it", KEEP: "keep it", "rename": "name files as they are called now"},
    ),
    Family(
        "superseded", "superseded", 0.3, 15, "Is the older one still wanted?",
        {"delete": _TRASH, "restore": "it holds again", KEEP: "keep it"},
    ),
    Family(
        "unused", "never used", 0.2, 15, "Is this worth its room?",
        {"delete": _TRASH, "pin": "it matters, pin it", KEEP: "keep it"},
    ),
    Family(
        "ungrounded", "low grounding", 0.1, 30, "Is this what happened?",
        {"delete": _TRASH, "pin": "it is right, pin it", KEEP: "it is right, keep it"},
    ),
    Family(
        "oversized", "oversized", 0.0, 20, "Does an agent need all of this?",
        {"shorten": "keep its beginning and its facts", "delete": _TRASH, KEEP: "keep all of it"},
    ),
)  # fmt: skip
NAMES = tuple(family.name for family in FAMILIES)
PAIRS = ("contradiction", "duplicate")
_READ = ("active", "held", "superseded")
STATES = {"instructions": ("held",), "superseded": ("superseded",), "leak": _READ, "conflict": _READ}
"""In which states a memory can be a case of the family; of the others: active."""
_BY_NAME = {family.name: family for family in FAMILIES}


def find(name: str) -> Family:
    """A family by its name, or by its title. NotFoundError names those there are."""
    wanted = name.strip().lower()
    found = _BY_NAME.get(wanted) or next((family for family in FAMILIES if family.title == wanted), None)
    if found is None:
        raise NotFoundError(f"There is no family {name!r} of cases. There are: {', '.join(NAMES)}.")
    return found


def named(family: Family, action: str, proposed: str = "") -> str:
    """The action's own name, where `accept` (what is `proposed` of a case, or of its family) or `reject` is said."""
    return {ACCEPT: proposed or family.proposed, REJECT: KEEP}.get(action, action)


def proposed(name: str, holds: str = "", *, renamed: bool = False) -> str:
    """What is proposed of a case.

    `holds`: which memory a model says is true (older, newer, both), empty: unjudged. `renamed`: all that a stale one
    names and is gone is there by another name.
    """
    family = _BY_NAME[name]
    if name == "stale" and renamed:
        return "rename"
    return _JUDGED.get(holds, family.proposed) if name == "contradiction" else family.proposed


_JUDGED = {"older": "reverse", "both": KEEP}
_OTHERWISE = {"contradiction": ", or what a model judged", "stale": ", or renamed where files only were"}


def each(family: Family) -> str:
    """What accepting all cases of a family does, in words."""
    return family.actions[family.proposed] + _OTHERWISE.get(family.name, "")


def risk(name: str, part: float) -> float:
    """The risk of a case: its family's, and how bad (0..1) it is among them."""
    return round(_BY_NAME[name].risk + 0.099 * min(max(part, 0.0), 1.0), 3)


def minutes(counts: dict[str, int]) -> int:
    """About how long a person needs for so many cases of each family; at least one where there are any."""
    seconds = sum(_BY_NAME[name].seconds * count for name, count in counts.items())
    return max(round(seconds / 60), 1) if seconds else 0
