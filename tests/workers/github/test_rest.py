"""The border: every foreign exception becomes one of ours; limits are waited for; effects are not repeated."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import githubkit.exception
import httpx
import pytest
from githubkit import TokenAuthStrategy
from githubkit.response import Response as GitHubResponse

from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault, FaultKind
from repo_tools.errors import TransientError
from tests.support.github import REPOSITORY, Scene
from workers.github.errors import (
    LATER,
    ConflictError,
    ForbiddenError,
    GitHubError,
    GitHubUnavailableError,
    GoneError,
    InvalidError,
    NotFoundError,
    SuspendedError,
    UnauthorizedError,
)
from workers.github.rest import FOREIGN, Connection, mapped
from workers.host import RunRefusedError
from workers.outcomes import Reason

REQUEST = httpx.Request("GET", "https://api.github.example/x")


def subclasses(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for sub in kind.__subclasses__():
        yield from subclasses(sub)


def made(kind: type[Exception]) -> Exception:
    """An instance without its constructor, which each class has of its own; with what the border may look at."""
    error = kind.__new__(kind)
    response = GitHubResponse(httpx.Response(503, request=REQUEST), object)
    for name, value in (
        ("response", response),
        ("retry_after", timedelta(seconds=3)),
        ("exc", httpx.ReadTimeout("late", request=REQUEST)),
        ("request", REQUEST),
    ):
        try:
            setattr(error, name, value)
        except AttributeError:
            continue
    return error


FOREIGN_KINDS = {
    kind
    for root in (githubkit.exception.GitHubException, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError)
    for kind in subclasses(root)
}


@pytest.mark.parametrize("kind", sorted(FOREIGN_KINDS, key=str))
def test_every_foreign_exception_is_caught_and_mapped(kind: type[Exception]) -> None:
    assert issubclass(kind, FOREIGN)
    assert isinstance(mapped("GET /x", made(kind)), GitHubError)


def answering(*answers: httpx.Response | Exception) -> tuple[Connection, list[httpx.Request]]:
    """A connection that gets these answers, and the requests it made."""
    left, seen = list(answers), []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    return Connection("https://api.github.example", transport=httpx.MockTransport(answer)), seen


def get(connection: Connection) -> object:
    with connection.open(TokenAuthStrategy("t")) as rest:
        return rest.get("/x")


def post(connection: Connection) -> object:
    with connection.open(TokenAuthStrategy("t")) as rest:
        return rest.post("/x", {})


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (401, "Bad credentials", UnauthorizedError),
        (403, "Resource not accessible by integration", ForbiddenError),
        (403, "This installation has been suspended", SuspendedError),
        (403, "You have exceeded a secondary rate limit", GitHubUnavailableError),
        (404, "Not Found", NotFoundError),
        (409, "Git Repository is empty.", ConflictError),
        (410, "Issues are disabled for this repo", GoneError),
        (422, "Validation Failed", InvalidError),
        (429, "Too many", GitHubUnavailableError),
        (418, "Teapot", GitHubError),
    ],
)
def test_each_status_has_its_error(status: int, message: str, kind: type[GitHubError]) -> None:
    connection, _ = answering(httpx.Response(status, json={"message": message}))
    with pytest.raises(GitHubError) as error:
        post(connection)
    assert type(error.value) is kind
    assert isinstance(error.value, TransientError) == (kind in LATER)
    assert (error.value.status, error.value.what) == (status, "POST /x")
    assert error.value.remedy in str(error.value)


@pytest.mark.parametrize(
    "body",
    [b"<html>proxy</html>", b"[]", b'{"message": "no", "errors": ["why", {"field": "base", "code": "invalid"}]}'],
)
def test_a_refusal_of_any_shape_is_told(body: bytes) -> None:
    connection, _ = answering(httpx.Response(422, content=body))
    with pytest.raises(InvalidError) as error:
        post(connection)
    assert error.value.message in ("Unprocessable Entity", "no; why; base invalid")


def test_a_page_that_is_no_answer_is_transient() -> None:
    connection, _ = answering(httpx.Response(200, content=b"<html>please log in</html>"))
    with pytest.raises(GitHubUnavailableError):
        get(connection)


@pytest.mark.parametrize("headers", [{}, {"location": "https://api.github.example/elsewhere"}], ids=["nowhere", "away"])
def test_a_write_that_is_sent_elsewhere_has_not_been_done(headers: dict[str, str]) -> None:
    """Below a transferred issue GitHub redirects to nowhere; a client that follows asks instead of writing."""
    moved = httpx.Response(301, headers=headers, json={"message": "Moved"})
    connection, _ = answering(moved, httpx.Response(200, json=[]))
    with pytest.raises(NotFoundError, match="it has moved"):
        post(connection)


@pytest.mark.parametrize("fault", [httpx.Response(502), httpx.ConnectError("no"), httpx.ReadTimeout("late")])
def test_reading_is_tried_again_and_writing_is_not(fault: httpx.Response | Exception) -> None:
    connection, seen = answering(fault, httpx.Response(200, json={"a": 1}))
    assert get(connection) == {"a": 1}
    connection, seen = answering(fault, httpx.Response(200, json={"a": 1}))
    with pytest.raises(GitHubUnavailableError):
        post(connection)
    assert len(seen) == 1


@pytest.mark.parametrize("call", [get, post])
def test_a_short_limit_is_sat_out(call: Callable[[Connection], object]) -> None:
    connection, _ = answering(httpx.Response(429, headers={"retry-after": "1"}), httpx.Response(200, json={"a": 1}))
    started = time.monotonic()
    assert call(connection) == {"a": 1}
    assert time.monotonic() - started >= 1


@pytest.mark.parametrize("retry_after", ["3600", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_long_limit_is_left_to_the_run(retry_after: str) -> None:
    connection, seen = answering(httpx.Response(403, headers={"retry-after": retry_after}))
    with pytest.raises(GitHubUnavailableError):
        post(connection)
    assert len(seen) == 1


def test_a_secondary_limit_on_the_comment_leaves_one_comment(scene: Scene) -> None:
    """G08."""
    scene.github.faults.add(Fault(FaultKind.SECONDARY_LIMIT, "POST", "/comments$"))
    scene.host.publish_refusal(scene.run, RunRefusedError(Reason.PERMISSION, "No."))
    assert len(scene.github.comments(REPOSITORY, 1)) == 1


def test_a_list_is_read_to_its_end(scene: Scene, github: GitHubStandIn) -> None:
    for n in range(230):
        github.add_comment(REPOSITORY, 1, f"{n}", "someone")
    scene.host.publish_refusal(scene.run, RunRefusedError(Reason.PERMISSION, "No."))
    scene.host.publish_refusal(scene.run, RunRefusedError(Reason.PERMISSION, "No."))
    assert len(github.comments(REPOSITORY, 1)) == 231


def test_a_page_that_is_short_is_not_the_last_where_github_names_another() -> None:
    """GitHub leaves out what may not be seen after it has cut a list into pages."""
    more = {"Link": '<https://api.github.example/x?page=2>; rel="next"'}
    connection, seen = answering(httpx.Response(200, json=[1], headers=more), httpx.Response(200, json=[2]))
    with connection.open(TokenAuthStrategy("t")) as rest:
        assert list(rest.pages("/x")) == [1, 2]
    assert [request.url.params["page"] for request in seen] == ["1", "2"]


def test_why_no_connection_came_about_is_told() -> None:
    """A certificate that is not trusted looks like an outage else."""
    untrusted = httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] unable to get local issuer certificate")
    assert "unable to get local issuer certificate" in str(mapped("GET /app", untrusted))
    assert "words of the answer" not in str(mapped("GET /app", httpx.ReadError("words of the answer")))
