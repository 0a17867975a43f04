"""What an agent is given at a session's start and at a prompt. Runs on one thread, within the asker's deadline."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms
from tui_memory.errors import ConfigError, NotFoundError
from tui_memory.retrieve import disclose, tree
from tui_memory.retrieve.tree import NOWHERE, Tree
from tui_memory.store import projects, rules
from tui_memory.store.db import Store
from tui_memory.store.ingest import Outcome
from tui_memory.surfaces.worker.model import Model
from tui_memory.surfaces.worker.settings import Watched

if TYPE_CHECKING:
    from tui_memory.retrieve.profile import Profile
    from tui_memory.retrieve.search import Searcher
    from tui_memory.store.projects import Project

NO_PROJECT = 0
_PATIENCE = 0.1  # seconds that a starting session waits for git


class Context:
    """The start index as rows, built ahead; the prompt's hits, searched at once."""

    def __init__(self, store: Store, settings: Watched, model: Model) -> None:
        self._store = store
        self._settings = settings
        self._model = model
        self._searcher: Searcher | None = None
        self._lock = threading.Lock()
        self._trees: dict[int, Tree] = {}
        self._folders: dict[int, str] = {}
        self._looked: set[int] = set()

    def answer(self, outcome: Outcome, project_dir: str) -> tuple[str, str]:
        """(event's name, context) for a stored event that wants one; '' where there is nothing to say."""
        row = self._store.connection.execute(
            "SELECT cwd, text, detail FROM observations WHERE id = ?", (outcome.observation,)
        ).fetchone()
        detail = json.loads(row["detail"])
        event = str(detail.get("event", ""))
        found_project = projects.resolve(self._store, row["cwd"], project_dir)
        project = found_project.id if found_project else None
        if outcome.wants_context == "start":
            resumed = detail.get("source") == "resume" and self._was_shown(outcome.session_id)
            if resumed:
                return event, ""
            at = self._standing(found_project)
            midway = detail.get("source") == "compact"
            return event, self._told(outcome, self._own(project, outcome, at) if midway else self._start(project, at))
        found = disclose.prompt(
            self.searcher(),
            self._store,
            project,
            row["text"],
            budget=min(self._budget, disclose.PROMPT_BUDGET),
            session_id=outcome.session_id,
            profile=self._profile(),
            tree=self._tree(found_project),
        )
        if found.memories:
            disclose.record(self._store, outcome.session_id, found, "prompt")
            self.searcher().took.flush(self._store)
        return event, found.text if found.memories else ""

    def searcher(self) -> Searcher:
        """The one searcher of this process, with the worker's own model; asked for by prompts and by REST."""
        from tui_memory.retrieve.search import Searcher

        with self._lock:
            if self._searcher is None:
                self._searcher = Searcher(self._store, embed=self._model.vectors)
            return self._searcher

    def warm(self) -> bool:
        """Load what the first search would have to wait for."""
        self.searcher().search("ready", limit=1)
        self.searcher().took.clear()  # nobody asked for it
        return True

    def count(self) -> None:
        """Write how long the searches took that found nothing to show: each of the others writes by itself."""
        if self._searcher is not None:
            self._searcher.took.flush(self._store)

    def _profile(self) -> Profile:
        """The weights in use; the built-in ones where the settings name a profile that is gone."""
        from tui_memory.retrieve import profiles
        from tui_memory.retrieve.profile import DEFAULT

        try:
            return profiles.weights(self._store, self._settings.all.retrieve, None)
        except (NotFoundError, ConfigError):
            return DEFAULT

    @property
    def _budget(self) -> int:
        return self._settings.all.retrieve.budget

    def _was_shown(self, session_id: int | None) -> bool:
        """Whether this session has had its index: an agent replays it when it resumes."""
        found = self._store.connection.execute(
            "SELECT 1 FROM disclosures WHERE session_id = ? AND phase = 'start' LIMIT 1", (session_id,)
        ).fetchone()
        return found is not None

    def _tree(self, project: Project | None) -> Tree:
        """The branch that is checked out now, and the files as last looked for: no git is waited for."""
        if project is None:
            return NOWHERE
        self._folders[project.id] = project.root
        return Tree(project.branch, self._trees.get(project.id, NOWHERE).files)

    def _standing(self, project: Project | None) -> Tree:
        """As `_tree`; where a session starts and nobody has looked yet, git is asked, for a moment."""
        if project is not None and project.id not in self._looked:
            files = tree.changed(project.root, timeout=_PATIENCE)
            if files is not None:
                self._looked.add(project.id)
                self._folders[project.id] = project.root
                return Tree(project.branch, files)
        return self._tree(project)

    def look(self) -> None:
        """See which files are being worked on where agents are, and build the start index anew where others are."""
        for project, folder in list(self._folders.items()):
            files, known = tree.changed(folder), self._trees.get(project, NOWHERE)
            if files is not None:
                self._looked.add(project)
            if files is not None and files != known.files:
                self._build(project, Tree(known.branch, files))

    def _own(self, project: int | None, outcome: Outcome, at: Tree) -> disclose.Disclosure:
        """The index of a session that goes on with an emptied window: its own open errors are told, too."""
        return disclose.start(self._store, project, tree=at, budget=self._budget, session_id=outcome.session_id)

    def _start(self, project: int | None, at: Tree) -> disclose.Disclosure:
        """The index as it was built ahead, or built now where the tree stands elsewhere."""
        if project is not None and self._trees.get(project) != at:
            self._build(project, at)
        row = self._store.connection.execute(
            "SELECT body, tokens, memories FROM start_index WHERE project_id = ?", (project or NO_PROJECT,)
        ).fetchone()
        if row is None:
            self._build(project, at)
            return self._start(project, at)
        shown = disclose.Disclosure(row["body"], row["tokens"], json.loads(row["memories"]))
        return replace(shown, text=rules.plain(self._store, shown.text))  # older rules may have built it

    def _told(self, outcome: Outcome, shown: disclose.Disclosure) -> str:
        """The index's text, recorded as shown; nothing where no memory is in it."""
        if not shown.memories:
            return ""
        disclose.record(self._store, outcome.session_id, shown, "start")
        return str(shown.text)

    def _build(self, project: int | None, at: Tree) -> None:
        """Write the start index of one project (None: of folders without one) for where its tree stands."""
        made = disclose.start(self._store, project, tree=at, budget=self._budget)
        if project is not None:
            self._trees[project] = at
        with self._store.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO start_index (project_id, body, tokens, memories, built) VALUES (?, ?, ?, ?, ?)",
                (project or NO_PROJECT, made.text, made.tokens, json.dumps(made.memories), now_ms()),
            )

    def build_recent(self, limit: int = 20) -> int:
        """Write the start index of the projects last worked in; how many."""
        rows = self._store.connection.execute(
            "SELECT project_id FROM sessions GROUP BY project_id ORDER BY max(last_seen) DESC LIMIT ?", (limit,)
        ).fetchall()
        for row in rows:
            self._build(row["project_id"], self._trees.get(row["project_id"] or NO_PROJECT, NOWHERE))
        return len(rows)
