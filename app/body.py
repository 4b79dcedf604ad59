"""A request's body, read within bounds of size, time and memory."""

import asyncio
from collections.abc import Mapping

from starlette.types import Receive

MAX_BYTES = 25 * 1024 * 1024  # GitHub's cap: https://docs.github.com/webhooks/webhook-events-and-payloads#payload-cap
LARGE_BYTES = 256 * 1024  # hardly an issue is as long as this
MAX_LARGE_BODIES = 2
READ_SECONDS = 10.0  # GitHub gives up on an answer after as long


class BodyError(Exception):
    """The body was not read to its end. `status` is the HTTP status that says why."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


class BodyReader:
    """Reads the bodies of one server, each at most `MAX_BYTES` long and `READ_SECONDS` slow.

    Of those above `LARGE_BYTES` only `MAX_LARGE_BODIES` are read at a time: who sends them is known only at their end,
    and nobody unknown may fill the memory.
    """

    def __init__(self) -> None:
        self._large_bodies = 0

    async def read(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytearray:
        """The whole body. BodyError: too large (413), encoded (415), too slow (408), cut off (400), no room (503)."""
        self._refuse_by_headers(headers)
        try:
            async with asyncio.timeout(READ_SECONDS):
                return await self._collect(receive)
        except TimeoutError:
            raise BodyError(408, f"the body took longer than {READ_SECONDS:g} s") from None

    def _refuse_by_headers(self, headers: Mapping[bytes, bytes]) -> None:
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > MAX_BYTES:
            raise _too_large()
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            raise BodyError(415, "send the body without Content-Encoding")

    async def _collect(self, receive: Receive) -> bytearray:
        body = bytearray()
        large = False
        more = True
        try:
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise BodyError(400, "the connection ended before the body did")
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > MAX_BYTES:
                    raise _too_large()
                if len(body) > LARGE_BYTES and not large:
                    self._take_place()
                    large = True
        finally:
            self._large_bodies -= large
        return body

    def _take_place(self) -> None:
        if self._large_bodies >= MAX_LARGE_BODIES:
            raise BodyError(503, "too many large bodies at once")
        self._large_bodies += 1


def _too_large() -> BodyError:
    return BodyError(413, f"the body is larger than {MAX_BYTES} bytes")
