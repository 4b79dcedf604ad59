"""The queue: Celery over Redis, Valkey or RabbitMQ. A message carries a run id and nothing else, and may be lost."""

import os

from amqp.exceptions import AMQPError  # type: ignore[import-untyped]
from celery import Celery
from kombu.exceptions import ChannelError, OperationalError
from redis.exceptions import RedisError

from repo_tools.errors import ConfigError
from workers.celery_settings import CELERY_SETTINGS
from workers.message import QUEUE, RUN_TASK, BrokerUnavailableError

OVERRIDES = frozenset(
    ("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL", "CELERY_RESULT_BACKEND")
)
"""Variables that Celery puts before what it is told: `celery.app.utils.Settings`."""
# kombu maps what its transports raise while connecting to OperationalError; later they raise their own.
_UNAVAILABLE = (OperationalError, RedisError, AMQPError, OSError)


def make_celery(broker_url: str) -> Celery:
    """The Celery application, for ringing as for working. Nothing connects yet. ConfigError where a variable of
    Celery's own names another broker: it would have the last word, and workers would listen where nobody rings."""
    if found := sorted(OVERRIDES & os.environ.keys()):
        raise ConfigError(", ".join(found), "Celery would go by it", "unset it; set AGENT_FIX_BROKER_URL")
    celery = Celery("agent-fix", broker=broker_url, set_as_current=False)
    celery.conf.update(CELERY_SETTINGS)
    return celery


def ring(celery: Celery, run_id: str) -> None:
    """Tell the workers of a run. BrokerUnavailableError after about `ANSWER_SECONDS`."""
    try:
        celery.send_task(RUN_TASK, args=[run_id], retry=False)
    except _UNAVAILABLE as error:
        raise BrokerUnavailableError(type(error).__name__) from None  # its text may hold the broker's password


def waiting_messages(celery: Celery) -> int:
    """How many messages wait in the broker. BrokerUnavailableError."""
    try:
        with celery.connection_for_read() as connection:
            return int(connection.default_channel.queue_declare(QUEUE, passive=True).message_count)
    except ChannelError:
        return 0  # nobody has rung yet
    except _UNAVAILABLE as error:
        raise BrokerUnavailableError(type(error).__name__) from None


def broker_answers(celery: Celery) -> bool:
    try:
        waiting_messages(celery)
    except BrokerUnavailableError:
        return False
    return True
