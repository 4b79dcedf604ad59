"""How a test run's results come out of a box in which code that nobody trusts has run.

The test runner's process has no file, argument, variable or module that leads to its results: they go through pipes
to a process around it, which signs them with a key that it alone has and puts them into a file outside of the work
tree. What a test prints, result files that a repository brings along, and processes that are left over cannot be taken
for them. Runners that cannot write to a pipe leave files or print; those go through the same hands.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from repo_tools.environment.contract import PROGRAMS
from repo_tools.environment.runners.contract import FOLDER, PATH, PATH_LATER, Account, RunOrder
from repo_tools.sandbox.contract import Sandbox

MAX_RESULT_BYTES = 64 << 20
_HEAD_BYTES = 1 << 20
_MARK_BYTES = 64
_MOST_BYTES = 4 * MAX_RESULT_BYTES + _HEAD_BYTES
_WATCHER = files("repo_tools.environment.box_programs") / "watcher.py"


class ChannelError(ValueError):
    """What came out is not what the watcher wrote, or too much."""


@dataclass(frozen=True)
class Channel:
    """One run's, which is ended after `seconds`; its runner has these `variables` besides the order's own. `place` is
    where its account will stand in the box, `folder` a folder for the runner's own files."""

    order: RunOrder
    seconds: float
    variables: Mapping[str, str] = field(default_factory=dict)
    place: str = field(default_factory=lambda: f"/tmp/{secrets.token_hex(16)}")  # noqa: S108 - inside the box
    folder: str = field(default_factory=lambda: f"/tmp/{secrets.token_hex(16)}")  # noqa: S108
    key: str = field(default_factory=lambda: secrets.token_hex(32))
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))

    def argv(self) -> tuple[str, ...]:
        return ("python3", "-I", "-S", "-c", _WATCHER.read_text("utf-8"))

    def stdin(self) -> bytes:
        """The watcher's standard input."""
        order = {
            "place": self.place,
            "folder": self.folder,
            "key": self.key,
            "nonce": self.nonce,
            "limit": MAX_RESULT_BYTES,
            "seconds": self.seconds,
            "variables": self._given(),
            "programs": PROGRAMS,
            "argv": [self._placed(argument) for argument in self.order.argv],
            "hear_output": self.order.hear_output,
            "hand_nonce": self.order.hand_nonce,
            "files": [self._placed(pattern) for pattern in self.order.files],
        }
        return json.dumps(order).encode()

    def receive(self, box: Sandbox) -> Account:
        """What the watcher wrote. FileNotFoundError where it did not come to it, ChannelError, OSError."""
        signed = box.read(self.place, max_bytes=_MOST_BYTES)
        mark, body = signed[:_MARK_BYTES], signed[_MARK_BYTES:]
        if not hmac.compare_digest(mark, hmac.new(self.key.encode(), body, hashlib.sha256).hexdigest().encode()):
            raise ChannelError("it does not carry the signature of the process that was to write it")
        head, _, rest = body.partition(b"\n")
        facts = json.loads(head)
        parts = list(_cut_up(rest, [facts["said"], facts["results"], *(size for _, size in facts["files"])]))
        if max(len(parts[0]), len(parts[1]), sum(map(len, parts[2:]))) > MAX_RESULT_BYTES:
            raise ChannelError(f"it is larger than {MAX_RESULT_BYTES} bytes")
        names = [self._named(path) for path, _ in facts["files"]]
        left = dict(zip(names, parts[2:], strict=True))
        return Account(facts["code"], parts[1], parts[0], left, self.nonce.encode(), silent=facts["silent"])

    def _given(self) -> dict[str, str]:
        given = {**self.variables, **{n: self._placed(v) for n, v in self.order.variables.items()}}
        later = {PATH_LATER: given.pop(PATH)} if self.order.path_later and PATH in given else {}
        return {**given, **later}

    def _placed(self, text: str) -> str:
        return text.replace(FOLDER, self.folder)

    def _named(self, path: str) -> str:
        return path.replace(self.folder, FOLDER, 1)


def _cut_up(data: bytes, sizes: list[int]) -> list[bytes]:
    parts, start = [], 0
    for size in sizes:
        parts.append(data[start : start + size])
        start += size
    return parts
