"""Q05: a worker that is told to stop gives its run back, and another one goes on without waiting for its lease."""

import os
import signal

import pytest

from bench.chaos.endurance import wait_for_ends
from bench.chaos.parts import warm
from bench.chaos.processes import Kind, processes_of
from bench.chaos.world import Site, open_site, open_world
from tests.support.processes import children_of, eventually

pytestmark = [pytest.mark.e2e, pytest.mark.bubblewrap, pytest.mark.timeout(900)]

LONG_LEASE = {"AGENT_FIX_LEASE_SECONDS": "3600"}
"""No test waits for it to run out: a run that goes on was given back."""


def test_the_lease_of_a_worker_that_is_told_to_stop_is_given_back_and_another_worker_goes_on() -> None:
    with open_world() as world, open_site(world, 2, LONG_LEASE) as site:
        warm(site)
        world.script.delay_seconds = 15.0  # far longer than a worker that stops waits for what is just done
        labelled = world.label_one()
        eventually(lambda: asked(site, labelled.title), 240, "a model call")
        stopped = stop_the_one_that_works(site)
        world.script.delay_seconds = 0.2
        wait_for_ends(site, [labelled])
        (facts,) = site.facts([labelled])
        (run,) = site.runs([labelled])[labelled.title]
        assert run.outcome == "draft_pull_request"
        assert (run.epoch, run.attempts) == (2, 1)  # claimed twice; what is given back costs no attempt
        assert facts.repeated_calls <= 1  # the one that was in flight
        eventually(lambda: stopped not in processes_of(site.service.pid), what="the end of the worker that was stopped")


def asked(site: Site, title: str) -> int:
    return sum(one.title == title for one in list(site.world.script.asked))


def stop_the_one_that_works(site: Site) -> int:
    """SIGTERM to the worker that holds the run."""
    workers = [pid for pid, kind in processes_of(site.service.pid).items() if kind is Kind.WORKER]
    (busy,) = [pid for pid in workers if site.held_by({pid, *children_of(pid)})]
    os.kill(busy, signal.SIGTERM)
    return busy
