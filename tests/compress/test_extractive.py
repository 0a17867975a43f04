"""Memories by rule: would a person keep them?"""

from __future__ import annotations

import pytest

from tests.compress.make import broke, commit, edited, observation, prompt, ran, read, said, turn
from tui_memory.compress import extractive, sentences
from tui_memory.compress.made import Made
from tui_memory.compress.turns import Turn
from tui_memory.model import Body, Kind
from tui_memory.store import rows


def whole(body: Body) -> str:
    """All that a memory says."""
    return "\n".join((body.title, body.summary, body.text, *body.facts))


def only(made: Turn) -> Made:
    """The one memory that a turn becomes."""
    found = extractive.make(made).made
    assert len(found) == 1, [one.body.title for one in found]
    return found[0]


def a_bug_fixed() -> Turn:
    """A turn that finds a cause, mends it, proves and commits it."""
    return turn(
        prompt("Three customers were charged twice after a gateway timeout. Find out why and fix it."),
        read("src/payments/service.py"),
        broke(
            "pytest -q tests/test_double.py",
            "E  AssertionError: assert 2 == 1\n1 failed",
            "AssertionError: assert 2 == 1",
        ),
        edited("src/payments/service.py", "key = uuid4().hex", 'key = f"order-{order.id}-{order.payment_round}"'),
        ran("pytest -q tests", "20 passed in 1.8s"),
        commit(
            "fix(payments): one idempotency key per order, not per attempt\n\nA timeout says nothing about the money."
            "\n\nFixes: #218",
            "src/payments/service.py",
        ),
        said(
            "Customers were charged twice because `PaymentService.charge` made a fresh key for every attempt. "
            "The key is now the same across attempts. All 20 tests pass."
        ),
    )


def test_a_mended_bug_tells_symptom_cause_and_outcome() -> None:
    body = only(a_bug_fixed()).body
    assert body.title == "One idempotency key per order, not per attempt"
    assert (body.tier, body.kind) == ("episodic", "bugfix")
    assert body.summary.startswith("Customers were charged twice because")
    for wanted in ("gateway timeout", "A timeout says nothing about the money.", "The key is now the same"):
        assert wanted in body.text
    assert "tests pass" not in whole(body), "that the tests passed is nobody's memory"
    assert body.files == ["src/payments/service.py"]
    assert body.labels == ["payments", "#218"]


@pytest.mark.parametrize("made", [a_bug_fixed(), turn(prompt("We always squash. Why: bisect."), said("Noted."))])
def test_each_thing_is_said_once(made: Turn) -> None:
    for one in extractive.make(made).made:
        said_so_far: list[str] = []
        for part in (one.body.summary, *one.body.text.split("\n\n"), *one.body.facts):
            for sentence in sentences.split(part.partition(": ")[2] or part):
                if len(sentences.words(sentence)) >= 4 and part != one.body.text:
                    assert sentence not in said_so_far
                    said_so_far.append(sentence)


def test_an_ordinary_turn_costs_an_agent_about_ninety_tokens() -> None:
    assert rows.tokens(only(a_bug_fixed()).body) <= 90


def test_its_sources_are_what_carries_it_and_not_what_was_only_read() -> None:
    made = a_bug_fixed()
    sources = only(made).sources
    kinds = {item.id: item.kind for item in made.observations}
    assert Kind.READ not in {kinds[source] for source in sources}
    assert {kinds[source] for source in sources} >= {Kind.PROMPT, Kind.ERROR, Kind.EDIT, Kind.COMMIT, Kind.RESPONSE}


def test_what_was_disproved_is_recorded_as_disproved() -> None:
    body = only(
        turn(
            prompt("I bet it's the load balancer's 60 s idle timeout. Raise it to 300 and see."),
            edited("deploy/ingress.yaml", 'timeout: "60"', 'timeout: "300"'),
            broke(
                "pytest -k staging",
                "E  TimeoutError: no message within 10s\n1 failed",
                "TimeoutError: no message within 10s",
            ),
            ran("git checkout -- deploy/ingress.yaml"),
            said("The load balancer's idle timeout is not the cause: with 300 the client still gets no message."),
        )
    ).body
    assert body.title == "The load balancer's idle timeout is not the cause"
    assert body.kind == "discovery"
    assert "dead-end" in body.labels
    assert "Disproved: I bet it's the load balancer's 60 s idle timeout." in body.text
    assert "was taken back" in body.text


def test_a_turn_about_a_rule_becomes_the_rule() -> None:
    body = only(
        turn(
            prompt(
                "Good. While you are in there: always store money as integer cents, never as float."
                " Put that in the file."
            ),
            edited("CLAUDE.md", "", "- Money is integer cents everywhere, in the database and in JSON."),
            said("CLAUDE.md now says that money is stored as integer cents, since two rounding rules met last spring."),
        )
    ).body
    assert body.title == "Always store money as integer cents, never as float"
    assert (body.tier, body.kind) == ("semantic", "convention")
    assert "two rounding rules met" in body.text
    assert "in the database and in JSON" in whole(body)


def test_a_rule_inside_a_task_becomes_a_memory_beside_the_tasks() -> None:
    found = extractive.make(
        turn(
            prompt(
                "The image is 1.2 GB, pulls take 70 s during roll-outs. Make it small."
                " No alpine please, musl broke us once."
            ),
            edited("Dockerfile", "FROM python:3.12", "FROM python:3.12-slim"),
            said("The image went from 1.19 GB to 184 MB: a build stage, then python:3.12-slim with only libpq5."),
        )
    ).made
    assert [(one.body.tier, one.body.kind) for one in found][1] == ("semantic", "convention")
    assert found[0].body.title == "The image went from 1.19 GB to 184 MB"
    assert found[1].body.title == "No alpine, musl broke us once"


def test_a_preference_is_the_persons() -> None:
    body = only(
        turn(prompt("I prefer short answers without a summary. Remember that."), said("Noted: short answers."))
    ).body
    assert body.title == "The person prefers short answers without a summary"
    assert body.kind == "preference"


def test_a_rule_written_into_the_agents_instructions_is_one() -> None:
    found = extractive.make(
        turn(
            prompt("The model tests fail since we upgraded pydantic, please fix them"),
            edited("NOTES.md", "", "- We are on pydantic v2: use field_validator, never validator."),
            edited("orderly/models.py", "@validator", "@field_validator"),
            said("The models use pydantic v2's field_validator now, because validator is gone."),
        )
    ).made
    assert any("field_validator, never validator" in whole(one.body) for one in found)


def test_a_how_to_is_procedural_and_names_the_command() -> None:
    body = only(
        turn(
            prompt("Work out how one runs a single test here and write it down."),
            ran("uv run pytest -n0 -x tests/a.py::TestA::test_b", "1 passed in 0.6s"),
            edited("CLAUDE.md", "", "- One test: `uv run pytest -n0 -x path::Class::test`."),
            said(
                "To run a single test: `uv run pytest -n0 -x path::Class::test`."
                " Without `-n0` breakpoint() is swallowed."
            ),
        )
    ).body
    assert (body.tier, body.kind) == ("procedural", "procedure")
    assert body.title == "To run a single test: uv run pytest -n0 -x path::Class::test"
    assert "breakpoint()" in whole(body)


def test_a_question_and_its_answer_fit_one_line() -> None:
    body = only(
        turn(prompt("which port does the dev server listen on?"), read("compose.yml"), said("Port 8017 on the host."))
    ).body
    assert body.title == "Which port does the dev server listen on? Port 8017 on the host"
    assert body.tier == "semantic"


def test_a_short_question_is_told_with_the_one_it_goes_on_from() -> None:
    before = prompt("Websocket clients stop receiving order notifications after their laptop wakes up.")
    guess = prompt("I bet it's the balancer. Raise it and see.")
    body = only(
        turn(
            prompt("ok, then what is it?"),
            edited("src/hub.py", "pop(user_id)", "del self.by_user[user_id]"),
            said("The cause was `Hub.leave`: the keep-alive closes the old socket, whose leave removed the new entry."),
            earlier=(before, guess),
        )
    ).body
    assert "Asked: Websocket clients stop receiving order notifications after their laptop wakes up." in body.text


def test_without_a_closing_message_the_request_and_the_change_speak() -> None:
    body = only(
        turn(
            prompt("Make the timeout configurable"),
            edited("orderly/settings.py", "", "TIMEOUT_SECONDS = float(env('TIMEOUT'))"),
        )
    ).body
    assert body.title == "Make the timeout configurable"
    assert "TIMEOUT_SECONDS" in body.text


@pytest.mark.parametrize(
    "made",
    [
        turn(prompt("thanks!"), said("You're welcome.")),
        turn(prompt("what does hub.py do?"), read("src/hub.py")),
        turn(prompt("run the tests"), ran("pytest -q", "48 passed"), said("All 48 tests pass.")),
        turn(prompt("git status"), ran("git status", "clean"), said("The working tree is clean.")),
        turn(prompt("good night"), said("Good night!")),
        turn(prompt("fix the login")),
        turn(read("a.py")),
        turn(),
    ],
)
def test_nothing_is_made_of_a_turn_in_which_nothing_was_learned(made: Turn) -> None:
    found = extractive.make(made)
    assert found.made == []
    assert found.skipped_reason


def test_a_commit_by_itself_becomes_a_memory_of_its_message_and_diff() -> None:
    diff = "diff --git a/src/mail.py b/src/mail.py\n@@ -1 +1 @@\n+    if bounces.count(address) >= 2:"
    body = only(
        turn(
            commit(
                "fix(mail): no receipts to addresses that bounced twice (#260)\n\nOur reputation fell to 71.",
                "src/mail.py",
                diff=diff,
            )
        )
    ).body
    assert body.title == "No receipts to addresses that bounced twice"
    assert body.kind == "bugfix"
    assert body.summary == "Our reputation fell to 71."
    assert "bounces.count(address)" in body.text
    assert body.files == ["src/mail.py"]
    assert body.labels == ["mail", "#260"]


def test_a_revert_says_so_and_why() -> None:
    body = only(
        turn(commit('Revert "perf(api): orjson"\n\nThis reverts commit 2bbd336.\n\nNaN became null.', "app.py"))
    ).body
    assert body.title.startswith("Reverted: orjson")
    assert body.summary == "NaN became null."
    assert "Takes back commit 2bbd336." in body.text
    assert "revert" in body.labels


def test_a_bots_commit_is_skipped_with_its_reason() -> None:
    found = extractive.make(turn(commit("chore(deps): bump uvicorn to 0.41.2 (#214)", "uv.lock")))
    assert (found.made, found.skipped_reason) == ([], "only lock files")


def test_everything_it_says_fits_its_place() -> None:
    long = "The reason was that " + "the cache of the layout kept every single order " * 60
    body = only(turn(prompt("why " * 900), edited("a.py", "x" * 5000, "y = 1\n" * 900), said(f"{long}. {long}."))).body
    assert len(body.title) <= 80
    assert len(body.summary) <= 240
    assert len(body.text) <= 1500
    assert all(len(fact) <= 360 for fact in body.facts)
    assert "\n" not in body.title + body.summary


@pytest.mark.parametrize(
    "piece",
    ["\x1b]0;x\x07[/red]", "`", "(", "[a](", "a.", ".", "A. ", "-", "/", "\n", "- a\n", "+a\n", "x +1 −1\n", "To ",
     "no ", "\ud800",
     "always ", "use a not ", "git commit -m \"", "<think>", "“", "\u200b"],
)  # fmt: skip
def test_hostile_text_neither_fails_nor_slows_it(piece: str) -> None:
    text = (piece * 16_384)[:16_384]
    edit = observation(Kind.EDIT, f"a.py +1 −1\n{text}", files=("a.py",))
    found = [
        extractive.make(turn(prompt(text), edit, ran(text, text), broke(text, text), said(text))),
        extractive.make(turn(commit(f"fix: one two three four\n\n{text}", "a.py", diff=text))),
        extractive.make(turn(commit(text, "a.py"))),
    ]
    assert sum(one.ms for one in found) < 1_500
