"""The routes: one `Memory` method each. They run on a few threads: every call may wait for the disk."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response

from tui_memory import __version__
from tui_memory.capture import AGENTS
from tui_memory.engine.memory import Memory
from tui_memory.surfaces.rest import asked, problems, shapes

router = APIRouter(responses=problems.documented())


def _memory(request: Request) -> Memory:
    memory: Memory = request.app.state.memory
    return memory


Engine = Annotated[Memory, Depends(_memory)]
Which = Annotated[str, Path(alias="id", min_length=1, max_length=64, description="A memory's id or uid.")]
Agent = Annotated[str, Path(max_length=64, json_schema_extra={"enum": list(AGENTS)})]


@router.post("/v1/events/{agent}", tags=["capture"])
def capture(memory: Engine, agent: Agent, payload: Annotated[dict[str, Any], Body()]) -> shapes.Captured:
    """Store one event of an agent (its hook's JSON, `hook_event_name` in it), redacted first."""
    for name in ("transcript_path", "transcriptPath"):
        if isinstance(payload.get(name), str):
            payload[name] += "?"  # still says whose event it is, and names no file: none is read for a request
    return shapes.Captured(observation=memory.capture(agent, payload))


@router.get("/v1/observations", tags=["capture"], response_model=shapes.Observations)
def observations(memory: Engine, wanted: Annotated[asked.ListObservations, Query()]) -> Any:
    """Observations, newest first."""
    found = memory.observations(wanted.filters(memory), state=wanted.state, limit=wanted.limit, before=wanted.before)
    return {"observations": [one.public() for one in found]}


@router.get("/v1/memories", tags=["memories"], response_model=shapes.Memories)
def memories(memory: Engine, wanted: Annotated[asked.ListMemories, Query()]) -> Any:
    """A page of memories, without text and facts."""
    found = memory.memories(
        wanted.filters(memory), state=wanted.state, sort=wanted.sort, limit=wanted.limit, offset=wanted.offset
    )
    return {"memories": [one.public(whole=False) for one in found]}


@router.post("/v1/memories", status_code=201, tags=["memories"], response_model=shapes.WholeMemories)
def add(memory: Engine, new: shapes.NewMemory, response: Response) -> Any:
    """Add a memory; a title or a text is needed."""
    made = memory.get(memory.add(**new.model_dump(exclude_defaults=True)))
    response.headers["Location"] = f"/v1/memories/{made[0].id}"
    return {"memories": [one.public() for one in made]}


@router.post("/v1/memories/merge", status_code=201, tags=["memories"], response_model=shapes.WholeMemories)
def merge(memory: Engine, wanted: shapes.Merge, response: Response) -> Any:
    """Make one memory of several; undo takes it apart."""
    made = memory.get(memory.merge(wanted.ids, title=wanted.title, text=wanted.text))
    response.headers["Location"] = f"/v1/memories/{made[0].id}"
    return {"memories": [one.public() for one in made]}


@router.get("/v1/memories/{id}", tags=["memories"], response_model=shapes.WholeMemories)
def get(memory: Engine, which: Which) -> Any:
    """One memory, whole."""
    return {"memories": [one.public() for one in memory.get(which)]}


@router.patch("/v1/memories/{id}", tags=["memories"], response_model=shapes.WholeMemories)
def edit(memory: Engine, which: Which, change: shapes.Change) -> Any:
    """Change a memory: a new version, journaled."""
    return {"memories": [memory.edit(which, **change.model_dump(exclude_unset=True)).public()]}


@router.delete("/v1/memories/{id}", tags=["memories"])
def delete(memory: Engine, which: Which) -> shapes.Trashed:
    """Move a memory to the trash; undo brings it back."""
    done = memory.delete(which)
    return shapes.Trashed(action=done.action, memories=done.memories)


@router.post("/v1/search", tags=["retrieval"], response_model=shapes.Found)
def search(memory: Engine, wanted: asked.Search) -> Any:
    """The memories that answer a query, best first; none is an honest answer."""
    return memory.search_result(
        wanted.query,
        limit=wanted.limit,
        filters=wanted.filters(memory),
        profile=wanted.profile,
        min_score=wanted.min_score,
    ).public()


@router.get("/v1/context", tags=["retrieval"])
def context(memory: Engine, wanted: Annotated[asked.Context, Query()]) -> shapes.Context:
    """Exactly what an agent would be given."""
    nowhere = "/"  # where this process happens to stand says nothing about who asks
    given = memory.context(
        project=wanted.project or nowhere, prompt=wanted.prompt, budget=wanted.budget, agent=wanted.agent
    )
    return shapes.Context(text=given.text, tokens=given.tokens, ids=given.memories, degraded=list(given.degraded))


@router.get("/v1/timeline/{id}", tags=["retrieval"], response_model=shapes.Memories)
def timeline(memory: Engine, which: Which, around: Annotated[asked.Around, Query()]) -> Any:
    """The memories of the same project around one in time, oldest first."""
    found = memory.timeline(which, before=around.before, after=around.after)
    return {"memories": [one.public(whole=False) for one in found]}


@router.post("/v1/undo", tags=["memories"], response_model=shapes.Undone)
def undo(memory: Engine, wanted: shapes.Undo) -> Any:
    """Take back the last changes a person made, over whatever surface."""
    done = memory.undo(wanted.n)
    return {"undone": [entry.public() for entry in done], "skipped": done.skipped}


@router.post("/v1/embed", tags=["retrieval"])
def embed(memory: Engine, wanted: shapes.Embed) -> shapes.Vectors:
    """Normalised vectors of texts, by the store's own model."""
    vectors = memory.embed(wanted.texts, query=wanted.kind == "query")
    return shapes.Vectors(dimension=vectors.shape[1], vectors=vectors.tolist())


@router.get("/healthz", tags=["state"], responses={503: {"model": shapes.Health}})
def health(memory: Engine, response: Response) -> shapes.Health:
    """Whether all is well, by doctor's checks that take no time; 503 where one is not."""
    found = memory.status.health()
    if not found["ok"]:
        response.status_code = 503
    return shapes.Health(ok=found["ok"], version=__version__, checks=found["checks"])


@router.get("/metrics", tags=["state"], response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def prometheus(memory: Engine) -> Response:
    """Counters, gauges and histograms for Prometheus."""
    from tui_memory.surfaces.rest import metrics

    return Response(metrics.text(memory.measuring.measures()), media_type=metrics.MEDIA_TYPE)
