"""Agents' own histories as observations: each reader yields drafts with the keys of the live hooks.

A reader never fails for what is in a file, holds no more of it in memory than one turn, and says where the next
reading may start.
"""

from __future__ import annotations

from tui_memory.capture.transcripts.found import AGENTS, READERS, Search, Session, defaults, search
from tui_memory.capture.transcripts.steps import Step, Tally

__all__ = ["AGENTS", "READERS", "Search", "Session", "Step", "Tally", "defaults", "search"]
