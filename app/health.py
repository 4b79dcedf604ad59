"""`/livez`: the process answers. `/readyz`: everything that a label needs is there."""

from collections.abc import Callable

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from workers.store import RunStore, StoreUnavailableError

WORKER_SILENCE_SECONDS = 60.0
ASKED_BY = ["GET", "HEAD"]
"""Balancers and monitors often ask for the head alone."""

BrokerAnswers = Callable[[], bool]


def health_routes(store: RunStore, broker_answers: BrokerAnswers) -> APIRouter:
    """Both are open to everyone, and so tell no more than a word."""
    router = APIRouter()

    @router.api_route("/livez", methods=ASKED_BY)
    async def livez() -> JSONResponse:
        return JSONResponse({"status": "live"})

    @router.api_route("/readyz", methods=ASKED_BY)
    def readyz() -> JSONResponse:
        missing = whats_missing(store, broker_answers)
        return JSONResponse({"missing": missing} if missing else {"status": "ready"}, 503 if missing else 200)

    return router


def whats_missing(store: RunStore, broker_answers: BrokerAnswers) -> list[str]:
    """The names of the parts that do not answer: store, worker, broker."""
    parts = {"store": store.healthy, "worker": lambda: _worker_lives(store), "broker": broker_answers}
    return [name for name, answers in parts.items() if not answers()]


def _worker_lives(store: RunStore) -> bool:
    try:
        return store.workers_alive(within_seconds=WORKER_SILENCE_SECONDS) > 0
    except StoreUnavailableError:
        return False
