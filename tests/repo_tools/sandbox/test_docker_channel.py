import struct
from typing import Any

import pytest
import requests
from docker.errors import APIError
from docker.models.containers import Container

from repo_tools.errors import SandboxUnavailableError
from repo_tools.sandbox.docker_channel import LOOKS, Demultiplexer, discard, end_of, settle


def piece(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(data)) + data


STREAM = piece(1, b"first") + piece(2, b"warning ") + piece(1, b"") + piece(1, b"second") + piece(2, b"again")


@pytest.mark.parametrize("size", range(1, len(STREAM) + 1))
def test_both_outputs_come_apart_wherever_the_stream_is_cut(size: int) -> None:
    streams = Demultiplexer()
    output = b"".join(streams.feed(STREAM[start : start + size]) for start in range(0, len(STREAM), size))
    assert output == b"firstsecond"
    assert streams.errors == b"warning again"


def test_only_the_end_of_standard_error_is_kept() -> None:
    streams = Demultiplexer()
    for number in range(10_000):
        streams.feed(piece(2, b"%d;" % number))
    assert streams.errors.endswith(b"9998;9999;")
    assert len(streams.errors) <= 4_096


def inspection(**state: object) -> dict[str, object]:
    ended = {"Running": False, "OOMKilled": False, "ExitCode": 0, "Error": "", **state}
    return {"State": ended, "HostConfig": {"Memory": 64 << 20}}


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"Running": True}, ""),
        ({"OOMKilled": True, "ExitCode": 137}, "out of memory: processes and volumes together passed 64 MiB"),
        ({"ExitCode": 1}, "the container ended with 1: last words"),
    ],
)
def test_the_end_of_a_container_is_told_in_words(state: dict[str, object], said: str) -> None:
    assert end_of(inspection(**state), b"last words\n") == said


def test_a_kill_from_outside_is_transient() -> None:
    with pytest.raises(SandboxUnavailableError, match="from outside"):
        end_of(inspection(ExitCode=137), b"")


RUNNING, ENDED, KILLED, OUT_OF_MEMORY = (
    {"Running": True},
    {"ExitCode": 1},
    {"ExitCode": 137},
    {"ExitCode": 137, "OOMKilled": True},
)


class Told(Container):  # type: ignore[misc]
    """The engine learns its state bit by bit; the last one stays."""

    def __init__(self, *states: dict[str, Any]) -> None:
        super().__init__()
        self.states = list(states)

    def reload(self) -> None:
        self.attrs = inspection(**(self.states.pop(0) if len(self.states) > 1 else self.states[0]))


@pytest.mark.parametrize(
    ("over", "states", "said", "waits"),
    [
        (True, [KILLED, KILLED, OUT_OF_MEMORY], "out of memory", 2),
        (True, [RUNNING, KILLED, OUT_OF_MEMORY], "out of memory", 2),
        (True, [RUNNING, ENDED], "ended with 1", 1),
        (True, [ENDED], "ended with 1", 0),
        (False, [RUNNING, ENDED], "", 0),
        (True, [RUNNING], "", LOOKS),
    ],
)
def test_how_a_container_ended_is_asked_until_the_engine_knows(
    over: bool, states: list[dict[str, Any]], said: str, waits: int
) -> None:
    container, pauses = Told(*states), list[float]()
    settle(container, over=over, wait=pauses.append)
    assert said in end_of(container.attrs, b"")
    assert len(pauses) == waits
    assert sum(pauses) <= 5.01


def test_what_stays_a_kill_came_from_outside() -> None:
    container, pauses = Told(KILLED), list[float]()
    settle(container, over=True, wait=pauses.append)
    assert len(pauses) == LOOKS
    with pytest.raises(SandboxUnavailableError, match="from outside"):
        end_of(container.attrs, b"")


class Leaving(Container):  # type: ignore[misc]
    """The engine answers that it is at it already."""

    asked = 0

    def remove(self, **_: object) -> None:
        self.asked += 1
        response = requests.Response()
        response.status_code = 409
        raise APIError("removal of container is already in progress", response)


def test_a_container_that_somebody_else_removes_just_now_is_as_good_as_removed() -> None:
    leaving = Leaving()
    discard(leaving)
    assert leaving.asked == 1
