"""The host's end of the channel, when the box's end does not keep to its part."""

import io
import json
import os
from collections.abc import Callable

import pytest

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.errors import SandboxError
from repo_tools.sandbox.box import frames
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.session import BoxSession, TreeLines

HELLO = frames.encode_json(frames.RESULT, {"python": "3", "process": 1})


class ScriptedChannel:
    """`Channel` that answers with what it is given, whatever it is asked, and then is silent or ends."""

    def __init__(self, *answers: bytes, silent: bool = False, failure: str = "") -> None:
        self._answers = io.BytesIO(b"".join(answers))
        self._silent = silent
        self._failure = failure
        self.sent = b""
        self.closed = False

    def send(self, data: bytes) -> None:
        self.sent += data

    def receive(self, max_bytes: int, timeout_seconds: float) -> bytes:
        data = self._answers.read(max_bytes)
        if not data and self._silent:
            raise TimeoutError(f"nothing for {timeout_seconds} s")
        return data

    def close(self) -> None:
        self.closed = True

    def failure(self) -> str:
        return self._failure


def run(channel: ScriptedChannel) -> None:
    BoxSession(channel, BoxSpec()).exec(["true"], timeout_seconds=1)


BROKEN = {
    "ends at once": ScriptedChannel,
    "ends within a frame": lambda: ScriptedChannel(HELLO, HELLO[:12]),
    "is silent": lambda: ScriptedChannel(HELLO, silent=True),
    "talks nonsense": lambda: ScriptedChannel(HELLO, b"Traceback (most recent call last)"),
    "announces too much": lambda: ScriptedChannel(HELLO, frames.HEADER.pack(frames.DATA, 0, 1 << 31)),
    "answers no JSON": lambda: ScriptedChannel(HELLO, frames.encode(frames.RESULT, 0, b"{")),
    "answers another encoding": lambda: ScriptedChannel(HELLO, frames.encode(frames.RESULT, 0, b'"\xff"')),
    "opens a connection without a network": lambda: ScriptedChannel(HELLO, frames.encode(frames.OPEN, 1)),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_box_that_breaks_is_an_error_of_the_box_and_is_closed(how: str) -> None:
    channel = BROKEN[how]()
    with pytest.raises(SandboxError):
        run(channel)
    assert channel.closed


def test_the_backend_says_why_a_box_ended() -> None:
    with pytest.raises(SandboxError, match="out of memory: 5 MiB"):
        run(ScriptedChannel(HELLO, failure="out of memory: 5 MiB"))


@pytest.mark.parametrize(
    ("number", "expected"),
    [(2, FileNotFoundError), (13, PermissionError), (21, IsADirectoryError), (28, OSError)],
)
def test_an_error_that_the_box_reports_is_the_operating_systems_own(number: int, expected: type[OSError]) -> None:
    channel = ScriptedChannel(HELLO, frames.encode_json(frames.ERROR, {"errno": number, "message": "so"}))
    with BoxSession(channel, BoxSpec()) as box, pytest.raises(expected) as caught:
        box.read("/workspace/x", max_bytes=1)
    assert (caught.value.errno, caught.value.filename) == (number, "/workspace/x")


def test_a_failing_source_of_an_upload_breaks_the_box_and_not_the_stream() -> None:
    """Half of an archive cannot be taken back."""

    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "the disk is gone")

    channel = ScriptedChannel(HELLO)
    box = BoxSession(channel, BoxSpec())
    with pytest.raises(SandboxError, match="the disk is gone"):
        box.upload(Failing(), "/workspace")
    assert channel.closed


def test_large_content_goes_in_pieces() -> None:
    channel = ScriptedChannel(HELLO, frames.encode_json(frames.RESULT, None))
    BoxSession(channel, BoxSpec()).write("/workspace/x", bytes(3 * frames.CHUNK_BYTES + 1), FileMode.EXECUTABLE)
    start = channel.sent.index(b'{"operation": "write"') - frames.HEADER.size
    sent = all_frames(channel.sent[start:])
    assert json.loads(sent[0].payload) == {"operation": "write", "path": "/workspace/x", "mode": "100755"}
    assert [len(f.payload) for f in sent[1:]] == [frames.CHUNK_BYTES] * 3 + [1, 0]
    assert sent[-1].kind == frames.END


def test_a_tree_in_any_pieces_is_the_same_tree() -> None:
    lines = b"".join(b"100644 %s dir/%d odd\xff\n\0" % (blob_id(b"%d" % n).encode(), n) for n in range(20))
    for size in (1, 7, 64, len(lines)):
        reader = TreeLines()
        for start in range(0, len(lines), size):
            reader.add(lines[start : start + size])
        assert len(reader.tree) == 20
        assert reader.tree[os.fsdecode(b"dir/7 odd\xff\n")] == TreeEntry(FileMode.REGULAR, blob_id(b"7"))


def all_frames(data: bytes) -> list[frames.Frame]:
    source = io.BytesIO(data)
    read: Callable[[int], bytes] = source.read
    result = []
    while source.tell() < len(data):
        result.append(frames.read_frame(read))
    return result
