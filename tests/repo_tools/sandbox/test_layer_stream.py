"""Environments on their way into a layer: whole, or an error."""

from typing import BinaryIO

import pytest

from repo_tools.errors import SandboxError, SandboxUnavailableError
from repo_tools.sandbox.layer_stream import EnvironmentStream
from tests.support.folder_box import FolderBox


class Packing(FolderBox):
    """Gives `pieces` instead of a folder; an exception among them is raised."""

    def __init__(self, *pieces: bytes | Exception) -> None:
        super().__init__()
        self._pieces = pieces
        self.written = 0

    def download(self, path: str, into: BinaryIO, under: str = "") -> None:
        assert path == "/env"
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            into.write(piece)
            self.written += len(piece)


def test_a_stream_is_what_the_box_packed() -> None:
    pieces = [bytes([number]) * 300_000 for number in range(20)]
    with Packing(*pieces) as box, EnvironmentStream(box) as stream:
        assert b"".join(stream) == b"".join(pieces)
        assert stream.size_bytes == 6_000_000


@pytest.mark.parametrize("problem", [SandboxError("the box failed"), OSError(36, "directories nest too deeply")])
def test_a_box_that_breaks_off_does_not_make_half_an_environment(problem: Exception) -> None:
    with (
        Packing(b"x" * 1000, problem) as box,
        EnvironmentStream(box) as stream,
        pytest.raises(SandboxError, match=r"cannot be packed: .*(failed|deeply)"),
    ):
        b"".join(stream)


def test_an_engine_that_is_away_meanwhile_may_be_asked_again() -> None:
    with (
        Packing(SandboxUnavailableError("the container is gone")) as box,
        EnvironmentStream(box) as stream,
        pytest.raises(SandboxUnavailableError, match="the container is gone"),
    ):
        b"".join(stream)


def test_more_than_the_bound_is_refused() -> None:
    with (
        Packing(*[b"x" * 1000] * 100) as box,
        EnvironmentStream(box, most_bytes=50_000) as stream,
        pytest.raises(SandboxError, match="larger than its volume"),
    ):
        b"".join(stream)


def test_a_reader_that_gives_up_does_not_hang() -> None:
    with Packing(*[b"x" * 1_000_000] * 100) as box:
        with EnvironmentStream(box) as stream:
            assert len(stream.read(10)) == 10
        assert box.written < 100_000_000
