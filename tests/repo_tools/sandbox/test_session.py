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

HELLO = frames.json_frame(frames.RESULT, {"python": "3", "process": 1})
TRUE = {"exit_code": 0, "timed_out": False, "seconds": 0.1}
DONE = frames.json_frame(frames.RESULT, TRUE)
FORGED = frames.json_frame(frames.RESULT, {**TRUE, "exit_code": 7})
PASSED = frames.Frame(frames.DATA, 0, b"1 passed")
Tampering = Callable[[list[bytes]], bytes]
"""What becomes on the way of the frames that process 1 sends."""


class ScriptedChannel:
    """`Channel` that answers with what it is given, whatever it is asked, and then is silent or ends."""

    def __init__(
        self, *answers: frames.Frame, silent: bool = False, failure: str = "", tampering: Tampering = b"".join
    ) -> None:
        self._script = answers
        self._answers = io.BytesIO()
        self._silent = silent
        self._failure = failure
        self._tampering = tampering
        self.key = b""
        self.sent = b""
        self.closed = False

    def send(self, data: bytes) -> None:
        if self.key:
            self.sent += data
            return
        self.key = data[-frames.KEY_BYTES :]
        process_1 = frames.Writer(self.key, frames.TO_HOST)
        self._answers = io.BytesIO(self._tampering([process_1.encode(answer) for answer in self._script]))

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


BROKEN: dict[str, Callable[[], ScriptedChannel]] = {
    "ends at once": ScriptedChannel,
    "ends within a frame": lambda: ScriptedChannel(HELLO, tampering=lambda sent: sent[0] + sent[0][:12]),
    "is silent": lambda: ScriptedChannel(HELLO, silent=True),
    "answers no JSON": lambda: ScriptedChannel(HELLO, frames.Frame(frames.RESULT, 0, b"{")),
    "answers another encoding": lambda: ScriptedChannel(HELLO, frames.Frame(frames.RESULT, 0, b'"\xff"')),
    "opens a connection without a network": lambda: ScriptedChannel(HELLO, frames.Frame(frames.OPEN, 1)),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_box_that_breaks_is_an_error_of_the_box_and_is_closed(how: str) -> None:
    channel = BROKEN[how]()
    with pytest.raises(SandboxError):
        run(channel)
    assert channel.closed


UNMARKED = frames.HEADER.pack(FORGED.kind, 0, len(FORGED.payload)) + FORGED.payload
ENDLESS = frames.HEADER.pack(frames.DATA, 0, frames.MAX_PAYLOAD_BYTES)
TAMPERINGS: dict[str, Tampering] = {
    "nonsense": lambda sent: sent[0] + b"Traceback (most recent call last)",
    "a frame without marks": lambda sent: sent[0] + UNMARKED + sent[1] + sent[2],
    "marks of another key": lambda sent: sent[0] + frames.Writer(b"guessed", frames.TO_HOST).encode(FORGED) + sent[1],
    "a header that announces more than ever comes": lambda sent: sent[0] + ENDLESS + bytes(frames.MARK_BYTES),
    "an answer of before": lambda sent: sent[0] + sent[1] + sent[0],
    "a frame sent twice": lambda sent: sent[0] + sent[1] + sent[1] + sent[2],
    "a frame taken away": lambda sent: sent[0] + sent[2],
    "another order": lambda sent: sent[0] + sent[2] + sent[1],
    "another kind": lambda sent: sent[0] + changed(sent[1], 0) + sent[2],
    "another payload": lambda sent: sent[0] + changed(sent[1], frames.HEADER.size + frames.MARK_BYTES) + sent[2],
    "another mark": lambda sent: sent[0] + changed(sent[1], -1) + sent[2],
}


def changed(data: bytes, place: int) -> bytes:
    result = bytearray(data)
    result[place] ^= 1
    return bytes(result)


@pytest.mark.parametrize("how", TAMPERINGS)
def test_what_process_1_did_not_say_breaks_the_channel_and_is_never_believed(how: str) -> None:
    channel = ScriptedChannel(HELLO, PASSED, DONE, tampering=TAMPERINGS[how], silent=True)
    with pytest.raises(SandboxError, match="during exec: forged, altered or missing data on the channel"):
        run(channel)
    assert channel.closed


def test_what_the_host_sent_is_no_answer() -> None:
    """Its own frames, sent back to it."""
    channel = ScriptedChannel(HELLO)
    box = BoxSession(channel, BoxSpec())
    forged = frames.Writer(channel.key, frames.TO_BOX).encode(HELLO, DONE)
    with pytest.raises(frames.BrokenChannelError):
        frames.Reader(channel.key, frames.TO_HOST).read(io.BytesIO(forged).read)
    box.close()


def test_no_two_boxes_have_the_same_key() -> None:
    first, second = ScriptedChannel(HELLO), ScriptedChannel(HELLO)
    for channel in (first, second):
        BoxSession(channel, BoxSpec()).close()
    assert len(first.key) == frames.KEY_BYTES
    assert first.key != second.key


def test_process_1_says_itself_why_it_ends() -> None:
    channel = ScriptedChannel(HELLO, frames.json_frame(frames.BROKEN, "no memory"), failure="it ended with 70")
    with pytest.raises(SandboxError, match=r"no memory \(it ended with 70\)"):
        run(channel)


def test_the_backend_says_why_a_box_ended() -> None:
    with pytest.raises(SandboxError, match="out of memory: 5 MiB"):
        run(ScriptedChannel(HELLO, failure="out of memory: 5 MiB"))


@pytest.mark.parametrize(
    ("number", "expected"),
    [(2, FileNotFoundError), (13, PermissionError), (21, IsADirectoryError), (28, OSError)],
)
def test_an_error_that_the_box_reports_is_the_operating_systems_own(number: int, expected: type[OSError]) -> None:
    channel = ScriptedChannel(HELLO, frames.json_frame(frames.ERROR, {"errno": number, "message": "so"}))
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
    channel = ScriptedChannel(HELLO, frames.json_frame(frames.RESULT, None))
    BoxSession(channel, BoxSpec()).write("/workspace/x", bytes(3 * frames.CHUNK_BYTES + 1), FileMode.EXECUTABLE)
    sent = all_frames(channel)
    call = next(place for place, frame in enumerate(sent) if b'"write"' in frame.payload)
    assert json.loads(sent[call].payload) == {"operation": "write", "path": "/workspace/x", "mode": "100755"}
    assert [len(f.payload) for f in sent[call + 1 :]] == [frames.CHUNK_BYTES] * 3 + [1, 0]
    assert sent[-1].kind == frames.END


def test_a_tree_in_any_pieces_is_the_same_tree() -> None:
    lines = b"".join(b"100644 %s dir/%d odd\xff\n\0" % (blob_id(b"%d" % n).encode(), n) for n in range(20))
    for size in (1, 7, 64, len(lines)):
        reader = TreeLines()
        for start in range(0, len(lines), size):
            reader.add(lines[start : start + size])
        assert len(reader.tree) == 20
        assert reader.tree[os.fsdecode(b"dir/7 odd\xff\n")] == TreeEntry(FileMode.REGULAR, blob_id(b"7"))


def all_frames(channel: ScriptedChannel) -> list[frames.Frame]:
    source, reader = io.BytesIO(channel.sent), frames.Reader(channel.key, frames.TO_BOX)
    result = []
    while source.tell() < len(channel.sent):
        result.append(reader.read(source.read))
    return result
