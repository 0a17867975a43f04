"""What Live shows of all that came: by words, kind, agent, session, and whether it failed."""

from __future__ import annotations

from typing import Any

from tui_memory.light import dataclass, replace
from tui_memory.model import Filters, Observation
from tui_memory.tui import describe


@dataclass(frozen=True, slots=True)
class Sieve:
    """Kind, agent and session are asked of the store; words and failures are looked for in what was read."""

    words: tuple[str, ...] = ()
    kind: str = ""
    agent: str = ""
    session: str = ""
    errors: bool = False

    def filters(self, project: str) -> Filters:
        """The part that the store answers; project empty: all."""
        return Filters(
            project=project or None,
            kind=(self.kind,) if self.kind else (),
            agent=(self.agent,) if self.agent else (),
            session=(self.session,) if self.session else (),
        )

    @property
    def looks_inside(self) -> bool:
        """Whether rows are left out after they were read."""
        return self.errors or bool(self.words)

    def passes(self, row: Observation) -> bool:
        """Whether a row that was read is shown."""
        if self.errors and not failed(row):
            return False
        if not self.words:
            return True
        named = (row.kind, describe.kind(row.kind), row.tool, row.agent, row.session, row.branch, row.state)
        fields = (row.text, *named, *row.files)
        hay = "\n".join(fields).lower()
        return all(word in hay for word in self.words)

    def said(self) -> list[str]:
        """Each part that holds, in a word or two, in the order esc ends them."""
        parts = [f"“{describe.line(' '.join(self.words), 30)}”"] if self.words else []
        parts += ["errors only"] if self.errors else []
        parts += [f"kind {describe.line(describe.kind(self.kind), 12)}"] if self.kind else []
        parts += [f"agent {describe.line(self.agent, 16)}"] if self.agent else []
        return parts + ([f"session {describe.line(self.session, 12)}"] if self.session else [])

    def less(self) -> Sieve:
        """Without the part that esc ends next; words are ended in their box."""
        for name in ("errors", "kind", "agent", "session"):
            if getattr(self, name):
                ended: dict[str, Any] = {name: False if name == "errors" else ""}
                return replace(self, **ended)
        return self


def failed(row: Observation) -> bool:
    """Whether something went wrong in it: an error, a command that left with a code, a turn not compressed."""
    code = row.detail.get("exit_code")
    return row.kind == "error" or code not in (None, 0, "") or row.state == "failed"
