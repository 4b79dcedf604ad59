"""Which Python a project asks for. Pure: files are read, never executed."""

import re
from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, Tool
from repo_tools.environment.python.poetry import specifier
from repo_tools.environment.python.setup_file import setup_arguments
from repo_tools.environment.python.workspace_above import workspace_above
from repo_tools.environment.settings_text import read_ini, read_toml, table
from repo_tools.environment.texts import read_text, text_at

_BARE = re.compile(r"(?m)^[ \t]*(?:python-|cpython[-@])?(\d+\.\d+)(?:\.\d+)?t?[ \t]*$")
_CONDA = re.compile(r"(?m)^[ \t]*-[ \t]*[\"']?python[ \t]*==?[ \t]*(\d+\.\d+)(?:\.[\d*]+)?[\"']?[ \t]*$")
_OF_ALL = ".python-version"
_PINS = {
    _OF_ALL: _BARE,
    "runtime.txt": _BARE,
    ".tool-versions": re.compile(r"(?m)^python[ \t]+(\d+\.\d+)"),
    "Pipfile": re.compile(r"(?m)^python(?:_full)?_version[ \t]*=[ \t]*[\"'](\d+\.\d+)"),
    "environment.yml": _CONDA,
    "environment.yaml": _CONDA,
}
"""Files that say which Python to run with, and how each says it."""
_CLASSIFIER = re.compile(r"Programming Language :: Python :: 3\.(\d{1,9})")


def python_tool(tree: Tree, read: ReadFile) -> Tool | None:
    """The interpreter that the repository asks for: what it says to run with, before what it merely supports."""
    for path, pin in _PINS.items():
        if path in tree and (found := pin.search(read_text(read, path))):
            return _within(tree, read, Tool("python", "", path, f"=={found[1]}.*"))
    if (above := workspace_above(read)) and (found := _BARE.search(text_at(_OF_ALL, above.tree, above.read))):
        return _within(tree, read, Tool("python", "", f"{above.way}{_OF_ALL}", f"=={found[1]}.*"))
    known = _known(tree, read)
    if not known:
        return _within(tree, read, None)
    return _within(tree, read, Tool("python", "", "classifiers", f">=3.{min(known)},<=3.{max(known)}.999"))


def _known(tree: Tree, read: ReadFile) -> list[int]:
    """Releases of Python 3 that the project says it works with: an old commit knows no newer one."""
    texts = (text_at(path, tree, read) for path in ("pyproject.toml", "setup.cfg", "setup.py"))
    return [int(minor) for text in texts for minor in _CLASSIFIER.findall(text)]


def _within(tree: Tree, read: ReadFile, pinned: Tool | None) -> Tool | None:
    """Any that is supported will do where the preferred one is not there."""
    supported, source = _supported(tree, read)
    if pinned is None:
        return Tool("python", supported, source) if supported else None
    return Tool("python", supported, source or pinned.source, pinned.preferred)


def _supported(tree: Tree, read: ReadFile) -> tuple[str, str]:
    """(versions, where they are asked for): by the first of its manifests that says so."""
    asked = ((text.strip(), source) for text, source in _asked(tree, read) if isinstance(text, str))
    return next((each for each in asked if each[0]), ("", ""))


def _asked(tree: Tree, read: ReadFile) -> Iterator[tuple[object, str]]:
    document = read_toml(text_at("pyproject.toml", tree, read))
    yield table(document, "project").get("requires-python"), "pyproject.toml requires-python"
    poetry = table(document, "tool", "poetry", "dependencies").get("python")
    if isinstance(poetry, str):
        yield _poetry_span(poetry), "pyproject.toml [tool.poetry.dependencies] python"
    yield setup_arguments(text_at("setup.py", tree, read)).get("python_requires"), "setup.py python_requires"
    ini = read_ini(text_at("setup.cfg", tree, read))
    yield ini.get("options", "python_requires", fallback=""), "setup.cfg python_requires"


def _poetry_span(text: str) -> str:
    """Of alternatives the newest; empty for any Python, and for what cannot be read.
    https://python-poetry.org/docs/dependency-specification/"""
    newest = max(text.split("|"), key=lambda each: [int(number) for number in re.findall(r"\d{1,9}", each)[:2]])
    parts = [specifier(part.strip()) for part in newest.split(",") if part.strip() not in ("", "*")]
    span = ",".join(re.sub(r"^==(\d+(?:\.\d+)?)$", r"==\1.*", part) for part in parts)
    try:
        SpecifierSet(span)
    except InvalidSpecifier:
        return ""
    return span
