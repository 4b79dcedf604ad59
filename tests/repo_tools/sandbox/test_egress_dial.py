"""Names of hosts: asked for once, believed for a while."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from repo_tools.sandbox.egress_dial import KEPT_SECONDS, MOST_NAMES, Addresses, Names

NAME = "index.example", 443
PLACE: Addresses = [("192.0.2.1", 443)]


class Resolver:
    """Answers when it may, as often as it is told how."""

    def __init__(self, *answers: Addresses | Exception) -> None:
        self.asked: list[tuple[str, int]] = []
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._answers = list(answers)

    def __call__(self, host: str, port: int) -> Addresses:
        self.asked.append((host, port))
        assert self.may_answer.wait(60)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_many_who_want_one_name_at_once_ask_once() -> None:
    resolver = Resolver(PLACE)
    names = Names(resolver)
    resolver.may_answer.clear()
    with ThreadPoolExecutor(50) as pool:
        answers = [pool.submit(names, *NAME) for _ in range(50)]
        resolver.may_answer.set()
        assert [answer.result(60) for answer in answers] == [PLACE] * 50
    assert resolver.asked == [NAME]


def test_a_name_is_asked_for_again_after_a_while_and_each_port_has_its_own_answer() -> None:
    now, resolver = [0.0], Resolver(PLACE)
    names = Names(resolver, clock=lambda: now[0])
    assert names(*NAME) == names(*NAME) == PLACE
    now[0] = KEPT_SECONDS + 1
    names(*NAME)
    names("index.example", 80)
    assert resolver.asked == [NAME, NAME, ("index.example", 80)]


@pytest.mark.parametrize("problem", [socket.gaierror(-3, "Temporary failure"), UnicodeError("label too long")])
def test_a_failure_reaches_who_asked_and_is_not_kept(problem: Exception) -> None:
    resolver = Resolver(problem, PLACE)
    names = Names(resolver)
    with pytest.raises(type(problem)):
        names(*NAME)
    assert names(*NAME) == PLACE


def test_names_without_end_take_no_memory_without_end() -> None:
    resolver = Resolver(PLACE)
    names = Names(resolver)
    for number in range(MOST_NAMES + 10):
        names(f"{number}.example", 443)
    assert len(names._answers) == 10
