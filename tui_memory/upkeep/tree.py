"""What a project's working trees have and had: files, words, renames; read through git alone, with a time-out.

Nothing is called gone without proof that it was there: a file must once have been tracked, a word must stand in the
commit before the one that took it away. Where git is missing, too slow or the history is cut off, nothing is gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tui_memory.capture import git_run

_LIST, _GREP, _LOG, _PICK = 20.0, 30.0, 60.0, 20.0  # seconds
_WORDS_AT_ONCE = 200
_COMMITS = 50_000  # how far back files that are gone are looked for


@dataclass(slots=True)
class History:
    """Files that a repository once had: the commit that took each away, and what it is called since."""

    taken: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)


class Tree:
    """The working trees of one project; each is asked once."""

    def __init__(self, folders: Sequence[str]) -> None:
        """`folders`: the tops of its repositories' working trees that exist."""
        self.folders = list(folders)
        self._files: dict[str, set[str]] = {}
        self._history: History | None = None

    def heads(self) -> list[str]:
        """The commit that each folder stands on, in their order; "" where there is none."""
        return [git_run.output(folder, "rev-parse", "HEAD", timeout=_LIST) or "" for folder in self.folders]

    def has_file(self, path: str) -> bool | None:
        """Whether any folder has a file of this path, or one that ends in it; None where git does not say."""
        wanted = self._relative(path)
        for folder in self.folders:
            files = self._listed(folder)
            if not files:
                return None
            named = [file for file in files if file == wanted or file.endswith(f"/{wanted}")]
            if any(os.path.lexists(os.path.join(folder, file)) for file in named):
                return True
            if os.path.lexists(os.path.join(folder, wanted)) or (os.path.isabs(path) and os.path.lexists(path)):
                return True
        return False

    def missing_words(self, words: Iterable[str]) -> list[str]:
        """Which of these words no file of any folder has, as whole words."""
        left = list(dict.fromkeys(words))
        for folder in self.folders:
            found: set[str] = set()
            rest = iter(left)
            while some := list(islice(rest, _WORDS_AT_ONCE)):
                seen = self._seen(folder, some)
                found |= set(some) if seen is None else seen
            left = [word for word in left if word not in found and self._lacks(folder, word)]
        return left

    def lost_file(self, path: str) -> tuple[str, str | None] | None:
        """(the commit that took a file away, what it is called now); None where no such file was ever tracked."""
        wanted = self._relative(path)
        if any(wanted in self._listed(folder) for folder in self.folders):
            return "", None  # removed, and not committed yet
        history = self._past()
        if wanted not in history.taken:
            ends = [file for file in history.taken if file.endswith(f"/{wanted}")]
            if len(ends) != 1:
                return None
            wanted = ends[0]
        return history.taken[wanted], self._renamed(history, wanted)

    def lost_word(self, word: str) -> str | None:
        """The commit that took a word away: the one before it has it, as a whole word; None where there is none.

        "" where it is taken away and not committed yet.
        """
        for folder in self.folders:
            if self._had(folder, "HEAD", word):
                return ""
            found = git_run.output(folder, "log", "-1", "--format=%H", f"-S{word}", "HEAD", "--", timeout=_PICK)
            commit = (found or "").strip()
            if commit and self._had(folder, f"{commit}^", word) and not self._had(folder, commit, word):
                return commit
        return None

    def _relative(self, path: str) -> str:
        """A path as the repository knows it: within the folder, where it is absolute."""
        for folder in self.folders:
            if path.startswith(folder.rstrip("/") + "/"):
                return path[len(folder.rstrip("/")) + 1 :]
        return path.removeprefix("./").lstrip("/") if not os.path.isabs(path) else path

    def _listed(self, folder: str) -> set[str]:
        """The files that a folder tracks, whether they are there or not; empty where git does not say."""
        if folder not in self._files:
            listed = git_run.output(folder, "ls-files", "-z", timeout=_LIST) or ""
            self._files[folder] = set(filter(None, listed.split("\0")))
        return self._files[folder]

    def _seen(self, folder: str, words: list[str]) -> set[str] | None:
        """Which of these words stand in a folder's files, untracked ones included; None where git does not say."""
        given = "\n".join(words).encode()
        command = ("grep", "--untracked", "-I", "-h", "-o", "-w", "-F", "-f", "-")
        found: set[str] = set()
        try:
            with git_run.reading(folder, *command, given=given, timeout=_GREP) as lines:
                for line in lines:
                    found.add(os.fsdecode(line.rstrip(b"\n")))
        except OSError:
            return None
        except git_run.GitEnded:
            return found  # git says so too where nothing is found; each word is asked for by itself then
        return found

    def _lacks(self, folder: str, word: str) -> bool:
        """Whether a folder certainly has no such word."""
        return git_run.code(folder, "grep", "--untracked", "-I", "-q", "-w", "-F", "-e", word, timeout=_GREP) == 1

    def _had(self, folder: str, commit: str, word: str) -> bool:
        return git_run.code(folder, "grep", "-I", "-q", "-w", "-F", "-e", word, commit, timeout=_GREP) == 0

    def _past(self) -> History:
        """Files that are gone, by one walk through the history of each repository."""
        if self._history is None:
            self._history = History()
            for folder in self.folders:
                self._walk(folder, self._history)
        return self._history

    def _walk(self, folder: str, history: History) -> None:
        command = ("log", f"-{_COMMITS}", "-M", "--diff-filter=DR", "--name-status", "-z", "--format=%x01%H", "HEAD")
        listed = git_run.output(folder, *command, "--", timeout=_LOG)
        for part in (listed or "").split("\x01"):
            commit, *fields = part.replace("\n", "").split("\0")
            names = iter(field for field in fields if field)
            for status in names:
                name = next(names, "")
                history.taken.setdefault(name, commit)
                if status.startswith("R"):
                    history.renamed.setdefault(name, next(names, ""))

    def _renamed(self, history: History, path: str) -> str | None:
        """What a file is called now, through all its renames; None where it is gone altogether."""
        seen = set()
        while path in history.renamed and path not in seen:
            seen.add(path)
            path = history.renamed[path]
        return path if seen and self.has_file(path) else None
