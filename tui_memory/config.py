"""Settings: environment over YAML over defaults. What the hook's fallback reads is compiled to JSON beside the store.

The standard library alone at import; YAML is loaded by `load`. A mistake is a ConfigError that names file and key."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tui_memory import places
from tui_memory.light import TYPE_CHECKING, dataclass, field, fields, is_dataclass, replace

if TYPE_CHECKING:
    from typing import Any

_SHARE = {"most": 1}  # a share of a whole
_LEAST_ONE = {"least": 1}  # with none of it nothing could be done at all
_DERIVED = {"derived": True}  # worked out from other settings, not a key of the file


@dataclass(frozen=True, slots=True)
class ProjectRules:
    """What differs for one project (by name or folder)."""

    off: bool = False
    """Capture nothing in it."""


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """What is taken of the agents' events."""

    off: bool = False
    """Capture nothing at all (TUI_MEMORY_OFF=1 says the same)."""
    ignore: tuple[str, ...] = ()
    """gitignore-like patterns of files whose events are never kept, after the built-in ones (`.env*`, keys)."""
    max_body: int = 16_384
    """Characters kept of one text: its head and its tail."""
    max_payload: int = 2_000_000
    """Bytes of one event; of a larger one only metadata is kept."""
    light_tools: tuple[str, ...] = ("Read", "Grep", "Glob", "LS", "NotebookRead", "TodoWrite", "WebSearch")
    """Tools whose output is noise: the first lines are enough."""
    projects: dict[str, ProjectRules] = field(default_factory=dict)
    """Rules of single projects, by name or folder."""
    kinds_off: frozenset[str] = field(default=frozenset(), metadata=_DERIVED)
    """Kinds that redaction leaves alone, from the `redact` section."""


@dataclass(frozen=True, slots=True)
class ExtraRule:
    """A secret of the user's own making: a kind's name and a regular expression."""

    kind: str = ""
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class RedactSettings:
    """What is masked beyond the built-in secrets, and what is not."""

    extra: tuple[ExtraRule, ...] = ()
    """The user's own rules. With any of them the hook's fallback keeps metadata only."""
    allow: tuple[str, ...] = ()
    """Regular expressions of values that are never masked."""
    emails: bool = True
    """Mask e-mail addresses."""
    phones: bool = True
    """Mask telephone numbers."""
    cards: bool = True
    """Mask payment cards and bank accounts."""
    numbers: bool = True
    """Mask social security, national identity and passport numbers."""

    @property
    def kinds_off(self) -> frozenset[str]:
        """The kinds that redaction leaves alone."""
        groups = {
            ("email",): self.emails,
            ("phone",): self.phones,
            ("card", "iban"): self.cards,
            ("ssn", "national-number", "passport"): self.numbers,
        }
        return frozenset(kind for kinds, on in groups.items() if not on for kind in kinds)


@dataclass(frozen=True, slots=True)
class CompressSettings:
    """How turns become memories."""

    routes: tuple[str, ...] = ("ollama:qwen2.5-coder:1.5b", "extractive")
    """The first that works: `ollama:MODEL`, `openai:URL#MODEL`, `extractive` (no model, always last)."""
    num_ctx: int = field(default=8_192, metadata=_LEAST_ONE)
    """The model's window, in tokens."""
    granularity: str = field(default="turn", metadata={"choices": ("turn", "session", "event")})
    """What a model is given at once: a turn, a whole session when it has ended, or each event of a turn."""
    prompt: str = ""
    """Which variant of the prompts: `terse` for `prompts/turn.terse.md` beside these settings; empty: the ordinary."""
    calls_per_day: int = 2_000
    """Model calls, after which the queue waits for the next day."""
    tokens_per_day: int = 2_000_000
    """Model tokens, read and written, after which the queue waits for the next day."""
    seconds_per_day: int = 7_200
    """Seconds of model time, after which the queue waits for the next day."""
    calls_per_session: int = 400
    """Model calls for one session's turns, after which they are compressed without a model."""
    tokens_per_session: int = 500_000
    """Model tokens for one session's turns, read and written, after which they are compressed without a model."""
    seconds_per_session: int = 3_600
    """Seconds of model time for one session's turns, after which they are compressed without a model."""
    timeout_s: int = field(default=120, metadata=_LEAST_ONE)
    """Seconds until a call of the model is given up."""


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """What makes vectors of texts."""

    model: str = "all-MiniLM-L6-v2"
    """The packaged model, or a local directory of a sentence-transformers model."""
    device: str = "cpu"
    """Where it runs: cpu, cuda, mps."""


@dataclass(frozen=True, slots=True)
class RetrieveSettings:
    """How memories are found and handed to agents."""

    profile: str = "default"
    """The profile that search and context use."""
    profiles: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Named sets of weights, thresholds and caps; what one leaves out is the default's."""
    budget: int = 2_000
    """Tokens of context an agent is given at a session's start."""


@dataclass(frozen=True, slots=True)
class UpkeepSettings:
    """What keeps the store small and true."""

    max_memories: int = 200_000
    """Memories kept; beyond, the least valuable go to the trash."""
    max_bytes: int = 2_000_000_000
    """Bytes the store may take on disk."""
    duplicates: float = field(default=0.78, metadata=_SHARE)
    """Likeness (0 to 1) from which two memories are proposed as duplicates."""
    merge_duplicates: float = field(default=0.0, metadata=_SHARE)
    """Likeness (0 to 1) from which duplicates that name nothing different are merged without asking; 0: never."""
    half_life: dict[str, float] = field(default_factory=dict)
    """Days after which a memory of a kind counts half, by kind; what is left out is the profile's."""
    grace_days: int = 30
    """Days in the trash before eviction is final."""


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Which back-ups stay: of each day, week and month the last one, for so many of each; the newest always."""

    keep_daily: int = 7
    """Days of which one is kept."""
    keep_weekly: int = 4
    """Weeks of which one is kept."""
    keep_monthly: int = 12
    """Months of which one is kept."""


@dataclass(frozen=True, slots=True)
class HubSettings:
    """The team's hub, where one is connected."""

    deadline_ms: int = 500
    """Milliseconds that a search waits for the hub; what it has by then is among the hits."""


@dataclass(frozen=True, slots=True)
class UiSettings:
    """The application's looks and keys."""

    theme: str = "tui-memory-dark"
    """A theme of the program, or one beside this file in `themes/`."""
    keys: dict[str, str] = field(default_factory=dict)
    """Other keys for actions, by the action's name."""


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """The only way out of the machine."""

    allowed_hosts: tuple[str, ...] = ()
    """Hosts that may be asked (a model's endpoint, a back-up's address); loopback needs no permission."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one run."""

    capture: CaptureSettings = CaptureSettings()
    redact: RedactSettings = RedactSettings()
    compress: CompressSettings = CompressSettings()
    embed: EmbedSettings = EmbedSettings()
    retrieve: RetrieveSettings = RetrieveSettings()
    upkeep: UpkeepSettings = UpkeepSettings()
    backup: BackupSettings = BackupSettings()
    hub: HubSettings = HubSettings()
    ui: UiSettings = UiSettings()
    remote: RemoteSettings = RemoteSettings()


UNREADABLE = Settings()
"""Stands, itself, for the settings of a file that cannot be read: nothing of it is compiled for the hook."""


def load(path: Path | None = None) -> Settings:
    """The settings of a file (None: the configured place; a missing file: defaults), the environment over it.

    ConfigError names the file, the key and what was expected there.
    """
    from tui_memory import patterns, settings_file

    path = path or places.config_file()
    settings = settings_file.read(Settings, path)
    patterns.check(settings.redact, path)
    capture = replace(settings.capture, kinds_off=settings.redact.kinds_off)
    if os.environ.get("TUI_MEMORY_OFF", "").strip().lower() in ("1", "true", "yes", "on"):
        capture = replace(capture, off=True)
    return replace(settings, capture=capture)


def compile_settings(settings: Settings, store_home: Path, path: Path | None = None) -> None:
    """Write what the hook's fallback needs to settings.json (0600), with the YAML's size and time. OSError."""
    path = path or places.config_file()
    target = places.settings_file(store_home)
    content = {
        "source": _stamp(path),
        "own_rules": bool(settings.redact.extra or settings.redact.allow),
        "capture": {item.name: _plain(getattr(settings.capture, item.name)) for item in fields(CaptureSettings)},
    }
    text = json.dumps(content, indent=1)
    if target.exists() and target.read_text() == text:
        return
    aside = target.with_name(f".settings-{os.getpid()}-{os.urandom(4).hex()}")
    with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
    aside.replace(target)


def compiled(store_home: Path, path: Path | None = None) -> CaptureSettings | None:
    """What `compile_settings` wrote; None where it is missing or older than the YAML, or the user has rules of
    his own that only the worker can apply: then the fallback keeps metadata only.
    """
    try:
        content = json.loads(places.settings_file(store_home).read_text())
        if content["own_rules"] or content["source"] != _stamp(path or places.config_file()):
            return None
        given = content["capture"]
        return CaptureSettings(
            off=bool(given["off"]) or os.environ.get("TUI_MEMORY_OFF") == "1",
            ignore=tuple(given["ignore"]),
            max_body=int(given["max_body"]),
            max_payload=int(given["max_payload"]),
            light_tools=tuple(given["light_tools"]),
            projects={name: ProjectRules(bool(rules["off"])) for name, rules in given["projects"].items()},
            kinds_off=frozenset(given["kinds_off"]),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # missing, torn or of another version: as good as none


def _stamp(path: Path) -> list[Any]:
    """What tells whether the settings file is the one that was compiled: path, size, time (0: none)."""
    try:
        found = path.stat()
    except OSError:
        return [str(path), 0, 0]
    return [str(path), found.st_size, found.st_mtime_ns]


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return {item.name: getattr(value, item.name) for item in fields(value)} if is_dataclass(value) else value
