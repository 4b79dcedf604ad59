"""How the web process tells the workers of a run, with as little as its broker needs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from urllib.parse import urlsplit

from workers.redis_bell import RedisBell


@dataclass(frozen=True)
class Bell:
    """`ring` takes a run's id; it may block for a few seconds and raise BrokerUnavailableError."""

    ring: Callable[[str], None]
    answers: Callable[[], bool]


def open_bell(broker_url: str) -> Bell:
    """Nothing connects yet. Celery is imported only for brokers that `RedisBell` does not speak to."""
    parts = urlsplit(broker_url)
    if parts.scheme in ("redis", "redis+socket") and not parts.query:
        redis = RedisBell(broker_url)
        return Bell(redis.ring, redis.answers)
    queue = import_module("workers.queue")
    celery = queue.make_celery(broker_url)
    return Bell(partial(queue.ring, celery), partial(queue.broker_answers, celery))
