"""Every key of the application in one table, each with the id it is remapped by (`keymap` checks a person's own)."""

from __future__ import annotations

from textual.binding import Binding

BindingList = list[Binding | tuple[str, str] | tuple[str, str, str]]


def _key(
    identity: str, keys: str, action: str, label: str, tip: str, *, hint: bool = False, first: bool = False
) -> Binding:
    """`first`: before whatever has the focus, a dialog too."""
    return Binding(keys, action, label, show=hint, tooltip=tip, id=identity, priority=first)


APP: BindingList = [
    _key("app.live", "1", "room('live')", "Live", "What agents are doing now"),
    _key("app.memories", "2", "room('memories')", "Memories", "All that is remembered"),
    _key("app.audit", "3", "room('audit')", "Audit", "What a person should look at, riskiest first"),
    _key("app.playground", "4", "room('playground')", "Playground", "Try a query and see why each result came"),
    _key("app.lab", "5", "room('lab')", "Lab", "Ways of compressing side by side"),
    _key("app.health", "6", "room('health')", "Health", "Whether everything works, and what mends it"),
    _key("app.project", "P", "pick_project", "project", "Choose the project all screens show"),
    _key("app.undo", "u", "undo", "undo", "Take back the last change a person made", hint=True),
    _key("app.redo", "ctrl+r", "redo", "redo", "Bring back what undo took back"),
    _key("app.refresh", "ctrl+l", "refresh_room", "refresh", "Read everything on this screen again"),
    _key(
        "app.stop", "X", "stop_import", "stop reading", "Stop reading past sessions; what was stored stays", hint=True
    ),
    _key("app.wider", "less_than_sign", "screen.wider(5)", "wider", "The pane beside the list wider"),
    _key("app.narrower", "greater_than_sign", "screen.wider(-5)", "narrower", "The pane beside the list narrower"),
    _key("app.help", "question_mark,f1", "help", "help", "What the focused part does, and its keys"),
    _key("app.quit", "q", "quit", "quit", "Leave; nothing is lost"),
]

ANYWHERE: BindingList = [
    _key(
        "anywhere.quit", "ctrl+q", "quit_anywhere", "quit", "Leave, out of a dialog too; asks where you wrote in one",
        first=True,
    ),
]  # fmt: skip

LIST: BindingList = [
    _key("list.down", "j,down", "down", "down", "The next row"),
    _key("list.up", "k,up", "up", "up", "The row before"),
    _key("list.page_down", "pagedown", "page(1)", "page down", "One screen down"),
    _key("list.page_up", "pageup", "page(-1)", "page up", "One screen up"),
    _key("list.half_down", "ctrl+d", "page(0.5)", "half down", "Half a screen down"),
    _key("list.half_up", "ctrl+u", "page(-0.5)", "half up", "Half a screen up"),
    _key("list.first", "g,home", "first", "first", "The first row"),
    _key("list.last", "G,end", "last", "last", "The last row"),
    _key("list.open", "enter", "open", "open", "Open the row's whole text", hint=True),
]

MARKS: BindingList = [
    _key("marks.toggle", "space", "mark", "mark", "Mark or unmark the row, and go on", hint=True),
    _key("marks.range", "v", "range", "range", "Begin or end a range of marked rows"),
    _key("marks.all", "asterisk", "mark_all", "all", "Mark everything the list holds, or nothing"),
]

LIVE: BindingList = [
    _key("live.filter", "slash", "filter", "filter", "Show only what holds these words", hint=True),
    _key("live.follow", "f", "follow", "follow", "Follow what arrives, or hold still", hint=True),
    _key("live.became", "m", "became", "memories", "The memories this became; esc comes back", hint=True),
    _key("live.errors", "e", "errors", "errors", "Show only what failed, or everything again", hint=True),
    _key("live.kind", "K", "pick_kind", "kind", "Show only one kind of event"),
    _key("live.agent", "A", "pick_agent", "agent", "Show only one agent's events"),
    _key("live.session", "s", "this_session", "session", "Show only the row's session, or all again"),
    _key("live.columns", "c", "columns", "side by side", "Agents side by side, or one list", hint=True),
    _key("live.lane_left", "h,left", "lane(-1)", "column before", "To the column on the left"),
    _key("live.lane_right", "l,right", "lane(1)", "next column", "To the column on the right"),
    _key("live.next", "right_square_bracket", "turn(1)", "next turn", "To the next turn"),
    _key("live.before", "left_square_bracket", "turn(-1)", "turn before", "To the turn before"),
    _key("live.drops", "D", "drops", "drops", "What was not stored, by reason"),
    _key("live.leave", "escape", "leave", "all", "End the filters, one at a time"),
]

FIRST: BindingList = [
    _key("first.install", "i", "app.install_found", "install hooks", "Shows each change before it is made", hint=True),
    _key("first.sessions", "t", "app.past_sessions", "past sessions", "Counts them first, then asks", hint=True),
    _key("first.sample", "s", "app.sample", "sample", "Look at a sample project in a throw-away store", hint=True),
    _key("first.down", "j,down", "step(1)", "down", "The next of the three"),
    _key("first.up", "k,up", "step(-1)", "up", "The one before"),
    _key("first.take", "enter", "take", "take", "The one at hand", hint=True),
    _key("first.leave", "escape", "screen.leave_steps", "screens", "To the screens as they are", hint=True),
]

MEMORIES: BindingList = [
    _key("memories.search", "slash", "search", "search", "Find by meaning and by words", hint=True),
    _key("memories.delete", "d", "delete", "delete", "Move to the trash; u undoes", hint=True),
    _key("memories.restore", "r", "restore", "restore", "Bring back from the trash"),
    _key("memories.accept", "a", "accept", "accept", "Accept what is held: agents may be given it again", hint=True),
    _key("memories.pin", "p", "pin", "pin", "Pin or unpin: first in a session's start", hint=True),
    _key("memories.merge", "m", "merge", "merge", "Make one of the marked; shown before it happens", hint=True),
    _key("memories.edit", "e", "edit", "edit", "Change the row's title, text, labels and the rest", hint=True),
    _key("memories.editor", "o", "editor", "in editor", "Change the row in your own editor ($EDITOR)"),
    _key("memories.split", "M", "split", "split", "Take a merge apart: its originals come back"),
    _key("memories.newer", "N", "newer", "newer wins", "Of two marked: the newer replaces the older"),
    _key("memories.export", "w", "export", "export", "Write what is marked, or all that is listed, to a file"),
    _key("memories.sources", "s", "sources", "sources", "The observations it came from, or the memory again"),
    _key("memories.history", "h", "history", "history", "Every change to it, or the memory again"),
    _key("memories.state", "t", "state", "states", "Go through: active, held, superseded, merged, trash, everything"),
    _key("memories.held", "H", "held", "held", "What is held and waits for you, or what is active again"),
    _key("memories.sort", "S", "sort", "sort", "Go through: newest, used, most used, title, size, pinned"),
    _key(
        "memories.leave",
        "escape",
        "leave",
        "all",
        "End the range, the marks, the search, the filter: one at a time",
    ),
]

AUDIT: BindingList = [
    _key("audit.accept", "a", "settle('accept')", "accept", "Do what is proposed"),
    _key("audit.keep", "k", "settle('keep')", "keep", "Leave everything as it is; it is not asked again"),
    _key("audit.other", "o", "settle('other')", "other", "The other answer: the older is right, it is harmless …"),
    _key("audit.snooze", "z", "settle('snooze')", "snooze", "Ask again in a week"),
    _key("audit.snooze_until", "Z", "snooze_until", "snooze until", "Choose when it is asked again"),
    _key("audit.family", "A", "whole_family", "accept family", "Accept every case of the family", hint=True),
    _key("audit.forget", "F", "forget", "for good", "Forget the memory of a possible leak for good"),
    _key("audit.undo", "u", "take_back", "undo", "Take back what was settled last", hint=True),
    _key("audit.next", "n", "step(1)", "next", "The next case, this one left open", hint=True),
    _key("audit.before", "p", "step(-1)", "before", "The case before"),
    _key("audit.next_family", "right_square_bracket", "family(1)", "next family", "Only the next family's cases"),
    _key("audit.family_before", "left_square_bracket", "family(-1)", "family before", "Only the family before"),
    _key("audit.open", "enter", "open", "open", "The whole case, alone on the screen", hint=True),
    _key("audit.sources", "s", "sources", "sources", "The observations it came from", hint=True),
    _key("audit.memories", "m", "memories", "memories", "Its memories on Memories, to be edited"),
    _key("audit.report", "R", "report", "report", "This week's report, saved as Markdown", hint=True),
    _key("audit.leave", "escape", "leave", "all", "From the report to the cases, from one family to all"),
]

EVIDENCE: BindingList = [
    _key("evidence.down", "down", "scroll_down", "down", "Down"),
    _key("evidence.up", "up", "scroll_up", "up", "Up"),
    _key("evidence.page_down", "pagedown,space", "page_down", "page down", "One screen down"),
    _key("evidence.page_up", "pageup,b", "page_up", "page up", "One screen up"),
]

PLAYGROUND: BindingList = [
    _key("playground.search", "slash", "search", "query", "Write the query", hint=True),
    _key("playground.weights", "p", "weights", "weights", "To the profile's weights, and esc back", hint=True),
    _key("playground.relevant", "r", "judge(True)", "relevant", "It answers the query; again: taken back", hint=True),
    _key("playground.irrelevant", "i", "judge(False)", "irrelevant", "It does not; again: taken back", hint=True),
    _key("playground.why", "w", "why_not", "why not", "What kept a memory out that you expected", hint=True),
    _key("playground.compare", "tab", "compare", "A | B", "Two profiles side by side, and what moved", hint=True),
    _key("playground.context", "v", "context", "as agent", "Exactly what the agent would be given", hint=True),
    _key("playground.evaluate", "e", "evaluate", "evaluate", "Measure these weights by all that was judged"),
    _key("playground.by_query", "E", "by_query", "by query", "The last evaluation, query by query"),
    _key("playground.tune", "t", "tune", "tune", "Search better weights on half of what was judged"),
    _key("playground.save", "s", "save", "save", "Save these weights as a profile"),
    _key("playground.profile", "o", "pick_profile", "profile", "Take another profile's weights"),
    _key("playground.other", "b", "pick_other", "profile B", "Choose the profile to compare with"),
    _key("playground.filter", "f", "filter", "filter", "By kind, tier, label or time"),
    _key("playground.no_filter", "F", "no_filter", "no filter", "Without any filter but the project"),
    _key("playground.leave", "escape", "leave", "list", "From query, weights or comparison to the results"),
]

WEIGHTS: BindingList = [
    _key("weights.right", "right,l", "move(1)", "more", "One step more", hint=True),
    _key("weights.left", "left,h", "move(-1)", "less", "One step less", hint=True),
    _key("weights.far_right", "shift+right,L", "leap(1)", "much more", "A tenth of the range more"),
    _key("weights.far_left", "shift+left,H", "leap(-1)", "much less", "A tenth of the range less"),
    _key("weights.reset", "equals_sign", "reset", "as profile", "Back to the profile's value", hint=True),
]

TUNING: BindingList = [
    _key("tuning.take", "enter", "take", "take", "Put these weights on the sliders", hint=True),
    _key("tuning.save", "s", "save", "save", "Save them as a profile, unless something got worse", hint=True),
]

LAB: BindingList = [
    _key("lab.run", "r", "run", "run", "Run the configurations over what is marked, else the row's turn", hint=True),
    _key("lab.configs", "c", "configs", "compare", "Choose the configurations that are compared", hint=True),
    _key("lab.turn", "t", "whole(False)", "turn", "Mark the whole turn", hint=True),
    _key("lab.session", "s", "whole(True)", "session", "Mark the whole session", hint=True),
    _key("lab.recompress", "R", "recompress", "recompress", "Compress the turns once more, after an estimate"),
    _key("lab.column_left", "h,left", "column(-1)", "column before", "To the column on the left, then the list"),
    _key("lab.column_right", "l,right", "column(1)", "next column", "To the column on the right"),
    _key("lab.leave", "escape", "leave", "back", "Cancel the column that runs; then the list, then no marks"),
]

LAB_COLUMN: BindingList = [
    _key("lab_column.adopt", "enter", "screen.adopt", "adopt", "Keep what this column made; u undoes", hint=True),
    _key("lab_column.leave", "escape", "screen.leave", "back", "Cancel the column that runs, else back", hint=True),
]

CONFIGS: BindingList = [
    _key("configs.done", "escape", "cancel", "done", "Done", hint=True),
    _key("configs.take", "space", "take", "take", "Take the row in or out", hint=True),
]

HEALTH: BindingList = [
    _key("health.copy", "c", "copy", "copy", "Copy the row's command", hint=True),
    _key("health.integrity", "i", "integrity", "check pages", "Read every page of the store, for damage", hint=True),
    _key("health.next", "right_square_bracket", "section(1)", "next section", "To the next section"),
    _key("health.before", "left_square_bracket", "section(-1)", "section before", "To the section before"),
    _key("health.leave", "escape", "leave", "back", "Back to the screen that sent you here"),
]

SEARCH: BindingList = [
    _key("search.clear", "escape", "clear", "clear", "Empty the box, then leave it", hint=True),
    _key("search.earlier", "up", "earlier", "earlier", "The query before"),
    _key("search.list", "down", "to_list", "results", "To the results", hint=True),
]

DIALOG: BindingList = [
    _key("dialog.cancel", "escape", "cancel", "close", "Close; nothing is changed", hint=True),
    _key("dialog.help", "f1", "app.help", "help", "The keys of this dialog"),
    _key("dialog.down", "j,down", "scroll_down", "down", "Down"),
    _key("dialog.up", "k,up", "scroll_up", "up", "Up"),
]

MERGE: BindingList = [
    _key("merge.merge", "ctrl+s", "merge", "merge", "Merge what stands there", hint=True),
    _key("merge.word", "ctrl+g", "word", "word it", "Let a model word it, held to what the originals say", hint=True),
]

EDIT: BindingList = [_key("edit.save", "ctrl+s", "save", "save", "Save what was changed", hint=True)]

EXPORT: BindingList = [_key("export.export", "ctrl+s", "export", "export", "Write the file", hint=True)]

CONFIRM: BindingList = [
    _key("confirm.yes", "y", "yes", "yes", "Do it", hint=True),
    _key("confirm.no", "n", "cancel", "no", "Leave everything as it is", hint=True),
]

SCOPES: dict[str, BindingList] = {
    "app": APP,
    "anywhere": ANYWHERE,
    "list": LIST,
    "marks": MARKS,
    "live": LIVE,
    "first": FIRST,
    "memories": MEMORIES,
    "audit": AUDIT,
    "evidence": EVIDENCE,
    "playground": PLAYGROUND,
    "weights": WEIGHTS,
    "tuning": TUNING,
    "lab": LAB,
    "lab_column": LAB_COLUMN,
    "configs": CONFIGS,
    "health": HEALTH,
    "search": SEARCH,
    "dialog": DIALOG,
    "merge": MERGE,
    "edit": EDIT,
    "export": EXPORT,
    "confirm": CONFIRM,
}


def table() -> dict[str, Binding]:
    """Every binding by its id."""
    found = (binding for scope in SCOPES.values() for binding in scope)
    return {binding.id: binding for binding in found if isinstance(binding, Binding) and binding.id}
