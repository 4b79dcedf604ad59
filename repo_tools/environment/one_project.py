"""One project of a repository, seen as if it were all of it, and its plan put back into the whole. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand

_ANYWHERE = (".go",)
"""A module is every package below it, but for other modules: https://go.dev/ref/mod#modules-overview"""


def subtree(tree: Tree, folder: str, folders: Mapping[str, frozenset[str]]) -> Tree:
    """What stands below `folder`, by paths from there, without the projects of other families in it: the tests of a
    ``backend/`` are not those of a root that has no Python manifest. A Go module's packages stay, as a front end's
    folder may hold the one that embeds it."""
    start = f"{folder}/" if folder else ""
    families = folders.get(folder, frozenset())
    own = _ANYWHERE if "go" in families else ()
    of_others = (f for f, theirs in folders.items() if f != folder and not theirs & families)
    others = tuple(f"{f}/" for f in of_others if f.startswith(start))
    below = (p for p in tree if p.startswith(start) and (p.endswith(own) or not p.startswith(others)))
    found = {path.removeprefix(start): tree[path] for path in below}
    return found if folder or len(found) < len(tree) else tree  # itself, of which more is known already


def reader_below(read: ReadFile, folder: str) -> ReadFile:
    return (lambda path: read(f"{folder}/{path}")) if folder else read


def rebased(environment: Environment, folder: str) -> Environment:
    """The plan of the project in `folder`, as one of the whole repository."""
    if not folder:
        return environment
    return replace(
        environment,
        evidence=(f"the project in {folder}/", *environment.evidence),
        setup=tuple(_moved(command, folder) for command in environment.setup),
        tests=tuple(_tested_in(command, folder) for command in environment.tests),
        before_tests=tuple(_moved(command, folder) for command in environment.before_tests),
        manifests=tuple(normpath(_joined(folder, path)) for path in environment.manifests),
        test_paths=tuple(_joined(folder, path) for path in environment.test_paths),
    )


def with_beside(environment: Environment, other: Environment) -> Environment:
    """With the suites of `other`, a project of the same tools. What it alone needs may be missing here: such a suite
    gives no result, and is told."""
    return replace(
        environment,
        evidence=(*environment.evidence, *other.evidence),
        setup=(*environment.setup, *(replace(command, required=False) for command in other.setup)),
        tests=(*environment.tests, *other.tests),
        manifests=tuple(sorted({*environment.manifests, *other.manifests})),
        variables={**other.variables, **environment.variables},
        test_paths=(*environment.test_paths, *other.test_paths),
        left_out=(*environment.left_out, *other.left_out),
    )


def narrowed(environment: Environment, paths: Iterable[str]) -> Environment:
    """Only the suites in the folders that hold `paths`, where the plan has suites in several folders and that tells."""
    folders = {command.directory for command in environment.tests}
    if len(folders) == 1:
        return environment
    near = {_holder(path, folders) for path in paths} - {None}
    kept = tuple(command for command in environment.tests if command.directory in near)
    return replace(environment, tests=kept) if kept else environment


def _moved(command: SetupCommand, folder: str) -> SetupCommand:
    others = tuple(_moved(other, folder) for other in command.otherwise)
    return replace(command, directory=_joined(folder, command.directory), otherwise=others)


def _tested_in(command: TestCommand, folder: str) -> TestCommand:
    builds = tuple((_joined(folder, place), build) for place, build in command.builds)
    return replace(command, directory=_joined(folder, command.directory), builds=builds)


def _holder(path: str, folders: Iterable[str]) -> str | None:
    holders = [f for f in folders if f and PurePosixPath(path).is_relative_to(f)]
    return max(holders, key=len, default=None)


def _joined(folder: str, path: str) -> str:
    return str(PurePosixPath(folder, path))
