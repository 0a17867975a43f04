"""Whatever the document allows, and much that it does not, is answered as the document says."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from tui_memory.engine.memory import Memory
from tui_memory.surfaces.rest import app

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture
def document(tmp_path: Path) -> Iterator[Any]:
    """The application's own document, over a store with two memories in it."""
    with Memory(tmp_path / "store", embedding="none") as memory:
        memory.add_many([{"title": "Retries stop at the deadline"}, {"title": "Invoices round half even"}])
        yield schemathesis.openapi.from_asgi("/openapi.json", app.plain(memory, logging.getLogger("test")))


schema = schemathesis.pytest.from_fixture("document").exclude(path="/v1/stream")  # it never ends
bounded = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@schema.parametrize()
@bounded
def test_every_route_answers_as_its_document_says(case: Any) -> None:
    no_model = case.operation.path == "/v1/embed"  # there is none here: 503 is the honest answer
    answer = case.call_and_validate(checks=CHECKS[1:] if no_model else CHECKS)
    assert answer.status_code < 500 or (no_model and answer.status_code == 503)


@schema.include(path_regex=r"\{id\}").parametrize()
@bounded
def test_and_so_do_those_of_one_memory_where_it_exists(case: Any) -> None:
    case.path_parameters["id"] = "1"
    assert case.call_and_validate(checks=CHECKS[:-1]).status_code < 500
