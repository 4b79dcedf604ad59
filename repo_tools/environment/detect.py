"""Which detector knows a repository, and which of its projects is meant."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from posixpath import basename

from repo_tools.changes import Tree
from repo_tools.environment.ci.detector import WorkflowDetector
from repo_tools.environment.ci.workflows import read_workflows, tell_workflows, with_workflows
from repo_tools.environment.contract import Detector, Environment, ReadFile
from repo_tools.environment.folders import DOCUMENTS, EXAMPLES, READ_BY_TESTS, TESTS, VENDORED, is_below, is_within
from repo_tools.environment.go import GoDetector
from repo_tools.environment.java import GradleDetector, MavenDetector
from repo_tools.environment.javascript.detector import JavaScriptDetector
from repo_tools.environment.javascript.node_release import with_node_release
from repo_tools.environment.javascript.package_json import read_package
from repo_tools.environment.javascript.scripts import tests_in_a_browser
from repo_tools.environment.make import AutomakeDetector, MakeDetector, folders_of_tests
from repo_tools.environment.native import OF_C, CMakeDetector, CMakeProgramsDetector, MesonDetector, native_folders
from repo_tools.environment.other_languages import leading, other_language
from repo_tools.environment.projects import (
    NOBODYS_WORK,
    named_paths,
    narrowed,
    nearest_first,
    place_in,
    project_folders,
    reader_below,
    rebased,
    subtree,
)
from repo_tools.environment.python.beside import ProjectsBeside
from repo_tools.environment.python.detector import PythonDetector
from repo_tools.environment.python.root_of_tools import holds_tools_alone
from repo_tools.environment.reading import bounded, without_submodules
from repo_tools.environment.ruby import RubyDetector
from repo_tools.environment.rust import RustDetector
from repo_tools.environment.submodules import plan_note
from repo_tools.errors import RepoError

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

_OF_ONE_LANGUAGE = frozenset(("go", "javascript", "ruby", "rust"))
"""Suites of these never test what is written in a language that is not set up."""
_SUFFIXES = tuple(detector.suffixes for detector in (*DETECTORS, *NATIVE))
_MOST_PROJECTS = 50
_MOST_LIKELY, _FEWEST_LIKELY = 5, 3
"""Files that an issue which names none is about: so many are asked for, and so many stop what could be tested."""
_MOST_TOGETHER = 20
"""Projects that no manifest brings together, in one set-up: more want each other's packages in other versions."""
_NO_SOURCES = VENDORED | EXAMPLES | DOCUMENTS | {"static"}

_Found = tuple[str, Environment]
"""The folder of a project, and its plan as if it were the whole repository."""


class NoTestsError(RepoError):
    """No detector found tests, or none of what the issue is about. The text says what was looked for. `others`: the
    plan for the tests that there are."""

    def __init__(self, text: str, others: Environment | None = None) -> None:
        super().__init__(text)
        self.others = others


def detect(
    tree: Tree,
    read: ReadFile,
    *,
    issue: str = "",
    inside: str = "",
    likely: Callable[[], Sequence[str]] | None = None,
) -> Environment:
    """How to set up and test the repository whose base commit is `tree`: its root, or the project nearest to the files
    that `issue` names, or where it names none, to the folder `inside`, if that is one below the root; with what its
    workflows start and set beside the tests. Where neither tells, and the root tells of no suite or there are manifests
    of other languages than that one's, the project nearest to those that `likely` says it is about, the likeliest
    first. NoTestsError."""
    read = bounded(without_submodules(tree, read))
    folders = _projects(tree, read)
    is_open = len(folders) > 1 or len({*chain.from_iterable(folders.values())}) > 1
    named = named_paths(issue, tree)
    place = place_in(inside, folders) if inside and not named else ""
    why = f"{inside}/ was asked about" if place and is_open else ""
    named = (place,) if place else named
    found = _first_with_tests(tree, read, folders, dict.fromkeys(named, 1.0))
    is_of_root = _is_of_the_root(*found, folders)
    if likely and not named and is_open and not (is_of_root and _is_all_of_one_family(found[1], folders)):
        about = likely()[:_MOST_LIKELY]
        nearest = _first_with_tests(tree, read, folders, {path: 1 / rank for rank, path in enumerate(about, start=1)})
        is_other = _is_in_its_language(nearest, found, about) and not _is_loaded(nearest, tree, read)
        if is_other if is_of_root else _says_more(nearest, found, len(folders)):
            own = [path for path in about if not nearest[0] or is_below(path, nearest[0])]
            sources = [path for path in own if path.endswith(_suffixes(nearest[1]))]
            likeliest = (*sources, *own, *about)[0]
            found, why = nearest, f"the issue names no file, and is most likely about {likeliest}"
    folder, environment = found
    if why:
        environment = replace(environment, evidence=(why, *environment.evidence))
    planned = narrowed(rebased(environment, folder), named)
    if planned.detector == PythonDetector.name:
        planned = ProjectsBeside(folder, folders, tree, read).with_required(planned)
    planned = with_node_release(with_workflows(planned, read_workflows(tree, read), tree))
    note = plan_note(tree)
    planned = replace(planned, evidence=(*planned.evidence, note)) if note else planned
    if _name(planned) in _OF_ONE_LANGUAGE and (other := leading(tree, _suffixes(planned), _SUFFIXES)):
        planned = replace(planned, left_out=(*planned.left_out, f"the tests of most of the program: {other.told}"))
        about, is_said = (named, "is") if named else (likely()[:_MOST_LIKELY] if likely else (), "is most likely")
        if path := other.is_all_of(about, least=1 if named else _FEWEST_LIKELY):
            why = f"No tests were found of {path}, which the issue {is_said} about: {other.told}."
            raise NoTestsError(why, planned)
    return planned


def _projects(tree: Tree, read: ReadFile) -> dict[str, frozenset[str]]:
    folders = project_folders(tree, read)
    return {**folders, "": folders[""] - {"python"}} if holds_tools_alone(tree, read, folders) else folders


def _is_of_the_root(folder: str, environment: Environment, folders: Mapping[str, Set[str]]) -> bool:
    """Whether a manifest or a build at the root tells of this suite, rather than that it was found below."""
    told = folders.get("") or environment.detector in {detector.name for detector in LAST_RESORTS}
    return bool(not folder and told) and any(test.directory in ("", ".") for test in environment.tests)


def _is_all_of_one_family(environment: Environment, folders: Mapping[str, Set[str]]) -> bool:
    """Whether there is no manifest of another language than that of this suite, as far as it has any."""
    families = {*chain.from_iterable(folders.values())}
    return _name(environment) not in families or len(families) == 1


def _is_in_its_language(nearest: _Found, found: _Found, about: Iterable[str]) -> bool:
    """Whether `nearest` is taken in the place of a suite of the root, which covers what is in its own language alone:
    where the likeliest source of either language is one of the other."""
    ours, theirs = _suffixes(found[1]), _suffixes(nearest[1])
    return next((path.endswith(theirs) for path in about if path.endswith((*ours, *theirs))), False) and ours != theirs


def _is_loaded(nearest: _Found, tree: Tree, read: ReadFile) -> bool:
    """Whether it is a crate that another language loads, whose suite tests it
    (https://doc.rust-lang.org/reference/linkage.html)."""
    if _name(nearest[1]) != RustDetector.name.partition("/")[0]:
        return False
    crates = (path for path in tree if basename(path) == "Cargo.toml")
    return any(b"cdylib" in read(path) for path in crates if not nearest[0] or is_below(path, nearest[0]))


def _says_more(nearest: _Found, found: _Found, projects: int) -> bool:
    """Whether the likeliest project is taken: for a suite in another language, for another project, or for all of them
    together where they are too many for one set-up."""
    if nearest[1].detector != found[1].detector:
        return True
    return nearest[0] != found[0] and (bool(found[0]) or projects > _MOST_TOGETHER)


def _first_with_tests(
    tree: Tree, read: ReadFile, folders: Mapping[str, frozenset[str]], weights: Mapping[str, float]
) -> _Found:
    """The first that has tests, of those nearest to the files of most weight. NoTestsError."""
    builds = [f for f in (*native_folders(tree, read), *folders_of_tests(tree)) if f not in folders]
    aside, shown = _of_tests_in_c(tree, folders, weights), _root_shown_alone(tree, read, folders, weights)
    later = {*aside, *shown}
    first = [folder for folder in folders if folder not in later]
    turns = (
        (DETECTORS, first),
        (DETECTORS, shown),
        (LAST_RESORTS, [*folders, *builds]),
        (DETECTORS, aside),
        (LAST_OF_ALL, [*folders, *builds]),
    )
    for asked, among in turns:
        nearest = nearest_first(among, weights)[:_MOST_PROJECTS]
        for folder in _with_tests_beside(nearest, tree, read, folders, weights):
            if environment := _of_folder(folder, asked, folders, tree, read, weights):
                return folder, environment
    wanted = "; ".join(detector.looked_for for detector in chain(DETECTORS, LAST_RESORTS, LAST_OF_ALL))
    why = _in_a_browser(folders, read) or other_language(tree)
    raise NoTestsError(f"No tests were found in {len(tree)} files.{why} Looked for: {wanted}.")


def _with_tests_beside(
    nearest: tuple[str, ...],
    tree: Tree,
    read: ReadFile,
    folders: Mapping[str, frozenset[str]],
    weights: Mapping[str, float],
) -> Iterator[str]:
    """`nearest`, of which the first is followed by the Python projects that require it: some keep their tests in one of
    its own. A root of Python's tells of the tests of all."""
    yield from nearest[:1]
    beside: Set[str] = frozenset()
    if nearest and weights and "python" in folders.get(nearest[0], ()) and "python" not in folders[""]:
        beside = ProjectsBeside(nearest[0], folders, tree, read).requirers()
    yield from sorted(nearest[1:], key=lambda folder: folder not in beside)


def _of_folder(
    folder: str,
    asked: Detectors,
    folders: Mapping[str, frozenset[str]],
    tree: Tree,
    read: ReadFile,
    weights: Mapping[str, float],
) -> Environment | None:
    """What the first of `asked` that knows the project in `folder` says of it, as if that were the whole repository;
    `folders`: all that have a manifest, each with the families of its own."""
    below, read_below = subtree(tree, folder, {folder: frozenset(), **folders}), reader_below(read, folder)
    if folder:
        tell_workflows(folder, tree, read, below, read_below)
    families = folders.get(folder, frozenset())
    turns = _in_turn(asked, families, {} if folder else tree)
    plans = (_plan(below, read_below, detectors, weights) for detectors in turns)
    environment = next(filter(None, plans), None)
    if environment and not families and _is_aside(environment, below):
        return _plan(below, read_below, LAST_RESORTS, weights) or environment
    return environment


def _of_tests_in_c(tree: Tree, folders: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Folders of tests with a manifest of their own, for what drives them, in a repository that is a program in C."""
    within = [folder for folder in folders if is_within(folder, TESTS)]
    if not within or not _is_in_c(tree):
        return []
    return [folder for folder in within if not any(path.startswith(f"{folder}/") for path in paths)]


def _root_shown_alone(
    tree: Tree, read: ReadFile, folders: Mapping[str, frozenset[str]], weights: Mapping[str, float]
) -> list[str]:
    """The root, where no manifest tells of it, and what of it holds tests is there for readers, and sources of that
    are not what it is about: the suites are those of the projects beside that."""
    if folders[""] or len(folders) == 1:
        return []
    below = subtree(tree, "", folders)
    own = {path: entry for path, entry in below.items() if not is_within(path, NOBODYS_WORK)}
    most = [path for path, weight in weights.items() if weight == 1 and path in below and path not in own]
    if _count(most, tuple(suffix for detector in DETECTORS for suffix in detector.suffixes)):
        return []
    return [] if len(own) == len(below) or _plan(own, read, (*DETECTORS, *NATIVE), {}) else [""]


def _is_in_c(tree: Tree) -> bool:
    return _count(tree, OF_C) > _count(tree, tuple(suffix for d in DETECTORS for suffix in d.suffixes))


def _in_a_browser(folders: Iterable[str], read: ReadFile) -> str:
    packages = (read_package(folder, read) for folder in folders)
    found = next(filter(None, (tests_in_a_browser(package) for package in packages if package)), "")
    return f" Those of {found} need a browser, which the sandbox has not." if found else ""


def _in_turn(asked: Detectors, families: Set[str], tree: Tree) -> tuple[Detectors, ...]:
    """Of a folder with manifests of these families. Where they have no tests, the build of a program in C that `tree`
    is comes before its bindings below."""
    if asked in (LAST_RESORTS, LAST_OF_ALL):
        return (asked,)
    if not families:
        return ((*asked, *NATIVE),)
    return (asked, NATIVE) if _is_in_c(tree) else (asked,)


def _is_aside(environment: Environment, tree: Tree) -> bool:
    """Whether these, of which no manifest tells, are the fewer files beside a program in C."""
    return _count(tree, OF_C) > _count(tree, _suffixes(environment))


def _suffixes(environment: Environment) -> tuple[str, ...]:
    known = chain(DETECTORS, LAST_RESORTS, LAST_OF_ALL)
    return next((d.suffixes for d in known if d.name.partition("/")[0] == _name(environment)), ())


def _name(environment: Environment) -> str:
    """Of its detector, without the number."""
    return environment.detector.partition("/")[0]


def _plan(tree: Tree, read: ReadFile, detectors: Detectors, weights: Mapping[str, float]) -> Environment | None:
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
        return -asked, -_count(sources, suffixes)

    return sorted(detectors, key=order)


def _count(paths: Iterable[str], suffixes: tuple[str, ...]) -> int:
    return sum(path.endswith(suffixes) for path in paths) if suffixes else 0
