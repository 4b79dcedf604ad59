"""One set-up: the commands of a plan, in a box that reaches the registries, until its time is over."""

import re
import shutil
import sysconfig
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from repo_tools.box_tree import commit_tree, upload_tree
from repo_tools.changes import FileMode
from repo_tools.checkout import Checkout
from repo_tools.environment.base_tag import asks_git, tag_of, takes_number
from repo_tools.environment.contract import ACTIVATE, NOTE, SCRATCH, UV, Environment, SetupCommand, SetupFailedError
from repo_tools.environment.dated import (
    CONFIGURATION_VARIABLE,
    NO_TIMES,
    VARIABLE,
    Days,
    days_for,
    for_builds,
    of_the_day,
)
from repo_tools.environment.earlier_program import COMMITTED
from repo_tools.environment.failed_builds import FailedBuilds
from repo_tools.environment.fitting import (
    MOST_SECONDS,
    earlier_releases,
    fitting_versions,
    loading_pytest,
    running_pytest,
)
from repo_tools.environment.fitting_program import LATER
from repo_tools.environment.generated import Generated, keep_generated
from repo_tools.environment.given_up import standing_in
from repo_tools.environment.missing import apt_note, missing, with_reason
from repo_tools.environment.submodules import failure_note
from repo_tools.environment.tools import PYTHON, Program, choose, hand_over, nearer_python_note, offered, python_note
from repo_tools.environment.ways_out import FILES, open_ways_out, with_variables
from repo_tools.errors import RepoError
from repo_tools.sandbox.contract import DEFAULT_LIMITS, WORKSPACE, ExecResult, Limits, Sandbox

UV_CONFIGURATION = f"{SCRATCH}/uv.toml"
OWN = "AGENT_FIX_OWN_PACKAGES"
"""A variable of set-up: the commit's own day, or the first one whose packages run on the interpreter, and those that
are tried in turn after it."""
MAX_LOG_CHARACTERS = 20_000
_TAIL_CHARACTERS = 3_000
_SHORT_SECONDS = 60.0
_NOTE = re.compile(rf"(?m)^{re.escape(NOTE)}(.{{1,300}})$")
_MOST_NOTES = 20
_SHARE_OF_FIRST = 0.5
"""Of the time that is left: what a command may take that has others in its place (a resolver may try versions without
end), or can be done without."""


@dataclass(frozen=True)
class Done:
    """What a set-up left: its log, what it made in the work tree, and what a person should know of it."""

    log: str
    generated: Generated
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetUp:
    """One set-up: what it works on, until when (monotonic clock, seconds), and of which day its packages are (None: of
    today)."""

    checkout: Checkout
    environment: Environment
    ca_bundle: bytes | None
    deadline: float
    report: Callable[[str], None]
    packages: date | None = None
    limits: Limits = DEFAULT_LIMITS  # of the boxes that tests are run in
    failed: FailedBuilds = field(default_factory=FailedBuilds)
    nearer: tuple[str, ...] = ()  # what to say of a Python that what fails may need

    def carry_out(self, box: Sandbox) -> Done:
        """SetupFailedError, ToolMissingError."""
        chosen, pythons, nearer = self._choose(box)
        upload_tree(box, self.checkout)
        commit_tree(box, tag_of(self.environment.variables))
        self._hand_uv_over(box)
        ways_out = open_ways_out(box, SCRATCH, self.ca_bundle)
        variables = {"HOME": SCRATCH, "TMPDIR": SCRATCH, **with_variables(ways_out, self.environment.variables)}
        variables |= hand_over(box, chosen)
        python = chosen[PYTHON].version if PYTHON in chosen else ""
        days = days_for(self.packages, python) if self.packages else None
        if days:
            box.write(UV_CONFIGURATION, days.configuration().encode())
            variables |= for_builds(days.asked, python) | _of_days(days)
        informed = replace(self, nearer=nearer)
        log = "".join(informed._run(box, command, variables) for command in self.environment.setup)
        if days:
            log += self._fit(box, days, variables)
        self._clean(box)
        notes = self._notes((*pythons, *nearer, *_of(days, variables, log)), log)
        return Done(log[-MAX_LOG_CHARACTERS:], self._keep(box), notes)

    def _keep(self, box: Sandbox) -> Generated:
        try:
            return keep_generated(box, self.checkout.tree, self.limits.workspace_bytes)
        except RepoError as error:
            raise SetupFailedError(str(error)) from error

    def _choose(self, box: Sandbox) -> tuple[dict[str, Program], tuple[str, ...], tuple[str, ...]]:
        """The programs, and what a person should know of them: of those that are there, and of a nearer one."""
        asked = self.environment.tools
        dated = of_the_day(asked, self.packages) if self.packages else asked
        offer = offered(box, asked)
        chosen = choose(dated, offer)
        return chosen, python_note(asked, chosen), nearer_python_note(dated, chosen, offer)

    def _fit(self, box: Sandbox, days: Days, variables: Mapping[str, str]) -> str:
        """Where a step takes too long, packages stay as they are."""
        steps = (standing_in(), fitting_versions(UV), earlier_releases(UV), running_pytest(UV))
        variables = {**variables, LATER: days.caught_up.isoformat(), COMMITTED: days.asked.isoformat()}
        log = ""
        for each in steps if days.caught_up > days.usable else (loading_pytest(UV),):
            bounded = replace(self, deadline=min(self.deadline, time.monotonic() + MOST_SECONDS))
            try:
                log += bounded._run(box, each, variables)
            except SetupFailedError as error:
                return f"{log}{error}\n"
        return log

    def _hand_uv_over(self, box: Sandbox) -> None:
        """With it comes the scratch folder. To fetch uv takes as long as to install what a small project needs."""
        box.exec(("mkdir", SCRATCH), timeout_seconds=_SHORT_SECONDS)
        program = own_uv()
        if program and any(UV in word for command in self.environment.setup for word in command.argv):
            box.write(UV, program.read_bytes(), FileMode.EXECUTABLE)

    def _notes(self, known: tuple[str, ...], log: str) -> tuple[str, ...]:
        found = (with_reason(note, log) for note in _NOTE.findall(log))
        told = tuple(dict.fromkeys((*known, *found)))[:_MOST_NOTES]
        for note in told:
            self.report(note)
        return told

    def _clean(self, box: Sandbox) -> None:
        for path in (*FILES, SCRATCH):
            with suppress(OSError):
                box.delete(path)

    def _run(self, box: Sandbox, command: SetupCommand, variables: dict[str, str]) -> str:
        shown = str(command)
        self.report(shown)
        left = max(1.0, self.deadline - time.monotonic())
        if command.otherwise or command.spare:
            left *= _SHARE_OF_FIRST
        folder = f"{WORKSPACE}/{command.directory}".rstrip("/")
        argv = self.failed.spared(command.argv, variables)
        result = box.exec((*ACTIVATE, *argv), timeout_seconds=left, cwd=folder, environment=variables)
        output = result.output.decode("utf-8", "replace")
        told = f"$ {shown}\n{output}[exit code {result.exit_code}, {result.seconds:.1f} s]\n"
        if result.exit_code == 0:
            return told
        if takes_number(box, self.environment.variables, output):
            self.report(f"failed at the tag of the base commit, and is done with a number alone: {shown}")
            return told + self._run(box, command, variables)
        if asks_git(variables, output):
            self.report(f"failed, as a dependency got the project's version, and is done without it: {shown}")
            return told + self._run(box, command, variables)
        self.failed.note(variables, output)
        if _needs_later(command, variables):
            self._take_later(variables)
            self.report(f"failed, and is done with packages as of {variables[VARIABLE]}: {shown}")
            return told + self._run(box, command, variables)
        if command.otherwise:
            self.report(f"failed, and is done step by step: {shown}")
            return told + "".join(
                self._run_anew(box, step, variables) for step in _steps_of(command, variables, output)
            )
        if command.required or (result.timed_out and not command.spare):
            raise SetupFailedError(self._failure(shown, result, told, box.refused_hosts()))
        self._of_own_day(variables)  # later packages were of no use to it
        self.report(f"failed, and goes on without: {shown}")
        return told

    def _take_later(self, variables: dict[str, str]) -> None:
        """Of the days that packages are tried of the next one."""
        later = variables[VARIABLE] = variables.pop(LATER)
        if after := [day for day in variables[OWN].split() if day > later]:
            variables[LATER] = after[0]

    def _run_anew(self, box: Sandbox, step: SetupCommand, variables: dict[str, str]) -> str:
        """With packages of the own day first: what made the whole need later ones may be another step."""
        self._of_own_day(variables)
        return self._run(box, step, variables)

    def _of_own_day(self, variables: dict[str, str]) -> None:
        if OWN in variables:
            variables[VARIABLE], variables[LATER], *_ = variables[OWN].split()

    def _failure(self, shown: str, result: ExecResult, told: str, refused: tuple[str, ...]) -> str:
        how = "ran out of time" if result.timed_out else f"failed with exit code {result.exit_code}"
        lacking = missing(told) if not result.timed_out else ()
        parts = (
            f"Set-up {how}: {shown}.",
            f"It lacks {'; '.join(lacking)}." if lacking else "",
            *(f"{note}." for note in self.nearer),
            apt_note(self.environment.system_packages),
            failure_note(self.checkout.tree),
            f"Hosts that set-up may not reach: {', '.join(refused)}." if refused else "",
        )
        return f"{' '.join(filter(None, parts))}\n{result.output.decode('utf-8', 'replace')[-_TAIL_CHARACTERS:]}"


def _needs_later(command: SetupCommand, variables: Mapping[str, str]) -> bool:
    """Whether it failed because packages of the day are too old, as far as that can be known: it has no alternative
    that asks the same program for less."""
    program = command.argv[0]
    asks_for_less = len(command.otherwise) == 1 and command.otherwise[0].argv[0] == program
    return program.endswith("/uv") and not asks_for_less and variables.get(LATER, "") > variables.get(VARIABLE, "")


def _steps_of(command: SetupCommand, variables: Mapping[str, str], output: str) -> tuple[SetupCommand, ...]:
    """What `command`, which said `output`, is replaced by. pip knows no days, and would bring everything of today: what
    tests may do without is asked for one by one instead, wherever packages are of a day and the index tells theirs."""
    others = command.otherwise
    is_dated = VARIABLE in variables and NO_TIMES not in output
    if is_dated and not command.required and len(others) == 1 and others[0].argv[0] != command.argv[0]:
        singles = others[0].otherwise
        if singles and all(step.argv[0] == command.argv[0] for step in singles):
            return singles
    return others


def _of_days(days: Days) -> dict[str, str]:
    """Variables of set-up, for uv and for what it is told when a command fails."""
    own, later, *_ = every = [day.isoformat() for day in days.in_turn()]
    return {CONFIGURATION_VARIABLE: UV_CONFIGURATION, VARIABLE: own, LATER: later, OWN: " ".join(every)}


def _of(days: Days | None, variables: Mapping[str, str], log: str) -> tuple[str, ...]:
    return (days.note(variables[VARIABLE], log),) if days else ()


def own_uv() -> Path | None:
    """The program of the package `uv`, where it is installed beside this one."""
    found = shutil.which("uv", path=sysconfig.get_path("scripts"))
    return Path(found) if found else None
