"""What a test runner is to the harness: how it is started, how its results come out, and how its tests are named."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from repo_tools.environment.contract import TestCommand
from repo_tools.test_report import TestCase

SAID = "{said}"
"""In an argument: the number of the descriptor for what the runner says while it runs."""
RESULTS = "{results}"
"""In an argument: the number of the descriptor for its results. ``/proc/self/fd/{results}`` is a path to it."""
FOLDER = "{folder}"
"""In an argument or a variable: a new folder outside of the work tree, for files that a runner insists on."""

UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What it may raise to read something that came out of a box, whatever it holds."""

NONE_COLLECTED = "No tests were collected."
"""Begins the problem of a run whose command found none, whatever it was told to run."""

IsFile = Callable[[str], bool]
"""Whether a root-relative path is a file of the tested tree."""

PATH, PATH_LATER = "PYTHONPATH", "AGENT_FIX_PYTHONPATH"
"""What stands there comes before Python's own modules: a `json.py` of the work tree would be the runner's."""


@dataclass(frozen=True)
class RunOrder:
    """One start of a runner. Results come through whichever of these it can use, the first the best:

    - the descriptors `SAID` and `RESULTS`, pipes that only what the watcher starts holds;
    - `hear_output`: its standard output is kept as results, besides being shown;
    - `files`: patterns (relative to where it runs, or below `FOLDER`) of files that it leaves. What matches before the
      run is removed.
    """

    argv: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    hear_output: bool = False
    files: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()  # the words of the suite's command that selectors stand in the place of
    hand_nonce: bool = False  # give the run's nonce to the runner's standard input, before anything else
    path_later: bool = False  # `PATH` is given as `PATH_LATER`: the runner puts it in force, once it is started


@dataclass(frozen=True)
class Account:
    """What one run says of itself, with the signature of the process around it checked. `exit_code` is 128 + signal
    number where a signal ended it; `silent`, where it was ended because its time was over: the seconds before that in
    which it told nothing."""

    exit_code: int
    results: bytes = b""
    said: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    nonce: bytes = b""
    output: bytes = b""  # standard output and error, for messages; cut in the middle
    silent: float | None = None


@dataclass(frozen=True)
class Reading:
    """What an account means. `problem`: why there is no result to trust, in words for a person."""

    cases: tuple[TestCase, ...]
    problem: str | None = None
    only_exit_code: bool = False  # how the command ended is all that is known
    unbuilt: bool = False  # something of what is built first was not, and the rest was tested


class SuiteRunner(Protocol):
    """One runner. Ids are ``path::names``: `path` root-relative, a file where the runner tells it."""

    name: str
    selects: bool  # whether files name parts of a suite that it can run

    def recognises(self, argv: tuple[str, ...]) -> bool:
        """Whether this command line starts this runner."""
        ...

    def check_selector(self, selector: str) -> None:
        """ValueError, with a sentence for whoever wrote it, unless `selector` (a root-relative path, or an id of this
        runner) names tests and nothing else."""
        ...

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        """How to run the suite, or what `selectors` name of it."""
        ...

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        """Another command to use instead, and a line that says why, where the runner refused the first one."""
        ...

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        """The results. `UNREADABLE` where they are none of this runner's."""
        ...


class OneTry:
    """What a `SuiteRunner` has of this that knows no other way to run a command."""

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        return None
