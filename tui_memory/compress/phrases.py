"""The turns of phrase that prompts and closing messages are read by: data, in English and some German."""

from __future__ import annotations

import re


def _any(*shapes: str, before: str = "", after: str = "") -> re.Pattern[str]:
    return re.compile(f"{before}(?:{'|'.join(shapes)}){after}", re.IGNORECASE)


def _words(*shapes: str) -> re.Pattern[str]:
    return _any(*shapes, before=r"\b", after=r"\b")


_ALWAYS = r"(?:always|never(?! mind)|immer|niemals|nie)"
_FROM_NOW = (
    "from now on", "from here on", "as of now", "going forward", "in (?:the )?future",
    "ab jetzt", "ab sofort", "in zukunft", "künftig",
)  # fmt: skip

RULE = _any(
    rf"(?:^|[:;.]\s+|\b(?:please|and|but|so|we|you|one|nobody|everybody|bitte)\s+){_ALWAYS}\s+\w",
    rf"\b(?:{'|'.join(_FROM_NOW)})\b",
    r"\bi (?:never|always|only) want\b",
)
"""A lasting rule, by its adverb."""
CONVENTION = _any(
    r"our (?:convention|rule|policy|standard) is",
    r"(?:the )?(?:convention|rule|policy)(?: here)?(?: is)?:",
    r"we (?:always|never|only|don't|do not) (?!have|know|see|need|want|understand|get)\w+",
    r"(?:do not|don't|dont) (?:ever|use|call|import|write|commit|add|touch|edit|mock|push)\b.{3,}",
    r"(?:please )?(?:use|prefer) .{2,60}?(?:, (?:not|never) |\binstead of\b|\brather than\b|\bover\b|\bnot\b) .+",
    r"no (?!problem|idea|need|worries|rush|hurry|thanks|one|matter|longer|doubt)[\w./-]+(?: \w+){0,2}"
    r"(?:,? please\b|[,:;] ).*",
    before="^",
)
"""A lasting rule, by how its sentence begins."""
PREFERENCE = _words(
    r"i (?:prefer|like|dislike|hate|want you to|would rather|don't (?:like|want)|do not (?:like|want))",
    r"i'd (?:prefer|rather|like you to)", "my preference", "ich bevorzuge", "ich mag", "lieber wäre mir",
)  # fmt: skip
LASTING = _words(
    "remember", "always", "never", "in general", "generally", "usually", "prefer", "every time", "merk dir"
)
NOT_A_RULE = _any(
    r"\?\s*$",
    r"^decision\b",
    r"\b(?:it|this|that|they|which|he|she|test|build|job|page|request|user|client|customer|server|ci)s? (?:\w+ )?"
    r"(?:always|never|immer|nie)\b",
    r"\bwhy\b",
    r"\bas always\b",
    r"\bnever (?:seen|heard|worked|happened|been)\b",
    r"\balmost (?:always|never)\b",
)
"""What sounds like a rule and is an observation or a question."""
_PUT = r"(?:put|write|add|note|record|document|save|store|remember|keep)"
STORE_IT = _any(
    rf"^(?:and |also |please |now )*{_PUT}\b.{{0,20}}\b(?:that|this|it|them)\b.{{0,50}}$",
    r"^(?:please )?remember(?: (?:that|this))?\.?$",
)
STORE_TAIL = _any(rf"[,;]? (?:and )?(?:please )?{_PUT} (?:that|this|it)\b[\w .'/-]{{0,40}}$")
LEAD = _any(
    r".{0,60}: (?=always|never|use |prefer |immer|nie)",
    r"(?:convention|rule|policy|note|reminder|konvention|regel): ",
    rf"(?:{'|'.join(_FROM_NOW)}|please|also|and|but|so|ok(?:ay)?|remember|note|bitte)[,:]? (?:that |on )?",
    before="^",
    after=r"+(?=\w)",
)
"""What stands before a rule and is no part of it."""
ACKNOWLEDGEMENT = _any(
    r"thanks?", "thank you", "thx", "ty", "great", "good", "nice", "perfect", "cool", "awesome", r"ok(?:ay)?", "k",
    "yes", "yep", "no", "nope", "sure", "done", "lgtm", "ship it", r"go(?: ahead| on)?", "continue", "proceed", "next",
    "do it", "weiter", "danke", "ja", "nein", "super", "you're welcome", "you are welcome", "np", "no problem",
    "anytime", "got it", "sounds good", "looks good", "well done", "merci", "gracias",
    before="^",
    after=r"(?:[\s,.!]+(?:thanks?|thank you|great|good|a lot|so much|very much|please|"
    r"go ahead|go on|do it|continue|then|it|that|works|looks|now|job|"
    r"work|all|for|the|and))*[\s.!👍🙏]*$",
)  # fmt: skip
STATUS = _any(
    "run", "rerun", "re-run", "execute", "check", "show", "list", "print", "open", "read", "look at", "cat", "view",
    "display", "status", "git status", r"what(?:'s| is) the status", "where are we", "are you done", "is it done",
    before=r"^(?:please |can you |could you )*",
    after=r"\b.{0,60}$",
)  # fmt: skip
NARRATION = _any(
    r"let me\b", r"let's\b", r"i(?:'ll| will| am going to|'m going to| need to| should| can)\b", r"now (?:i|let|to)\b",
    r"next[,:]", r"first[,:]? (?:i|let)",
    r"(?:reading|trying|looking|checking|running|writing|updating|adding|fixing|documenting|searching|creating|"
    r"implementing|starting|testing|committing|verifying|applying|making|analy[sz]ing|investigating)\b.{0,80}[.:…]?$",
    "would you like", "do you want", "shall i", "should i", "want me to", "feel free", r"if you (?:want|like|need)",
    r"you're welcome", "happy to", r"here(?:'s| is| are)\b.{0,40}:?$",
    r"(?:the )?(?:summary|changes|details|what i did|next steps)\b.{0,20}:?$",
    before="^",
)  # fmt: skip
"""Sentences that say what the agent is about to do, offer something, or announce a list."""
DONE = re.compile(
    r"^(?:(?:all )?done|fixed|finished|completed|success|summary|noted)\s*[:!,–—-]+\s+(?=\w|`)", re.IGNORECASE
)
PROCESS = _any(
    r"(?:all |the )?(?:\d+ |\w+ ){0,3}tests? (?:now )?(?:pass|are green|succeed)",
    r"(?:it|this|that|they)(?:'s| is| are) (?:in|written|there|committed|pushed)\b.{0,60}$",
    r"i (?:took .{0,60}back|(?:reverted|undid|restored|dropped|removed|committed|pushed|ran|checked|reproduced))"
    r" .{0,60}$",
    r"noted\b.*",
    r"(?:committed|pushed)\b.{0,60}$",
    r"no (?:other )?changes\b",
    before="^",
)
"""Sentences about the work rather than about the project."""
HOW = _any(
    r"how (?:to|do (?:i|we|you)|does one|can (?:i|we|one)|should (?:i|we|one)|(?P<one>one|we|you|i))",
    r"wie (?:kann|man|mache?)(?: ich| man)?",
    before=r"\b",
    after=r"\s+(?P<what>[^?.!,;:\n]{4,90})",
)
VAGUE = _words("this", "that", "it", "these", "those", "them", "things?", "so", "das", "es")
STEPS = _words(
    "the steps", "step by step", "write down how", "runbook", "procedure", "instructions? (?:for|to|on)",
    "set-?up guide", "checklist",
)  # fmt: skip
ERRAND = _any(
    r"(?:find out|figure out|look (?:into|at)|check|see|fix|mend|make it|do it|build it|go|test|tests|convinced|try|"
    r"run|bitte|reparieren|antworte|kannst|schau)\b.{0,70}[.!?]?$",
    before=r"^(?:please |can you |could you |now |and |then |also |ok(?:ay)?,? |let's )*",
)
"""A sentence of a prompt that only tells the agent what to do next."""
HYPOTHESIS = _words(
    "i (?:bet|guess|think|suspect|suppose)", "my (?:guess|bet|suspicion)", "maybe", "perhaps", "probably", "might be",
    "could (?:it )?be", "must be", "isn't it", "vielleicht", "vermutlich", "wahrscheinlich",
)  # fmt: skip
DECISION = _words(
    "decision", "decide[ds]?", r"we (?:will|won't|do not|don't) \w+", "chose", "chosen", "opted for", "went with",
    "settled on", "picked", "rejected", "ruled out", "rather than", "trade-?off",
)  # fmt: skip
INCIDENT = _words("incident", "outage", "post-?mortem", "production (?:is|was) down", "paged", "downtime")
BROKEN = _words(
    "fix", "bug", "broken", "fails?", "failing", "failed", "error", r"crash\w*", "wrong", "regression", r"leak\w*",
    r"hang\w*", "stuck", "500s?", "kaputt", "reparieren", "fehler", "does(?: not|n't) work", r"stop(?:s|ped)? \w+ing",
)  # fmt: skip
REFACTOR = _words(
    r"refactor\w*", r"renam\w+", "mov(?:e|ed|ing)", r"extract\w*", "clean(?:ed)? up", r"simplif\w+", r"deduplicat\w+",
    "split",
)  # fmt: skip
