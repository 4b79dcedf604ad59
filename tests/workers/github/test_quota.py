"""Between two requests: nothing is sent before the time that GitHub gave."""

import time
from collections.abc import Callable

import httpx
import pytest
from githubkit import TokenAuthStrategy

from workers.github.errors import GitHubUnavailableError, NotFoundError
from workers.github.quota import Quotas
from workers.github.rest import Connection
from workers.longest_wait import LONGEST_SECONDS

LIMITED = httpx.Response(403, headers={"retry-after": "3600"})
FINE = httpx.Response(200, json={})


def spent(in_seconds: float) -> httpx.Response:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time() + in_seconds))}
    return httpx.Response(200, json={}, headers=headers)


def answering(*answers: httpx.Response) -> tuple[Callable[[str], object], list[httpx.Request]]:
    """`get(token)` over one connection whose server answers so, and what was sent."""
    sent: list[httpx.Request] = []
    left = iter(answers)

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return next(left)

    connection = Connection("https://api.github.example", transport=httpx.MockTransport(handle), max_wait_seconds=1)

    def get(token: str) -> object:
        with connection.open(TokenAuthStrategy(token)) as rest:
            return rest.get("/x")

    return get, sent


def told_to_wait(get: Callable[[str], object], token: str) -> float | None:
    """How long the caller is told to wait; None where it was answered."""
    try:
        get(token)
    except GitHubUnavailableError as limited:
        return limited.retry_after_seconds
    return None


@pytest.mark.parametrize("first", [lambda: LIMITED, lambda: spent(3600)], ids=["refused", "spent"])
def test_after_a_limit_nothing_is_sent_before_its_time(first: Callable[[], httpx.Response]) -> None:
    get, sent = answering(first(), FINE)
    told = [seconds for seconds in (told_to_wait(get, "one") for _ in range(5)) if seconds is not None]
    assert len(told) >= 4
    assert told == pytest.approx([3600] * len(told), abs=60)
    assert len(sent) == 1
    assert get("another installation's") == {}


@pytest.mark.parametrize(
    "first",
    [lambda: httpx.Response(403, headers={"retry-after": "8640000"}), lambda: spent(8640000)],
    ids=["refused", "spent"],
)
def test_a_time_that_makes_no_sense_is_cut_short_and_told(
    first: Callable[[], httpx.Response], caplog: pytest.LogCaptureFixture
) -> None:
    """By the process too, which would otherwise send nothing for a hundred days."""
    get, _ = answering(first(), FINE)
    told = [seconds for seconds in (told_to_wait(get, "one") for _ in range(3)) if seconds is not None]
    assert told == pytest.approx([LONGEST_SECONDS] * len(told), abs=60)
    assert len(told) >= 2
    assert "told to wait for 86" in caplog.text


def test_a_time_that_is_no_number_of_seconds_is_a_failed_answer() -> None:
    get, _ = answering(httpx.Response(403, headers={"retry-after": "9" * 30}))
    with pytest.raises(GitHubUnavailableError):
        get("one")


def test_answers_that_leave_requests_over_hold_nothing_up() -> None:
    headers = {"x-ratelimit-remaining": "1", "x-ratelimit-reset": str(int(time.time() + 3600))}
    get, sent = answering(httpx.Response(200, json={}, headers=headers), FINE)
    assert [get("one"), get("one")] == [{}, {}]
    assert len(sent) == 2


def test_what_was_told_is_kept_whatever_else_is_asked_meanwhile() -> None:
    get, sent = answering(FINE, FINE, LIMITED)
    for token in ("one", "two", "one"):
        told_to_wait(get, token)
    assert told_to_wait(get, "one") is not None
    assert len(sent) == 3


def test_a_short_time_is_sat_out_and_no_longer() -> None:
    slept: list[float] = []
    quota = Quotas(clock=lambda: 50.0, wall=lambda: 1000.0, sleep=slept.append).of(TokenAuthStrategy("one"))
    quota.answered({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1007"})
    quota.enter("GET /x", 15)
    with pytest.raises(GitHubUnavailableError):
        quota.enter("GET /x", 6)
    quota.answered({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "990"})  # it was reset meanwhile
    quota.refused(NotFoundError("GET /x", 404))
    quota.enter("GET /x", 15)
    assert slept == [7]


def test_a_clock_that_is_set_back_makes_no_wait_longer() -> None:
    wall = [100_000.0]
    quota = Quotas(clock=lambda: 50.0, wall=lambda: wall[0]).of(TokenAuthStrategy("one"))
    quota.answered({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "100600"})
    wall[0] -= 86_400
    with pytest.raises(GitHubUnavailableError) as limited:
        quota.enter("GET /x", 15)
    assert limited.value.retry_after_seconds == 600
