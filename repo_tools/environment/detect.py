"""How a repository is set up and tested: which of its projects is meant, and the plan for that one."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from posixpath import basename

from repo_tools.changes import Tree
from repo_tools.environment.asked_about import named_paths, place_in
from repo_tools.environment.ci.additions import with_workflows
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import Environment, NoTestsError, ReadFile
from repo_tools.environment.detectors import LAST_RESORTS, SUFFIXES, suffixes_of
from repo_tools.environment.folders import is_below
from repo_tools.environment.javascript.node_release import with_node_release
from repo_tools.environment.one_project import narrowed, rebased, with_beside
from repo_tools.environment.other_languages import leading
from repo_tools.environment.project_search import Found, ProjectSearch
from repo_tools.environment.projects import project_folders
from repo_tools.environment.python.beside import ProjectsBeside
from repo_tools.environment.python.detector import PythonDetector
from repo_tools.environment.python.pytest_settings import read_pytest_settings
from repo_tools.environment.python.root_of_tools import holds_tools_alone
from repo_tools.environment.reading import bounded, without_submodules
from repo_tools.environment.rust import RustDetector
from repo_tools.environment.submodules import plan_note

_OF_ONE_LANGUAGE = frozenset(("go", "javascript", "ruby", "rust"))
"""Suites of these never test what is written in a language that is not set up."""
_ENDS_AT_A_MANIFEST = frozenset(("go", "ruby"))
"""A suite of these has no test of a project below that has a manifest of its own, and is no member of it."""
_PYTHON_TESTS = re.compile(r"(?:.*/)?(?:test_[^/]*|[^/]*_test|tests)\.py")
_MOST_LIKELY, _FEWEST_LIKELY = 5, 3
"""Files that an issue which names none is about: so many are asked for, and so many stop what could be tested."""
_MOST_TOGETHER = 20
"""Projects that no manifest brings together, in one set-up: more want each other's packages in other versions."""

Likely = Callable[[], Sequence[str]]
"""The files that an issue which names none is most likely about, the likeliest first."""


def detect(
    tree: Tree, read: ReadFile, *, issue: str = "", inside: str = "", likely: Likely | None = None
) -> Environment:
    """How to set up and test the repository whose base commit is `tree`: its root, or the project nearest to the files
    that `issue` names, or where it names none, to the folder `inside`, if that is one below the root; with what its
    workflows start and set beside the tests. Where neither tells, and the root tells of no suite or there are manifests
    of other languages than that one's, the project nearest to those that `likely` says it is about. NoTestsError."""
    read = bounded(without_submodules(tree, read))
    search = ProjectSearch(tree, read, _projects(tree, read))
    named, why = _named(issue, inside, search)
    found = search.first_with_tests(dict.fromkeys(named, 1.0))
    if likely and not named and _may_be_another(found, search):
        found, why = _likelier(found, likely()[:_MOST_LIKELY], search)
    planned = _completed(found, why, named, search)
    return _without_other_languages(planned, tree, named, likely)


def _projects(tree: Tree, read: ReadFile) -> dict[str, frozenset[str]]:
    folders = project_folders(tree, read)
    return {**folders, "": folders[""] - {"python"}} if holds_tools_alone(tree, read, folders) else folders


def _named(issue: str, inside: str, search: ProjectSearch) -> tuple[tuple[str, ...], str]:
    """The paths that `issue` names, or one that stands for the folder `inside`; and why that one, for a person."""
    named = named_paths(issue, search.tree)
    place = place_in(inside, search.folders) if inside and not named else ""
    why = f"{inside}/ was asked about" if place and _is_choice(search.folders) else ""
    return ((place,) if place else named), why


def _is_choice(folders: Mapping[str, Set[str]]) -> bool:
    """Whether there are several projects, or one with manifests of several languages."""
    return len(folders) > 1 or len({*chain.from_iterable(folders.values())}) > 1


def _may_be_another(found: Found, search: ProjectSearch) -> bool:
    """Whether what an issue is likely about may be in another project than `found`."""
    is_whole = _is_of_the_root(*found, search.folders) and _is_all_of_one_family(found[1], search.folders)
    return _is_choice(search.folders) and (not is_whole or bool(_out_of_reach(found, search)))


def _likelier(found: Found, about: Sequence[str], search: ProjectSearch) -> tuple[Found, str]:
    """The project nearest to `about`, the likeliest file first, and why it is taken, for a person; or `found`. Beside a
    suite of the root that tests nothing of it, it comes along."""
    if not about:
        return found, ""
    nearest = search.first_with_tests({path: 1 / rank for rank, path in enumerate(about, start=1)})
    chosen = _instead_of(found, nearest, about, search)
    if chosen == found:
        return found, ""
    own = [path for path in about if not nearest[0] or is_below(path, nearest[0])]
    sources = [path for path in own if path.endswith(suffixes_of(nearest[1]))]
    return chosen, f"the issue names no file, and is most likely about {(*sources, *own, *about)[0]}"


def _instead_of(found: Found, nearest: Found, about: Sequence[str], search: ProjectSearch) -> Found:
    if nearest[1].family == found[1].family and nearest[0] in _out_of_reach(found, search):
        if found[1].family in _ENDS_AT_A_MANIFEST:
            return "", with_beside(found[1], rebased(nearest[1], nearest[0]))
        return nearest if _is_first(nearest, about) and _has_named_tests(nearest, search.tree) else found
    if _is_of_the_root(*found, search.folders):
        is_other = _is_in_its_language(nearest, found, about) and not _is_loaded(nearest, search.tree, search.read)
    else:
        is_other = _says_more(nearest, found, len(search.folders))
    return nearest if is_other else found


def _completed(found: Found, why: str, named: Iterable[str], search: ProjectSearch) -> Environment:
    """The plan of the project where it stands, with what stands beside it: other projects that it requires, and what
    the CI starts and sets."""
    folder, environment = found
    told = (why,) if why else ()
    environment = replace(environment, evidence=(*told, *environment.evidence))
    planned = narrowed(rebased(environment, folder), named)
    if planned.detector == PythonDetector.name:
        planned = ProjectsBeside(folder, search.folders, search.tree, search.read).with_required(planned)
    planned = with_workflows(planned, read_workflows(search.tree, search.read), search.tree)
    planned = with_node_release(planned)
    note = plan_note(search.tree)
    return replace(planned, evidence=(*planned.evidence, note)) if note else planned


def _without_other_languages(
    planned: Environment, tree: Tree, named: Sequence[str], likely: Likely | None
) -> Environment:
    """`planned`, which tells that it leaves out most of the program, where that is in a language that is not set up.
    NoTestsError where all that the issue is about is in that one."""
    other = leading(tree, suffixes_of(planned), SUFFIXES) if planned.family in _OF_ONE_LANGUAGE else None
    if other is None:
        return planned
    planned = replace(planned, left_out=(*planned.left_out, f"the tests of most of the program: {other.told}"))
    about, is_said = (named, "is") if named else (likely()[:_MOST_LIKELY] if likely else (), "is most likely")
    if path := other.is_all_of(about, least=1 if named else _FEWEST_LIKELY):
        why = f"No tests were found of {path}, which the issue {is_said} about: {other.told}."
        raise NoTestsError(why, planned)
    return planned


def _is_of_the_root(folder: str, environment: Environment, folders: Mapping[str, Set[str]]) -> bool:
    """Whether a manifest or a build at the root tells of this suite, rather than that it was found below."""
    told = folders.get("") or environment.detector in {detector.name for detector in LAST_RESORTS}
    return bool(not folder and told) and any(test.directory in ("", ".") for test in environment.tests)


def _is_all_of_one_family(environment: Environment, folders: Mapping[str, Set[str]]) -> bool:
    """Whether there is no manifest of another language than that of this suite, as far as it has any."""
    families = {*chain.from_iterable(folders.values())}
    return environment.family not in families or len(families) == 1


def _out_of_reach(found: Found, search: ProjectSearch) -> frozenset[str]:
    """Projects in the language of `found`, a suite of the root, which tests nothing of them: pytest no folder beside
    those that its settings name."""
    folder, environment = found
    others = [place for place, families in search.folders.items() if place and environment.family in families]
    if folder or not others:
        return frozenset()
    if environment.family in _ENDS_AT_A_MANIFEST:
        return frozenset(others) - {test.directory for test in environment.tests}
    settings = read_pytest_settings(search.tree, search.read) if environment.detector == PythonDetector.name else None
    named = settings.test_paths if settings else ()
    if not named or not all(any(is_below(path, place) for path in search.tree) for place in named):
        return frozenset()  # a pattern of `testpaths`, or all of the root
    return frozenset(f for f in others if not any(is_below(place, f) or is_below(f, place) for place in named))


def _is_first(nearest: Found, about: Iterable[str]) -> bool:
    """Whether the likeliest source in its language is of it."""
    suffixes = suffixes_of(nearest[1])
    return is_below(next((path for path in about if path.endswith(suffixes)), ""), nearest[0])


def _has_named_tests(nearest: Found, tree: Tree) -> bool:
    """Rather than a module for tests alone (``testing.py``), of a project that the root's suite tests from outside."""
    return any(is_below(path, nearest[0]) and _PYTHON_TESTS.fullmatch(path) for path in tree)


def _is_in_its_language(nearest: Found, found: Found, about: Iterable[str]) -> bool:
    """Whether `nearest` is taken in the place of a suite of the root, which covers what is in its own language alone:
    where the likeliest source of either language is one of the other."""
    ours, theirs = suffixes_of(found[1]), suffixes_of(nearest[1])
    return next((path.endswith(theirs) for path in about if path.endswith((*ours, *theirs))), False) and ours != theirs


def _is_loaded(nearest: Found, tree: Tree, read: ReadFile) -> bool:
    """Whether it is a crate that another language loads, whose suite tests it
    (https://doc.rust-lang.org/reference/linkage.html)."""
    if nearest[1].detector != RustDetector.name:
        return False
    crates = (path for path in tree if basename(path) == "Cargo.toml")
    return any(b"cdylib" in read(path) for path in crates if not nearest[0] or is_below(path, nearest[0]))


def _says_more(nearest: Found, found: Found, projects: int) -> bool:
    """Whether the likeliest project is taken: for a suite in another language, for another project, or for all of them
    together where they are too many for one set-up."""
    if nearest[1].detector != found[1].detector:
        return True
    return nearest[0] != found[0] and (bool(found[0]) or projects > _MOST_TOGETHER)
