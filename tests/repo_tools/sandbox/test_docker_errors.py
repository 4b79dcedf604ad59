from collections.abc import Iterator

import docker.errors
import pytest
import requests
import urllib3.exceptions
from docker.errors import APIError, DockerException

from repo_tools.errors import DiskFullError, SandboxError, SandboxUnavailableError
from repo_tools.sandbox.docker_errors import engine_call, may_be_gone


def family(root: type[BaseException]) -> Iterator[type[BaseException]]:
    """`root` and every class below it that its own library defines."""
    yield root
    for below in root.__subclasses__():
        if below.__module__.split(".")[0] in {"docker", "requests", "urllib3"}:
            yield from family(below)


FOREIGN_CLASSES = sorted(
    {
        *family(DockerException),
        *family(requests.exceptions.RequestException),
        *family(urllib3.exceptions.HTTPError),
        *(kind for kind in vars(docker.errors).values() if isinstance(kind, type) and issubclass(kind, Exception)),
        ConnectionResetError,
        BrokenPipeError,
        TimeoutError,
    },
    key=lambda kind: f"{kind.__module__}.{kind.__qualname__}",
)


def instance(kind: type[BaseException]) -> BaseException:
    """One of `kind`, whatever its constructor wants and its text is made of."""
    plain = {"__init__": lambda self: None, "__str__": lambda self: "", "response": None}
    made: BaseException = type(kind.__name__, (kind,), plain)()
    return made


@pytest.mark.parametrize("kind", FOREIGN_CLASSES, ids=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
def test_every_class_that_an_engine_call_may_raise_becomes_ours(kind: type[BaseException]) -> None:
    error = instance(kind)
    with pytest.raises(SandboxError) as caught, engine_call("do something"):
        raise error
    assert caught.value.__cause__ is error


def test_the_table_of_foreign_classes_is_not_empty() -> None:
    assert len(FOREIGN_CLASSES) > 50


def answer(status: int) -> APIError:
    response = requests.Response()
    response.status_code = status
    return APIError("answer", response, "because")


@pytest.mark.parametrize("status", [500, 502, 503])
def test_an_engine_that_fails_is_transient(status: int) -> None:
    with (
        pytest.raises(SandboxUnavailableError, match=r"failed to start a container: .*because"),
        engine_call("start a container"),
    ):
        raise answer(status)


def test_an_engine_whose_disk_is_full_waits_for_room() -> None:
    error = answer(500)
    error.explanation = "Error processing tar file(exit status 1): write /env/x: no space left on device"
    with pytest.raises(DiskFullError), engine_call("save a layer"):
        raise error


@pytest.mark.parametrize("status", [400, 404, 409])
def test_an_engine_that_refuses_is_not_transient(status: int) -> None:
    with pytest.raises(SandboxError) as caught, engine_call("start a container"):
        raise answer(status)
    assert not isinstance(caught.value, SandboxUnavailableError)


def test_a_client_that_cannot_be_made_is_transient_only_where_the_connection_failed() -> None:
    with pytest.raises(SandboxUnavailableError), engine_call("answer"):
        raise DockerException("version") from requests.exceptions.ConnectionError()
    with pytest.raises(SandboxError) as caught, engine_call("answer"):
        raise DockerException("Invalid bind address")
    assert not isinstance(caught.value, SandboxUnavailableError)


def test_a_wrong_certificate_is_not_transient() -> None:
    with pytest.raises(SandboxError) as caught, engine_call("answer"):
        raise DockerException("version") from requests.exceptions.SSLError()
    assert not isinstance(caught.value, SandboxUnavailableError)


def test_what_is_not_the_engines_passes_through() -> None:
    with pytest.raises(KeyError), engine_call("start a container"):
        raise KeyError


@pytest.mark.parametrize("status", [404, 409])
def test_what_is_gone_or_just_being_removed_needs_no_removal(status: int) -> None:
    with may_be_gone():
        raise answer(status)


def test_a_removal_that_fails_otherwise_is_told() -> None:
    with pytest.raises(APIError), may_be_gone():
        raise answer(500)


@pytest.mark.parametrize("said", ["No such file or directory", "Permission denied"])
def test_an_engine_whose_socket_cannot_be_used_is_told_in_plain_words(said: str) -> None:
    kind = {"No such file or directory": FileNotFoundError, "Permission denied": PermissionError}[said]
    aborted = requests.exceptions.ConnectionError(f"('Connection aborted.', {kind(2, said)!r})")
    aborted.__context__ = kind(2, said)
    with pytest.raises(SandboxUnavailableError) as caught, engine_call("answer"):
        raise DockerException(f"Error while fetching server API version: {aborted}") from aborted
    assert str(caught.value) == f"the container engine failed to answer: its socket: {said}"
