"""Celery applications that leave no connection behind: one that is collected open is a warning in some other test."""

from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery
from kombu import pools

from workers.queue import make_celery


@contextmanager
def closed_celery(broker_url: str) -> Iterator[Celery]:
    """The product's application; connections are closed at the end."""
    with make_celery(broker_url) as celery:
        try:
            yield celery
        finally:
            pools.reset()  # type: ignore[no-untyped-call]  # of all applications of this process: they share them
