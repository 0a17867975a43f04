"""A model fetched by Ollama, with how far it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_memory.compress import hosts
from tui_memory.errors import ModelError

_SILENCE_S = 120.0
"""Seconds without a word from Ollama until it is given up; it tells of every part that comes in."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """How far it is: Ollama's words for the step, and bytes of all parts known so far (0 of 0: none yet)."""

    step: str
    done: int = 0
    total: int = 0


def pull(
    name: str, allowed: Sequence[str], on_progress: Callable[[Pulled], None] | None = None, *, host: str | None = None
) -> None:
    """Have Ollama fetch a model. `allowed`: hosts beside this machine; `host`: an address instead of OLLAMA_HOST's.

    ModelError where no Ollama answers, where it cannot have the model, or where it breaks off.
    """
    import httpx
    from ollama import Client, ResponseError

    url = hosts.ollama_url(host)
    hosts.check(url, allowed)
    client: Client = Client(url, follow_redirects=False, trust_env=False, timeout=_SILENCE_S)
    parts: dict[str, tuple[int, int]] = {}
    last = ""
    try:
        for told in client.pull(name, stream=True):
            last = told.status or ""
            if told.digest and told.total:
                parts[told.digest] = (told.completed or 0, told.total)
            if on_progress:
                done, total = (sum(column) for column in zip(*parts.values(), strict=True)) if parts else (0, 0)
                on_progress(Pulled(last, done, total))
    except (ConnectionError, httpx.ConnectError):
        raise ModelError(f"No Ollama answers at {url}; nothing was fetched. `ollama serve` starts it.") from None
    except ResponseError as error:
        said = " ".join(str(error.error).split())[:200]
        raise ModelError(
            f"Ollama cannot fetch {name}: {said}. Look at its name, and whether it may go online."
        ) from None
    except (httpx.HTTPError, ValueError) as error:
        raise ModelError(
            f"Fetching {name} broke off ({type(error).__name__}); Ollama keeps what it has. Ask again to go on."
        ) from None
    finally:
        client.close()  # type: ignore[no-untyped-call]
    if last != "success":
        raise ModelError(f"Fetching {name} ended early ({last or 'no word'}). Ask again to go on.")
