"""What our own reporters write while a JavaScript suite runs, as test cases. Pure.

Each line carries the run's nonce, which the suite's code cannot know; the last one says that the run came to its end.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from repo_tools.environment.contract import BUILT
from repo_tools.environment.junit import shorten_message, without_colours
from repo_tools.environment.runners.contract import NONE_COLLECTED, Account, Reading
from repo_tools.environment.runners.javascript_launch import RESULTS_FILE
from repo_tools.test_report import TestCase, TestOutcome

SEPARATOR = " > "
_CONTROLS: Mapping[int, str] = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233), " ")
_RED = (TestOutcome.FAILED, TestOutcome.ERROR)
_BUILDS = (
    re.compile(r"\{ (?P<build>[^{}]{1,200}) \|\| test -e \S+; \}"),
    re.compile(
        rf'\{{ test -e "\${BUILT}"/\S+ \|\| \{{ (?P<build>[^{{}}]{{1,200}}) && \$\{{[^{{}}]{{1,200}}\}}; \}}; \}}'
    ),
    re.compile(r"if test -e \S+; then (?P<build>[^;]{1,200}); fi"),
    re.compile(r"(?P<build>npm run [^\s&|;()]{1,200}) --force(?![^\s)])"),
)
"""One that may fail where set-up could not build so either; around it, that it is made once in a run; then what npm is
told where it may refuse to."""
_OF_SEVERAL = re.compile(r" #\d+$")


@dataclass
class _Heard:
    cases: list[TestCase] = field(default_factory=list)
    failed: int | None = None  # what the runner says at its end
    cut: str = ""  # which tests had not run when it ended


def test_id(path: str, names: Iterable[str]) -> str:
    """``path::suite > test``; a file's own result is the path alone."""
    shown = SEPARATOR.join(map(shown_name, names))
    return f"{path}::{shown}" if shown else path


def shown_name(name: str) -> str:
    """One test's or suite's name as ids have it."""
    return name.translate(_CONTROLS).strip()


def unnumbered(name: str) -> str:
    """Without what ids of several tests of one name are told apart by."""
    return _OF_SEVERAL.sub("", name)


def read_account(account: Account) -> Reading:
    """The results, or why there are none. Never raises, whatever the account holds."""
    if built := failed_build(account):
        return Reading((), built)
    written = account.results or account.files.get(RESULTS_FILE, b"")
    if not written:
        return Reading((), f"The test runner died, or never began. (exit code {account.exit_code}, no results)")
    try:
        heard = _hear(written, account.nonce)
    except (ValueError, KeyError, TypeError, RecursionError):
        return Reading((), "The test runner's results hold lines that are not its own.")
    cases = numbered(heard.cases)
    return Reading(cases, _problem(account.exit_code, heard, cases))


def failed_build(account: Account) -> str | None:
    """What the launcher said of a command before the tests that failed."""
    try:
        kind, command, code = json.loads(account.said)
    except (ValueError, TypeError, RecursionError):
        return None
    shown = str(command)
    for build in _BUILDS:
        shown = build.sub(r"\g<build>", shown)
    return f"A command before the tests failed: {shown} (exit code {code})" if kind == "before" else None


def problem_of(exit_code: int, cases: tuple[TestCase, ...]) -> str | None:
    """Where results and exit code do not agree, or there is nothing."""
    red = any(case.outcome in _RED for case in cases)
    if exit_code == 0 and red:
        return "The test runner reports failures and ends as if there were none. (exit code 0)"
    if not cases:
        return f"{NONE_COLLECTED} (exit code {exit_code})"
    if exit_code != 0 and not red:
        return f"The test runner ended with exit code {exit_code}, though no test failed."
    return None


def numbered(cases: Iterable[TestCase]) -> tuple[TestCase, ...]:
    """Tests of the same name in one file are several all the same: `` #2`` and so on, in the order of their results."""
    known: Counter[str] = Counter()
    every: list[TestCase] = []
    for case in cases:
        known[case.id] += 1
        count = known[case.id]
        every.append(case if count == 1 else replace(case, id=f"{case.id} #{count}"))
    return tuple({case.id: case for case in every}.values())


def _problem(exit_code: int, heard: _Heard, cases: tuple[TestCase, ...]) -> str | None:
    if heard.cut:
        return f"The test runner ended its run early: {heard.cut}. (exit code {exit_code})"
    if heard.failed is None:
        return f"The test run did not come to its end. (exit code {exit_code})"
    if bool(heard.failed) != any(case.outcome in _RED for case in cases):
        return "The test runner's accounts differ: it counted other failures than it named."
    return problem_of(exit_code, cases)


def _hear(written: bytes, nonce: bytes) -> _Heard:
    """ValueError, KeyError, TypeError where a line is none of the reporter's."""
    heard = _Heard()
    for line in written.splitlines():
        if not line.startswith(nonce) or heard.failed is not None:
            raise ValueError(line[:100])
        kind, *words = json.loads(line.removeprefix(nonce))
        if kind == "end":
            heard.failed = int(words[0])
        elif kind == "cut":
            count, path, names = words
            heard.cut = f"{int(count)} of its tests had not run, {test_id(_plain(path), names)} the first of them"
        else:
            heard.cases.append(_case(*words))
    return heard


def _case(path: str, names: list[str], outcome: str, seconds: float, message: str) -> TestCase:
    path = _plain(path) or "."
    shown = [name if isinstance(name, str) else json.dumps(name) for name in names]  # old runners take any value
    return TestCase(
        test_id(path, shown),
        path,
        TestOutcome(outcome),
        float(seconds),
        shorten_message(without_colours(_sound(str(message))).strip()),
    )


def _plain(path: Any) -> str:
    return _sound(str(path)).translate(_CONTROLS)


def _sound(text: str) -> str:
    """Half a surrogate pair, which JavaScript's strings may hold, cannot be stored."""
    return text.encode("utf-8", "replace").decode()
