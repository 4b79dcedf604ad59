"""How Celery is set, here and nowhere else: as a doorbell, on which nothing depends."""

from typing import Any

from workers.message import ANSWER_SECONDS, QUEUE

CELERY_SETTINGS: dict[str, Any] = {
    # JSON only: a pickle would run code of whoever can write to the broker.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-accept_content
    "accept_content": ["json"],
    # The same for what is sent.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-task_serializer
    "task_serializer": "json",
    # A name of our own, for brokers that others use too.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-task_default_queue
    "task_default_queue": QUEUE,
    # No results: the row in the store is the result.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-task_ignore_result
    "task_ignore_result": True,
    # So there is nowhere to put them either.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-result_backend
    "result_backend": None,
    # Acknowledged on receipt: a lost message is rung again from the row, so that redelivery by the broker would only
    # bring doubles.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-task_acks_late
    "task_acks_late": False,
    # A run that kills its worker would come back for ever; the store counts its attempts instead.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-task_reject_on_worker_lost
    "task_reject_on_worker_lost": False,
    # A message waits in the broker until a process is free for it, so that no run waits behind a long one.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-worker_prefetch_multiplier
    "worker_prefetch_multiplier": 1,
    # With messages that are acknowledged on receipt, the setting above would let each busy process keep one more.
    # For Redis only.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-worker_disable_prefetch
    "worker_disable_prefetch": True,
    # A run goes on while the broker is away: it needs the database, not the broker.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-worker_cancel_long_running_tasks_on_connection_loss
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    # A worker may start before its broker does.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-broker_connection_retry_on_startup
    "broker_connection_retry_on_startup": True,
    # It waits for the broker however long that takes.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-broker_connection_max_retries
    "broker_connection_max_retries": None,
    # Whoever rings has other things to do, and need not ring.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-broker_connection_timeout
    "broker_connection_timeout": ANSWER_SECONDS,
    # A worker that is told to stop gives its runs this long, then they go back to the queue: enough to write down what
    # is just done; a run takes minutes, and no shutdown waits for that.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-worker_soft_shutdown_timeout
    "worker_soft_shutdown_timeout": 3.0,
    # Commands over the broker (shutdown, rate limits) are for whoever can write to it; nobody needs them.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-worker_enable_remote_control
    "worker_enable_remote_control": False,
    # Messages are acknowledged on receipt, so `visibility_timeout` bounds nothing that matters; stated because Celery's
    # default of one hour is the reason for doubled long tasks elsewhere. `max_retries` and `interval_start` are of a
    # sender; a worker's own connection follows `broker_connection_max_retries`.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-broker_transport_options
    "broker_transport_options": {
        "visibility_timeout": 3600,
        "socket_connect_timeout": ANSWER_SECONDS,
        "socket_timeout": 2 * ANSWER_SECONDS,
        "max_retries": 1,
        "interval_start": 0.1,
    },
    # Logging is the process's own.
    # https://docs.celeryq.dev/en/stable/userguide/configuration.html#std-setting-worker_hijack_root_logger
    "worker_hijack_root_logger": False,
}
