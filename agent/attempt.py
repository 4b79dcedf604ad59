"""What an attempt is given and what it gives back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.errors import AgentStop
from agent.transcript import Transcript
from repo_tools.changes import ChangeSet
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verification


@dataclass(frozen=True)
class Task:
    """The issue as the model is shown it: already cleaned of what a maintainer would not see. `path_rules` says where
    the repository lets anything be changed; empty where it says nothing. `notes`: what a person should know of the
    environment that its tests run in (which Python it has, what could not be installed)."""

    repository: str
    title: str
    body: str
    repo_map: str
    baseline: TestReport
    test_command: str
    path_rules: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SolveTask:
    """A task without a repository, from the person at the command line. `files` are the paths of what was given
    with it; `tests` the content of those that are tests, or Python that supports them. `baseline`: what they say before
    any work. `packages`: what was asked to be installed."""

    task: str
    files: tuple[str, ...]
    tests: Mapping[str, str]
    baseline: TestReport | None
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """How an attempt ended. `verification` is the last one made, if any; `change` the work as it stood."""

    ending: AgentStop
    change: ChangeSet
    verification: Verification | None
    transcript: Transcript


Verify = Callable[[ChangeSet], Verification]
"""Proves a change in fresh boxes; given to the agent by the pipeline."""

Record = Callable[[str, Mapping[str, Any]], None]
"""Journal one step before the loop goes on; also how progress becomes visible. Kinds: ``reply``, ``tool_result``,
``verification``, ``candidate``, ``nudge``; the data is JSON and holds the spend so far, and after a file tool the
ChangeSet as ``change``. Raises to stop a run that is no longer wanted or no longer ours."""
