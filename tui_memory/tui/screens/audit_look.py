"""How a case is drawn: its memories with what differs marked, what speaks for the proposal, title and progress."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from tui_memory.clock import parse_iso
from tui_memory.model import Memory
from tui_memory.safetext import clean, one_line
from tui_memory.tui import describe, formats
from tui_memory.tui.describe import MOST, Part
from tui_memory.upkeep.audit import families, leaks

if TYPE_CHECKING:
    from tui_memory.engine.auditing import Overview
    from tui_memory.engine.memory import Memory as Engine
    from tui_memory.upkeep.audit.cases import Case

MARKED = "bold underline $text-warning"
"""What only one of two memories says; underlined, so that it is seen without colours."""
_COMPARED = 4_000
"""Words of a text that are compared with another's."""
_WORD = re.compile(r"\S+|\s+")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A case as the screen shows it, made in a thread."""

    case: Case
    sides: tuple[Content, ...]
    says: Content
    head: Content


@dataclass(frozen=True, slots=True)
class Said:
    """What a memory says, in pieces: its title, and the rest."""

    title: list[Part]
    body: list[Part]


def draw(case: Case) -> Drawn:
    """Everything of a case, as text for its panes."""
    texts = [_parts(memory) for memory in case.rows]
    said = _compared(*texts) if len(texts) == 2 else [Said([(texts[0][0], "")], [(texts[0][1], "")])]
    sides = tuple(
        _side(memory, told, str(side["commit"]), parts)
        for memory, told, side, parts in zip(case.rows, _told(case), case.evidence["sides"], said, strict=True)
    )
    return Drawn(case, sides, _says(case), _head(case))


def _told(case: Case) -> list[str]:
    """Of each side which it is, and its age: of two texts of one memory where each was written, and when."""
    if written := case.evidence.get("written"):
        names = ("the other text", "the current text")
        said = [f"{formats.age(parse_iso(one['at']))} · {_writer(one)}" for one in written]
        return [f"{name}, {age}" for name, age in zip(names, said, strict=True)]
    ages = [formats.age(memory.created) for memory in case.rows]
    return [f"older, {ages[0]}", f"newer, {ages[1]}"] if len(ages) == 2 else ages


def _writer(text: Mapping[str, str]) -> str:
    """Whose a text is: one of the team's, or the device's it was written on."""
    if text["writer"]:
        return f"by {one_line(text['writer'], 24)}"
    return f"device {one_line(text['device'], 8) or '?'}"


def _head(case: Case) -> Content:
    family = families.find(case.family)
    project = case.rows[0].project or "all projects"
    return Content.assemble(
        (family.title, "bold $text-accent"), (f" ── {case.risk:.2f} ", ""),
        (f"· case {case.id} · {describe.line(project, 40)}", "$tm-muted"),
    )  # fmt: skip


def _says(case: Case) -> Content:
    lines = [one_line(str(line), 400) for line in case.evidence["says"]]
    return Content("\n").join([Content.assemble(("› ", "$text-accent"), (line, "")) for line in lines])


def _parts(memory: Memory) -> tuple[str, str]:
    """What is compared: the title, and everything else that a memory says."""
    facts = "\n".join(f"· {fact}" for fact in memory.facts[:50])
    summary = "" if memory.summary in memory.text else memory.summary
    body = [summary, memory.text, f"Facts\n{facts}" if facts else ""]
    return describe.line(memory.title), clean("\n\n".join(part for part in body if part)).expandtabs(4)[:MOST]


def _compared(first: tuple[str, str], second: tuple[str, str]) -> list[Said]:
    """Titles and bodies of two memories, with what only one of them says marked."""
    titles, bodies = differences(first[0], second[0]), differences(first[1], second[1])
    return [Said(title, body) for title, body in zip(titles, bodies, strict=True)]


def differences(first: str, second: str) -> tuple[list[Part], list[Part]]:
    """Two clean texts in pieces; the words that the other does not have, in their place, are marked."""
    from rapidfuzz.distance import LCSseq

    left, right = _WORD.findall(first), _WORD.findall(second)
    mine: list[Part] = []
    other: list[Part] = []
    for one in LCSseq.opcodes(left[:_COMPARED], right[:_COMPARED]):
        same = one.tag == "equal"
        _add(mine, "".join(left[one.src_start : one.src_end]), same)
        _add(other, "".join(right[one.dest_start : one.dest_end]), same)
    _add(mine, "".join(left[_COMPARED:]), True)
    _add(other, "".join(right[_COMPARED:]), True)
    return mine, other


def _add(parts: list[Part], text: str, same: bool) -> None:
    if text:
        parts.append((text, "" if same or text.isspace() else MARKED))


def _side(memory: Memory, told: str, commit: str, said: Said) -> Content:
    """One memory: which it is, its title, where it comes from, what it says."""
    kind = one_line(memory.kind, 20)
    state = "" if memory.state == "active" else f" · {describe.MEMORY_GLYPHS.get(memory.state, '·')} {memory.state}"
    pinned = " · ▲ pinned" if memory.pinned else ""
    used = f"used {memory.uses}×" if memory.uses else "never used"
    origin = [f"session {formats.session(memory.session)}"] if memory.session else []
    origin += [f"commit {one_line(commit[:7])}"] if commit else []
    pieces: list[Part] = [(f"{told}{state}{pinned}\n", "$tm-muted"), ("“", "")]
    pieces += [(text, f"bold {style}".strip()) for text, style in said.title if text] or [("(no title)", "bold")]
    pieces.append((f"”\n#{memory.id} · {kind} · {used} · {formats.tokens(memory.tokens)}\n", "$tm-muted"))
    pieces.append((f"from {', '.join(origin)}" if origin else f"by {one_line(memory.made_by.route, 20)}", "$tm-muted"))
    pieces += [("\n\n", ""), *said.body] if any(text for text, _ in said.body) else []
    files = [describe.line(file, 80) for file in memory.files[:8]]
    pieces += [("\n\nFiles  ", "$tm-muted"), ("  ".join(files), "$tm-muted")] if files else []
    return Content.assemble(*pieces)


def whole(case: Case) -> str:
    """A case as plain text, for the view of whole texts."""
    blocks = [f"› {line}" for line in case.evidence["says"]]
    for memory in case.rows:
        blocks += [f"\n── #{memory.id} ──\n", describe.whole_memory(memory)]
    return "\n".join(blocks)


def sources(case: Case, memory: Engine) -> str:
    """The observations behind a case's memories, as plain text. Blocks."""
    blocks = []
    for row in {row.id: row for row in case.rows}.values():
        blocks.append(f"── #{row.id} {describe.line(row.title)} ──")
        for seen in memory.observation(row.sources):
            text = leaks.veiled(describe.observation_text(seen))
            blocks.append(f"{formats.moment(seen.time)} {describe.kind(seen.kind)} {one_line(seen.tool)}\n\n{text}")
        if not row.sources:
            blocks.append("None: a person or an agent wrote it, or they were removed since.")
    return "\n\n".join(blocks)


def title(seen: Overview) -> str:
    """What is left of the week, in words."""
    week = datetime.fromtimestamp(seen.since / 1000)
    left = formats.count(seen.open, "case") if seen.open else "all settled"
    minutes = f" · ≈ {seen.minutes} min" if seen.open else ""
    return f"week of {week.day} {week:%b} · {left}{minutes}"


def progress(seen: Overview) -> str:
    """How far it is: a bar, and the numbers."""
    total = seen.settled + seen.open
    if not total:
        return ""
    full = round(16 * seen.settled / total)
    return f"{'█' * full}{'░' * (16 - full)} {formats.number(seen.settled)} of {formats.number(total)}"


def border(seen: Overview, width: int) -> Content:
    """The pane's upper border: the week at its left, progress at its right; only the week where both do not fit."""
    left, right = title(seen), progress(seen)
    space = width - cell_len(left) - cell_len(right) - 2
    if not right or space < 1:
        return Content(left)
    return Content.assemble(left, (f" {'─' * space} ", "$tm-line"), (right, "$text-accent"))


def answers(case: Case) -> list[tuple[str, str, str]]:
    """What can be done with a case: key id, words, action of the screen; the proposed one first."""
    family = families.find(case.family)
    found = [("audit.accept", family.actions[case.proposed], "settle('accept')")]
    if case.proposed != families.KEEP:
        found.append(("audit.keep", family.actions[families.KEEP], "settle('keep')"))
    if other := family.other(case.proposed):
        found.append(("audit.other", family.actions[other], "settle('other')"))
    if "purge" in family.actions:
        found.append(("audit.forget", family.actions["purge"], "forget"))
    return [*found, ("audit.snooze", "snooze", "settle('snooze')")]
