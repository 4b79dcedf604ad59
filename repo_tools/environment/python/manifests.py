"""Which files decide what a Python project's set-up installs: those that their names tell, those that set-up is told to
install from, and whatever any of them names in turn.

Files are read, never executed. What is left out costs a layer that does not fit, and what is taken without need a
layer that is made again: documents that packaging takes in (a README) are no reason for another one.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.local_paths import local_manifests, takes_by_path
from repo_tools.environment.python.syntax import parsed, string_in
from repo_tools.environment.settings_text import one_or_more, read_ini, read_toml, table
from repo_tools.environment.texts import as_text
from repo_tools.paths import parents

COMPILED = r".*\.(?:c|cc|cpp|cxx|h|hh|hpp|pyx|pxd|pxi|rs|f|f90)"
"""Sources that are compiled once, at set-up."""
_BUILT_BY = (
    r"(?:.*/)?(?:meson\.build|meson(?:_options\.txt|\.options)|CMakeLists\.txt|CMakePresets\.json|[^/]+\.(?:cmake|wrap)"
    r"|Cargo\.(?:toml|lock)|rust-toolchain(?:\.toml)?|\.cargo/config(?:\.toml)?)"
    rf"|{COMPILED}\.(?:in|src|template|tp)|.*\.(?:hxx|inl|ipp|tpp|tcc|cu|cuh|S|asm|swg|proto)"
)
"""What builds of such sources read besides: of those that build elsewhere than in the work tree nothing else tells."""
_BY_NAME = re.compile(
    r"(?:.*/)?pyproject\.toml|setup\.(?:py|cfg)|MANIFEST\.in|tox\.(?:ini|toml)|(?:uv|hatch)\.toml|(?:(?:hatch|pdm)_)?build\.py"
    r"|(?:src/)?[^/]+/(?:__init__|__about__|_?version)\.py"  # where versions and the list of packages are read from
    r"|(?:.*/)?[^/]*requirements[^/]*\.(?:txt|in)|requirements/.*|constraints[^/]*\.txt"
    rf"|{COMPILED}|{_BUILT_BY}"
)
_NOT_READ = re.compile(rf"(?!(?:.*/)?Cargo\.toml$)(?:{COMPILED}|{_BUILT_BY})")
_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")
_DOCUMENT = re.compile(
    r"(?:.*/)?(?:readme|change(?:s|log)|history|news|authors|contributors|licen[cs]e|copying)[^/]*|.*\.(?:md|rst)",
    re.IGNORECASE,
)
_TOOLS = ("setuptools", "hatch", "poetry", "pdm", "uv")
_PLACES = frozenset(("file", "files", "path", "script", "custom-hook"))
"""Settings of theirs whose values are files and folders."""
_VALUES = frozenset(("attr", "getter"))
"""Settings of theirs whose values stand in modules: ``pkg.core.VERSION``, ``pkg.core:version``."""
_SOURCES = ("", "src/", "lib/")
_FOUND_IN = re.compile(r"(?:-f|--find-links)[ =]?\s*(?:file:(?://)?)?([^\s;#]+).*")
_LISTED = re.compile(
    r"(?:-(?:r|c|e)|--(?:requirement|constraint|editable))?[ =]?\s*(?:[\w.-]+(?:\[[^]]*\])?\s*@\s*)?"
    r"(?:file:(?://)?)?([^\s;\[#=]+).*"
)
_MOST_FOLDERS = 20
_LONGEST_PATH = 200
_MAX_BYTES = 300_000
_DEEPEST = 30
"""Parts of a path that a program puts together."""


def is_project(folder: str, tree: Tree) -> bool:
    """Whether pip can install what is in this folder, another one than the root."""
    return f"{folder}/pyproject.toml" in tree or f"{folder}/setup.py" in tree


def python_manifests(tree: Tree, read: ReadFile, installed: Iterable[str]) -> tuple[str, ...]:
    """Sorted. `installed`: words of set-up's commands; those that are no path of `tree` count for nothing."""
    by_name = [path for path in tree if _BY_NAME.fullmatch(path)]
    named = [path for word in installed for path in _there(word, "", tree)]
    return tuple(sorted(followed((*by_name, *named), tree, read)))


def followed(paths: Iterable[str], tree: Tree, read: ReadFile) -> frozenset[str]:
    """`paths` with all that they name in turn."""
    waiting, found, folders = list(paths), set[str](), set[str]()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _named_by(path, tree, read, folders)
    offered = (path for path in tree if not folders.isdisjoint(parents(path))) if folders else ()
    return frozenset((*found, *offered))


def _there(word: str, folder: str, tree: Tree) -> Iterator[str]:
    """The file that `word`, below `folder`, stands for; or the manifests of the project that does."""
    if len(word) > _LONGEST_PATH or word.startswith("/") or "\0" in word:
        return
    place = root_relative(word.partition("[")[0], folder)
    for path in (place, *(root_relative(name, place) for name in _PACKAGING)):
        if path in tree and tree[path].mode is not FileMode.SUBMODULE and not _DOCUMENT.fullmatch(path):
            yield path


def _named_by(path: str, tree: Tree, read: ReadFile, folders: set[str]) -> Iterator[str]:
    """Files; folders that packages are found in are put into `folders`."""
    if _NOT_READ.fullmatch(path) or tree[path].mode is FileMode.SUBMODULE:
        return
    folder, _, name = path.rpartition("/")
    is_program = name.endswith(".py")
    if is_program and root_relative("setup.py", folder) not in tree:
        return  # one that no set-up file stands beside is imported with the product
    text = as_text(read(path)[:_MAX_BYTES])
    if takes_by_path(path):
        yield from (other for other in local_manifests(path, text, tree) if tree[other].mode is not FileMode.SUBMODULE)
        return
    if is_program:
        words = _of_program(text)
    elif name == "pyproject.toml":
        words = _of_pyproject(text)
    elif name == "setup.cfg":
        words = _of_setup_cfg(text)
    else:  # pip takes what it includes from where it stands, and folders from where it was started
        words = [word for line in text.splitlines() if (word := _listed(line))]
        yield from (found for word in words for found in _there(word, "", tree))
        folders |= _found_in(text, folder)
    yield from (found for word in words for found in _there(word, folder, tree))


def _listed(line: str) -> str:
    """The file or folder of one line of a list of requirements; empty where it is sure to be none."""
    found = _LISTED.fullmatch(line.strip())
    return found[1] if found else ""


def _found_in(text: str, folder: str) -> set[str]:
    """The folders that a list of requirements says packages are found in."""
    named = [found[1] for line in text.splitlines() if (found := _FOUND_IN.fullmatch(line.strip()))][:_MOST_FOLDERS]
    return {root_relative(name, start) for name in named for start in ("", folder)} - {""}


def _of_pyproject(text: str) -> list[str]:
    document = read_toml(text)
    build = table(document, "build-system")
    backend = str(build.get("build-backend")).partition(":")[0].replace(".", "/")
    own = [f"{place}/{backend}" for place in one_or_more(build.get("backend-path"))]
    said = [word for tool in _TOOLS for word in _places(table(document, "tool", tool))]
    return [*said, *(path for module in own for path in _module(module))]


def _places(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _places(each)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from one_or_more(inner) if key in _PLACES else ()
            yield from (path for text in one_or_more(inner) if key in _VALUES for path in _of_value(text))
            yield from _places(inner)


def _of_setup_cfg(text: str) -> list[str]:
    """https://setuptools.pypa.io/en/latest/userguide/declarative_config.html#specifying-values"""
    ini = read_ini(text)
    values = [value or "" for section in ini.sections() for _, value in ini.items(section)]
    listed = [found for value in values for found in re.findall(r"\bfile:\s*(.+)", value)]
    valued = [found for value in values for found in re.findall(r"\battr:\s*([\w.]+)", value)]
    return [
        *(word for line in listed for word in re.split(r"[\s,]+", line)),
        *(path for place in valued for path in _of_value(place)),
    ]


def _of_value(place: str) -> Iterator[str]:
    """The module that ``pkg.core.VERSION`` or ``pkg.core:version`` stands in, wherever sources are."""
    module, colon, _ = place.strip().partition(":")
    path = (module if colon else module.rpartition(".")[0]).replace(".", "/")
    yield from (f"{start}{found}" for start in _SOURCES if path for found in _module(path))


def _of_program(text: str) -> list[str]:
    """What a ``setup.py`` may open (whole or put together of parts) and import."""
    module = parsed(text)
    return [word for node in ast.walk(module) for word in _of_node(node)] if module else []


def _of_node(node: ast.AST) -> Iterator[str]:
    if (text := string_in(node)) is not None:
        yield text.removeprefix("/")  # behind a folder: ``here + "/deps.txt"``
    elif isinstance(node, ast.Call):
        yield "/".join(part for argument in node.args for part in _parts(argument))
    elif isinstance(node, ast.BinOp):
        yield "/".join(_parts(node))
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield from _module(alias.name.replace(".", "/"))
    elif isinstance(node, ast.ImportFrom):
        for name in ("", *(f".{alias.name}" for alias in node.names)):
            yield from _module(f"{node.module or ''}{name}".strip(".").replace(".", "/"))


def _parts(node: ast.expr, depth: int = _DEEPEST) -> list[str]:
    """Of a path that is put together with ``/``, of so many."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and depth:
        return [*_parts(node.left, depth - 1), *_parts(node.right, depth - 1)]
    text = string_in(node)
    return [] if text is None else [text]


def _module(place: str) -> tuple[str, str]:
    return f"{place}.py", f"{place}/__init__.py"
