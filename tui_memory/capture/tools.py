"""Tool calls in Claude's dialect as observations: what was read, run, changed, asked, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from tui_memory.capture import diffs, failures
from tui_memory.capture.paths import shorten
from tui_memory.capture.shapes import compact, items, mapping, number, string, text_of
from tui_memory.light import TYPE_CHECKING, NamedTuple
from tui_memory.model import Kind

if TYPE_CHECKING:
    from typing import Any


class Call(NamedTuple):
    """One tool call with its result, and the folder that paths are shortened to."""

    tool: str
    given: dict[str, Any]
    result: Any
    base: str

    def path(self, *keys: str) -> str:
        """The call's file, shortened; '' where it names none."""
        found = string(self.given, *keys) or string(self.result, "filePath", "notebook_path")
        return shorten(found, self.base)


class Seen(NamedTuple):
    """What a tool call becomes: kind, text, files, detail, and whether it is noise."""

    kind: Kind
    text: str
    files: list[str]
    detail: dict[str, Any]
    light: bool = False


def seen(call: Call) -> Seen:
    """The observation of a tool call that succeeded."""
    if call.tool.startswith("mcp__"):
        return _mcp(call)
    return _BY_TOOL.get(call.tool, _other)(call)


def failed(call: Call, error: str, *, interrupted: bool = False) -> Seen:
    """The observation of a tool call that failed, with the line that says why; stopped by the person: no error."""
    command = string(call.given, "command")
    path = call.path("file_path", "notebook_path", "path")
    said = f"$ {command}" if command else " ".join(filter(None, (call.tool, path or compact(call.given)[:200])))
    code = failures.exit_code(error)
    detail = _present(
        command=command,
        exit_code=code,
        error=failures.error_line(error) or failures.first_line(error) or (f"exit code {code}" if code else ""),
        description=string(call.given, "description"),
    )
    files = [path] if path else []
    if interrupted:
        detail["interrupted"] = True
        return Seen(Kind.COMMAND if command else Kind.TOOL_USE, f"{said}\n(interrupted) {error}", files, detail)
    return Seen(Kind.ERROR, f"{said}\n{error}", files, detail)


def _read(call: Call) -> Seen:
    path = call.path("file_path", "notebook_path", "path")
    file = mapping(call.result, "file")
    lines, total = number(file, "numLines"), number(file, "totalLines")
    kind = string(call.result, "type")
    if lines is not None:
        said = f"{lines} of {total} lines" if total and total != lines else _many(lines, "line")
    else:
        said = kind.replace("_", " ") if kind and kind != "text" else ""
    text = f"Read {path}" + (f" ({said})" if said else "")
    detail = _present(lines=lines, total_lines=total, offset=number(call.given, "offset"))
    return Seen(Kind.READ, text, [path] if path else [], detail, light=True)


def _search(call: Call) -> Seen:
    names = [shorten(name, call.base) for name in items(call.result, "filenames") if isinstance(name, str)]
    matches, files = number(call.result, "numMatches"), number(call.result, "numFiles")
    wanted = string(call.given, "pattern", "query")
    where = shorten(string(call.given, "path"), call.base)
    scope = " ".join(filter(None, (where if where != call.base else "", string(call.given, "glob", "type"))))
    counts = [_many(matches, "match", "es"), _many(files, "file")]
    text = f"{call.tool} {wanted}" + (f" in {scope}" if scope else "")
    if any(counts):
        text += f" ({', '.join(filter(None, counts))})"
    return Seen(Kind.SEARCH, text, names[:20], _present(pattern=wanted, matches=matches, found=files), light=True)


def _web_search(call: Call) -> Seen:
    results = items(call.result, "results")
    links = [link for result in results for link in items(result, "content")]
    titles = [f"- {string(link, 'title')} {string(link, 'url')}".rstrip() for link in links[:10]]
    said = [text_of(result) for result in results if isinstance(result, str)]
    query = string(call.given, "query")
    text = "\n".join([f"WebSearch {query} ({_many(len(links), 'result')})", *titles, *said])
    return Seen(Kind.SEARCH, text, [], _present(pattern=query, found=len(links)), light=True)


def _command(call: Call) -> Seen:
    command = string(call.given, "command")
    output = text_of(call.result)
    result = call.result if isinstance(call.result, dict) else {}
    if result.get("isImage") is True:
        output = "[image dropped]"
    background = string(result, "backgroundTaskId")
    commit = mapping(mapping(result, "gitOperation"), "commit")
    detail = _present(
        command=command,
        description=string(call.given, "description"),
        background=background,
        interrupted=result.get("interrupted") is True or None,
        meaning=string(result, "returnCodeInterpretation"),
        sha=string(commit, "sha"),
        branch=string(commit, "branch"),
    )
    if not background and "interrupted" not in detail:
        detail["exit_code"] = 0
    if "gh pr" in command or "glab mr" in command:
        from tui_memory.capture import pull_requests  # its patterns are compiled for such calls alone

        detail |= pull_requests.of_command(command, output)
    if _is_ours(command):
        output = "[what tui-memory said is not kept again]"
    return Seen(Kind.COMMAND, f"$ {command}\n{output}".rstrip(), [], detail)


def _edit(call: Call) -> Seen:
    path = call.path("file_path", "notebook_path", "path")
    lines = diffs.from_hunks(items(call.result, "structuredPatch"))
    if not lines:
        pairs = [edit for edit in items(call.given, "edits") if isinstance(edit, dict)] or [call.given]
        new = ("new_string", "new_source", "content")
        lines = [line for pair in pairs for line in diffs.from_texts(string(pair, "old_string"), string(pair, *new))]
    added, removed = diffs.counts(lines)
    created = string(call.result, "type") == "create" or None
    detail = _present(added=added, removed=removed, created=created)
    return Seen(Kind.EDIT, diffs.described(path, lines), [path] if path else [], detail)


def _agent(call: Call) -> Seen:
    kind = string(call.given, "subagent_type")
    head = f"{call.tool}{f' ({kind})' if kind else ''}: {string(call.given, 'description')}"
    launched = string(call.result, "status") == "async_launched"
    said = "→ started in the background" if launched else f"→ {text_of(call.result)}"
    detail = _present(agent_id=string(call.result, "agentId"), tool_uses=number(call.result, "totalToolUseCount"))
    return Seen(Kind.TOOL_USE, "\n".join((head, string(call.given, "prompt"), said)), [], detail)


def _fetch(call: Call) -> Seen:
    url = string(call.given, "url")
    text = "\n".join((f"WebFetch {url}", string(call.given, "prompt"), f"→ {text_of(call.result)}"))
    return Seen(Kind.TOOL_USE, text, [], _present(url=url, status=number(call.result, "code")))


def _todo(call: Call) -> Seen:
    todos = items(call.given, "todos")
    done = sum(string(todo, "status") == "completed" for todo in todos)
    return Seen(Kind.TOOL_USE, f"{call.tool} ({done} of {len(todos)} done)", [], _present(found=len(todos)), light=True)


def _questions(call: Call) -> Seen:
    answers = mapping(call.result, "answers") or mapping(call.given, "answers")
    asked = [string(question, "question") for question in items(call.given, "questions")]
    lines = [f"{question}\n→ {string(answers, question) or '(no answer)'}" for question in asked]
    return Seen(Kind.TOOL_USE, "\n".join(["Asked the person", *lines]), [], _present(asked=len(asked)))


def _plan(call: Call) -> Seen:
    plan = string(call.given, "plan") or string(call.result, "plan")
    return Seen(Kind.TOOL_USE, f"Plan\n{plan}".rstrip(), [], {})


def _mcp(call: Call) -> Seen:
    parts = call.tool.split("__")
    server, tool = "/".join(parts[1:-1]), parts[-1]
    if "tui-memory" in server or "tui_memory" in server:
        text = f"{server} {tool} {compact(call.given)}"
        return Seen(Kind.TOOL_USE, text, [], _present(server=server), light=True)
    broken = isinstance(call.result, dict) and call.result.get("isError") is True
    said = text_of(call.result)
    text = f"{server} {tool} {compact(call.given)}".rstrip() + (f"\n→ {said}" if said else "")
    detail = _present(server=server, error=(failures.error_line(said) or failures.first_line(said)) if broken else "")
    if not broken and ("request" in tool.lower() or "pr" in tool.lower() or "mr" in tool.lower()):
        from tui_memory.capture import pull_requests

        detail |= pull_requests.of_tool(tool, call.given, said)
    return Seen(Kind.ERROR if broken else Kind.TOOL_USE, text, [], detail)


def _other(call: Call) -> Seen:
    path = call.path("file_path", "filePath", "path")
    said = text_of(call.result)
    text = f"{call.tool} {compact(call.given)}".rstrip() + (f"\n→ {said}" if said else "")
    return Seen(Kind.TOOL_USE, text, [path] if path else [], {})


def _many(count: int | None, noun: str, plural: str = "s") -> str:
    """`1 file`, `3 files`, '' for an unknown count."""
    return "" if count is None else f"{count} {noun}{'' if count == 1 else plural}"


def _is_ours(command: str) -> bool:
    """Whether a command asks tui-memory: its answer is memory already."""
    return command.split("|")[0].split("&&")[-1].strip().startswith("tui-memory ")


def _present(**values: Any) -> dict[str, Any]:
    """The values that are there."""
    return {name: value for name, value in values.items() if value is not None and value != ""}


_BY_TOOL: dict[str, Callable[[Call], Seen]] = {
    "Read": _read,
    "NotebookRead": _read,
    "view_image": _read,
    "Grep": _search,
    "Glob": _search,
    "LS": _search,
    "WebSearch": _web_search,
    "Bash": _command,
    "PowerShell": _command,
    "Edit": _edit,
    "Write": _edit,
    "MultiEdit": _edit,
    "NotebookEdit": _edit,
    "Agent": _agent,
    "Task": _agent,
    "WebFetch": _fetch,
    "TodoWrite": _todo,
    "AskUserQuestion": _questions,
    "ExitPlanMode": _plan,
}
