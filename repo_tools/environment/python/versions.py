"""Versions without a history: what a project calls itself where its build would ask git, and which Python it wants."""

import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, Tool
from repo_tools.environment.python.poetry import specifier
from repo_tools.environment.python.pytest_settings import read_ini, read_toml, table
from repo_tools.environment.python.setup_file import setup_arguments
from repo_tools.environment.texts import read_text

UNKNOWN = "99.0.0"
"""High: dependencies that need this very project ask for a least version."""

_NUMBER = r"\d+(?:\.\d+){1,3}(?:(?:a|b|rc|\.post|\.dev)\d+)?"
_CHANGELOG = re.compile(r"(?:docs?/)?(?:CHANGE(?:S|LOG)|HISTORY|NEWS|RELEASES?)(?:\.(?:md|rst|txt))?", re.IGNORECASE)
_HEADING = re.compile(rf"^(?:[#=*\s\[]+|[vV]|[A-Za-z][\w.-]* ){{0,3}}[vV]?({_NUMBER})\s*(?:$|[\](:,—–/*-])")
_HEADING_LINES = 80
_ENDED = re.compile(rf"[#=*\s]*(?:(?!Python)[A-Za-z][\w.-]* )?[vV]?{_NUMBER} (?:and|or) (?:newer|later|above|up)\b")
"""What a change log says that is not gone on with: its newest entry is an old one."""
_SHARED = {
    "PBR_VERSION": r"\bpbr\b",
    "SETUPTOOLS_SCM_PRETEND_VERSION": r"setuptools[_-]scm|use_scm_version|hatch-vcs|vcs[_-]versioning|flit[_-]scm",
}
_OWN = {"SETUPTOOLS_SCM_PRETEND_VERSION": r"setuptools[_-]scm|vcs[_-]versioning", "PBR_VERSION": "pbr"}
"""Projects whose tests are about what these variables are for."""
_BARE = re.compile(r"(?m)^[ \t]*(?:python-|cpython[-@])?(\d+\.\d+)(?:\.\d+)?t?[ \t]*$")
_CONDA = re.compile(r"(?m)^[ \t]*-[ \t]*[\"']?python[ \t]*==?[ \t]*(\d+\.\d+)(?:\.[\d*]+)?[\"']?[ \t]*$")
_PINS = {
    ".python-version": _BARE,
    "runtime.txt": _BARE,
    ".tool-versions": re.compile(r"(?m)^python[ \t]+(\d+\.\d+)"),
    "Pipfile": re.compile(r"(?m)^python(?:_full)?_version[ \t]*=[ \t]*[\"'](\d+\.\d+)"),
    "environment.yml": _CONDA,
    "environment.yaml": _CONDA,
}
"""Files that say which Python to run with, and how each says it."""
_CLASSIFIER = re.compile(r"Programming Language :: Python :: 3\.(\d{1,9})")
_FALLBACK = re.compile(rf"""(?m)^[ \t]*fallback[_-]version[ \t]*=[ \t]*["']({_NUMBER})["']""")


def version_without_history(tree: Tree, read: ReadFile) -> tuple[str, str]:
    """(version, where it is said): of the archive's own metadata, of the build's settings for this case, or of the
    newest entry of a change log; else one that is higher than any."""
    if "PKG-INFO" in tree and (
        found := re.search(rf"^Version: ({_NUMBER})\s*$", read_text(read, "PKG-INFO"), re.MULTILINE)
    ):
        return found[1], "PKG-INFO"
    for path in ("pyproject.toml", "setup.cfg", "setup.py"):
        if path in tree and (found := _FALLBACK.search(read_text(read, path))):
            return found[1], f"{path} fallback_version"
    for path in sorted((p for p in tree if _CHANGELOG.fullmatch(p)), key=lambda p: ("/" in p, p)):
        if newest := _newest_heading(read_text(read, path)):
            return newest, f"{path}, newest entry"
    return UNKNOWN, ""


def variables_of(version: str, tree: Tree, read: ReadFile) -> dict[str, str]:
    """For set-up and tests: the version for every tool that would ask git, and what keeps runs alike. Those of tools
    that dependencies are built with as well are there only where the project itself uses them: such a dependency's
    own version would be this one, too."""
    said = " ".join(read_text(read, path) for path in ("pyproject.toml", "setup.cfg", "setup.py") if path in tree)
    return {
        "PDM_BUILD_SCM_VERSION": version,
        "POETRY_DYNAMIC_VERSIONING_BYPASS": version,
        "PYTHONHASHSEED": "0",
        **{name: version for name, tools in _SHARED.items() if re.search(tools, said)},
    }


def unset_for_tests(name: str) -> dict[str, str]:
    """For the tests of the project called `name`: a tool that asks git takes no version from outside where it is
    tested itself. Empty is as good as unset for each."""
    return {variable: "" for variable, names in _OWN.items() if re.fullmatch(names, name, re.IGNORECASE)}


def python_tool(tree: Tree, read: ReadFile) -> Tool | None:
    """The interpreter that the repository asks for: what it says to run with, before what it merely supports."""
    for path, pin in _PINS.items():
        if path in tree and (found := pin.search(read_text(read, path))):
            return _within(tree, read, Tool("python", "", path, f"=={found[1]}.*"))
    known = _known(tree, read)
    span = f">=3.{min(known)},<=3.{max(known)}.999" if known else ""
    return _within(tree, read, Tool("python", "", "classifiers", span) if span else None)


def _known(tree: Tree, read: ReadFile) -> list[int]:
    """Releases of Python 3 that the project says it works with: an old commit knows no newer one."""
    texts = (read_text(read, path) for path in ("pyproject.toml", "setup.cfg", "setup.py") if path in tree)
    return [int(minor) for text in texts for minor in _CLASSIFIER.findall(text)]


def _within(tree: Tree, read: ReadFile, pinned: Tool | None) -> Tool | None:
    """Any that is supported will do where the preferred one is not there."""
    supported, source = _supported(tree, read)
    if pinned is None:
        return Tool("python", supported, source) if supported else None
    return Tool("python", supported, source or pinned.source, pinned.preferred)


def _supported(tree: Tree, read: ReadFile) -> tuple[str, str]:
    if "pyproject.toml" in tree:
        document = read_toml(read_text(read, "pyproject.toml"))
        asked = table(document, "project").get("requires-python")
        if isinstance(asked, str) and asked.strip():
            return asked.strip(), "pyproject.toml requires-python"
        poetry = table(document, "tool", "poetry", "dependencies").get("python")
        if isinstance(poetry, str) and (span := _poetry_span(poetry)):
            return span, "pyproject.toml [tool.poetry.dependencies] python"
    if "setup.py" in tree:
        asked = setup_arguments(read_text(read, "setup.py")).get("python_requires")
        if isinstance(asked, str) and asked.strip():
            return asked.strip(), "setup.py python_requires"
    if "setup.cfg" in tree:
        asked = read_ini(read_text(read, "setup.cfg")).get("options", "python_requires", fallback="") or ""
        if asked.strip():
            return asked.strip(), "setup.cfg python_requires"
    return "", ""


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


def _newest_heading(text: str) -> str:
    """The first line that is a version, with a date or a name around it; one that is set in goes on with a sentence.
    Empty where the later ones are told elsewhere."""
    for line in text.splitlines()[:_HEADING_LINES]:
        if _ENDED.match(line):
            break
        found = _HEADING.match(line) if len(line) < 100 and not line.startswith("  ") else None
        if found and not re.match(r"(?:19|20)\d\d\.\d", line):
            return found[1]
    return ""
