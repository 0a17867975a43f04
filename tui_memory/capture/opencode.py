"""OpenCode's events as our plugin hands them over: {v, hook, directory, worktree, ts, event | input, output}.

The plugin adds what only it can know: `parent` (the session that started this one), and at a session's rest `text`
(what the agent said last) and `prompt` (the message it answers).
"""

from __future__ import annotations

from tui_memory.capture import claude_code, tools
from tui_memory.capture.dialect import begin, call, hunks, lines_read
from tui_memory.capture.shapes import items, mapping, number, string, text_of
from tui_memory.light import TYPE_CHECKING
from tui_memory.model import Draft

if TYPE_CHECKING:
    from typing import Any

_IGNORED_EVENTS = """
session.updated session.status session.diff message.updated message.removed message.part.removed message.part.delta
file.edited file.watcher.updated todo.updated command.executed permission.asked permission.updated permission.replied
vcs.branch.updated plugin.added catalog.updated reference.updated integration.updated
"""
_IGNORED_HOOKS = """
tool.execute.before permission.ask experimental.chat.system.transform experimental.session.compacting
command.execute.before chat.params chat.headers shell.env experimental.chat.messages.transform
experimental.text.complete
"""
_IGNORED = frozenset(_IGNORED_EVENTS.split()) | frozenset(_IGNORED_HOOKS.split())
_NO_OUTPUT = "(no output)"
_STOPPED = "MessageAbortedError"


def draft(payload: dict[str, Any], cwd: str, project_dir: str) -> Draft | None:
    """The draft of one event; None where it carries nothing to keep."""
    event, given = mapping(payload, "event"), mapping(payload, "input")
    told = mapping(event, "properties")
    named = string(event, "type") or string(payload, "hook")
    if named in _IGNORED or named.startswith(("lsp.", "server.", "tui.", "installation.")):
        return None
    own = string(told, "sessionID") or string(given, "sessionID") or string(mapping(told, "info"), "id")
    above = string(payload, "parent") or string(mapping(told, "info"), "parentID")
    folder = (string(payload, "directory") or cwd, project_dir or _worktree(payload))
    made = begin("opencode", named, {}, above or own, folder, parent=own if above else "")
    if model := string(mapping(given, "model"), "modelID"):
        made.detail["model"] = model
    match named:
        case "chat.message":
            return _prompt(made, given, mapping(payload, "output"))
        case "tool.execute.after":
            call_made = _Call(string(given, "tool"), string(given, "callID"), mapping(given, "args"))
            return call_made.done(made, mapping(payload, "output"))
        case "message.part.updated":
            return _part(made, mapping(told, "part"))
    found = _lifecycle(made, named, payload, told)
    if not made.key and (identity := string(event, "id")):
        made.key = "\x1f".join((made.agent, made.session, named, identity))
    return found


def _worktree(payload: dict[str, Any]) -> str:
    """The project's folder; outside of a repository OpenCode calls it the file system's root."""
    found = string(payload, "worktree")
    return "" if found == "/" else found


def _lifecycle(made: Draft, named: str, payload: dict[str, Any], told: dict[str, Any]) -> Draft | None:
    if named == "session.created":
        return claude_code.fill(made, "SubagentStart" if made.parent else "SessionStart", {"source": "startup"})
    if named in ("session.deleted", "dispose"):
        return None if made.parent else claude_code.fill(made, "SessionEnd", {"reason": named.partition(".")[2]})
    if named == "session.idle":
        fields = {"last_assistant_message": string(payload, "text"), "prompt_id": string(payload, "prompt")}
        return claude_code.fill(made, "SubagentStop" if made.parent else "Stop", fields)
    if named == "session.compacted":
        return claude_code.fill(made, "PostCompact", {"trigger": "auto"})
    if named == "session.error":
        error = mapping(told, "error")
        if string(error, "name") == _STOPPED:
            made.light = made.ends_turn = True
            made.text = "The person stopped the turn"
            return made
        said = string(mapping(error, "data"), "message")
        return claude_code.fill(made, "StopFailure", {"error": string(error, "name"), "error_details": said})
    return claude_code.fill(made, named, told)


def _prompt(made: Draft, given: dict[str, Any], output: dict[str, Any]) -> Draft | None:
    message = mapping(output, "message")
    parts = [part for part in items(output, "parts") if isinstance(part, dict) and part.get("synthetic") is not True]
    texts = [string(part, "text") for part in parts if string(part, "type") == "text"]
    names = [string(part, "filename", "url")[:200] for part in parts if string(part, "type") == "file"]
    prompt = without_quotes("\n".join(filter(None, texts)).strip()) or "".join(f"[{name}]" for name in names)
    if not prompt:
        return None
    identity = string(message, "id") or string(given, "messageID")
    return claude_code.fill(made, "UserPromptSubmit", {"prompt": prompt, "prompt_id": identity})


def _part(made: Draft, part: dict[str, Any]) -> Draft | None:
    """A finished part of a message: a tool's result, or what the agent said (that of a person has no time)."""
    if string(part, "type") == "text" and number(mapping(part, "time"), "end") and part.get("synthetic") is not True:
        fields = {"last_assistant_message": string(part, "text"), "prompt_id": string(part, "id")}
        found = claude_code.fill(made, "SubagentStop", fields)
        return found if string(part, "text") else None
    state = mapping(part, "state")
    status = string(state, "status")
    if string(part, "type") != "tool" or status not in ("completed", "error"):
        return None
    found_call = _Call(string(part, "tool"), string(part, "callID"), mapping(state, "input"))
    return found_call.done(made, state) if status == "completed" else found_call.broken(made, string(state, "error"))


class _Call:
    """One tool call; its key is the call's id, whichever of OpenCode's two ways tells of it."""

    def __init__(self, tool: str, use: str, given: dict[str, Any]) -> None:
        self._given = given
        self._tool, named = call(tool, given)
        self._fields: dict[str, Any] = {"tool_name": self._tool, "tool_input": named, "tool_use_id": use}

    def done(self, made: Draft, output: dict[str, Any]) -> Draft | None:
        """A call that gave a result: it may have failed all the same."""
        facts, said = mapping(output, "metadata"), text_of(output.get("output"))
        code = number(facts, "exit")
        said = "" if said.strip() == _NO_OUTPUT else said
        if code:
            return self.broken(made, f"Exit code {code}\n{said}")
        if self._tool in ("apply_patch", "patch"):
            from tui_memory.capture import codex

            patch = {"command": string(self._given, "patchText", "patch", "input")}
            made.tool = self._tool
            seen = codex.patched(tools.Call(self._tool, patch, f"Success\n{said}", made.project_dir or made.cwd))
            return claude_code.apply(made, "PostToolUse", self._fields, seen)
        found = claude_code.fill(made, "PostToolUse", self._fields | {"tool_response": self._result(facts, said)})
        if self._tool == "Bash" and code is None:
            made.detail.pop("exit_code", None)  # unknown is not success
        return found

    def broken(self, made: Draft, error: str) -> Draft | None:
        """A call that failed."""
        return claude_code.fill(made, "PostToolUseFailure", self._fields | {"error": error})

    def _result(self, facts: dict[str, Any], said: str) -> Any:
        """The result as Claude's tools give it, for those that tell more than their text."""
        match self._tool:
            case "Read":
                shown = mapping(facts, "display")
                first, last = number(shown, "lineStart"), number(shown, "lineEnd")
                if first is None or last is None:
                    return lines_read(said)
                file = {"numLines": last - first + 1, "totalLines": number(shown, "totalLines")}
                return {"type": "text", "file": file}
            case "Edit" | "Write":
                created = {"type": "create"} if facts.get("exists") is False else {}
                return hunks(string(facts, "diff")) | created
            case "Grep":
                return {"numMatches": number(facts, "matches")}
            case "Glob":
                return {"numFiles": number(facts, "count")}
        return said


def without_quotes(text: str) -> str:
    """A prompt without the quotation marks that OpenCode puts around one from the command line."""
    inner = text[1:-1]
    if len(text) > 2 and text[0] == text[-1] == '"' and '"' not in inner.replace('\\"', ""):
        return inner.replace('\\"', '"')
    return text
