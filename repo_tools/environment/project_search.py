"""Which of a repository's projects has the tests, of those nearest to the files that an issue is about."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import chain

from repo_tools.changes import Tree
from repo_tools.counted import counted
from repo_tools.environment.asked_about import nearest_first
from repo_tools.environment.ci.workflows import tell_workflows
from repo_tools.environment.contract import Environment, NoTestsError, ReadFile
from repo_tools.environment.detectors import (
    DETECTORS,
    LAST_OF_ALL,
    LAST_RESORTS,
    NATIVE,
    Detectors,
    count_of,
    first_plan,
    is_in_c,
    suffixes_of,
)
from repo_tools.environment.folders import TESTS, is_within
from repo_tools.environment.javascript.package_json import read_package
from repo_tools.environment.javascript.scripts import tests_in_a_browser
from repo_tools.environment.make import folders_of_tests
from repo_tools.environment.native import OF_C, native_folders
from repo_tools.environment.one_project import reader_below, subtree
from repo_tools.environment.other_languages import other_language
from repo_tools.environment.projects import NOBODYS_WORK
from repo_tools.environment.python.beside import ProjectsBeside
from repo_tools.environment.python.build_system import packaging
from repo_tools.environment.python.workspace_above import tell_workspace

_MOST_PROJECTS = 50

Found = tuple[str, Environment]
"""The folder of a project, and its plan as if it were the whole repository."""
Weights = Mapping[str, float]
"""Paths that an issue is about, and how much it is, at most 1."""


@dataclass(frozen=True)
class ProjectSearch:
    """`folders`: those that hold a manifest, the root always, each with the families of tools that read its own."""

    tree: Tree
    read: ReadFile
    folders: Mapping[str, frozenset[str]]

    def first_with_tests(self, weights: Weights) -> Found:
        """The first that has tests, of those nearest to the files of most weight. NoTestsError."""
        for asked, among in self._turns(weights):
            nearest = nearest_first(among, weights)[:_MOST_PROJECTS]
            for folder in self._with_tests_beside(nearest, weights):
                if environment := self._plan_of(folder, asked, weights):
                    return folder, environment
        wanted = "; ".join(detector.looked_for for detector in chain(DETECTORS, LAST_RESORTS, LAST_OF_ALL))
        why = self._in_a_browser() or other_language(self.tree)
        raise NoTestsError(f"No tests were found in {counted(len(self.tree), 'file')}.{why} Looked for: {wanted}.")

    def _turns(self, weights: Weights) -> tuple[tuple[Detectors, list[str]], ...]:
        """Which detectors are asked, of which folders, until one knows tests."""
        builds = (*native_folders(self.tree, self.read), *folders_of_tests(self.tree))
        anywhere = [*self.folders, *(folder for folder in builds if folder not in self.folders)]
        aside, shown = self._of_tests_in_c(weights), self._root_shown_alone(weights)
        first = [folder for folder in self.folders if folder not in {*aside, *shown}]
        return (
            (DETECTORS, first),
            (DETECTORS, shown),
            (LAST_RESORTS, anywhere),
            (DETECTORS, aside),
            (LAST_OF_ALL, anywhere),
        )

    def _with_tests_beside(self, nearest: tuple[str, ...], weights: Weights) -> Iterator[str]:
        """`nearest`, of which the first is followed by the Python projects that require it: some keep their tests in
        one of its own. A root of Python's tells of the tests of all."""
        yield from nearest[:1]
        beside: Set[str] = frozenset()
        if nearest and weights and "python" in self.folders.get(nearest[0], ()) and "python" not in self.folders[""]:
            beside = ProjectsBeside(nearest[0], self.folders, self.tree, self.read).requirers()
        yield from sorted(nearest[1:], key=lambda folder: folder not in beside)

    def _plan_of(self, folder: str, asked: Detectors, weights: Weights) -> Environment | None:
        """What the first of `asked` that knows the project in `folder` says of it, as if that were the whole
        repository."""
        below = subtree(self.tree, folder, {folder: frozenset(), **self.folders})
        read_below = reader_below(self.read, folder)
        if folder:
            tell_workflows(folder, self.tree, self.read, below, read_below)
            tell_workspace(folder, self.tree, self.read, read_below)
        families = self.folders.get(folder, frozenset())
        turns = _in_turn(asked, families, {} if folder else self.tree)
        plans = (first_plan(below, read_below, detectors, weights) for detectors in turns)
        environment = next(filter(None, plans), None)
        if packaging(below, read_below) is None:
            families -= {"python"}  # requirements alone may be those of a build
        if environment and not families and _is_aside(environment, below):
            return first_plan(below, read_below, LAST_RESORTS, weights) or environment
        return environment

    def _of_tests_in_c(self, paths: Iterable[str]) -> list[str]:
        """Folders of tests with a manifest of their own, for what drives them, in a repository that is a program in
        C."""
        within = [folder for folder in self.folders if is_within(folder, TESTS)]
        if not within or not is_in_c(self.tree):
            return []
        return [folder for folder in within if not any(path.startswith(f"{folder}/") for path in paths)]

    def _root_shown_alone(self, weights: Weights) -> list[str]:
        """The root, where no manifest tells of it, and what of it holds tests is there for readers, and sources of that
        are not what it is about: the suites are those of the projects beside that."""
        if self.folders[""] or len(self.folders) == 1:
            return []
        below = subtree(self.tree, "", self.folders)
        own = {path: entry for path, entry in below.items() if not is_within(path, NOBODYS_WORK)}
        most = [path for path, weight in weights.items() if weight == 1 and path in below and path not in own]
        if count_of(most, tuple(suffix for detector in DETECTORS for suffix in detector.suffixes)):
            return []
        return [] if len(own) == len(below) or first_plan(own, self.read, (*DETECTORS, *NATIVE), {}) else [""]

    def _in_a_browser(self) -> str:
        packages = (read_package(folder, self.read) for folder in self.folders)
        found = next(filter(None, (tests_in_a_browser(package) for package in packages if package)), "")
        return f" Those of {found} need a browser, which the sandbox has not." if found else ""


def _in_turn(asked: Detectors, families: Set[str], tree: Tree) -> tuple[Detectors, ...]:
    """Of a folder with manifests of these families. Where they have no tests, the build of a program in C that `tree`
    is comes before its bindings below."""
    if asked in (LAST_RESORTS, LAST_OF_ALL):
        return (asked,)
    if not families:
        return ((*asked, *NATIVE),)
    return (asked, NATIVE) if is_in_c(tree) else (asked,)


def _is_aside(environment: Environment, tree: Tree) -> bool:
    """Whether these, of which no manifest tells, are the fewer files beside a program in C."""
    return count_of(tree, OF_C) > count_of(tree, suffixes_of(environment))
