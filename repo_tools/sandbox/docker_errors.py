"""The one border between the Docker SDK's exceptions and ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import requests.exceptions
import urllib3.exceptions
from docker.errors import APIError, DockerException, StreamParseError

from repo_tools.errors import DiskFullError, SandboxError, SandboxUnavailableError

FOREIGN = (
    DockerException,
    StreamParseError,
    requests.exceptions.RequestException,
    urllib3.exceptions.HTTPError,
    OSError,
)
"""Everything that a call to the engine may raise."""

_FULL = "no space left on device"
"""What the kernel says, whoever passes it on: the engine, or a file of this machine's."""
_UNREACHABLE = (
    requests.exceptions.ConnectionError,
    requests.exceptions.Timeout,
    requests.exceptions.ChunkedEncodingError,
    urllib3.exceptions.TimeoutError,
    urllib3.exceptions.ProtocolError,
    urllib3.exceptions.NewConnectionError,
    ConnectionError,
    TimeoutError,
)


@contextmanager
def engine_call(doing: str) -> Iterator[None]:
    """Raise what the engine raises as `SandboxError`, or `SandboxUnavailableError` where waiting may help, or
    `DiskFullError` where room does.

    `doing` completes the sentence "the container engine failed to …".
    """
    try:
        yield
    except FOREIGN as error:
        raise _kind_of(error)(f"the container engine failed to {doing}: {_in_words(error)}") from error


def _in_words(error: BaseException) -> str:
    """Of a socket of this machine what the system says of it, and not the SDK's wrappings."""
    first: BaseException = error
    while not isinstance(first, APIError) and (behind := first.__cause__ or first.__context__):
        first = behind
    if isinstance(first, FileNotFoundError | PermissionError) and not first.filename:
        return f"its socket: {first.strerror}"
    return str(error)


def _kind_of(error: Exception) -> type[SandboxError]:
    if _FULL in str(error).lower():
        return DiskFullError
    return SandboxUnavailableError if is_transient(error) else SandboxError


@contextmanager
def may_be_gone() -> Iterator[None]:
    """Around a removal: somebody else may be at it, or have been, or use an image that is to go."""
    try:
        yield
    except APIError as error:
        if error.status_code not in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT):
            raise


def is_transient(error: BaseException | None) -> bool:
    """Whether the same call may succeed later: the engine is away, overloaded, or out of room."""
    if isinstance(error, APIError):
        return error.status_code is None or error.status_code >= 500
    if isinstance(error, DockerException):
        # The first call of a client raises the SDK's bare class; what the connection raised stands behind it.
        return is_transient(error.__cause__)
    if isinstance(error, requests.exceptions.SSLError):  # certificates do not get better by waiting
        return False
    return isinstance(error, _UNREACHABLE)
