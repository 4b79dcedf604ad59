"""What of Celery the product rests on, and what a message is."""

from collections.abc import Callable

import pytest
from celery.app.defaults import NAMESPACES, flatten

from repo_tools.errors import ConfigError
from tests.support.celery_apps import closed_celery
from workers.bell import open_bell
from workers.broker import EmbeddedBroker
from workers.celery_settings import CELERY_SETTINGS
from workers.message import QUEUE, RUN_TASK
from workers.queue import OVERRIDES, make_celery, ring
from workers.tasks import add_run_task

RUN = "mwqzjvt4nrzcqm"
SEEN_NOWHERE_ELSE = {
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    "worker_prefetch_multiplier": 1,
    "worker_disable_prefetch": True,
    "worker_enable_remote_control": False,
    "broker_connection_max_retries": None,  # it waits for its broker without end
}
"""The effect of each takes a long run, a long outage or somebody else at the broker."""


def ring_by_celery(url: str) -> None:
    with closed_celery(url) as celery:
        ring(celery, RUN)


def ring_without_it(url: str) -> None:
    open_bell(url).ring(RUN)


@pytest.mark.parametrize("name", SEEN_NOWHERE_ELSE)
def test_what_the_product_rests_on_is_in_force(name: str) -> None:
    assert make_celery("memory://").conf[name] == SEEN_NOWHERE_ELSE[name]


def test_a_shutdown_is_soft_and_short_enough_for_fifteen_seconds() -> None:
    assert 0 < make_celery("memory://").conf.worker_soft_shutdown_timeout <= 5


def test_the_task_has_no_settings_of_its_own() -> None:
    celery = make_celery("memory://")
    add_run_task(celery, print)
    task = celery.tasks[RUN_TASK]
    assert (task.acks_late, task.reject_on_worker_lost, task.ignore_result) == (False, False, True)
    assert (task.time_limit, task.soft_time_limit, task.rate_limit) == (None, None, None)


def test_each_setting_is_one_that_celery_has() -> None:
    assert set(CELERY_SETTINGS) - {name for name, _ in flatten(NAMESPACES)} == set()


@pytest.mark.parametrize("ring_one", [ring_by_celery, ring_without_it])
def test_a_message_carries_a_run_id_alone_and_is_for_now(
    broker: EmbeddedBroker, ring_one: Callable[[str], None]
) -> None:
    """Q09: nothing waits in the broker for its time, so that nothing can come back before it."""
    ring_one(broker.url)
    with closed_celery(broker.url) as celery, celery.connection_for_read() as connection:
        message = connection.SimpleQueue(QUEUE).get(timeout=60)
    args, kwargs, embedded = message.payload
    assert (args, kwargs) == ([RUN], {})
    assert set(embedded.values()) == {None}
    assert [message.headers[name] for name in ("task", "eta", "expires", "retries")] == [RUN_TASK, None, None, 0]
    assert message.headers["timelimit"] == [None, None]


@pytest.mark.parametrize("name", sorted(OVERRIDES))
def test_a_variable_of_celerys_own_that_would_have_the_last_word_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "redis://elsewhere.example")
    with pytest.raises(ConfigError, match=f"{name}.*unset it"):
        make_celery("memory://")
