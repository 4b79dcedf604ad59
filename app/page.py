"""The pages: runs, and one run. HTML without scripts, in which what an issue, a test or a model wrote is inert text."""

import functools
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse

from app.journal_view import read_journal, run_json, run_with_text, step_json, turns
from repo_tools.refs import is_commit_id
from workers.outcomes import SPEND, RunStatus
from workers.store import Run, RunStore

RUNS_A_PAGE = 50
STAGES = ("admit", "checkout", "environment", "baseline", "agent", "verify")

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def page_routes(store: RunStore, server_url: str) -> APIRouter:
    """Reads only. Who may look is decided where the routes are included. `server_url`: where GitHub shows commits."""
    router = APIRouter(default_response_class=HTMLResponse)

    @router.get("/")
    def show_runs(request: Request) -> HTMLResponse:
        """The newest runs; `before` is the id of the last one of the page before."""
        before = request.query_params.get("before")
        runs = store.list_runs(RUNS_A_PAGE, before)
        older = runs[-1].id if len(runs) == RUNS_A_PAGE else None
        active = any(run.status is not RunStatus.ENDED for run in runs)
        text = _template("runs.html").render(
            runs=[run_json(run) for run in runs],
            older=older,
            first=before is None,
            refresh=active and before is None,
            still=_still(request),
            here="/",
        )
        return HTMLResponse(text, headers=SECURITY_HEADERS)

    @router.get("/runs/{run_id}")
    def show_run(request: Request) -> Response:
        """One run, streamed, with its transcript."""
        run = store.get(request.path_params["run_id"])
        if run is None:
            return HTMLResponse(_template("missing.html").render(), 404, SECURITY_HEADERS)
        page = _template("run.html").generate(**_run_context(store, run, server_url), still=_still(request))
        return StreamingResponse(page, headers=SECURITY_HEADERS, media_type="text/html")

    return router


def static_routes() -> APIRouter:
    """The one style sheet; open to everyone, because there is nothing in it."""
    router = APIRouter()
    style = files("app").joinpath("static/style.css").read_bytes()

    @router.get("/static/style.css")
    def style_sheet() -> Response:
        return Response(style, media_type="text/css", headers={"X-Content-Type-Options": "nosniff"})

    return router


def _run_context(store: RunStore, run: Run, server_url: str) -> dict[str, Any]:
    return {
        "run": run_with_text(run),
        "commit_url": commit_url(run, server_url),
        "issue_url": issue_url(run, server_url),
        "stages": stage_marks(run, _reached(store, run)),
        "spend": [_bar(kind, value) for kind, value in run.spend.items()],
        "reports": _reports(store, run.id),
        "turns": turns(read_journal(store, run.id)),
        "refresh": run.status is not RunStatus.ENDED,
        "here": f"/runs/{run.id}",
    }


def _still(request: Request) -> bool:
    """Whether who reads has asked that the page stays as it is: a reload closes what was opened, and loses what was
    selected."""
    return "still" in request.query_params


def commit_url(run: Run, server_url: str) -> str | None:
    """Where the base commit is shown; None before there is one, and for a repository that is a folder."""
    if run.installation_id == 0 or not is_commit_id(run.base_commit or ""):
        return None
    return f"{server_url}/{quote(run.repository)}/commit/{run.base_commit}"


def issue_url(run: Run, server_url: str) -> str | None:
    """Where the issue stands; None for a run of this machine."""
    if run.installation_id == 0 or not run.issue_number:
        return None
    return f"{server_url}/{quote(run.repository)}/issues/{run.issue_number}"


def _reached(store: RunStore, run: Run) -> frozenset[str]:
    """The stages that a run came to until it ended, or goes to its end."""
    if run.status is not RunStatus.ENDED and run.stage in ("", *STAGES):
        return frozenset()
    return frozenset(step.data["name"] for step in read_journal(store, run.id) if step.kind == "stage")


def stage_marks(run: Run, reached: Collection[str]) -> list[tuple[str, str]]:
    """Each stage with `done`, `now` or `ahead`; of a run at its end, those that it reached are done, and the last one
    says which way it went."""
    stages = (*STAGES, "escalate" if "escalate" in (run.stage, *reached) else "publish")
    now = run.stage if run.status is not RunStatus.ENDED else ""
    furthest = max((number for number, stage in enumerate(STAGES) if stage in (now, *reached)), default=-1)
    done = {*STAGES[: furthest + 1], *reached}
    return [(stage, "now" if stage == now else "done" if stage in done else "ahead") for stage in stages]


def _bar(kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    limit = value["limit"]
    return {"kind": SPEND.get(kind, kind), "used": value["used"], "limit": limit}


def _reports(store: RunStore, run_id: str) -> Iterator[dict[str, Any]]:
    """The harness's own test runs: the baseline and each verification."""
    return (step_json(step) for step in read_journal(store, run_id) if step.kind in ("baseline", "verification"))


@functools.cache
def _template(name: str) -> Any:
    """Jinja comes with the first page: a process that nobody looks at does without its memory."""
    return import_module("app.page_templates").open_templates().get_template(name)
