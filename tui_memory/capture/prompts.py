"""What a person asked: prompts without the markup of slash commands, local commands and scaffolding."""

from __future__ import annotations

from tui_memory.light import late

_TAG = late(
    r"<(command-name|command-message|command-args|local-command-stdout|local-command-stderr|local-command-caveat)>"
)
_SCAFFOLDING = (
    "<environment_context>",
    "<permissions instructions>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
)


def asked(prompt: str) -> tuple[str, str]:
    """(what was asked, the slash command's name): `/review src` of its markup; both '' where nothing was asked."""
    if "<command-name>" not in prompt and "<local-command-" not in prompt:
        return prompt, ""
    parts, rest = _parts(prompt)
    name = parts.get("command-name", "")
    return "\n".join(filter(None, (f"{name} {parts.get('command-args', '')}".strip(), rest))), name


def _parts(prompt: str) -> tuple[dict[str, str], str]:
    """The markup's parts by tag, and what is left without them; linear, whatever is not closed."""
    parts: dict[str, str] = {}
    rest, at = [], 0
    for opened in _TAG.finditer(prompt):
        tag = opened.group(1)
        if opened.start() < at or tag in parts:
            continue
        end = prompt.find(f"</{tag}>", opened.end())
        parts[tag] = prompt[opened.end() : end].strip() if end >= 0 else ""
        if end >= 0:
            rest.append(prompt[at : opened.start()])
            at = end + len(tag) + 3
    return parts, ("".join(rest) + prompt[at:]).strip()


def is_scaffolding(prompt: str) -> bool:
    """Whether a program, not a person, wrote the prompt (Codex hands such texts as user messages)."""
    return prompt.lstrip().startswith(_SCAFFOLDING)
