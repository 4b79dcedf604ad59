"""The detectors, in the order in which they are asked."""

from collections.abc import Iterable, Mapping
from itertools import chain

from repo_tools.changes import Tree
from repo_tools.environment.ci.detector import WorkflowDetector
from repo_tools.environment.contract import Detector, Environment, ReadFile
from repo_tools.environment.folders import DOCUMENTS, EXAMPLES, READ_BY_TESTS, VENDORED, is_within
from repo_tools.environment.go import GoDetector
from repo_tools.environment.java import GradleDetector, MavenDetector
from repo_tools.environment.javascript.detector import JavaScriptDetector
from repo_tools.environment.make import AutomakeDetector, MakeDetector
from repo_tools.environment.native import OF_C, CMakeDetector, CMakeProgramsDetector, MesonDetector
from repo_tools.environment.python.detector import PythonDetector
from repo_tools.environment.ruby import RubyDetector
from repo_tools.environment.rust import RustDetector

Detectors = tuple[Detector, ...]
DETECTORS: Detectors = (
    PythonDetector(),
    GoDetector(),
    RustDetector(),
    MavenDetector(),
    GradleDetector(),
    RubyDetector(),
    JavaScriptDetector(),
)
"""In the order of preference, where a project has as many files of the one language as of the other."""
NATIVE: Detectors = (CMakeDetector(), MesonDetector(), AutomakeDetector())
"""Beside a manifest of another language, such a build is mostly a part of that project."""
LAST_RESORTS: Detectors = (*NATIVE, WorkflowDetector(), MakeDetector())
"""Asked once no project is known to any other."""
LAST_OF_ALL: Detectors = (CMakeProgramsDetector(),)

SUFFIXES = tuple(detector.suffixes for detector in (*DETECTORS, *NATIVE))
"""Of the source files of each language that is set up."""
_NO_SOURCES = VENDORED | EXAMPLES | DOCUMENTS | {"static"}


def suffixes_of(environment: Environment) -> tuple[str, ...]:
    """Of the source files of its language; empty where it has none."""
    known = chain(DETECTORS, LAST_RESORTS, LAST_OF_ALL)
    return next((d.suffixes for d in known if d.name.partition("/")[0] == environment.family), ())


def first_plan(tree: Tree, read: ReadFile, detectors: Detectors, weights: Mapping[str, float]) -> Environment | None:
    """Of those of `detectors` that know what `tree` holds the likeliest's; `weights`: paths that the issue is about."""
    plans = (detector.detect(tree, read) for detector in _likeliest_first(detectors, tree, weights))
    return next((environment for environment in plans if environment), None)


def _likeliest_first(detectors: Detectors, tree: Tree, weights: Mapping[str, float]) -> list[Detector]:
    """By the files of its language: first those that the issue is about, then all that a project of that language
    has."""
    places = (path for path in tree if path.partition("/")[0] not in _NO_SOURCES)
    sources = [path for path in places if not is_within(path, READ_BY_TESTS)]

    def order(detector: Detector) -> tuple[float, int]:
        suffixes = detector.suffixes
        asked = sum(weight for path, weight in weights.items() if suffixes and path.endswith(suffixes))
        return -asked, -count_of(sources, suffixes)

    return sorted(detectors, key=order)


def count_of(paths: Iterable[str], suffixes: tuple[str, ...]) -> int:
    return sum(path.endswith(suffixes) for path in paths) if suffixes else 0


def is_in_c(tree: Tree) -> bool:
    """Whether most of its sources are in C or C++."""
    return count_of(tree, OF_C) > count_of(tree, tuple(suffix for d in DETECTORS for suffix in d.suffixes))
