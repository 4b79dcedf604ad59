"""The test runner: pytest, with a plug-in that says what happens while it happens.

`ran` is what the plug-in saw with its own eyes (whether a phase raised); `reported` what pytest made of it. The result
file goes into a pipe: what is written cannot be read again or altered. Nothing of this can be reached by a module's
name, the nonce in front of each line least of all.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator
from typing import Any

import pytest


def main() -> None:
    said, results, *arguments = sys.argv[1:]
    nonce = os.read(0, 1 << 10)
    sys.argv[:] = ["pytest", *arguments]
    for descriptor in (said, results):
        os.set_inheritable(int(descriptor), False)

    def lose_the_channel() -> None:
        """A forked child must not write into its parent's accounts, a second report least of all."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (said, results):
            os.dup2(nowhere, int(descriptor), inheritable=False)
        os.close(nowhere)

    os.register_at_fork(after_in_child=lose_the_channel)

    def say(*words: object) -> None:
        line = nonce + json.dumps(words).encode() + b"\n"
        while line:
            line = line[os.write(int(said), line) :]

    code = int(pytest.main([f"--junit-xml=/proc/self/fd/{results}", *arguments], plugins=[account(say)]))
    say("end", code)
    sys.exit(code)


def account(say: Callable[..., None]) -> object:
    """The plug-in. With pytest-xdist the phases run in other processes, and only `reported` is said."""

    def watched(when: str) -> Any:
        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def phase(self: object, item: pytest.Item) -> Generator[None, Any, None]:  # noqa: ARG001 - a method
            outcome = yield
            say("ran", item.nodeid, when, outcome.excinfo is not None)

        return phase

    class Account:
        pytest_runtest_setup = watched("setup")
        pytest_runtest_call = watched("call")
        pytest_runtest_teardown = watched("teardown")

        @pytest.hookimpl(trylast=True)
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            say("reported", report.nodeid, report.when, report.outcome)

    return Account()


if __name__ == "__main__":
    main()
