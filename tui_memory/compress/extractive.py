"""The route that needs no model and is always last: honest memories from a turn by rule, in its own words.

What the agent said in the end and the commit's message come first; raw output is only ever quoted as the
line that names an error. A turn in which nothing was learned gives nothing.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace

from tui_memory.compress import (
    changed_lines,
    classify,
    digest,
    facts,
    grounding,
    injection,
    passages,
    phrases,
    scene,
    schema,
    sentences,
    titles,
)
from tui_memory.compress.classify import Rule
from tui_memory.compress.commits import noise
from tui_memory.compress.made import Compressed, Cost, Made
from tui_memory.compress.outcome import Committed
from tui_memory.compress.scene import Scene
from tui_memory.compress.turns import WHOLE, Turn
from tui_memory.model import Body, Kind, MadeBy, MemoryKind, Observation, Tier

VERSION = 2
"""Raised when the rules change what they make."""


class Extractive:
    """The route as the router sees it."""

    name = "extractive"
    model = ""

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """The memories of a turn; it costs no model anything."""
        return make(turn)


def make(turn: Turn) -> Compressed:
    """The memories of a turn by rule, or the reason why there are none."""
    if turn.number == WHOLE:
        return _turn_by_turn(turn)
    started = time.perf_counter()
    if turn.number == 0:
        made, reason = digest.make(turn)
    elif turn.of(Kind.PROMPT, Kind.RESPONSE):
        made, reason = _of_turn(scene.lay_out(turn))
    else:
        made, reason = _of_commits(scene.lay_out(turn))
    for one in made:
        one.body.made_by = MadeBy("extractive", "", VERSION, schema.VERSION)
        grounding.measure(one, turn)
        injection.hold(one, turn)
    took = round((time.perf_counter() - started) * 1000)
    return Compressed(made, "extractive", skipped_reason="" if made else reason, ms=took)


def _turn_by_turn(turn: Turn) -> Compressed:
    """A whole session: the rules are for one question and what came of it, so each turn is read by itself."""
    whole = Compressed(route="extractive")
    asked: list[Observation] = []
    for number in dict.fromkeys(item.turn for item in turn.observations):
        own = [item for item in turn.observations if item.turn == number]
        found = make(replace(turn, number=number, observations=own, earlier=asked[-5:]))
        whole.made += found.made
        whole.ms += found.ms
        whole.skipped_reason = "" if whole.made else found.skipped_reason
        asked = [*asked, *(item for item in own if item.kind == Kind.PROMPT)]
    return whole


def _of_turn(seen: Scene) -> tuple[list[Made], str]:
    """A session's turn: the rules a person stated, and what happened."""
    asked = seen.prompt.text if seen.prompt else ""
    rules = classify.rules(asked) or _written_rules(seen)
    rest = classify.beside_rules(asked) if rules else asked
    if rules and seen.prompt and len(sentences.words(rest)) < 7:
        return [_rule(seen, rules, whole=True)], ""
    made = []
    if reason := _nothing_learned(seen):
        return ([_rule(seen, rules, whole=False)] if rules and seen.prompt else []), reason
    if main := _main(seen):
        made.append(main)
    if rules and (classify.rules(asked) or not main):
        made.append(_rule(seen, rules, whole=False))
    return made, "nothing in it stands as a statement"


def _written_rules(seen: Scene) -> list[Rule]:
    """Rules that the turn wrote into a file of instructions for agents."""
    lines = changed_lines.prose([change for change in seen.changes if changed_lines.is_instructions(change.path)])
    return [Rule(MemoryKind.CONVENTION, line.rstrip(".")) for line in lines if classify.rules(line)]


def _nothing_learned(seen: Scene) -> str:
    """Why a turn taught nothing, "" where it may have."""
    said = " ".join(seen.told)
    if seen.outcome.edited or seen.commits or seen.requests or seen.outcome.disproved:
        return ""
    if not said:
        return "the agent said nothing in the end and nothing was changed"
    prompt = seen.prompt.text if seen.prompt else ""
    if classify.is_acknowledgement(prompt) and len(sentences.words(said)) < 12:
        return "thanks or agreement"
    if classify.is_status_request(prompt) and all(titles.weight(text) < 3 for text in seen.told):
        return "a look at something, without a finding"
    if all(classify.is_process(text) for text in seen.told):
        return "only the state of the work"
    if not any(_holds_something(text) for text in seen.told):
        return "no finding in what the agent said"
    return ""


def _holds_something(sentence: str) -> bool:
    """Whether a sentence has a number, a name of code, a cause or a choice in it, or is long enough to explain."""
    return titles.weight(sentence) >= 1 or len(sentences.words(sentence)) >= 10 or bool(re.search(r"\d", sentence))


def _main(seen: Scene) -> Made | None:
    """What happened in the turn, as one memory; None where no title can be made of it."""
    procedure = _procedure(seen)
    title = titles.of(seen, procedure)
    if not title:
        return None
    said = " ".join(seen.told)
    kind = MemoryKind.PROCEDURE if procedure else classify.kind_of(seen.asked, said, seen.outcome)
    summary = _summary(seen, title)
    text = passages.of_turn(seen, title, summary)
    body = Body(
        title,
        summary=summary,
        text=text,
        facts=facts.of(seen, text, procedure=bool(procedure)),
        tier=_tier(seen, kind),
        kind=kind,
        labels=_labels(seen),
        files=seen.files,
    )
    return Made(body, seen.sources())


def _tier(seen: Scene, kind: str) -> str:
    """The kind's tier; an answer to a question, with nothing changed, is knowledge about the project."""
    is_answer = seen.prompt is not None and seen.prompt.text.rstrip().endswith("?") and not seen.outcome.failures
    if kind == MemoryKind.DISCOVERY and is_answer and not seen.outcome.edited and not seen.outcome.undone:
        return Tier.SEMANTIC
    return classify.tier_of(kind)


def _procedure(seen: Scene) -> str:
    """The how-to title where the turn answers how to do something, else ""."""
    asked = seen.prompt.text if seen.prompt else ""
    found = classify.how_to(asked)
    if not found and classify.asks_for_steps(asked):
        heads = [titles.of_commit(commit.message) for commit in seen.commits]
        found = next((head for head in heads if head.lower().startswith("how to")), "")
    tells = any(
        "`" in text or re.search(r"\b(?:run|then|step|command)\b", text) for text in [*seen.told, *seen.written]
    )
    return found if found and (tells or seen.written) else ""


def _summary(seen: Scene, title: str) -> str:
    """One line: the sentence that tells most and that the title does not say already."""
    reasons = [text for commit in seen.commits for text in sentences.split(commit.message.body)]
    for pool in ([text for text in seen.told if not text.endswith("?")], reasons, seen.written):
        left = [text for text in pool if sentences.title(text) != title]
        if (said := titles.best(left)) and titles.weight(said) > -2:
            return sentences.fit(said, 240)
    if seen.told:
        return sentences.fit(seen.told[0], 240)
    return sentences.fit(seen.asked, 240) if seen.asked else title


def _labels(seen: Scene) -> list[str]:
    """Scopes and numbers of the commits, and what sort of outcome it was."""
    found = ["dead-end"] if seen.outcome.disproved else []
    for commit in seen.commits:
        found += [commit.message.scope] if commit.message.scope else []
        found += commit.message.numbers
        found += ["revert"] if commit.message.is_revert else []
    return list(dict.fromkeys(found))[:6]


def _rule(seen: Scene, rules: list[Rule], *, whole: bool) -> Made:
    """A rule or preference as a memory of its own; `whole`: the turn was about nothing else, so it tells the rest."""
    first = max(rules, key=lambda rule: rule.kind == MemoryKind.CONVENTION)
    title, summary = sentences.title(_third_person(first)), sentences.fit(_stated(rules), 240)
    more = passages.unsaid([*facts.standing_alone(seen.told), *seen.written], title, summary) if whole else []
    about = [f"Stated by the person: {sentences.fit(text, 170)}" for text in [_beside(seen, title, summary)] if text]
    body = Body(
        title,
        summary=summary,
        text=passages.joined([sentences.fit_sentences(more[:4], 400), *about]) or summary,
        tier=Tier.SEMANTIC,
        kind=first.kind,
        labels=_labels(seen) if whole else [],
        files=seen.files if whole else [],
    )
    return Made(body, seen.sources() if whole or not seen.prompt else [seen.prompt.id])


def _stated(rules: list[Rule]) -> str:
    """The rules in the person's words, each once."""
    return " ".join(f"{said}." for said in dict.fromkeys(rule.sentence.rstrip(".") for rule in rules))


def _beside(seen: Scene, title: str, summary: str) -> str:
    """What the person said around a rule and the rule does not say: why, mostly."""
    said = sentences.split(seen.prompt.text) if seen.prompt else []
    every = [phrases.STORE_TAIL.sub("", text) for text in said if not phrases.STORE_IT.match(text)]
    more = [text for text in every if len(sentences.words(text)) > 3 and not phrases.ERRAND.match(text)]
    return " ".join(passages.unsaid(more, title, summary))


def _third_person(rule: Rule) -> str:
    """`I prefer short answers` as `The person prefers short answers`; other preferences after `Preference:`."""
    said = re.sub(r"^I (never |always |only )?(prefer|like|dislike|want)\b", r"The person \1\2s", rule.sentence)
    said = re.sub(r"^I hate\b", "The person hates", said)
    is_plain = said == rule.sentence and rule.kind == MemoryKind.PREFERENCE
    return f"Preference: {said}" if is_plain else said


def _of_commits(seen: Scene) -> tuple[list[Made], str]:
    """Commits that came by themselves, each a memory; bots and noise give none."""
    made = [_commit(seen, commit) for commit in seen.commits]
    if made:
        return made, ""
    noisy = seen.outcome.commits
    return [], noise(noisy[0].message, noisy[0].files) if noisy else "nothing was asked and nothing was said"


def _commit(seen: Scene, commit: Committed) -> Made:
    message = commit.message
    title = titles.of_commit(message)
    reasons = sentences.split(message.body)
    numbers = [message.scope, *message.numbers, *(["revert"] if message.is_revert else [])]
    kind = classify.kind_of(message.subject, message.body, seen.outcome)
    if message.is_revert or re.search(r"(?:^|/)(?:decisions|adr)/", " ".join(commit.files)):
        kind = MemoryKind.DECISION
    summary = sentences.fit(titles.best(reasons) or title, 240)
    body = Body(
        title,
        summary=summary,
        text=passages.of_commit(commit, title, summary),
        tier=classify.tier_of(kind) if not message.is_revert else Tier.EPISODIC,
        kind=kind,
        labels=[label for label in numbers if label],
        files=commit.files,
    )
    return Made(body, [commit.source, *commit.shown_by])
