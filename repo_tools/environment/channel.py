"""How a test run's results come out of a box in which code that nobody trusts has run.

The test runner's process has no file, argument, variable or module that leads to its results: they go through pipes
to a process around it, which signs them with a key that it alone has and puts them into a file outside of the work
tree. What a test prints, result files that a repository brings along, and processes that are left over cannot be taken
for them.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from repo_tools.sandbox.contract import Sandbox

MAX_RESULT_BYTES = 32 << 20
_HEAD_BYTES = 1 << 10
_MARK_BYTES = 64
_SOURCES = files("repo_tools.environment.runner")
_START = """
import sys
sys.path[0] = sys.executable.rpartition("/")[0]  # as for a script of the environment: not the work tree, as with -c
exec(compile(sys.argv.pop(1), "<runner>", "exec"))
"""


class ChannelError(ValueError):
    """What came out is not what the watcher wrote, or too much."""


@dataclass(frozen=True)
class Accounts:
    """What one run says of itself: `said` line by line while it ran, `results` (JUnit XML) at its end."""

    nonce: bytes
    exit_code: int
    said: bytes
    results: bytes


@dataclass(frozen=True)
class Channel:
    """One run's. `place` is where its accounts will stand in the box."""

    place: str = field(default_factory=lambda: f"/tmp/{secrets.token_hex(16)}")  # noqa: S108 - inside the box
    key: str = field(default_factory=lambda: secrets.token_hex(32))
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))

    def argv(self) -> tuple[str, ...]:
        return ("python3", "-I", "-S", "-c", (_SOURCES / "watcher.py").read_text("utf-8"))

    def order(self, arguments: Sequence[str]) -> bytes:
        """The watcher's standard input; `arguments` are pytest's."""
        program = [_START, (_SOURCES / "account.py").read_text("utf-8")]
        order = {"place": self.place, "key": self.key, "nonce": self.nonce, "limit": MAX_RESULT_BYTES}
        return json.dumps({**order, "program": program, "arguments": list(arguments)}).encode()

    def receive(self, box: Sandbox) -> Accounts:
        """What the watcher wrote. FileNotFoundError where it did not come to it, ChannelError, OSError."""
        signed = box.read(self.place, max_bytes=2 * MAX_RESULT_BYTES + (4 * _HEAD_BYTES) + (1 << 18))
        mark, body = signed[:_MARK_BYTES], signed[_MARK_BYTES:]
        if not hmac.compare_digest(mark, hmac.new(self.key.encode(), body, hashlib.sha256).hexdigest().encode()):
            raise ChannelError("it does not carry the signature of the process that was to write it")
        head, _, rest = body.partition(b"\n")
        facts = json.loads(head)
        said, results = rest[: facts["said"]], rest[facts["said"] :]
        if max(len(said), len(results)) > MAX_RESULT_BYTES:
            raise ChannelError(f"it is larger than {MAX_RESULT_BYTES} bytes")
        return Accounts(self.nonce.encode(), facts["code"], said, results)
