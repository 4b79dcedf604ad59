"""What a repository says itself of its set-up and its tests, put in the place of what was detected."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from repo_tools.changes import Tree
from repo_tools.environment.commands import named_files
from repo_tools.environment.contract import Environment, NoTestsError, Service, SetupCommand, TestCommand
from repo_tools.environment.python.install import MAKE_VENV, in_place

DETECTOR = "declared/3"
"""Part of each layer's key: raised when the same declaration gives other commands."""

_MANIFEST = re.compile(
    r"(?:.*/)?(?:[^/]*requirements[^/]*\.(?:txt|in)|constraints[^/]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini"
    r"|noxfile\.py|[^/]*\.lock|[^/]*-lock\.(?:json|ya?ml)|package\.json|\.npmrc|\.yarnrc(?:\.yml)?|go\.(?:mod|sum)"
    r"|Cargo\.toml|Gemfile|[^/]*\.gemspec|pom\.xml|[^/]*\.gradle(?:\.kts)?|Makefile|environment\.ya?ml"
    r"|\.(?:python|node|ruby|go)-version|\.nvmrc|\.tool-versions)"
)


@dataclass(frozen=True)
class Declared:
    """None, or empty: nothing is said of it, and detection decides. `source` is where it is said, `notes` what may be
    wrong there, for a person."""

    source: str = ""
    setup: tuple[SetupCommand, ...] | None = None
    tests: tuple[TestCommand, ...] | None = None
    services: tuple[Service, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def declared_environment(declared: Declared, tree: Tree, detect: Callable[[], Environment]) -> Environment:
    """What `detect` gives, with what is declared in its place. NoTestsError where neither knows of tests.

    Declared set-up is run after a virtual environment was made at the usual place, so that a plain ``pip install``
    works; a copy of the project that it leaves there is replaced. Its layer is made again when a file changes that a
    command names, or any file that is known to list dependencies.
    """
    environment = _detected(declared, detect)
    if declared.setup is not None:
        environment = replace(
            environment,
            detector=DETECTOR,
            setup=(*MAKE_VENV, *declared.setup, in_place()),
            dated=False,
            manifests=tuple(sorted({*environment.manifests, *_manifests(tree), *_named(declared.setup, tree)})),
            evidence=(*environment.evidence, f"{declared.source}: set-up commands"),
        )
    if declared.tests is not None:
        evidence = (*environment.evidence, f"{declared.source}: test commands")
        own = replace(environment, tests=declared.tests, before_tests=(), tests_declared=True)
        environment = replace(own, left_out=(), evidence=evidence)
    return replace(
        environment,
        evidence=(*environment.evidence, *(f"{declared.source}: {note}" for note in declared.notes)),
        services=merged_services(environment.services, declared.services),
        variables={**environment.variables, **declared.variables},
        test_variables={n: v for n, v in environment.test_variables.items() if n not in declared.variables},
    )


def merged_services(first: Iterable[Service], more: Iterable[Service]) -> tuple[Service, ...]:
    """`first` and `more`: one of the same kind, or of the same name, takes the other's place."""
    added = tuple(more)
    taken = {word for service in added for word in (service.name, service.kind) if word}
    return (*(service for service in first if not {service.name, service.kind} & taken), *added)


def _detected(declared: Declared, detect: Callable[[], Environment]) -> Environment:
    try:
        return detect()
    except NoTestsError as error:
        if declared.tests is None:
            raise
        return error.others or Environment(DETECTOR, (), (), declared.tests, (), tests_declared=True)


def _manifests(tree: Tree) -> Iterator[str]:
    return (path for path in tree if _MANIFEST.fullmatch(path))


def _named(commands: tuple[SetupCommand, ...], tree: Tree) -> Iterator[str]:
    """Files of the repository that the commands' words name (``-r deps/ci.txt``, ``./scripts/setup.sh``)."""
    for command in commands:
        yield from named_files(command.argv, command.directory, tree)
