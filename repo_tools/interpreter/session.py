"""An interpreter in a box of its own, on a copy of the work tree that nothing else comes from.

Code that a model wrote may do what it likes there: fill the box's memory, which ends the box on some engines, alter
tests, or wait for the next command of the box. So no test is ever run there, and a box that dies is only a restart.
"""

import errno
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.resources import files
from signal import Signals
from typing import Any

from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.errors import SandboxError
from repo_tools.interpreter.contract import SQLITE_VARIABLES, Altered, Step
from repo_tools.sandbox.contract import WORKSPACE, BoxProcess, Sandbox

PYTHON = "python3"
"""The environment's, which is first on the path of every box, or else the box's own."""
MAX_OUTPUT_BYTES = 20_000
MOST_OUTPUT_CHARACTERS = MAX_OUTPUT_BYTES + 100
"""With the note of what was cut."""
MAX_ANSWER_BYTES = 1_000_000
GRACE_SECONDS = 10.0
"""How long an interrupted step may take to come to its end before it is killed."""
MARGIN_SECONDS = 30.0
SEND_SECONDS = 30.0
VARIABLES = {
    **SQLITE_VARIABLES,
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp/matplotlib",  # noqa: S108 - inside of the box
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
NO_VARIABLES: Mapping[str, str] = {}
_EVALUATOR = files(__package__).joinpath("evaluator.py").read_text(encoding="utf-8")
_KEEPER = files(__package__).joinpath("keeper.py").read_text(encoding="utf-8")


@dataclass(frozen=True)
class _Answer:
    """What the keeper says of a step, or what code there says in its place: it may write to the keeper's output."""

    output: str
    timed_out: bool
    fresh: bool
    ended: int | None

    @classmethod
    def read(cls, line: bytes) -> "_Answer":
        """ValueError where it is no answer."""
        try:
            answer = cls(**json.loads(line))
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError("no answer of the interpreter's keeper") from error
        kinds: Mapping[str, Any] = {
            "output": str,
            "timed_out": bool,
            "fresh": bool,
            "ended": int | None,
        }
        if not all(isinstance(getattr(answer, name), kind) for name, kind in kinds.items()):
            raise ValueError("no answer of the interpreter's keeper")
        return replace(answer, output=answer.output[:MOST_OUTPUT_CHARACTERS])


class BoxInterpreter:
    """`Interpreter` in a box that `open_box` gives, which holds base + the change it is called with. The box is opened
    for the first step and again after it died. `lost`: an earlier process had an interpreter that is gone now."""

    def __init__(
        self,
        open_box: Callable[[ChangeSet], Sandbox],
        checkout: Checkout,
        *,
        memory_bytes: int,
        lost: bool = False,
        grace_seconds: float = GRACE_SECONDS,
        variables: Mapping[str, str] = NO_VARIABLES,
        python: str = PYTHON,
    ) -> None:
        """`memory_bytes`: beyond it, code gets a MemoryError. `variables` are those of the environment."""
        self._open_box = open_box
        self._checkout = checkout
        self._settings = {
            "evaluator": _EVALUATOR,
            "memory_bytes": memory_bytes,
            "max_output_bytes": MAX_OUTPUT_BYTES,
            "grace_seconds": grace_seconds,
        }
        self._variables = {**variables, **VARIABLES}
        self._python = python
        self._lost = lost
        self._opened: tuple[Sandbox, BoxProcess] | None = None
        self._brought = ChangeSet(checkout.commit)
        self._missing: dict[str, str] = {}

    def run(self, code: str, change: ChangeSet, *, timeout_seconds: float) -> Step:
        anew = self._opened is None
        box, process = self._opened or self._open(change)
        try:
            self._bring(box, change)
            answer = _Answer.read(self._ask(process, {"code": code, "timeout_seconds": timeout_seconds}))
        except (SandboxError, BrokenPipeError, TimeoutError, ValueError) as error:
            restarted, self._lost = anew and self._lost, True
            self.close()
            return Step("", restarted=restarted, ended=f"its sandbox ended: {error}")
        restarted = answer.fresh and self._lost
        self._lost = True  # from the first step on there is something to lose
        ended = "" if answer.ended is None else _why(answer.ended, answer.timed_out)
        return Step(answer.output, answer.timed_out, restarted, ended, dict(self._missing))

    def altered(self) -> Altered:
        if self._opened is None:
            return Altered()
        files_ = self._brought.files
        expected = {p: e for p, e in self._checkout.tree.items() if p not in files_}
        expected |= {p: new.entry for p, new in files_.items() if new is not None}
        try:
            found = self._opened[0].tree(WORKSPACE)
        except SandboxError:
            self.close()
            return Altered()
        made = tuple(sorted(path for path, entry in found.items() if expected.get(path) != entry))
        return Altered(made, tuple(sorted(expected.keys() - found.keys() - self._missing.keys())))

    def read(self, path: str, *, max_bytes: int) -> bytes:
        if self._opened is None:
            raise FileNotFoundError(path)
        try:
            return self._opened[0].read(f"{WORKSPACE}/{path}", max_bytes=max_bytes)
        except SandboxError as error:
            self.close()
            raise OSError(errno.EIO, f"the interpreter's sandbox ended: {error}", path) from error

    def leave(self, path: str) -> None:
        self._brought = self._brought.without(path)

    def close(self) -> None:
        if self._opened is not None:
            self._opened[0].close()
        self._opened = None

    def _open(self, change: ChangeSet) -> tuple[Sandbox, BoxProcess]:
        box = self._open_box(change)
        try:
            process = box.open_process((self._python, "-I", "-c", _KEEPER), cwd=WORKSPACE, environment=self._variables)
            self._tell(process, self._settings)
        except OSError as error:
            box.close()
            raise SandboxError(f"the interpreter cannot be started: {error}") from error
        except SandboxError:
            box.close()
            raise
        self._opened, self._brought, self._missing = (box, process), change, {}
        return self._opened

    def _bring(self, box: Sandbox, change: ChangeSet) -> None:
        """What the file tools did since the last step, and what the box did not take then, and nothing else: what code
        made stays."""
        before, after = self._brought.files, change.files
        due = {path for path in {*before, *after} if before.get(path, ...) != after.get(path, ...)}
        missing = {path: self._bring_path(box, path, change) for path in sorted({*due, *self._missing})}
        self._missing = {path: why for path, why in missing.items() if why}
        self._brought = change

    def _bring_path(self, box: Sandbox, path: str, change: ChangeSet) -> str:
        """Why the box does not take it, which is the model's own doing: code put a folder there, the disk is full."""
        place = f"{WORKSPACE}/{path}"
        try:
            if path not in change.files and path in self._checkout.tree:
                box.write(place, self._checkout.read(path), self._checkout.tree[path].mode)
            elif (new := change.files.get(path)) is not None:
                box.write(place, new.content, new.mode)
            else:
                with suppress(OSError):
                    box.delete(place)
        except OSError as error:
            return error.strerror or type(error).__name__
        return ""

    def _tell(self, process: BoxProcess, message: Mapping[str, Any]) -> None:
        process.send(json.dumps(message).encode("ascii") + b"\n", timeout_seconds=SEND_SECONDS)

    def _ask(self, process: BoxProcess, request: Mapping[str, Any]) -> bytes:
        """BrokenPipeError, TimeoutError, ValueError: the keeper itself is gone or out of its mind."""
        self._tell(process, request)
        deadline = time.monotonic() + request["timeout_seconds"] + GRACE_SECONDS + MARGIN_SECONDS
        line = b""
        while not line.endswith(b"\n"):
            part = process.receive(timeout_seconds=max(0.1, deadline - time.monotonic()))
            if not part:
                raise BrokenPipeError(f"exit code {process.exit_code()}")
            line += part
            if len(line) > MAX_ANSWER_BYTES:
                raise ValueError("an answer that is too long")
        return line


def _why(exit_code: int, timed_out: bool) -> str:
    if timed_out:
        return "it did not stop when it was interrupted, and was killed"
    if exit_code == 137:
        return "it was killed, perhaps for want of memory"
    named = next((f", {signal.name}" for signal in Signals if signal + 128 == exit_code), "")
    return f"exit code {exit_code}{named}"
