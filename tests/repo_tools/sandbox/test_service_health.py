"""What is remembered of servers that did not come up."""

from dataclasses import replace

import pytest

from repo_tools.errors import SandboxError, ServiceError
from repo_tools.sandbox.contract import ExecResult, Layer
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


class SayingBox(FolderBox):
    """Its ``python3`` is the repository's own, and says what it likes."""

    def __init__(self, said: bytes) -> None:
        super().__init__()
        self.said = said

    def exec(self, *_: object, **__: object) -> ExecResult:
        return ExecResult(0, self.said, 0.1)


@pytest.mark.parametrize("said", [b"", b"7", b"[7]", b"null", b"[" * 100_000])
def test_a_box_that_says_nothing_of_its_servers_has_failed(said: bytes) -> None:
    with SayingBox(said) as box, pytest.raises(SandboxError, match="cannot look at its services"):
        ServiceWatch(Offer((ASKED,))).wait_until_healthy(box, ended=lambda _: False, log=lambda _: "")


def test_what_a_box_says_of_servers_that_it_does_not_have_is_not_heard() -> None:
    with SayingBox(b'{"one": "is away", "2": "is away"}') as box:
        watch = ServiceWatch(Offer((ASKED,)))
        watch.wait_until_healthy(box, ended=lambda _: False, log=lambda _: "")
        assert watch.silent(box) == ()
