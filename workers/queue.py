"""The queue: Celery over Redis, Valkey or RabbitMQ. A message carries a run id and nothing else, and may be lost."""

from typing import Any

from amqp.exceptions import AMQPError  # type: ignore[import-untyped]
from celery import Celery
from kombu.exceptions import ChannelError, OperationalError
from redis.exceptions import RedisError

from workers.message import ANSWER_SECONDS, QUEUE, RUN_TASK, BrokerUnavailableError

# kombu maps what its transports raise while connecting to OperationalError; later they raise their own.
_UNAVAILABLE = (OperationalError, RedisError, AMQPError, OSError)


def make_celery(broker_url: str) -> Celery:
    """The Celery application, for ringing as for working. Nothing connects yet."""
    celery = Celery("agent-fix", broker=broker_url, set_as_current=False)
    celery.conf.update(_SETTINGS)
    return celery


_CONFIGURATION = "https://docs.celeryq.dev/en/stable/userguide/configuration.html"

_SETTINGS: dict[str, Any] = {
    # JSON only: a pickle would run code of whoever can write to the broker. #accept-content
    "accept_content": ["json"],
    "task_serializer": "json",
    "event_serializer": "json",
    "task_default_queue": QUEUE,
    # No results: the row in the store is the result. #task-ignore-result
    "task_ignore_result": True,
    "result_backend": None,
    # Acknowledged on receipt: a lost message is rung again from the row, so that redelivery by the broker would only
    # bring doubles, and a run that kills its worker would come back for ever. #task-acks-late
    "task_acks_late": False,
    "task_reject_on_worker_lost": False,
    # A message waits in the broker until a process is free for it, so that no run waits behind a long one.
    # #worker-prefetch-multiplier and, for Redis only, #worker-disable-prefetch
    "worker_prefetch_multiplier": 1,
    "worker_disable_prefetch": True,
    # A run goes on while the broker is away: it needs the database, not the broker.
    # #worker-cancel-long-running-tasks-on-connection-loss
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    # A worker waits for its broker however long that takes, also when it starts. #broker-connection-max-retries
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,
    "broker_connection_timeout": ANSWER_SECONDS,
    # A worker that is told to stop gives its runs this long, then they go back to the queue: enough to write down what
    # is just done; a run takes minutes, and no shutdown waits for that. #worker-soft-shutdown-timeout
    "worker_soft_shutdown_timeout": 3.0,
    # Commands over the broker (shutdown, rate limits) are for whoever can write to it; nobody needs them.
    # #worker-enable-remote-control
    "worker_enable_remote_control": False,
    # Messages are acknowledged on receipt, so this bounds nothing that matters; stated because Celery's default of one
    # hour is the reason for doubled long tasks elsewhere. #broker-transport-options
    "broker_transport_options": {
        "visibility_timeout": 3600,
        "socket_connect_timeout": ANSWER_SECONDS,
        "socket_timeout": 2 * ANSWER_SECONDS,
        # Of a sender; a worker's own connection follows broker_connection_max_retries above.
        "max_retries": 1,
        "interval_start": 0.1,
    },
    # Logging is the process's own. #worker-hijack-root-logger
    "worker_hijack_root_logger": False,
}


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
