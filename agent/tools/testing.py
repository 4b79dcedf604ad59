"""The tool that runs the repository's tests."""

from pydantic import Field

from agent.errors import ToolFailed
from agent.tools.output import shorten
from agent.tools.tool import Arguments, Desk, Tool
from repo_tools.test_report import TestReport, told_counts

TIMEOUT_SECONDS = 600.0
FAILURES_SHOWN = 10
FAILURE_CHARACTERS = 2_000
OUTPUT_CHARACTERS = 4_000
PATHS_NAMED = 20


class RunTests(Arguments):
    selector: str | None = Field(
        None, min_length=1, description="a test file, folder or test id; the whole suite without it"
    )


def run_tests(arguments: RunTests, desk: Desk) -> str:
    selectors = _selectors(arguments.selector, desk)
    desk.budget.check_test_run()
    report = desk.workspace.run_tests(selectors, timeout_seconds=desk.budget.at_most(TIMEOUT_SECONDS))
    nowhere = () if report.cases else tuple(path for path in map(_path, selectors) if not _is_there(path, desk))
    if nowhere:
        return f"{describe(report)}\n(not counted as a test run: there is no {nowhere[0]})"
    desk.budget.charge_test_run()
    desk.tested(report)
    return f"{describe(report)}\n{_runs_left(desk)}"


def _path(selector: str) -> str:
    return selector.partition("::")[0].removeprefix("./").rstrip("/")


def _is_there(path: str, desk: Desk) -> bool:
    return path in ("", ".") or any(f"{known}/".startswith(f"{path}/") for known in desk.workspace.paths())


def _selectors(selector: str | None, desk: Desk) -> tuple[str, ...]:
    """Refused before it costs a test run."""
    if selector is None:
        return ()
    try:
        desk.workspace.check_selector(selector)
    except ValueError as error:
        raise ToolFailed(str(error)) from None
    return (selector,)


def describe(report: TestReport) -> str:
    """A report in words for the model: what went wrong, the counts, the failures, what was left behind."""
    parts = [f"No result to trust: {report.problem}"] if report.problem else []
    counts = told_counts(report.counts()) or "no tests"
    if report.part:
        parts.append(f"Only {report.part[0]} of {report.part[1]} test files: the whole suite takes too long.")
    if report.only_exit_code:
        parts.append("Only how the command ends is known, not the single tests.")
    parts += report.notes
    parts.append(f"{counts} in {report.seconds:.1f} s (exit code {report.exit_code})")
    red = [case for case in report.cases if case.id in report.red]
    parts += [f"--- {case.id}\n{shorten(case.message, FAILURE_CHARACTERS)}" for case in red[:FAILURES_SHOWN]]
    if len(red) > FAILURES_SHOWN:
        parts.append("Also failed: " + ", ".join(case.id for case in red[FAILURES_SHOWN:])[:OUTPUT_CHARACTERS])
    if report.problem:
        parts.append(f"--- output\n{shorten(report.output, OUTPUT_CHARACTERS)}")
    if report.flaky:
        parts.append(f"Flaky, red only now and then: {', '.join(sorted(report.flaky)[:PATHS_NAMED])}")
    if report.left_behind:
        named, several = ", ".join(report.left_behind[:PATHS_NAMED]), len(report.left_behind) > 1
        number = f"{len(report.left_behind)} paths, which were" if several else "1 path, which was"
        parts.append(f"The run left or altered {number} put back: {named}")
    return "\n".join(parts)


def _runs_left(desk: Desk) -> str:
    used, limit = desk.budget.test_runs, desk.budget.limits.test_runs
    if limit is None:
        return f"(test run {used})"
    last = (
        "; it was the last one: another call of run_tests ends the run, finish does not need it"
        if used >= limit
        else ""
    )
    return f"(test run {used} of {limit}{last})"


RUN_TESTS = Tool(
    "run_tests",
    "Run the repository's tests on the files as they are now. The number of runs is limited: prefer one file or one "
    "test, and read the failures before running again.",
    RunTests,
    run_tests,
)
