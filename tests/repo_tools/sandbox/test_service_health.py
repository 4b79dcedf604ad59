"""What is remembered of servers that did not come up."""

from dataclasses import replace

import pytest

from repo_tools.errors import ServiceError
from repo_tools.sandbox.contract import Layer
from repo_tools.sandbox.service import Offer, Service
from repo_tools.sandbox.service_health import GIVEN_UP_SECONDS, GivenUp, ServiceWatch
from tests.support.folder_box import FolderBox

FOUND = Service("redis", port=1, required=False)  # where nothing answers
ASKED = replace(FOUND, required=True)
LAYER, OTHER = Layer("one", ""), Layer("other", "")


class Clock:
    seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def wait(watch: ServiceWatch) -> None:
    with FolderBox() as box:
        watch.wait_until_healthy(box, ended=lambda _: True, log=lambda _: "Bad directive")


def given_up(clock: Clock | None = None) -> GivenUp:
    """After a box with `LAYER` in which a server that was found did not come up."""
    known = GivenUp(clock or Clock())
    first = known.watch(LAYER, Offer((FOUND,)))
    assert first.services == (FOUND,)
    wait(first)
    return known


def test_the_next_boxes_of_an_environment_do_not_wait_again_and_say_why() -> None:
    second = given_up().watch(LAYER, Offer((FOUND,), ("Redis is Valkey.",)))
    assert second.services == ()
    assert second.notes[0] == "Redis is Valkey."
    assert second.notes[1].startswith("The tests run without Redis (port 1)")


@pytest.mark.parametrize("layer", [OTHER, None])
def test_it_is_tried_for_another_environment(layer: Layer | None) -> None:
    assert given_up().watch(layer, Offer((FOUND,))).services == (FOUND,)


def test_it_is_tried_again_an_hour_later() -> None:
    clock = Clock()
    known = given_up(clock)
    clock.seconds += GIVEN_UP_SECONDS
    assert known.watch(LAYER, Offer((FOUND,))).services == (FOUND,)


def test_one_that_is_asked_for_is_an_error_each_time() -> None:
    known = GivenUp()
    for _ in range(2):
        with pytest.raises(ServiceError, match="Bad directive"):
            wait(known.watch(LAYER, Offer((ASKED,))))
