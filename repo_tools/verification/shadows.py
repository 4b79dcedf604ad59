"""New modules of a change that would take the place of installed ones, on which the tests stand."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import ACTIVATE, ReadFile
from repo_tools.environment.javascript.files import SUFFIXES as JAVASCRIPT
from repo_tools.sandbox.contract import WORKSPACE, Sandbox

_ROOTS = ("", "src/")
"""Whence Python imports, seen from where the tests run: what stands there comes before what is installed."""
_SECONDS = 60.0
_ASK = ("python", "-c")
_WHERE = """
import importlib.util, json, os, sys
def is_elsewhere(name):
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # no name that anything is imported by: __main__, a.b
        return False
    places = found and (found.submodule_search_locations or [found.origin or ""])
    return any(not os.path.abspath(place).startswith(os.getcwd() + os.sep) for place in places or ())
print("\\n" + json.dumps([name for name in json.load(sys.stdin) if is_elsewhere(name)]))
"""
_ANSWER = re.compile(rb'^\[(?:"[^"\n]+"(?:, "[^"\n]+")*)?\]$', re.MULTILINE)
"""Python may say more, before and after: warnings, and what plug-ins of its site print."""
_TYPED = (".ts", ".tsx", ".mts", ".cts")
_HELPERS = ("_helper.rb",)
_OF_JVM = (".java", ".kt", ".groovy")
_LOADS = re.compile(r"^[ \t]*(?:import\s+(?:static\s+)?([\w.]+)|require\s*\(?\s*['\"]([\w/.-]+)['\"])", re.MULTILINE)


def new_modules(paths: Iterable[str], base: Tree, places: Iterable[str]) -> dict[str, str]:
    """Name -> path of each module at an import root that the base has not, by one of its files. `places`: the folders
    that tests run in, beside the root."""
    roots = tuple({_below(place) + root for place in ("", *places) for root in _ROOTS})
    new = {name: path for path in paths if path not in base for name in _names(path, roots)}
    known = {name for path in base for name in _names(path, roots)} if new else set[tuple[str, str]]()
    return {module: path for (root, module), path in new.items() if (root, module) not in known}


def rootdirs(tests: Iterable[str], base: Tree) -> set[str]:
    """The folders that pytest puts before all others to import these files, each the nearest above that is no package
    (https://docs.pytest.org/en/stable/explanation/pythonpath.html)."""
    above = ((str(folder) for folder in PurePosixPath(path).parents) for path in tests)
    return {next((f for f in folders if f"{_below(f)}__init__.py" not in base), "") for folders in above}


def installed_ones(box: Sandbox, names: Iterable[str]) -> frozenset[str]:
    """Those of `names` that Python finds elsewhere than in the work tree of the base, whoever loads them. Empty where
    the box has no Python. SandboxError."""
    asked = json.dumps(sorted(names)).encode()
    result = box.exec((*ACTIVATE, *_ASK, _WHERE), timeout_seconds=_SECONDS, cwd=WORKSPACE, stdin=asked)
    answer = _ANSWER.search(result.output)
    return frozenset(json.loads(answer[0]) if answer else ())


def _below(place: str) -> str:
    return f"{place}/" if place not in ("", ".") else ""


def _names(path: str, roots: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if path.endswith(".py"):
        for root in roots:
            if path.startswith(root):
                yield root, path.removeprefix(root).partition("/")[0].removesuffix(".py")


def files_beside(change: ChangeSet, base: Tree) -> Iterator[tuple[str, str, bool]]:
    """(new file, one of the base that stays, whether a name without an ending leads to the new one, and not to the one
    that is read or built). Python finds a package before a module, and so does pytest of a file of tests, where the
    package says that it is that file; Node what has no ending, and tools what is in JavaScript."""
    for path in (path for path, new in change.files.items() if new and path not in base):
        stem = next((path.removesuffix(end) for end in JAVASCRIPT if path.endswith(end)), path)
        is_package = path.endswith("/__init__.py")
        names = [path.removesuffix("/__init__.py") + ".py"] if is_package else [stem + end for end in JAVASCRIPT]
        for other in (name for name in names if name in base and change.files.get(name, path) is not None):
            is_built = other.endswith(_TYPED) and not path.endswith(_TYPED)
            yield path, other, is_package or stem == path or is_built


def taken_names(paths: Iterable[str], passing: Iterable[str], base: Tree, read: ReadFile) -> dict[str, str]:
    """What `passing` tests in a language of the JVM, or in Ruby, load from elsewhere -> the file, of `paths`, that is
    loaded in its place: a program's own classes come first, and so does its folder `lib`."""
    new = {name: path for path in paths if path not in base and (name := _loaded_as(path))}
    tests = {path for path in base if new and path.endswith(_HELPERS)} | (set(passing) & base.keys() if new else set())
    known = {name for path in base for name in (_loaded_as(path),) if name} if tests else set[str]()
    sources = (read(path).decode("utf-8", "replace") for path in sorted(tests))
    wanted = {found[1] or found[2] for source in sources for found in _LOADS.finditer(source)}
    own = {_owner(name) for name in known}
    return {name: new[name] for name in new.keys() - known if any(_is_of(each, name, own) for each in wanted)}


def _loaded_as(path: str) -> str:
    """Of Java a package, of Ruby a feature; empty for other files."""
    if path.endswith(_OF_JVM):
        folder = re.search(r"(?:^|/)(?:java|kotlin|groovy|src)/((?!(?:main|java|kotlin|groovy)/).+)/[^/]+$", path)
        return folder[1].replace("/", ".") if folder else ""
    return path.rpartition("lib/")[2].removesuffix(".rb") if path.endswith(".rb") and f"/{path}".count("/lib/") else ""


def _owner(package: str) -> str:
    """Of Java's whoever names it: ``org.assertj`` of ``org.assertj.core.api``."""
    return ".".join(package.split(".")[:2])


def _is_of(wanted: str, name: str, own: Collection[str]) -> bool:
    """Whether a feature is that one, or a package is of those whose classes are loaded, which load others of theirs."""
    if "." not in name or "/" in name:
        return wanted == name
    return _owner(name) not in own and wanted.startswith(f"{_owner(name)}.")
