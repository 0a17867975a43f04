"""Nothing of the program reaches beyond this machine: watched by its system calls, with every way out laid open.

The settings name models elsewhere, the environment names proxies and another machine's Ollama: none is asked.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repositories import Repository

EVERYTHING = Path(__file__).with_name("everything.py")
SETTINGS = """
compress:
  routes: ["ollama:none", "openai:http://models.acme-orders.com/v1#none", "extractive"]
"""
WAYS_OUT = {
    name: "http://10.9.8.7:3128" for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy")
} | {"OLLAMA_HOST": "gpu.acme-orders.com:11434", "HF_ENDPOINT": "http://10.9.8.7", "NO_PROXY": ""}  # fmt: skip
_CALL = re.compile(r"(connect|bind|sendto|sendmsg)\(.*?sa_family=AF_(INET6?)\b(.*)")
_LOCAL = re.compile(r'inet_addr\("127\.|"::1"|"::ffff:127\.')


def beyond(calls: str) -> list[str]:
    """The calls that reach for another machine, or ask a name service wherever it is."""
    found = []
    for line in calls.splitlines():
        call = _CALL.search(line)
        if call and (not _LOCAL.search(call[3]) or "htons(53)" in call[3]):
            found.append(line)
    return found


def test_the_watcher_sees_what_reaches_out() -> None:
    away = 'connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.1.2.3")}, 16) = -1'
    asks = 'connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0'
    everywhere = 'bind(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("0.0.0.0")}, 16) = 0'
    here = 'bind(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0'
    unix = 'connect(3, {sa_family=AF_UNIX, sun_path="/x/hook.sock"}, 16) = 0'
    assert beyond("\n".join((away, here, asks, unix, everywhere))) == [away, asks, everywhere]


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed: it sees every process's calls")
def test_hooks_worker_commands_application_and_servers_stay_on_this_machine(tmp_path: Path) -> None:
    settings, calls = tmp_path / "config.yaml", tmp_path / "calls"
    settings.write_text(SETTINGS)
    work = Repository.make(tmp_path / "orderly")
    work.commit("Begin with Decimal")
    places = {"TUI_MEMORY_HOME": str(tmp_path / "s"), "TUI_MEMORY_CONFIG": str(settings), "WORK": str(work.folder)}
    done = subprocess.run(
        ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect,bind,sendto,sendmsg", "-o", str(calls),
         sys.executable, str(EVERYTHING)],
        env=os.environ | places | WAYS_OUT, capture_output=True, text=True, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    seen = json.loads(done.stdout)
    assert (seen["port"], seen["rest"]) == (200, "HTTP/1.1 200 OK")
    assert seen["application"] > 5_000 and "Decimal" in seen["mcp"]
    assert {code for name, code in seen.items() if isinstance(code, int) and name.startswith("hook ")} == {0}
    told = calls.read_text("utf-8", "replace")
    assert told.count("AF_UNIX") > 10 and "AF_INET" in told
    assert beyond(told) == []
