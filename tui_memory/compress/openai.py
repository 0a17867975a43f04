"""The route through any server that speaks OpenAI's chat protocol: llama-server, LM Studio, vLLM, a gateway.

Written `openai:URL#MODEL`. The schema goes into `response_format` where the server takes it, and is in the prompt
always. The same fences on hosts, the same validation and grounding as for Ollama.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tui_memory.compress import hosts, modelled, schema
from tui_memory.compress.made import Compressed, Cost, Unfinished
from tui_memory.compress.modelled import Chat, Message
from tui_memory.compress.turns import Turn
from tui_memory.errors import CompressError, ConfigError, ModelError

if TYPE_CHECKING:
    import httpx

    from tui_memory.config import Settings

ANSWER = 1_536
"""Tokens that an answer may have."""
KEY = "TUI_MEMORY_OPENAI_KEY"
"""The environment's name for the key of a server that wants one; an agent's own key is never sent anywhere."""
_SEED = 7
_LOOK_S = 10.0
_MOST_BYTES = 4_000_000
_WINDOWS = ("max_model_len", "context_length", "loaded_context_length", "max_context_length", "n_ctx", "n_ctx_train")
"""What servers call a model's window in their list of models."""


class OpenAI:
    """The route as the router sees it. ConfigError for an address without scheme, host or model."""

    def __init__(self, target: str, settings: Settings) -> None:
        url, _, self.model = target.partition("#")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or not self.model:
            raise ConfigError(
                f"compress.routes names “openai:{target}”, which is no route. Nothing was compressed."
                " It is written openai:URL#MODEL, such as openai:http://127.0.0.1:8080/v1#qwen2.5-coder."
            )
        self.name = f"openai:{target}"
        self._url, self._settings = url.rstrip("/"), settings
        self._form = 0

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """The memories of a turn. CompressError: the answer is of no use. ModelError: no server, no such model."""
        async with self.chat(schema.json_schema()) as chat:
            return await modelled.compress(
                turn, chat, self.name, self.model, cost, single=self._settings.compress.granularity == "event",
                variant=self._settings.compress.prompt,
            )  # fmt: skip

    @asynccontextmanager
    async def chat(self, form: dict[str, Any]) -> AsyncIterator[Chat]:
        """The model, to be asked for answers of this JSON schema."""
        import httpx

        hosts.check(self._url, self._settings.remote.allowed_hosts)
        key = os.environ.get(KEY, "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with httpx.AsyncClient(follow_redirects=False, trust_env=False, timeout=None, headers=headers) as client:
            chat = _Chat(client, self._url, self.model, self._settings, _forms(form), self._form)
            try:
                yield chat
            finally:
                self._form = chat.form


def _forms(form: dict[str, Any]) -> tuple[dict[str, Any] | None, ...]:
    """What is asked of the answer's form, until the server takes one."""
    strict = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": form}}
    return strict, {"type": "json_object"}, None


class _Chat:
    """One conversation's way to the server. `form`: which of `forms` it takes, as far as is known."""

    def __init__(
        self, client: httpx.AsyncClient, url: str, model: str, settings: Settings,
        forms: tuple[dict[str, Any] | None, ...], form: int,
    ) -> None:  # fmt: skip
        self._client, self._url, self._model, self._settings = client, url, model, settings
        self._forms, self.form = forms, form
        self._window = 0

    async def room(self) -> int:
        """Tokens for a question: the server's window or the setting's, whichever is less, without the answer's."""
        if not self._window:
            self._window = min(await self._own_window(), self._settings.compress.num_ctx)
        return self._window - ANSWER

    async def ask(self, messages: list[Message], cost: Cost) -> str:
        """The answer; checked for having seen the whole question and having come to its end."""
        await self.room()
        started = time.perf_counter()
        try:
            value = await self._answered(messages, cost)
        finally:
            cost.ms += round((time.perf_counter() - started) * 1000)
        usage = value.get("usage") if isinstance(value.get("usage"), dict) else {}
        read, written = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        cost.tokens_in += read
        cost.tokens_out += written
        try:
            choice = value["choices"][0]
            text, reason = choice["message"].get("content"), choice.get("finish_reason")
        except (LookupError, TypeError, AttributeError):
            raise CompressError("the server's answer has no choices") from None
        if read and read + ANSWER > self._window:
            raise CompressError(f"the turn did not fit the window of {self._window} tokens")
        if reason == "length":
            raise Unfinished(f"the answer did not end within {ANSWER} tokens", text if isinstance(text, str) else "")
        return text if isinstance(text, str) else ""

    async def _answered(self, messages: list[Message], cost: Cost) -> dict[str, Any]:
        """The server's answer as JSON, in the strictest form that it takes."""
        while True:
            body: dict[str, Any] = {
                "model": self._model, "messages": messages, "temperature": 0, "seed": _SEED,
                "max_tokens": ANSWER, "stream": False,
            }  # fmt: skip
            if form := self._forms[self.form]:
                body["response_format"] = form
            cost.calls += 1
            response = await self._within(self._seconds(messages), "POST", "/chat/completions", body)
            refuses_form = response.status_code in (400, 415, 422, 501) and _is_about_form(response.text)
            if refuses_form and form is not None:
                self.form += 1
                continue
            return self._read(response)

    def _seconds(self, messages: list[Message]) -> float:
        """A long question takes longer to read."""
        tokens = sum(len(message["content"]) for message in messages) / 3 + ANSWER
        return self._settings.compress.timeout_s * max(1.0, tokens / 4_096)

    async def _within(
        self, seconds: float, method: str, path: str, body: dict[str, Any] | None = None
    ) -> httpx.Response:
        """One call, its body bounded; every failure of the connection becomes one of ours."""
        import httpx

        try:
            async with asyncio.timeout(seconds), self._client.stream(method, self._url + path, json=body) as response:
                content = b""
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > _MOST_BYTES:
                        raise CompressError("the server's answer does not end")
                return httpx.Response(response.status_code, content=content)
        except TimeoutError:
            raise CompressError(f"the model did not answer within {seconds:.0f} seconds") from None
        except httpx.ConnectError:
            advice = "start it, or name another in compress.routes"
            raise ModelError(f"No server answers at {self._url}; {advice}.") from None
        except httpx.HTTPError as error:
            raise CompressError(f"the connection to {self._url} broke ({type(error).__name__})") from None

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        """The JSON of a good answer. ModelError: no such model, or not let in; CompressError: anything else."""
        said = " ".join(response.text.split())[:200]
        if response.status_code in (401, 403):
            raise ModelError(f"{self._url} wants a key ({response.status_code}); {KEY} in the environment names one.")
        if response.status_code == 404:
            raise ModelError(f"{self._url} has no model {self._model}, or no such address: {said}")
        if response.status_code != 200:
            raise CompressError(f"{self._url} refused ({response.status_code}): {said}")
        try:
            value = response.json()
        except ValueError:
            raise CompressError(f"the answer of {self._url} cannot be read: {said}") from None
        if not isinstance(value, dict):
            raise CompressError(f"the answer of {self._url} is no object: {said}")
        return value

    async def _own_window(self) -> int:
        """The window that the server's list of models tells; the setting's where it tells none."""
        setting = self._settings.compress.num_ctx
        response = await self._within(_LOOK_S, "GET", "/models")
        if response.status_code in (401, 403):
            self._read(response)
        try:
            listed = response.json()["data"]
            mine = next(one for one in listed if one.get("id") == self._model)
        except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
            return setting  # a server need not list its models, nor under the name they are asked for
        told = mine | mine["meta"] if isinstance(mine.get("meta"), dict) else mine
        return min([setting, *(size for name in _WINDOWS if (size := _count(told, name)))])


def _is_about_form(text: str) -> bool:
    """Whether a refusal is of the answer's form, not of the question."""
    return any(word in text.lower() for word in ("response_format", "json_schema", "json_object", "schema", "grammar"))


def _count(told: Any, name: str) -> int:
    """A count that a server told, 0 where it is none."""
    value = told.get(name)
    return value if isinstance(value, int) and value > 0 else 0
