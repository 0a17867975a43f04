"""One line in the index a session starts with where more than a tenth of the turns could not be compressed."""

from __future__ import annotations

import pytest

from tui_memory import Memory

WHERE = {"session_id": "s", "cwd": "/home/dev/orderly"}


@pytest.mark.parametrize(("failed", "said"), [(0, False), (1, False), (2, True)])
def test_the_index_says_that_turns_fail_where_more_than_a_tenth_do(memory: Memory, failed: int, said: bool) -> None:
    memory.add_many([{"title": "Retries stop at the deadline", "project": "orderly"}], embed=False)
    for number in range(10):
        session = WHERE | {"session_id": f"s{number}"}
        memory.capture("claude-code", session | {"hook_event_name": "UserPromptSubmit", "prompt": f"Mend {number}"})
        memory.capture("claude-code", session | {"hook_event_name": "Stop", "last_assistant_message": "Mended it."})
    with memory.store.transaction() as connection:
        connection.execute("UPDATE queue SET state = 'done'")
        connection.execute("UPDATE queue SET state = 'failed' WHERE rowid <= ?", (failed,))
    text = memory.context(project="orderly", prompt=None).text
    assert "Retries stop at the deadline" in text
    assert (f"{failed} turns could not be compressed" in text) is said
    assert text.count("\n") < 12
