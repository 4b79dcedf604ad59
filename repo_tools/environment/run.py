"""Run a repository's tests in a box, and read what the runner says rather than how it exits.

Results come through `channel`; what they mean is the runner's to say (`runners`). This does not protect from everything
that code *inside* the runner's process can do: a test, or the product code that it imports, may rewrite the runner
itself. Against that stand the base commit's tests and configuration, the comparison of collected ids, and the check of
what a change brings into the product (`repo_tools.verification.screening`).
"""

import errno
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath

from repo_tools.environment.channel import Channel, ChannelError
from repo_tools.environment.compiled import Recompiled, compile_again
from repo_tools.environment.contract import ACTIVATE, BUILT, Environment, TestCommand, each_build_once
from repo_tools.environment.generated import restore_generated
from repo_tools.environment.junit import merged, shorten_message, without_colours
from repo_tools.environment.runners import RUNNERS
from repo_tools.environment.runners.contract import UNREADABLE, Account, Reading
from repo_tools.environment.runners.crashed import KILLED, WHY_KILLED
from repo_tools.environment.runners.unfinished import Unfinished, unfinished
from repo_tools.sandbox.contract import WORKSPACE, ExecResult, Sandbox
from repo_tools.test_report import TestReport

MAX_OUTPUT_CHARACTERS = 20_000
_LONGEST_ERROR = 200

TELL_SECONDS = 10.0
"""For the process around a runner that was ended, to tell how far it came."""
MOST_OTHER_TRIES = 5
"""Of a command that its runner refuses: each leaves out one thing more."""
_ABORTED = re.compile(r"^(?:rails|rake) aborted!\s+([^\n]+)", re.MULTILINE)
_SAID = re.compile(r"^[^\s(].*", re.MULTILINE)
"""What rake says first of an error. Of others it is the last line, but for what only goes on or says where to read
more."""
PROBE_BYTES = 1 << 16
NO_ROOM = "The tests filled the sandbox's /tmp, so that there was no room for their results."


def run_tests(
    box: Sandbox, environment: Environment, selectors: tuple[str, ...] = (), *, timeout_seconds: float
) -> TestReport:
    """Run the suite (or its scope), or what `selectors` name of it, in a work tree that set-up's own files are put back
    into first, compiled again where what they were compiled from changed. Several commands share `timeout_seconds`, and
    are one report. ValueError where one is no selector."""
    chosen = choose(environment, selectors or environment.scope)
    restore_generated(box)
    compiled = compile_again(box, {**environment.variables, **environment.test_variables}, timeout_seconds)
    if compiled.problem is not None:
        return _uncompiled(environment, compiled)
    seconds, notes = _made_ready(box, environment, timeout_seconds - compiled.seconds)
    report = _run_in_turn(box, environment, chosen, timeout_seconds - compiled.seconds - seconds)
    notes = (*notes, *report.notes, *compiled.notes)
    report = replace(report, seconds=seconds + report.seconds, recompiled=compiled.changed, notes=notes)
    return with_services(box, report) if environment.services else report


def _uncompiled(environment: Environment, compiled: Recompiled) -> TestReport:
    return TestReport(
        command=environment.shown_command,
        cases=(),
        exit_code=1,
        seconds=compiled.seconds,
        output=_shown(compiled.output),
        problem=compiled.problem,
        timed_out=compiled.timed_out,
        recompiled=compiled.changed,
    )


def _made_ready(box: Sandbox, environment: Environment, timeout_seconds: float) -> tuple[float, tuple[str, ...]]:
    """(seconds of what is done before the tests, what of it failed, for a person). Each has half of what is left at
    most: tests that do without are run all the same."""
    variables = {**environment.variables, **environment.test_variables}
    seconds, notes = 0.0, list[str]()
    for command in environment.before_tests:
        result = box.exec(
            (*ACTIVATE, *command.argv),
            timeout_seconds=max(1.0, (timeout_seconds - seconds) / 2),
            cwd=f"{WORKSPACE}/{command.directory}".rstrip("/"),
            environment=variables,
        )
        seconds += result.seconds
        if result.exit_code:
            notes.append(f"Before the tests {command} {_failed(result)}")
    return seconds, tuple(notes)


def _failed(result: ExecResult) -> str:
    if result.timed_out:
        return f"did not end within {result.seconds:.0f} seconds."
    output = result.output.decode("utf-8", "replace")
    said = (_ABORTED.findall(output) or _SAID.findall(output) or [""])[-1]
    return f"failed (exit code {result.exit_code}): {shorten_message(said)}"


def _run_in_turn(
    box: Sandbox,
    environment: Environment,
    chosen: Sequence[tuple[TestCommand, tuple[str, ...]]],
    timeout_seconds: float,
) -> TestReport:
    commands = each_build_once(command for command, _ in chosen)
    built = f"/tmp/{secrets.token_hex(16)}"  # noqa: S108 - inside the box
    environment = replace(environment, test_variables={**environment.test_variables, BUILT: built})
    reports: list[TestReport] = []
    for command, (_, wanted) in zip(commands, chosen, strict=True):
        left = timeout_seconds - sum(report.seconds for report in reports)
        reports.append(_run(box, environment, command, wanted, max(1.0, left)))
        if reports[-1].timed_out:
            break
    return reports[0] if len(reports) == 1 else _joined(reports)


def with_services(box: Sandbox, report: TestReport) -> TestReport:
    """A server that ended meanwhile makes tests red that say nothing of the code: no result to trust."""
    report = replace(report, notes=(*report.notes, *box.service_notes()))
    silent = () if report.problem else box.silent_services()
    if not silent:
        return report
    told = f"A service stopped answering while the tests ran: {'; '.join(silent)}."
    return replace(report, problem=told, service_ended=True)


def choose(environment: Environment, selectors: Sequence[str]) -> list[tuple[TestCommand, tuple[str, ...]]]:
    """Which commands to run, each with the selectors that are its own. ValueError, with a sentence for whoever wrote
    it, where one of them is nobody's."""
    if not selectors:
        return [(command, ()) for command in environment.tests]
    own: dict[TestCommand, list[str]] = {}
    for selector in selectors:
        for command in _takers(environment, selector):
            own.setdefault(command, []).append(selector)
    return [(command, tuple(wanted)) for command, wanted in own.items()]


def is_selector(environment: Environment, selector: str) -> bool:
    """Whether `run_tests` takes it."""
    try:
        return bool(_takers(environment, selector))
    except ValueError:
        return False


def _takers(environment: Environment, selector: str) -> list[TestCommand]:
    """The commands that run it: of those that understand it, the nearest to its path."""
    takers: list[TestCommand] = []
    problems: list[ValueError] = []
    for command in environment.tests:
        try:
            RUNNERS[command.runner].check_selector(selector)
        except ValueError as error:
            problems.append(error)
        else:
            takers.append(command)
    if not takers:
        raise problems[0]
    nearest = [c for c in takers if PurePosixPath(selector.partition("::")[0]).is_relative_to(c.directory)]
    deepest = max((len(c.directory) for c in nearest), default=0)
    if not nearest:
        raise ValueError(f"{selector[:200]!r} is in no folder whose tests can be run.")
    return _that_name(selector, [command for command in nearest if len(command.directory) == deepest])


def _that_name(selector: str, commands: list[TestCommand]) -> list[TestCommand]:
    """Of several in one folder those that name the selector's own folder, or else those that list no files of its
    kind."""
    path = PurePosixPath(selector.partition("::")[0]).relative_to(commands[0].directory)
    named = {c: [PurePosixPath(word) for word in c.argv if "/" in word.strip("./")] for c in commands}
    naming = [c for c in commands if len(path.parts) > 1 and any(p.parts[0] == path.parts[0] for p in named[c])]
    others = [c for c in commands if not any(p.suffix == path.suffix != "" for p in named[c])]
    return naming or others or commands


def _run(
    box: Sandbox, environment: Environment, command: TestCommand, selectors: tuple[str, ...], timeout_seconds: float
) -> TestReport:
    """Its seconds are those of all tries."""
    report, account = _run_once(box, environment, command, selectors, timeout_seconds)
    notes: tuple[str, ...] = ()
    whole: TestReport | None = None  # before any of its tests was left out
    for _ in range(MOST_OTHER_TRIES):
        other = RUNNERS[command.runner].second_try(command, account) if account and not report.timed_out else None
        if other is None:
            break
        if whole is None and other[0].without:
            whole = replace(report, notes=(*report.notes, *notes))
        command, left = other[0], max(1.0, timeout_seconds - report.seconds)
        again, account = _run_once(box, environment, command, selectors, left)
        seconds = report.seconds + again.seconds
        if again.timed_out and report.problem is None:
            report = replace(report, seconds=seconds)
            break  # what the first one said counts
        report, notes = replace(again, seconds=seconds), (*notes, other[1])
    if whole is not None and report.problem and not report.timed_out:
        return replace(whole, seconds=report.seconds)  # those were not the reason, or nothing is left that could tell
    return replace(report, notes=(*report.notes, *notes))


def _run_once(
    box: Sandbox, environment: Environment, command: TestCommand, selectors: tuple[str, ...], timeout_seconds: float
) -> tuple[TestReport, Account | None]:
    variables = {**environment.variables, **environment.test_variables, **dict(command.variables)}
    order = RUNNERS[command.runner].order(command, selectors)
    channel = Channel(order, timeout_seconds, variables)
    result = box.exec(
        channel.argv(),
        timeout_seconds=timeout_seconds + TELL_SECONDS,
        cwd=f"{WORKSPACE}/{command.directory}".rstrip("/"),
        stdin=channel.stdin(),
    )
    account, reading = _results(box, channel, command, result, timeout_seconds)
    cut = result.timed_out or (account is not None and account.silent is not None)
    known = unfinished(account, timeout_seconds) if account and cut else Unfinished()
    killed = result.exit_code == KILLED and not cut
    report = TestReport(
        command=command.shown(selectors, order.instead_of),
        cases=reading.cases,
        exit_code=result.exit_code or int(bool(command.without)),
        seconds=result.seconds,
        output=_shown(result.output.decode("utf-8", "replace")),
        problem=f"{reading.problem} {WHY_KILLED}" if reading.problem and killed else reading.problem,
        only_exit_code=reading.only_exit_code,
        unbuilt=reading.unbuilt,
        timed_out=cut,
        hanging=known.files() if known.hangs else (),
    )
    return report, account


def _shown(output: str) -> str:
    return shorten_message(without_colours(output), MAX_OUTPUT_CHARACTERS)


def _results(
    box: Sandbox, channel: Channel, command: TestCommand, result: ExecResult, timeout_seconds: float
) -> tuple[Account | None, Reading]:
    if result.timed_out:
        return None, Reading((), f"The test run did not end within {timeout_seconds:.0f} seconds.")
    try:
        account = replace(channel.receive(box), output=result.output)
    except FileNotFoundError:
        told = f"The test runner died. (exit code {result.exit_code}, no result file)"
        return None, Reading((), NO_ROOM if is_full(box) else told)
    except (ChannelError, OSError) as error:
        return None, Reading((), NO_ROOM if is_full(box) else f"The test runner's result file cannot be read: {error}")
    if account.silent is not None:
        told = unfinished(account, timeout_seconds).told()
        return account, Reading((), f"The test run did not end within {timeout_seconds:.0f} seconds{told}.")
    is_file = cache(lambda path: _is_file(box, f"{WORKSPACE}/{path}"))  # asked for each test of a file
    try:
        return account, RUNNERS[command.runner].read(account, command, is_file)
    except UNREADABLE as error:
        told = f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]
        return account, Reading((), f"The test runner's results cannot be read: {told}")


def is_full(box: Sandbox) -> bool:
    """Whether the volume that results are put on takes no more."""
    probe = f"/tmp/{secrets.token_hex(16)}"  # noqa: S108 - inside the box
    try:
        box.write(probe, bytes(PROBE_BYTES))
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    finally:
        with suppress(OSError):
            box.delete(probe)
    return False


def _is_file(box: Sandbox, path: str) -> bool:
    try:
        box.read(path, max_bytes=0)
    except (OSError, ValueError):
        return False
    return True


def _joined(reports: Sequence[TestReport]) -> TestReport:
    """Several commands' reports as one; what one of them lacks, all lack, and a test that several run is as red as in
    the worst of them."""
    return TestReport(
        command="; ".join(report.command for report in reports),
        cases=merged(case for report in reports for case in report.cases),
        exit_code=max(report.exit_code for report in reports),
        seconds=sum(report.seconds for report in reports),
        output=shorten_message(
            "\n".join(f"$ {report.command}\n{report.output}" for report in reports), MAX_OUTPUT_CHARACTERS
        ),
        problem=next((f"{r.command}: {r.problem}" for r in reports if r.problem), None),
        only_exit_code=all(report.only_exit_code for report in reports),
        unbuilt=any(report.unbuilt for report in reports),
        timed_out=any(report.timed_out for report in reports),
        hanging=tuple(path for report in reports for path in report.hanging),
        broken=tuple(place for place, report in enumerate(reports) if report.problem),
        notes=(*dict.fromkeys(note for report in reports for note in report.notes), *_silent(reports)),
    )


def _silent(reports: Sequence[TestReport]) -> tuple[str, ...]:
    """What to say where some commands have a result for each test, and others only an exit code."""
    silent = [report.command for report in reports if report.only_exit_code]
    if not silent or len(silent) == len(reports):
        return ()
    return (f"Only the exit code is known of {' and '.join(silent)}, not the single tests.",)
