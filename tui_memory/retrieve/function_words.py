"""Words that a question is built with and that say nothing of what it is about, as the analyser writes them."""

from __future__ import annotations

from functools import lru_cache

from tui_memory.store import search_text

_FUNCTION_WORDS = """
a about after again all also am an and any are aren't as at be because been before being both but by can can't could
couldn't did didn't do does doesn't doing don't done each either else ever for from get gets getting give given go
goes going gone got had has hasn't have haven't having he her here hers him his how i if in into is isn't it it's its
itself just know let like make many may me might more most much must my no nor not of off on once only or other our
ours out over own please same shall she should so some such than that that's the their theirs them then there these
they this those through to too under until up us very was wasn't we were weren't what what's when where which while
who whom whose why will with won't would wouldn't yet you your yours
"""
# Of these, what programs and languages are called as well, or what says something with another (`give up`).
_SAY_SOMETHING = "get give go just know let like make may off on once out over same under up"


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """All of them."""
    return frozenset(search_text.terms(_FUNCTION_WORDS))


@lru_cache(maxsize=1)
def say_something() -> frozenset[str]:
    """Those that are looked for where a question has no other words."""
    return frozenset(search_text.terms(_SAY_SOMETHING))
