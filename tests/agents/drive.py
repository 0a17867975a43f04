#!/usr/bin/env python3
# mypy: ignore-errors
# ruff: noqa
"""Run a real coding agent's own command-line program, offline, against a scripted model.

The agents come from the npm registry, each with its binary inside the package:

  npm install --prefix AGENTS_DIR @anthropic-ai/claude-code @openai/codex @google/gemini-cli \
      opencode-ai @github/copilot

then

  drive.py claude-code --agents AGENTS_DIR --home HOME --project DIR --script S.json --prompt "…"
  drive.py codex       …
  drive.py gemini-cli  …
  drive.py opencode    …
  drive.py copilot     …

HOME is a scratch home directory: put the hooks under test into its
configuration first (.claude/settings.json, .codex/hooks.json,
.gemini/settings.json, .config/opencode/plugin/, .copilot/hooks/); what is
already there is kept. The script is a JSON list of model turns (see
model_stub.py; tool names are the agent's own: Bash, Write, Edit /
exec_command / run_shell_command, write_file / bash, edit, write / bash,
create, edit). All that the agent sent to its model is appended to LOG
(default HOME/requests.jsonl): look there for injected context. Exits with
the agent's status.
"""

import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading

import model_stub


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", choices=["claude-code", "codex", "gemini-cli", "opencode", "copilot"])
    parser.add_argument("--agents", type=pathlib.Path, required=True)
    parser.add_argument("--home", type=pathlib.Path, required=True)
    parser.add_argument("--project", type=pathlib.Path, required=True)
    parser.add_argument("--script", type=pathlib.Path, required=True)
    parser.add_argument("--prompt", required=True)
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("--timeout", type=float, default=180)
    args, extra = parser.parse_known_args()

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    log = args.log or args.home / "requests.jsonl"
    stub = model_stub.Stub(port, log, json.loads(args.script.read_text()))
    threading.Thread(target=stub.serve_forever, daemon=True).start()

    url = f"http://127.0.0.1:{port}"
    bin_dir = args.agents / "node_modules" / ".bin"
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("CLAUDE", "ANTHROPIC", "OPENAI", "GEMINI", "COPILOT", "OPENCODE", "XDG_"))
    }
    env["HOME"] = str(args.home)
    env["PATH"] = f"{bin_dir}:{env['PATH']}"
    env["PWD"] = str(args.project)  # OpenCode believes it before the real working directory
    if args.agent == "claude-code":
        native = args.agents / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
        env |= {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "local",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        command = [
            native if native.exists() else "claude",
            "-p",
            args.prompt,
            "--allowedTools",
            "Bash,Write,Edit,Read,Grep,Glob",
            *extra,
        ]
    elif args.agent == "codex":
        env |= {"CODEX_HOME": str(args.home / ".codex"), "LOCAL_KEY": "local"}
        (args.home / ".codex").mkdir(parents=True, exist_ok=True)
        provider = f'{{name="stub",base_url="{url}/v1",wire_api="responses",env_key="LOCAL_KEY"}}'
        command = [
            "codex",
            "exec",
            "-c",
            f"model_providers.stub={provider}",
            "-c",
            'model_provider="stub"',
            "-c",
            'model="gpt-5"',  # an unknown-to-it model: plain function tools
            "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust",
            "--skip-git-repo-check",
            *extra,
            args.prompt,
        ]
    elif args.agent == "opencode":
        config = args.home / ".config/opencode/opencode.json"
        config.parent.mkdir(parents=True, exist_ok=True)
        value = json.loads(config.read_text()) if config.exists() else {}
        value.setdefault("provider", {})["stub"] = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "stub",
            "options": {"baseURL": f"{url}/v1", "apiKey": "local"},
            "models": {"m": {"name": "m"}},
        }
        value |= {
            "model": "stub/m",
            "autoupdate": False,
            "share": "disabled",
            "permission": {"edit": "allow", "bash": "allow", "read": "allow"},
        }
        config.write_text(json.dumps(value, indent=2))
        command = ["opencode", "run", *extra, args.prompt]
    elif args.agent == "copilot":
        env |= {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_PROVIDER_API_KEY": "local",
            "COPILOT_MODEL": "gpt-4.1",
            "COPILOT_AUTO_UPDATE": "false",
        }
        command = ["copilot", "-p", args.prompt, "--allow-all-tools", *extra]
    else:
        settings = args.home / ".gemini/settings.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        value = json.loads(settings.read_text()) if settings.exists() else {}
        value.setdefault("security", {}).setdefault("auth", {}).setdefault("selectedType", "gemini-api-key")
        value.setdefault("privacy", {}).setdefault("usageStatisticsEnabled", False)
        value.setdefault("model", {}).setdefault("name", "gemini-2.5-flash")  # a fixed model: no routing call first
        settings.write_text(json.dumps(value, indent=2))
        env |= {"GEMINI_API_KEY": "local", "GOOGLE_GEMINI_BASE_URL": url}
        command = ["gemini", "-y", *extra, "-p", args.prompt]
    result = subprocess.run(command, cwd=args.project, env=env, stdin=subprocess.DEVNULL, timeout=args.timeout)
    stub.shutdown()
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
