"""Whatever goes wrong as RFC 9457 problem details: a sentence, a status, and never a traceback."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tui_memory.errors import ConfigError, ConflictError, ModelError, TuiMemoryError, WorkerError
from tui_memory.redact import redact

if TYPE_CHECKING:
    from fastapi import FastAPI

    Headers = dict[str, str]

MEDIA_TYPE = "application/problem+json"
_STATUS = {2: 422, 3: 404, 4: 403, 5: 503}
"""By the contract's exit codes; what is missing is a failure of ours."""
_BY_TYPE = ((ConflictError, 409), (ConfigError, 500), (ModelError, 503), (WorkerError, 503))


class Problem(BaseModel):
    """RFC 9457: what happened, what was not changed, what to do."""

    type: str
    title: str
    status: int
    detail: str


def body(status: int, detail: str, title: str = "", kind: str = "", **more: Any) -> bytes:
    """A problem as JSON; `kind` names ours, else the status says it all."""
    phrase = HTTPStatus(status).phrase
    value = {
        "type": f"urn:tui-memory:{kind}" if kind else "about:blank",
        "title": title or phrase,
        "status": status,
        "detail": redact(detail),
    }
    return json.dumps(value | more).encode()  # escapes: a detail may quote what is no valid text


def answer(status: int, detail: str, *, headers: Headers | None = None, **more: Any) -> Response:
    """A problem as an answer."""
    return Response(body(status, detail, **more), status, headers, MEDIA_TYPE)


def of(error: TuiMemoryError) -> Response:
    """The answer to one of our errors."""
    status = next((number for kind, number in _BY_TYPE if isinstance(error, kind)), _STATUS.get(error.exit_code, 500))
    kind = type(error).__name__.removesuffix("Error").lower()
    return answer(status, error.message, title=error.title, kind=kind, exit_code=error.exit_code)


def install(app: FastAPI, log: logging.Logger) -> None:
    """Have the application answer with problems, whatever is raised."""
    from fastapi.exceptions import RequestValidationError

    async def ours(_request: Request, error: Exception) -> Response:
        assert isinstance(error, TuiMemoryError)
        return of(error)

    async def invalid(_request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(422, _wrong(error.errors()), title="Not understood", kind="usage")

    async def plain(_request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return answer(error.status_code, str(error.detail), headers=dict(error.headers or {}))

    async def defect(_request: Request, error: Exception) -> Response:
        from tui_memory.store.faults import explain
        from tui_memory.surfaces.worker.logs import what

        if known := explain(error):
            return of(known)
        log.error("rest: unexpected %s", what(error))
        return answer(500, "This is a defect; the worker's log says where. Nothing is known to be changed.")

    app.add_exception_handler(TuiMemoryError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(Exception, defect)


def _wrong(errors: Any) -> str:
    """The first few mistakes, each with its place; what was sent is not repeated."""
    said = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in list(errors)[:5]]
    return f"{'; '.join(said)}. Nothing was changed."


def documented() -> dict[int | str, dict[str, Any]]:
    """What the OpenAPI document says of problems, the same for every route."""
    content = {MEDIA_TYPE: {"schema": Problem.model_json_schema()}}
    statuses = (400, 401, 403, 404, 409, 413, 422, 500, 503)
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}
