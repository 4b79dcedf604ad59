"""Run a repository's tests in a box, and read what the runner says rather than how it exits.

Results come through `channel`; the run's accounts of itself must agree (`accounts`), else there is no result. This does
not protect from everything that code *inside* the runner's process can do: a test, or the product code that it imports,
may rewrite the runner itself. Against that stand the base commit's tests and configuration, the comparison of collected
ids, and the check of what a change brings into the product (`repo_tools.verification.screening`).
"""

import secrets
from dataclasses import replace

from repo_tools.environment.accounts import disagreement
from repo_tools.environment.channel import Accounts, Channel, ChannelError
from repo_tools.environment.contract import Environment
from repo_tools.environment.generated import restore_generated
from repo_tools.environment.junit import JUnitError, parse_junit
from repo_tools.environment.selectors import check_selector
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE, ExecResult, Sandbox
from repo_tools.test_report import TestCase, TestOutcome, TestReport

MAX_OUTPUT_CHARACTERS = 20_000

ACTIVATE = ("/bin/sh", "-c", f'PATH={ENVIRONMENT}/venv/bin:$PATH exec "$@"', "sh")
"""Puts the environment's programs first, whatever the box's own PATH is."""

WITHOUT_ADDOPTS = ("-o", "addopts=")

_EXIT_CODES = {  # https://docs.pytest.org/en/stable/reference/exit-codes.html
    2: "The test run was interrupted.",
    3: "The test runner failed with an internal error.",
    4: "The test runner refused its command line or configuration.",
    5: "No tests were collected.",
}


def run_tests(
    box: Sandbox, environment: Environment, selectors: tuple[str, ...] = (), *, timeout_seconds: float
) -> TestReport:
    """Run the suite, or what `selectors` name of it, in a work tree that set-up's own files are put back into first.
    ValueError where one of them is not a selector.

    A missing plugin must not hide a suite: where the runner refuses the project's ``addopts``, it is run without them,
    and the report's command and output say so.
    """
    wanted = tuple(check_selector(selector) for selector in selectors)
    restore_generated(box)
    report = _run(box, environment, wanted, timeout_seconds)
    if report.exit_code != 4 or "unrecognized arguments" not in report.output:
        return report
    again = _run(box, environment, (*WITHOUT_ADDOPTS, *wanted), timeout_seconds)
    note = "The project's `addopts` were left out: the test runner does not know all of them (a plugin is missing).\n"
    return replace(again, output=_cut(note + again.output))


def _run(box: Sandbox, environment: Environment, arguments: tuple[str, ...], timeout_seconds: float) -> TestReport:
    channel, command = Channel(), (*environment.test.argv, *arguments)
    result = box.exec(
        (*ACTIVATE, *channel.argv()),
        timeout_seconds=timeout_seconds,
        # A source file that changes twice within a second would otherwise run as it was compiled first.
        environment={**environment.variables, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=channel.order((*environment.test.argv[1:], *_harness_options(), *arguments)),
    )
    cases, problem = _results(box, channel, result, timeout_seconds)
    output = _cut(result.output.decode("utf-8", "replace"))
    return TestReport(command, cases, result.exit_code, result.seconds, output, problem, timed_out=result.timed_out)


def _harness_options() -> tuple[str, ...]:
    """Later options win over the project's own ``addopts``: every test is run, and ids are relative to the root."""
    return (
        "--junit-prefix=",
        "-o",
        "junit_family=xunit1",
        "-o",
        f"cache_dir=/tmp/{secrets.token_hex(16)}",
        f"--rootdir={WORKSPACE}",
        "--maxfail=0",
        "--continue-on-collection-errors",
        "--color=no",
    )


def _results(
    box: Sandbox, channel: Channel, result: ExecResult, timeout_seconds: float
) -> tuple[tuple[TestCase, ...], str | None]:
    if result.timed_out:
        return (), f"The test run did not end within {timeout_seconds:.0f} seconds."
    try:
        accounts = channel.receive(box)
        if not accounts.results:
            return (), _no_results(result.exit_code)
        cases = parse_junit(accounts.results, lambda name: _is_file(box, f"{WORKSPACE}/{name}"))
    except FileNotFoundError:
        return (), _no_results(result.exit_code)
    except (JUnitError, ChannelError, OSError) as error:
        return (), f"The test runner's result file cannot be read: {error}"
    return cases, _problem(accounts, cases)


def _no_results(exit_code: int) -> str:
    return f"{_EXIT_CODES.get(exit_code, 'The test runner died.')} (exit code {exit_code}, no result file)"


def _problem(accounts: Accounts, cases: tuple[TestCase, ...]) -> str | None:
    exit_code = accounts.exit_code
    if exit_code not in (0, 1):
        return f"{_EXIT_CODES.get(exit_code, 'The test runner died.')} (exit code {exit_code})"
    if exit_code == 0 and any(case.outcome in (TestOutcome.FAILED, TestOutcome.ERROR) for case in cases):
        return "The test runner reports failures and ends as if there were none. (exit code 0)"
    if difference := disagreement(accounts, cases):
        return f"The test runner's accounts differ: {difference}."
    return None if cases else _EXIT_CODES[5]


def _is_file(box: Sandbox, path: str) -> bool:
    try:
        box.read(path, max_bytes=0)
    except (OSError, ValueError):
        return False
    return True


def _cut(text: str) -> str:
    if len(text) <= MAX_OUTPUT_CHARACTERS:
        return text
    half = MAX_OUTPUT_CHARACTERS // 2 - 30
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
