"""The route through Ollama: its own client, a schema in `format`, and every way that its answers go wrong."""

from __future__ import annotations

import time
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from tui_memory.compress import hosts, modelled, schema
from tui_memory.compress.made import Compressed, Cost, Unfinished
from tui_memory.compress.modelled import Chat, Message
from tui_memory.compress.turns import Turn
from tui_memory.errors import CompressError, ModelError

if TYPE_CHECKING:
    from ollama import AsyncClient, ChatResponse

    from tui_memory.config import Settings

ANSWER = 1_536
"""Tokens that an answer may have."""
_KEEP_ALIVE = "5m"
_SEED = 7
_LOOK_S = 10.0
"""Seconds that the server may take to say what a model is."""
_STEP = 1_024
"""num_ctx grows in such steps, so that Ollama does not load the model anew for every turn."""


class Ollama:
    """The route as the router sees it. `host`: an address instead of OLLAMA_HOST's."""

    def __init__(self, model: str, settings: Settings, host: str | None = None) -> None:
        self.name = f"ollama:{model}"
        self.model = model
        self._settings = settings
        self._host = host

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """The memories of a turn. CompressError: the answer is of no use. ModelError: no server, no such model."""
        async with self.chat(schema.json_schema()) as chat:
            return await modelled.compress(
                turn, chat, self.name, self.model, cost, single=self._settings.compress.granularity == "event",
                variant=self._settings.compress.prompt,
            )  # fmt: skip

    def chat(self, form: dict[str, Any]) -> AbstractAsyncContextManager[Chat]:
        """The model, to be asked for answers of this JSON schema."""
        url = hosts.ollama_url(self._host)
        hosts.check(url, self._settings.remote.allowed_hosts)
        return _Chat(url, self.model, self._settings, form)


class _Chat:
    """One conversation's way to the server. No proxy and no redirect may lead it elsewhere."""

    def __init__(self, url: str, model: str, settings: Settings, form: dict[str, Any]) -> None:
        from ollama import AsyncClient

        self._url, self._model, self._settings, self._form = url, model, settings, form
        self._client: AsyncClient = AsyncClient(url, follow_redirects=False, trust_env=False, timeout=None)
        self._window = 0
        self._think: bool | None = False

    async def __aenter__(self) -> _Chat:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()  # type: ignore[no-untyped-call]

    async def room(self) -> int:
        """Tokens for a question: the model's own window or the setting's, whichever is less, without the answer's."""
        if not self._window:
            self._window = min(await self._own_window(), self._settings.compress.num_ctx)
        return self._window - ANSWER

    async def ask(self, messages: list[Message], cost: Cost) -> str:
        """The answer; checked for having seen the whole question and having come to its end."""
        await self.room()
        wanted = sum(len(message["content"].encode()) for message in messages) // 3 + 16 * len(messages)
        num_ctx = min(-(-(wanted + ANSWER) // _STEP) * _STEP, self._window)
        answer = await self._chat(messages, num_ctx, cost)
        if self._was_cut(answer, num_ctx) and num_ctx < self._window:
            answer = await self._chat(messages, self._window, cost)
            num_ctx = self._window
        if self._was_cut(answer, num_ctx):
            raise CompressError(
                f"the turn did not fit the window of {num_ctx} tokens, so the model saw only a part of it"
            )
        if answer.done_reason == "length":
            raise Unfinished(f"the answer did not end within {ANSWER} tokens", answer.message.content or "")
        return answer.message.content or ""

    @staticmethod
    def _was_cut(answer: ChatResponse, num_ctx: int) -> bool:
        """Ollama cuts a long question without a word: only the count of what it read tells."""
        return (answer.prompt_eval_count or 0) + ANSWER > num_ctx

    async def _chat(self, messages: list[Message], num_ctx: int, cost: Cost) -> ChatResponse:
        options = {"num_ctx": num_ctx, "num_predict": ANSWER, "temperature": 0, "seed": _SEED}
        seconds = self._settings.compress.timeout_s * max(1.0, num_ctx / 4_096)
        started = time.perf_counter()
        try:
            answer = await self._send(messages, options, seconds)
        finally:
            cost.calls += 1
            cost.ms += round((time.perf_counter() - started) * 1000)
        cost.tokens_in += answer.prompt_eval_count or 0
        cost.tokens_out += answer.eval_count or 0
        return answer

    async def _send(self, messages: list[Message], options: dict[str, Any], seconds: float) -> ChatResponse:
        from ollama import ResponseError

        try:
            return await self._within(seconds, messages, options)
        except ResponseError as error:
            if self._think is None or error.status_code != 400 or "think" not in error.error.lower():
                raise self._refused(error) from None
        self._think = None  # an older server, or a model that takes no such switch
        try:
            return await self._within(seconds, messages, options)
        except ResponseError as error:
            raise self._refused(error) from None

    async def _within(self, seconds: float, messages: list[Message], options: dict[str, Any]) -> ChatResponse:
        """One call; ResponseError is left to the caller, every other failure becomes one of ours."""
        import asyncio

        import httpx

        try:
            async with asyncio.timeout(seconds):
                return await self._client.chat(
                    self._model, messages, stream=False, think=self._think, format=self._form,
                    options=options, keep_alive=_KEEP_ALIVE,
                )  # fmt: skip
        except TimeoutError:
            raise CompressError(f"the model did not answer within {seconds:.0f} seconds") from None
        except ConnectionError:
            raise self._nobody() from None
        except httpx.HTTPError as error:
            raise CompressError(f"the connection to Ollama broke ({type(error).__name__})") from None
        except ValueError as error:
            raise CompressError(f"Ollama's answer cannot be read ({type(error).__name__})") from None

    async def _own_window(self) -> int:
        """The window that the model was made for; the setting's where the server does not say."""
        import asyncio

        import httpx
        from ollama import ResponseError

        try:
            async with asyncio.timeout(_LOOK_S):
                shown = await self._client.show(self._model)
        except ResponseError as error:
            raise self._refused(error) from None
        except (ConnectionError, TimeoutError):
            raise self._nobody() from None
        except (httpx.HTTPError, ValueError) as error:
            raise CompressError(f"Ollama did not say what {self._model} is ({type(error).__name__})") from None
        known = [value for key, value in (shown.modelinfo or {}).items() if key.endswith(".context_length")]
        return int(known[0]) if known and isinstance(known[0], int) else self._settings.compress.num_ctx

    def _nobody(self) -> ModelError:
        return ModelError(f"No Ollama answers at {self._url}. `ollama serve` starts it.")

    def _refused(self, error: Any) -> ModelError | CompressError:
        if error.status_code == 404:
            return ModelError(f"Ollama has no model {self._model}. `ollama pull {self._model}` fetches it.")
        return CompressError(f"Ollama refused ({error.status_code}): {' '.join(str(error.error).split())[:200]}")
