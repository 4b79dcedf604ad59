"""`agent-fix environment`: whether a repository can be worked on, before any label and without a model."""

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from app.cli.exit_codes import CONFIGURATION
from app.cli.options import REPOSITORY
from app.cli.repository_map import text_of
from repo_tools.environment.contract import Environment, NoTestsError, PreparedEnvironment, SetupFailedError
from repo_tools.environment.tools import ToolMissingError
from repo_tools.errors import RepoError, SandboxError, ServiceError
from repo_tools.test_report import TestCase, TestReport, told_counts
from repo_tools.verification.causes import commonest_error, mostly_red_note
from workers.configuration.contract import ConfigurationError
from workers.configuration.uncommitted import uncommitted_note
from workers.endings import check_baseline, ending_of_error
from workers.load_settings import load_settings, make_data_dir
from workers.publish.escalation import AT_A_TERMINAL, next_step
from workers.publish.markdown import clean
from workers.rehearsal import Rehearsal, planned, rehearse
from workers.sandbox import open_sandbox
from workers.settings import WorkerSettings

NO_BASELINE = 3
MAX_NAMED = 20
MAX_OUTPUT = 4_000
MAX_LINE = 200
_NAME_IT = "name it in `.github/agent-fix.yml` (`services:`)."
_WHY = re.compile(r"\b(?:undefined|cannot|uninitialized|[Ee]rror:)\s")
_REFUSED = re.compile(r"\b(localhost|127\.0\.0\.1):(\d{1,5})\b[^\n]{0,80}[Rr]efused")


def environment(
    path: Annotated[Path, typer.Argument(help=REPOSITORY, exists=True, file_okay=False)],
    base: Annotated[str, typer.Option(help="The commit to start from.")] = "HEAD",
    issue: Annotated[
        Path | None,
        typer.Option(
            help="Of several projects, or of a suite that takes too long, what this issue is about (Markdown).",
            dir_okay=False,
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what would be done.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For a program.")] = False,
) -> None:
    """Set a repository up and run its tests, as a run would before its model begins. Exit code 3: no baseline; 2: its
    configuration is wrong."""
    settings = load_settings(WorkerSettings)
    make_data_dir(settings)
    done: Rehearsal | None = None
    if note := uncommitted_note(path, base):
        show(note, to_errors=True)
    try:
        engine = None if plan else open_sandbox(settings)
        found = planned(path, base, text_of(issue), settings, engine.name if engine else None)
        if not as_json:
            show(told_plan(found.environment, with_setup=plan))
        done = Rehearsal(found.checkout.commit, found.environment)
        if engine:
            done = rehearse(found, engine, str(path.resolve()), settings, lambda line: show(line, to_errors=True))
    except (NoTestsError, SetupFailedError, ToolMissingError, ServiceError, ConfigurationError) as error:
        show_problem(error, done, as_json=as_json)
        raise typer.Exit(CONFIGURATION if isinstance(error, ConfigurationError) else NO_BASELINE) from error
    show_end(done, as_json=as_json)
    if done.suite and done.suite.baseline.problem:
        raise typer.Exit(NO_BASELINE)


def show_problem(error: Exception, done: Rehearsal | None, *, as_json: bool) -> None:
    """What ended the rehearsal, with the remedy; for a program with what is known of the repository, too."""
    told = {"problem": str(error)} | remedy_of(error)
    if as_json:
        typer.echo(json.dumps({**told, **(done.to_json() if done else {})}))
    else:
        show("\n".join(told.values()))


def show_end(done: Rehearsal, *, as_json: bool) -> None:
    """What came of set-up and suite; for a person nothing more where only the plan was asked for."""
    if as_json:
        remedy = no_baseline(done.suite.baseline) if done.suite else {}
        typer.echo(json.dumps({**done.to_json(), **remedy}, indent=2))
    elif done.suite:
        show(told_setup(done.suite.prepared, done.environment))
        show(told_report(done.suite.baseline))


def show(text: str, *, to_errors: bool = False) -> None:
    """What a repository makes a program say is not to rule the terminal."""
    typer.echo(clean(text), err=to_errors)


def remedy_of(error: Exception) -> dict[str, str]:
    """What the comment on an issue would say to do; a wrong configuration says that itself."""
    if isinstance(error, ConfigurationError):
        return {}
    return {"remedy": next_step(ending_of_error(error)[0], AT_A_TERMINAL)}


def no_baseline(report: TestReport) -> dict[str, str]:
    """The same where a suite gives nothing to compare with; empty where it does."""
    try:
        check_baseline(report)
    except (RepoError, SandboxError) as error:
        return remedy_of(error)
    return {}


def told_plan(plan: Environment, *, with_setup: bool) -> str:
    """What set-up does is told while it is done, too."""
    tools = [" ".join(filter(None, ("needs", tool.program, tool.versions, tool.source))) for tool in plan.tools]
    services = [f"beside it {service.kind} {service.version}".rstrip() for service in plan.services]
    found = [f"found {line}" for line in plan.evidence]
    left_out = [f"left out {part}" for part in plan.left_out]
    setup = [f"set-up {command}" for command in plan.setup] if with_setup else []
    tests = (f"tests {plan.shown_command}", *left_out)
    return "\n".join([f"detector {plan.detector}", *found, *tools, *services, *setup, *tests])


def told_setup(prepared: PreparedEnvironment, planned: Environment) -> str:
    seconds = prepared.seconds
    lines = [f"set up in {seconds:.1f} s" if seconds else "set up before, and found again"]
    if not seconds:  # what was told while it was made
        lines += [note for note in prepared.environment.evidence if note not in planned.evidence]
    if prepared.refused_hosts:
        lines.append(f"hosts that set-up asked for and may not reach: {', '.join(prepared.refused_hosts)}")
    return "\n".join(lines)


def refused(report: TestReport) -> list[str]:
    """Where on this machine a suite that gave no result looked for a server in vain, the last of them."""
    return [":".join(found) for found in _REFUSED.findall(report.output[-MAX_OUTPUT:])[-1:]]


def told_of_file(case: TestCase) -> str:
    """Why none of its tests ran, in a line, where it is a file or a package as a whole; else nothing."""
    lines = [line.strip() for line in case.message.splitlines() if line.strip() and not line.startswith("#")]
    if case.id != case.path or not lines:
        return ""
    of_pytest = (line.removeprefix("E").strip() for line in reversed(lines) if re.match(r"E\s", line))
    others = (line for line in lines if _WHY.search(line))
    return f": {next(of_pytest, None) or next(others, lines[0])}"[:MAX_LINE]


def told_report(report: TestReport) -> str:
    """Counts first; what failed after them; the output only where there is no result, or but an exit code."""
    counts = told_counts(report.counts()) or "no tests"
    lines = [f"baseline {counts} in {report.seconds:.1f} s"]
    if report.part:
        lines.append(f"only {report.part[0]} of {report.part[1]} test files: the whole suite takes too long")
    if report.only_exit_code:
        lines.append("only the exit code of the command is known, not the single tests")
    flaky = f", {len(report.flaky)} of them flaky" if report.flaky else ""
    if report.red:
        lines.append(f"{len(report.red)} {'fails' if len(report.red) == 1 else 'fail'} before any work{flaky}:")
        lines += [f"  {case_id}{told_of_file(report.by_id[case_id])}" for case_id in sorted(report.red)[:MAX_NAMED]]
        cause = None if mostly_red_note(report) in report.notes else commonest_error(report)  # told there
        lines += ["{1} of them end with {0}".format(*cause)] if cause else []
        lines += [report.output[-MAX_OUTPUT:].rstrip()] if report.only_exit_code else []  # no test's name tells more
    lines += report.notes
    if report.problem:
        lines += [f"no result to compare with: {report.problem}", report.output[-MAX_OUTPUT:]]
        lines += [f"It asks for a server at {server}, and none is there: {_NAME_IT}" for server in refused(report)]
        lines += no_baseline(report).values()
    return "\n".join(lines)
