"""The values that detection gives and set-up uses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from repo_tools.changes import Tree
from repo_tools.sandbox.contract import ENVIRONMENT, Layer


class Runner(StrEnum):
    PYTEST = "pytest"


@dataclass(frozen=True)
class SetupCommand:
    """One command of the set-up phase. `required` False: a failure is reported, not fatal (an optional extra)."""

    argv: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True)
class TestCommand:
    """How the suite is run; `argv` without selectors and without where results go."""

    __test__ = False

    runner: Runner
    argv: tuple[str, ...]


@dataclass(frozen=True)
class Environment:
    """The plan for one repository at one commit.

    `evidence` says for a person what it was read from (``pyproject.toml [project.optional-dependencies] test``).
    `manifests` are the paths whose content decides the layer's key. `variables` hold in set-up and in work.
    """

    detector: str
    evidence: tuple[str, ...]
    setup: tuple[SetupCommand, ...]
    test: TestCommand
    manifests: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    test_paths: tuple[str, ...] = ()  # where the configured suite looks, if it says so
    test_file_patterns: tuple[str, ...] = ()  # how it names its test files, if it says so (``*_spec.py``)

    @property
    def bin_directory(self) -> str:
        return f"{ENVIRONMENT}/venv/bin"


ReadFile = Callable[[str], bytes]
"""Content of one path of the base commit. KeyError where it is not there."""


class Detector(Protocol):
    """Recognises one way of setting up and testing. Pure: looks at the tree and at manifests, runs nothing."""

    name: str
    looked_for: str  # what it recognises, for a person

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None: ...


@dataclass(frozen=True)
class PreparedEnvironment:
    """An environment and its layer: everything a fresh box needs besides the tree."""

    environment: Environment
    layer: Layer
    seconds: float  # what making it took; 0.0 when it was found
    refused_hosts: tuple[str, ...] = ()
    log: str = ""  # output of the set-up commands, cut
