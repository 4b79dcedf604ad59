"""`GET /api/runs` and `GET /api/runs/{id}`."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import JSONResponse, StreamingResponse

from app.journal_view import Json, read_journal, run_json, run_with_text, step_json, turns
from workers.store import Run, RunStore

MAX_PAGE = 200


def api_routes(store: RunStore) -> APIRouter:
    """Reads only. Who may ask is decided where the routes are included."""
    router = APIRouter(prefix="/api")

    @router.get("/runs")
    def list_runs(limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 50, before: str | None = None) -> JSONResponse:
        """Newest first; `before` is the id of the last run of the page before."""
        return JSONResponse({"runs": [run_json(run) for run in store.list_runs(limit, before)]})

    @router.get("/runs/{run_id}")
    def one_run(run_id: str, after: Annotated[int, Query(ge=0)] = 0) -> StreamingResponse:
        """The whole of one run, streamed; with `after`, only the steps after that number, and their turns."""
        run = store.get(run_id)
        if run is None:
            raise HTTPException(404, "no such run")
        return StreamingResponse(_stream(store, run, after), media_type="application/json")

    return router


def whole_run(store: RunStore, run_id: str, after: int = 0) -> Json | None:
    """What `GET /api/runs/{id}` answers, as one value."""
    run = store.get(run_id)
    if run is None:
        return None
    return {
        **run_with_text(run),
        "steps": [step_json(step) for step in read_journal(store, run.id, after)],
        "transcript": {"turns": list(turns(read_journal(store, run.id, after)))},
    }


def _stream(store: RunStore, run: Run, after: int) -> Iterator[str]:
    """The same as text, never whole in memory."""
    head = json.dumps(run_with_text(run))
    yield head[:-1] + ',"steps":['
    yield from _joined(step_json(step) for step in read_journal(store, run.id, after))
    yield '],"transcript":{"turns":['
    yield from _joined(turns(read_journal(store, run.id, after)))
    yield "]}}"


def _joined(values: Iterable[Any]) -> Iterator[str]:
    separator = ""
    for value in values:
        yield separator + json.dumps(value)
        separator = ","
