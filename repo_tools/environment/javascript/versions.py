"""Which Node a project asks for. Pure."""

import re

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, Tool
from repo_tools.environment.javascript.node_lines import line_of_the_day, numbered_line
from repo_tools.environment.javascript.package_json import DEVELOPED_WITH, Package, texts
from repo_tools.environment.texts import read_text

_LONGEST = 300
_PART = re.compile(r"(?P<operator>\^|~|>=|<=|>|<|=)?\s*v?(?P<version>\d+(?:\.(?:\d+|[xX*]))*)")


def node_tool(root: Package, tree: Tree, read: ReadFile) -> Tool:
    """By a file that pins it, else by ``engines.node`` (https://nodejs.org/api/packages.html). What is asked for is
    fetched where the image has another (`node_release`); only too old a release is no use: Node keeps old programs
    running."""
    for path in (".nvmrc", ".node-version", ".tool-versions"):
        if path in tree:
            text = _version_of(path, read_text(read, path))
            if major := numbered_line(text):
                return _pinned(major, path)
            if line := line_of_the_day(text):
                return Tool("node", source=path, line=line)
    volta = texts(root.content.get("volta")).get("node", "")
    if major := numbered_line(volta):
        return _pinned(major, "package.json volta.node")
    asked, source = _asked(root)
    if not asked:
        return Tool("node")
    span = pep440_of(asked)
    return Tool("node", span.partition(",")[0] if span.startswith(">") else "", source, span)


def _asked(root: Package) -> tuple[str, str]:
    """(range, where it stands): for those who work on it, before what it supports where it is installed."""
    developed = root.content.get(DEVELOPED_WITH)
    told = developed.get("runtime") if isinstance(developed, dict) else None
    for runtime in map(texts, told if isinstance(told, list) else [told]):
        if runtime.get("name") == "node" and runtime.get("version"):
            return runtime["version"], "package.json devEngines.runtime"
    return texts(root.content.get("engines")).get("node", ""), "package.json engines.node"


def _version_of(path: str, text: str) -> str:
    wanted = r"^nodejs\s+(\S+)" if path == ".tool-versions" else r"^[ \t]*([^\s#]+)"
    found = re.search(wanted, text.removeprefix("\ufeff"), re.MULTILINE)
    return found[1] if found else ""


def _pinned(major: int, source: str) -> Tool:
    return Tool("node", f">={major}", source, _one_major(major))


def pep440_of(semver: str) -> str:
    """A range as npm writes it (https://docs.npmjs.com/cli/using-npm/semver) as one of PEP 440. Of alternatives
    (``||``) the span from the lowest to the highest; empty where it cannot be told."""
    alternatives = [_bounds(part) for part in semver.split("||")]
    if not semver.strip() or any(bounds is None for bounds in alternatives):
        return ""
    known = [bounds for bounds in alternatives if bounds]
    low = min((bounds[0] for bounds in known), default=())
    highs = [bounds[1] for bounds in known]
    high = None if None in highs else max((h for h in highs if h), default=None)
    return ",".join([f">={dotted(low)}"] * bool(low) + [f"<{dotted(high)}"] * bool(high))


Version = tuple[int, ...]


def _bounds(text: str) -> tuple[Version, Version | None] | None:
    """(least, first that is too high) of one comparator set."""
    text = text.strip()
    if text in ("", "*", "x"):
        return (), None
    if len(text) > _LONGEST:
        return None
    if found := re.fullmatch(r"v?(\d[\d.]*)\s+-\s+v?(\d[\d.]*)", text):
        return numbers(found[1]), _next(numbers(found[2]), len(numbers(found[2])))
    low: Version = ()
    high: Version | None = None
    if _PART.sub("", text).strip(" ,"):
        return None
    for part in _PART.finditer(text):
        version = numbers(part["version"])
        operator = part["operator"] or "="
        if operator in (">=", ">"):
            low = max(low, version)
        elif operator == "<":
            high = version
        elif operator == "<=":
            high = _next(version, len(version))
        else:
            low = max(low, version)
            high = _next(version, {"^": 1, "~": min(2, len(version)), "=": len(version)}[operator])
    return low, high


def numbers(text: str) -> Version:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _next(version: Version, places: int) -> Version:
    kept = version[:places]
    return (*kept[:-1], kept[-1] + 1)


def _one_major(major: int) -> str:
    return f">={major},<{major + 1}"


def dotted(version: Version | None) -> str:
    return ".".join(map(str, version or ()))
