"""`GET /api/runs` and `GET /api/runs/{id}`.

Parameters are read from the request, here and in `app.page`: declared ones make FastAPI load a second pydantic, the
`v1` that nothing else needs.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, StreamingResponse

from app.journal_view import read_journal, run_json, run_with_text, step_json, turns
from workers.store import Run, RunStore

MAX_PAGE = 200
MAX_STEPS = 10**8


def api_routes(store: RunStore) -> APIRouter:
    """Reads only. Who may ask is decided where the routes are included."""
    router = APIRouter(prefix="/api")

    @router.get("/runs")
    def list_runs(request: Request) -> JSONResponse:
        """Newest first, `limit` of them (50); `before` is the id of the last run of the page before."""
        limit = _number(request, "limit", range(1, MAX_PAGE + 1), otherwise=50)
        runs = store.list_runs(limit, request.query_params.get("before"))
        return JSONResponse({"runs": [run_json(run) for run in runs]})

    @router.get("/runs/{run_id}")
    def one_run(request: Request) -> StreamingResponse:
        """The whole of one run, streamed; with `after`, only the steps after that number, and their turns."""
        after = _number(request, "after", range(MAX_STEPS), otherwise=0)
        run = store.get(request.path_params["run_id"])
        if run is None:
            raise HTTPException(404, "no such run")
        return StreamingResponse(_stream(store, run, after), media_type="application/json")

    return router


def _number(request: Request, name: str, allowed: range, *, otherwise: int) -> int:
    """The parameter `name`, or `otherwise` where it is not given. 422 for anything but a number that is `allowed`."""
    text = request.query_params.get(name, str(otherwise))
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) in allowed):
        raise HTTPException(422, f"{name} is a number from {allowed[0]} to {allowed[-1]}")
    return int(text)


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
