"""`tui-memory` and `python -m tui_memory`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code, as the contract numbers them."""
    args = list(sys.argv[1:] if argv is None else argv)
    if args[:1] == ["hook"] and args[1:2] not in (["--help"], ["-h"]):
        # An agent waits for this: nothing that a hook does not need is imported.
        from tui_memory import hook

        sys.argv = ["tui-memory hook", *args[1:]]
        hook.main()
    try:
        from tui_memory.surfaces.cli.main import run
    except KeyboardInterrupt:  # Ctrl-C before there is anything to interrupt
        return 130
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
