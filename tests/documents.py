"""What stands in a document: its links, paths, blocks of code, and the commands that a reader would type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAM = "tui-memory"
_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PLACES = ("docs/", "tests/", "themes/", "tui_memory/", "sample_data/")
_PLACEHOLDERS = {"ID": "12", "ENTRY": "12", "N": "3", "CASE": "3", "AGENT": "claude-code", "TIME": "3d",
                 "COMMAND": "list"}  # fmt: skip


def blocks(document: Path, language: str) -> list[str]:
    """The blocks of code of a language."""
    return [found[3] for found in _FENCE.finditer(document.read_text("utf-8")) if found[2] == language]


def prose(document: Path) -> str:
    """The document without its blocks of code."""
    return _FENCE.sub("", document.read_text("utf-8"))


def links(document: Path) -> list[str]:
    """Every link to something of the project: a path, an anchor, or both."""
    return [link for link in _LINK.findall(prose(document)) if not re.match(r"https?:", link)]


def anchors(document: Path) -> set[str]:
    """What a link can name in a document: its headings, as code hosts make anchors of them."""
    headings = re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def paths(document: Path) -> set[str]:
    """Every file or folder of the project that is named in code: also `python -m` of a module of the tests."""
    spans = _SPAN.findall(prose(document))
    named = {span for span in spans if span.startswith(_PLACES) and not re.search(r"[ *]|\bacme\b", span)}
    modules = {word for span in spans for word in re.findall(r"-m (tests[\w.]*)", span)}
    return named | {f"{module.replace('.', '/')}.py" for module in modules if module != "tests"}


def commands(document: Path) -> Iterator[list[str]]:
    """The arguments of every command line of the program, in blocks of shell and in the text."""
    lines = [line for block in blocks(document, "sh") for line in block.replace("\\\n", " ").splitlines()]
    lines += [span for span in _SPAN.findall(prose(document)) if span.startswith(f"{PROGRAM} ")]
    for line in lines:
        words = shlex.split(line, comments=True)
        for at, word in enumerate(words):
            if word == PROGRAM or word.endswith(f"/{PROGRAM}"):
                following = words[at + 1 :]
                ends = [n for n, other in enumerate(following) if other in ("|", "&", "&&", "<", ">")]
                given = [one.strip("[]") for one in following[: min(ends, default=len(following))]]
                yield [_PLACEHOLDERS.get(one, one) for one in given]
