"""Run a repository's tests in a box, and read what the runner says rather than how it exits.

The result channel: the runner writes JUnit XML to a random place outside of the work tree, which is read through the
box's own channel once everything that the run started is dead. This keeps apart from the result whatever a test prints,
how the process exits, result files that a repository brings along, and processes left over from earlier commands. It
does not protect from code *inside* the runner's process: a test, or the product code that it imports, may rewrite the
runner itself. Against that stand the base commit's tests and configuration, the comparison of collected ids, and the
check of what a change brings into the product (`repo_tools.verification.tampering`).
"""

import secrets
from dataclasses import replace

from repo_tools.environment.contract import Environment
from repo_tools.environment.generated import restore_generated
from repo_tools.environment.junit import JUnitError, parse_junit
from repo_tools.environment.selectors import check_selector
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE, ExecResult, Sandbox
from repo_tools.test_report import TestCase, TestOutcome, TestReport

MAX_RESULT_BYTES = 32 << 20
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
    place = f"/tmp/{secrets.token_hex(16)}"  # noqa: S108 - inside the box
    command = (*environment.test.argv, *arguments)
    result = box.exec(
        (*ACTIVATE, *environment.test.argv, *_harness_options(place), *arguments),
        timeout_seconds=timeout_seconds,
        # A source file that changes twice within a second would otherwise run as it was compiled first.
        environment={**environment.variables, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    cases, problem = _results(box, f"{place}.xml", result, timeout_seconds)
    output = _cut(result.output.decode("utf-8", "replace"))
    return TestReport(command, cases, result.exit_code, result.seconds, output, problem)


def _harness_options(place: str) -> tuple[str, ...]:
    """Later options win over the project's own ``addopts``: every test is run, and ids are relative to the root."""
    return (
        f"--junit-xml={place}.xml",
        "-o",
        "junit_family=xunit1",
        "-o",
        f"cache_dir={place}.cache",
        f"--rootdir={WORKSPACE}",
        "--maxfail=0",
        "--continue-on-collection-errors",
        "--color=no",
    )


def _results(
    box: Sandbox, path: str, result: ExecResult, timeout_seconds: float
) -> tuple[tuple[TestCase, ...], str | None]:
    if result.timed_out:
        return (), f"The test run did not end within {timeout_seconds:.0f} seconds."
    try:
        cases = _read_cases(box, path)
    except FileNotFoundError:
        why = _EXIT_CODES.get(result.exit_code, "The test runner died.")
        return (), f"{why} (exit code {result.exit_code}, no result file)"
    except (JUnitError, OSError) as error:
        return (), f"The test runner's result file cannot be read: {error}"
    return cases, _problem(cases, result.exit_code)


def _problem(cases: tuple[TestCase, ...], exit_code: int) -> str | None:
    if exit_code not in (0, 1):
        return f"{_EXIT_CODES.get(exit_code, 'The test runner died.')} (exit code {exit_code})"
    if exit_code == 0 and any(case.outcome in (TestOutcome.FAILED, TestOutcome.ERROR) for case in cases):
        return "The test runner reports failures and ends as if there were none. (exit code 0)"
    return None if cases else _EXIT_CODES[5]


def _read_cases(box: Sandbox, path: str) -> tuple[TestCase, ...]:
    xml = box.read(path, max_bytes=MAX_RESULT_BYTES + 1)
    if len(xml) > MAX_RESULT_BYTES:
        raise JUnitError(f"it is larger than {MAX_RESULT_BYTES} bytes")
    return parse_junit(xml, lambda name: _is_file(box, f"{WORKSPACE}/{name}"))


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
