"""The one task. It knows an id and hands it on; whether and how a run is executed is decided by the row."""

import re
from collections.abc import Callable

from celery import Celery

from workers.message import RUN_TASK

_RUN_ID = re.compile(r"[a-z0-9]{10,16}")

Execute = Callable[[str], None]
"""Execute the run with this id, if it may be claimed; ids that are unknown or held elsewhere are ignored."""


def add_run_task(celery: Celery, execute: Execute) -> None:
    """Give `celery` the task that `ring` sends for."""

    @celery.task(name=RUN_TASK)  # type: ignore[untyped-decorator]
    def run(run_id: object) -> None:
        execute_run(run_id, execute)


def execute_run(run_id: object, execute: Execute) -> None:
    """`execute` the run. Whatever is not an id is dropped: anybody who reaches the broker can write messages."""
    if isinstance(run_id, str) and _RUN_ID.fullmatch(run_id):
        execute(run_id)
