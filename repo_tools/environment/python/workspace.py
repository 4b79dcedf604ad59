"""Requirements that a repository has itself, and those that it has from elsewhere than an index: uv's sources, and
folders (``core[fast] @ ./core``).

https://docs.astral.sh/uv/concepts/projects/dependencies/#dependency-sources,
https://docs.astral.sh/uv/concepts/projects/workspaces/
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import DOCUMENTS, EXAMPLES, TEST_DATA, TESTS, VENDORED, is_within
from repo_tools.environment.one_project import reader_below
from repo_tools.environment.python.extras import declared_extras, own_requirements
from repo_tools.environment.python.groups import expand_group, wanted_groups
from repo_tools.environment.python.manifests import is_project
from repo_tools.environment.python.requirement import name_of, normal
from repo_tools.environment.python.requirements import RequirementSource
from repo_tools.environment.python.used import Used, Uses
from repo_tools.environment.settings_text import entries, read_toml, strings, table
from repo_tools.environment.texts import text_at
from repo_tools.paths import parents

_NOWHERE = ""
_FOLDER = re.compile(r"[\w.-]+\s*(\[[\w., -]+\])?\s*@ \./(\w[\w./-]*?)/?")
_PACKAGE = re.compile(r"(?P<folder>.+?)/(?:src/)?(?P<name>\w+)/__init__\.py")
_MOST_MEMBERS = 50
_NO_PROJECTS = VENDORED | TEST_DATA | EXAMPLES | DOCUMENTS | TESTS
"""Folders whose projects are somebody else's, or what tests or readers look at."""


def settled(sources: Iterable[RequirementSource], tree: Tree, read: ReadFile) -> tuple[RequirementSource, ...]:
    """`sources`, with the repository's own folders installed in place, and without what no index has: a name of such a
    one may be anybody's there."""
    places = _places(tree, read)
    found = (s if s.path else replace(s, arguments=tuple(_settled(s.arguments, places, tree))) for s in sources)
    return tuple(source for source in found if source.arguments)


def project_of_sources(tree: Tree, packaged: str | None) -> tuple[RequirementSource, ...]:
    """The one in the folder of sources, for a root that is not `packaged` itself."""
    manifest = next((path for path in ("src/pyproject.toml", "src/setup.py") if path in tree), "")
    return (RequirementSource(manifest, ("--editable", "./src")),) if manifest and not packaged else ()


def tested_members(tree: Tree, read: ReadFile, test_files: Iterable[str], uses: Uses) -> tuple[RequirementSource, ...]:
    """The members of a workspace that hold some of `test_files`, or a package that these import, but those that come
    with the root's own project; and what each is developed with."""
    members, tests = members_of(tree, read), tuple(test_files)
    asked = _of_imports(tree, uses.by(tests)) if members else set()
    folders = [each for each in members if each in asked or any(path.startswith(f"{each}/") for path in tests)]
    required, names = _required_members(tree, read), names_of_members(tree, read)
    alone = [folder for folder in folders if folder not in required]
    more = (each for folder in folders for each in _for_tests(folder, tree, read))
    others = (replace(e, arguments=tuple(word for word in e.arguments if name_of(word) not in names)) for e in more)
    return (
        *_in_place(alone, "pyproject.toml [tool.uv.workspace] members"),
        *(each for each in others if each.arguments),
    )


def _required_members(tree: Tree, read: ReadFile) -> set[str]:
    """Folders of those that the root's project requires, and that these do in turn."""
    places = {_name(folder, tree, read): folder for folder in members_of(tree, read)}
    found: set[str] = set()
    waiting = ["pyproject.toml"]
    while waiting:
        listed = entries(table(_document(waiting.pop(), tree, read), "project"), "dependencies")
        named = {places[name] for word in listed if isinstance(word, str) and (name := name_of(word)) in places}
        waiting += [f"{folder}/pyproject.toml" for folder in named - found]
        found |= named
    return found


def _for_tests(folder: str, tree: Tree, read: ReadFile) -> Iterator[RequirementSource]:
    yield from _extras_for_tests(folder, tree, read)
    groups = table(_document(f"{folder}/pyproject.toml", tree, read), "dependency-groups")
    for name in wanted_groups(groups):
        yield RequirementSource(f"{folder} group {name}", tuple(expand_group(groups, name)))


def projects_of_tests(
    tree: Tree, read: ReadFile, test_files: Iterable[str], packaged: str | None, uses: Uses
) -> tuple[RequirementSource, ...]:
    """Those that hold some of `test_files`, or a package that these import, for a root that is not `packaged` itself
    and names no members; of one within another, the outer."""
    if packaged or _members(_document("pyproject.toml", tree, read), tree):
        return ()
    tests = tuple(test_files)
    above = {str(folder) for path in tests for folder in PurePosixPath(path).parents[:-1]}
    asked = above | _of_imports(tree, uses.by(tests))
    built = sorted(folder for folder in asked if _is_built(folder, tree, read) and not is_within(folder, _NO_PROJECTS))
    folders = [folder for folder in built if not {*parents(folder)} & {*built}][:_MOST_MEMBERS]
    extras = (more for folder in folders for more in _extras_for_tests(folder, tree, read))
    return (*_in_place(folders, f"the projects in {', '.join(folders)}: installed editable"), *extras)


def _in_place(folders: Iterable[str], evidence: str) -> tuple[RequirementSource, ...]:
    words = tuple(word for folder in folders for word in ("--editable", f"./{folder}"))
    return (RequirementSource(evidence, words),) if words else ()


def _extras_for_tests(folder: str, tree: Tree, read: ReadFile) -> Iterator[RequirementSource]:
    start = f"{folder}/"
    below = {path.removeprefix(start): entry for path, entry in tree.items() if path.startswith(start)}
    within = reader_below(read, folder)
    names = ",".join(wanted_groups(declared_extras(below, within)))
    if names and (words := own_requirements(f".[{names}]", below, within)):
        yield RequirementSource(f"{folder} extra {names}", words)


def _of_imports(tree: Tree, used: Used) -> set[str]:
    """Folders with a package, or one in their ``src``, that is imported."""
    names = {name.partition(".")[0] for name in used.imports} - sys.stdlib_module_names
    found = map(_PACKAGE.fullmatch, tree)
    return {package["folder"] for package in found if package and package["name"] in names}


def _is_built(folder: str, tree: Tree, read: ReadFile) -> bool:
    """Whether what lies there says how it is built, rather than how a tool is used in it, or how projects are that a
    template is yet to make (``{{ cookiecutter.name }}``)."""
    if "{" in folder:
        return False
    said = _document(f"{folder}/pyproject.toml", tree, read)
    return f"{folder}/setup.py" in tree or not {"project", "build-system"}.isdisjoint(said)


def _settled(words: Iterable[str], places: Mapping[str, str], tree: Tree) -> Iterator[str]:
    for word in words:
        if own := _FOLDER.fullmatch(word):
            yield from ("--editable", f"./{own[2]}{own[1] or ''}") if is_project(own[2], tree) else ()
            continue
        folder = places.get(name_of(word))
        if folder is None:
            yield word
        elif folder != _NOWHERE:
            yield from ("--editable", f"./{folder}")


def _places(tree: Tree, read: ReadFile) -> dict[str, str]:
    """Normal name -> its folder, or `_NOWHERE`."""
    document = _document("pyproject.toml", tree, read)
    names = {_name(folder, tree, read): folder for folder in _members(document, tree)}
    places: dict[str, str] = {}
    for name, said in table(document, "tool", "uv", "sources").items():
        source = said[0] if isinstance(said, list) and said else said
        if isinstance(source, Mapping) and "index" not in source:
            place = _place(source, names.get(normal(name)), tree)
            places |= {normal(name): place} if place is not None else {}
    return places


def _place(source: Mapping[str, Any], member: str | None, tree: Tree) -> str | None:
    """None: it is the project itself, or wherever an index has it."""
    if source.get("workspace") is True:
        return member
    path = source.get("path")
    if not isinstance(path, str):
        return _NOWHERE
    folder = str(PurePosixPath(path))
    return folder if is_project(folder, tree) else _NOWHERE


def members_of(tree: Tree, read: ReadFile) -> list[str]:
    """Folders of the workspace that the root is of, without the root."""
    return _members(_document("pyproject.toml", tree, read), tree)


def names_of_members(tree: Tree, read: ReadFile) -> set[str]:
    """Normal."""
    return {_name(folder, tree, read) for folder in members_of(tree, read)} - {""}


def _members(document: Mapping[str, Any], tree: Tree) -> list[str]:
    """Folders, without the root."""
    workspace = table(document, "tool", "uv", "workspace")
    folders = sorted(path.rpartition("/")[0] for path in tree if path.endswith("/pyproject.toml"))
    own = [f for f in folders if _any_match(f, workspace.get("members"))]
    return [f for f in own if not _any_match(f, workspace.get("exclude"))][:_MOST_MEMBERS]


def _any_match(folder: str, patterns: Any) -> bool:
    listed = list(filter(None, strings(patterns)))
    parts = len(PurePosixPath(folder).parts)
    return any(parts == len(PurePosixPath(p).parts) and PurePosixPath(folder).match(p) for p in listed)


def _name(folder: str, tree: Tree, read: ReadFile) -> str:
    name = table(_document(f"{folder}/pyproject.toml", tree, read), "project").get("name")
    return normal(name) if isinstance(name, str) else ""


def _document(path: str, tree: Tree, read: ReadFile) -> Mapping[str, Any]:
    return read_toml(text_at(path, tree, read))
