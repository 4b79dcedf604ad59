"""pytest, with a plug-in that says what happens while it happens; its result file must agree with that."""

import json
import re
import secrets
import shlex
from dataclasses import replace
from importlib.resources import files

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import JUnitError, cases_of, junit_root, merged
from repo_tools.environment.runners.accounts import blamed, disagreement, whole_tests
from repo_tools.environment.runners.contract import NONE_COLLECTED, RESULTS, SAID, Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.crashed import beside, crashed, without_it
from repo_tools.environment.runners.pytest_address import pytest_address
from repo_tools.environment.runners.pytest_messages import shorten_failures
from repo_tools.environment.selectors import below, check_selector
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.test_report import TestCase, TestOutcome

_SOURCES = files("repo_tools.environment.box_programs")
_PROGRAM = (_SOURCES / "account.py").read_text("utf-8") + "\nmain()\n"
_AS_NOSE = "".join((_SOURCES / f"{name}.py").read_text("utf-8") for name in ("account", "nose_habits"))
_START = """
import sys
sys.path[0] = sys.executable.rpartition("/")[0]  # as for a script of the environment: not the work tree, as with -c
exec(compile(sys.argv.pop(1), "<runner>", "exec"))
"""
_NONE_BUT_ERRORS = re.compile(  # of the file's beginning: what tests write must not cost the worker its time
    rb'(?:<\?xml[^>]*>\s*)?(?:<testsuites[^>]*>\s*)?<testsuite [^>]*errors="(\d+)" failures="0" skipped="0" tests="\1"'
)
_OLD_PLUGIN = re.compile(rb"Direct construction of [\w.]+ has been deprecated")
"""https://docs.pytest.org/en/stable/deprecations.html#node-construction-changed-to-node-from-parent"""
_DEAD_PLUGIN = re.compile(rb"PluginValidationError: Plugin '([\w.-]{1,100})' for hook ")
"""https://pluggy.readthedocs.io/en/stable/api_reference.html#pluggy.PluginValidationError"""
_IMPORTED = re.compile(rb'INTERNALERROR> +File "/workspace/([^"\n]{1,300}\.py)", line \d+, in <module>\n')
_DEPRECATED = re.compile(rb"\bpytest\.Pytest(?:Deprecation|RemovedIn\d+)Warning: ")
_TOLERANT = ("-W", "ignore::pytest.PytestDeprecationWarning")
"""https://docs.pytest.org/en/stable/how-to/capture-warnings.html"""
_EXAMPLES = "--doctest-modules"
_READS = re.compile(
    rb"reading from stdin while output is captured|redirected stdin is pseudofile|'DontReadFromInput' object has no"
)
_UNCAPTURED = "-s"
"""https://docs.pytest.org/en/stable/how-to/capture-stdout-stderr.html#default-stdout-stderr-stdin-capturing-behaviour"""
_INTERRUPTED = 2
_INTERNAL_ERROR = 3
_REFUSED = 4
_NONE = 5
_LOADING = b"while loading conftest"
_EXIT_CODES = {  # https://docs.pytest.org/en/stable/reference/exit-codes.html
    _INTERRUPTED: "The test run was interrupted.",
    _INTERNAL_ERROR: "The test runner failed with an internal error.",
    _REFUSED: "The test runner refused its command line or configuration.",
    _NONE: NONE_COLLECTED,
}


class PytestRunner:
    name = "pytest"
    selects = True
    program = _PROGRAM

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:1] in (("pytest",), ("py.test",)) or argv[1:3] == ("-m", "pytest")

    def check_selector(self, selector: str) -> None:
        check_selector(selector)

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        own = command.argv[3:] if command.argv[1:3] == ("-m", "pytest") else command.argv[1:]
        wanted = tuple(_below(selector, command.directory) for selector in selectors)
        without = json.dumps([test for test, _ in command.without])
        program = ("python3", "-c", _START, self.program, SAID, RESULTS, without)
        # A source file that changes twice within a second would otherwise run as it was compiled first.
        variables = {"PYTHONDONTWRITEBYTECODE": "1"}
        arguments = (*own, *_harness_options(), *wanted)
        return RunOrder((*program, str(len(own)), *arguments), variables, hand_nonce=True, path_later=True)

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        """A plug-in that is missing or too old must not hide a suite, nor must what this pytest will do no more, where
        warnings are errors. The first of these ways that may help."""
        return next(filter(None, (way(command, account) for way in _WAYS)), None)

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        if not account.results:
            fails = account.exit_code == _REFUSED and _LOADING in account.output
            ending = "A conftest.py of the suite's cannot be loaded." if fails else _ending(account.exit_code)
            told = f"{ending} (exit code {account.exit_code}, no result file)"
            return beside(command, crashed(account) or Reading((), told))
        try:
            root = junit_root(account.results)
            shorten_failures(root)
            written = cases_of(root, lambda element: pytest_address(element, is_file))
            cases = whole_tests(account, merged(written))
        except JUnitError as error:
            return Reading((), f"The test runner's result file cannot be read: {error}")
        return beside(command, Reading(cases, _problem(account, cases)))


class NoseRunner(PytestRunner):
    """pytest for a suite that is written for nose: it works with the Pythons and packages of any year, can run one test
    and tells of each, none of which nose does."""

    name = "nose"
    program = f"{_AS_NOSE}\nmain(NoseHabits())\n"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        """Detection alone knows."""
        return False


def _harness_options() -> tuple[str, ...]:
    """Later options win over the project's own ``addopts``: every test is run, ids are relative to the root, a
    failure says where and why, and what tests print is no part of their results: it may be more than these may hold."""
    return (
        "--junit-prefix=",
        "-o",
        "junit_family=xunit1",
        "-o",
        "junit_logging=no",
        "-o",
        f"cache_dir=/tmp/{secrets.token_hex(16)}",
        f"--rootdir={WORKSPACE}",
        "--maxfail=0",
        "--continue-on-collection-errors",
        "--color=no",
        "--tb=auto",
    )


def _below(selector: str, directory: str) -> str:
    path, *names = selector.split("::", 1)
    return "::".join((below(path, directory), *names))


_OtherTry = tuple[TestCommand, str]


def _without_deprecations(command: TestCommand, account: Account) -> _OtherTry | None:
    is_tried = not account.exit_code or _TOLERANT[1] in command.argv
    if is_tried or not _DEPRECATED.search(account.results or account.output):
        return None
    why = "Deprecations of pytest's own were not taken for errors: it is newer than the tests."
    return replace(command, argv=(*command.argv, *_TOLERANT)), why


def _without_examples(command: TestCommand, account: Account) -> _OtherTry | None:
    ended = account.exit_code == _INTERNAL_ERROR and b"SystemExit" in account.output
    if not ended or _EXAMPLES not in command.argv:
        return None
    argv = tuple(word for word in command.argv if word != _EXAMPLES)
    return replace(command, argv=argv), "Examples in docstrings were left out: a module ends when it is imported."


def _without_script(command: TestCommand, account: Account) -> _OtherTry | None:
    script = _ended_by(account)
    left_out = f"--ignore={_below(script, command.directory)}"
    if not script or left_out in command.argv:
        return None
    why = f"{script} was left out: it ends the process when it is imported."
    return replace(command, argv=(*command.argv, left_out)), why


def _without_plugin(command: TestCommand, account: Account) -> _OtherTry | None:
    dead = _dead_plugin(account)
    plugin = dead or (blamed(account) if account.exit_code == _INTERNAL_ERROR else "")
    without = f"no:{plugin}"
    if not plugin or without in command.argv:
        return None
    why = "it is too old for the test runner" if dead else "it ended the test runner with an internal error"
    return replace(command, argv=(*command.argv, "-p", without)), f"The plug-in {plugin} was left out: {why}."


def _without_addopts(command: TestCommand, account: Account) -> _OtherTry | None:
    """But for those of pytest itself, if it takes them: where it refuses the project's, or no test comes to be because
    of what they start."""
    untried = [own for own in (shlex.join(command.own_options), "") if f"addopts={own}" not in command.argv]
    if not untried:
        return None
    if account.exit_code == _REFUSED and b"unrecognized arguments" in account.output:
        why = "the test runner does not know all of them (a plugin is missing)"
    elif _dead_plugin(account) or (_NONE_BUT_ERRORS.match(account.results) and _OLD_PLUGIN.search(account.results)):
        why = "a plugin that they start is too old for the test runner"
    else:
        return None
    note = f"The project's `addopts` were left out{f', but for `{untried[0]}`' if untried[0] else ''}: {why}."
    return replace(command, argv=(*command.argv, "-o", f"addopts={untried[0]}")), note


def _without_capturing(command: TestCommand, account: Account) -> _OtherTry | None:
    if account.exit_code != 1 or _UNCAPTURED in command.argv or not _READS.search(account.results):
        return None
    why = "Output was not captured (`-s`): pytest lets no test use standard input while it is."
    return replace(command, argv=(*command.argv, _UNCAPTURED)), why


def _without_crashing(command: TestCommand, account: Account) -> _OtherTry | None:
    broken = account.exit_code in (_INTERRUPTED, _INTERNAL_ERROR) or b"INTERNALERROR> " in account.output
    ended = broken or not account.results
    return without_it(command, account) if ended else None


_WAYS = (
    _without_deprecations,
    _without_examples,
    _without_script,
    _without_plugin,
    _without_addopts,
    _without_capturing,
    _without_crashing,
)


def _dead_plugin(account: Account) -> str:
    """The plug-in that pytest does not start with; empty where it started."""
    found = None if account.results else _DEAD_PLUGIN.search(account.output)
    return found[1].decode() if found else ""


def _ended_by(account: Account) -> str:
    """The script without a guard, called like a test, that ended pytest; empty where none did."""
    if account.exit_code != _INTERNAL_ERROR or b"INTERNALERROR> SystemExit" not in account.output:
        return ""
    outermost = _IMPORTED.search(account.output)
    path = outermost[1].decode(errors="replace") if outermost else ""
    return "" if path.endswith("conftest.py") else path


def _ending(exit_code: int) -> str:
    return _EXIT_CODES.get(exit_code, "The test runner died.")


def _problem(account: Account, cases: tuple[TestCase, ...]) -> str | None:
    exit_code = account.exit_code
    if exit_code not in (0, 1):
        return f"{_ending(exit_code)} (exit code {exit_code})"
    if exit_code == 0 and any(case.outcome in (TestOutcome.FAILED, TestOutcome.ERROR) for case in cases):
        return "The test runner reports failures and ends as if there were none. (exit code 0)"
    if difference := disagreement(account, cases):
        return f"The test runner's accounts differ: {difference}."
    return None if cases else NONE_COLLECTED
