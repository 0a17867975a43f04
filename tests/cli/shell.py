"""A way to type commands in a test's own process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner

from tui_memory.surfaces.cli.main import run


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as the JSON it must be."""
        assert self.code == 0, self.err
        return json.loads(self.out)


class Shell:
    """Types commands: `shell("list", "--json")`."""

    def __call__(self, *args: str, stdin: str | bytes | None = None) -> Answer:
        with CliRunner().isolation(input=stdin) as (out, err, _):
            code = run(args)
            return Answer(code, out.getvalue().decode(), err.getvalue().decode())
