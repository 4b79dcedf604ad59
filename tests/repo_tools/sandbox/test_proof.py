"""When no worker rests on an engine, although it starts boxes."""

from typing import Any

import pytest

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import ExecResult
from repo_tools.sandbox.proof import proved


class ScriptedEngine:
    """Its one box answers the commands with what it is given."""

    def __init__(self, *answers: tuple[int, bytes]) -> None:
        self._answers = list(answers)

    def start(self, _spec: object) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def exec(self, _argv: object, **_options: object) -> ExecResult:
        code, output = self._answers.pop(0)
        return ExecResult(code, output, 0.1)


def engine(*answers: tuple[int, bytes]) -> Any:
    return ScriptedEngine(*answers)


def test_an_engine_whose_commands_run_and_reach_nothing_is_taken() -> None:
    good = engine((0, b""), (0, b""))
    assert proved(good) is good


def test_one_whose_commands_get_at_the_memory_of_process_1_is_refused_with_the_ways() -> None:
    """S08. The key of the channel is in it."""
    with pytest.raises(SandboxError, match=r"by /proc/1/mem, PTRACE_SEIZE\) and could forge results"):
        proved(engine((0, b""), (0, b"/proc/1/mem\nPTRACE_SEIZE\n")))


def test_one_where_that_cannot_be_tried_is_refused() -> None:
    with pytest.raises(SandboxError, match="whether its process 1 is safe: python3: not found"):
        proved(engine((0, b""), (127, b"python3: not found")))


def test_one_that_runs_no_command_is_refused() -> None:
    with pytest.raises(SandboxError, match="cannot run `ls -d /`: exec format error: is its runtime a current release"):
        proved(engine((126, b"exec format error")))
