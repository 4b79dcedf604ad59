"""Suites that vitest runs in a browser by its settings (https://vitest.dev/guide/browser/). Pure."""

import re
from collections.abc import Iterator
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.tasks import block_of
from repo_tools.environment.javascript.walk import Suite
from repo_tools.environment.texts import as_text

_SETTINGS = tuple(f"{name}.config.{ending}" for name in ("vitest", "vite") for ending in ("ts", "mts", "js", "mjs"))
_BROWSER = re.compile(r"""(?<![\w.$])['"]?browser['"]?\s*:\s*\{""")
_ENABLED = re.compile(r"""(?<![\w.$])['"]?enabled['"]?\s*:\s*true\b""")
_SEVERAL = re.compile(r"""(?<![\w.$])['"]?(?:projects|workspace)['"]?\s*:""")
_TESTS = re.compile(r"""(?<![\w.$])['"]?test['"]?\s*:\s*\{""")
_COMMENT = re.compile(r"(?m)^\s*//.*$|/\*[^*]*\*/")
_MOST_BYTES = 100_000


def in_a_browser(suite: Suite, package: Package, tree: Tree, read: ReadFile) -> str:
    """Why `suite` wants one, for a person; empty where it does not, or where a project of it may run in node."""
    if suite.runner != "vitest":
        return ""
    words = suite.command.words
    asked = next((word for word in words if re.fullmatch(r"--browser(?:\.enabled)?(?:=(?!false).*)?", word)), "")
    place = next((path for path in _places(words, package) if path in tree), "")
    by_settings = bool(place) and _is_all_in_one(_COMMENT.sub("", as_text(read(place)[:_MOST_BYTES])))
    return f"{suite.source} ({asked or place}), which needs a browser" if asked or by_settings else ""


def _is_all_in_one(text: str) -> bool:
    """Whether these settings have every test run in a browser: those of all projects, where there are several."""
    browsers = sum(bool(_ENABLED.search(block_of(text[found.end() :]))) for found in _BROWSER.finditer(text))
    projects = len(_TESTS.findall(text)) - 1 if _SEVERAL.search(text) else 1
    return browsers >= max(projects, 1)


def _places(words: tuple[str, ...], package: Package) -> Iterator[str]:
    """Where its settings may stand, the likeliest first."""
    told = " ".join(words)
    named = re.search(r"(?:^| )(?:-c|--config)[ =](\S+)", told)
    for name in (named[1],) if named else _SETTINGS:
        yield normpath(f"{package.folder}/{name}" if package.folder else name)
