"""What a package's scripts come to: which of them run its tests, and which build what the tests need. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from repo_tools.environment.javascript.chains import every_command
from repo_tools.environment.javascript.elsewhere import folders_of
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.programs import is_in_installed_browser, needs_browser
from repo_tools.environment.javascript.script_commands import COVERAGE_SCRIPT, Recognise, words_of
from repo_tools.environment.javascript.suite import Scripted, Suite
from repo_tools.environment.javascript.unknown_runners import with_unknown_runners
from repo_tools.environment.javascript.walk import walk

NAMES = (
    "test", "tests-only", "test:unit", "test:node", "test-unit", "unit", "unit-test", "unit-tests", "test-node",
    "test:js", "test:ci", "test-ci", "test:run", "tests", "tests:unit", "tests:only", "test:only", "mocha", "jest",
    "vitest", "tape", "tap", "posttest",
)  # fmt: skip
"""Scripts that may run tests, the likeliest first."""
PARTS_OF_TESTS = re.compile(
    r"(?:tests?|unit)[:_-](?!.*(?:e2e|browser|watch|update|debug|perf|bench|smoke|fuzz|type|ecosystem|integration"
    r"|container|docker)).*"
)
"""Scripts that run some of the tests, where the whole is a program of its own."""

_NO_TESTS = re.compile(
    r"""\bno test|^\s*(?:(?:echo|printf)\s(?:[^|&;"'>]|"[^"]*"|'[^']*'|>&?){0,500}(?:&&|;)\s*){0,5}exit 1\s*$"""
    r"|^\s*(?:true|exit 0|:)\s*$"
)
_INSTALLS = frozenset(("install", "install-deps", "verify", "cache", "serve"))
"""What programs of tests in a browser do besides."""
_MOST_PARTS = 50


@dataclass(frozen=True)
class ScriptOfCi:
    """A script that the likeliest job tests with. `source`: where, if it is run in the place of ``test``. `beside`:
    scripts that others of its jobs call, which are no less likely."""

    name: str = ""
    source: str = ""
    beside: tuple[str, ...] = ()


_NONE = ScriptOfCi()


def scripts_everywhere(suites: tuple[Suite, ...], packages: tuple[Package, ...]) -> tuple[str, ...]:
    """Scripts of tests that the root starts in the members of its workspace, as far as these have them
    (``nx affected --targets=test:lib,build``, ``turbo run test``)."""
    said = (" ".join(suite.command.words) for suite in suites if suite.everywhere)
    named = dict.fromkeys(word for text in said for word in re.split(r"[\s,='\"]+", text))
    theirs = {name for package in packages for name in package.scripts}
    return tuple(name for name in named if name in theirs and (name in NAMES or PARTS_OF_TESTS.fullmatch(name)))


def scripted_by(names: tuple[str, ...], package: Package, recognise: Recognise) -> Scripted:
    """The commands that these scripts of `package` come to."""
    found = [_of_script(name, package, recognise) for name in names]
    known = [each for each in found if each.has_runner] or found
    suites = tuple(suite for each in known for suite in each.suites)
    return Scripted(suites, tuple(dict.fromkeys(text for each in known for text in each.left_out)))


def scripted(
    package: Package,
    recognise: Recognise,
    of_ci: ScriptOfCi = _NONE,
    is_most: Callable[[Scripted], bool] = lambda _: True,
) -> Scripted:
    """The commands that test `package`: those of the first script that comes to any, or, where no runner of these is
    known, of the first one with a runner that is; both, where it is not `is_most` of the tests. `of_ci` goes before
    all, unless others beside it test too: it is one part then, and ``test`` the whole."""
    found = _of_script(of_ci.name, package, recognise)
    if found.has_runner and not any(_of_script(name, package, recognise).has_runner for name in of_ci.beside):
        told = f"{package.path} scripts.test, which no workflow runs: {of_ci.source} runs {of_ci.name}"
        return replace(found, left_out=(told, *found.left_out)) if of_ci.source else found
    whole = next((found for name in NAMES if (found := _of_script(name, package, recognise)).suites), Scripted())
    if not whole.suites or whole.has_runner:
        return whole
    others = (*NAMES, *sorted(filter(PARTS_OF_TESTS.fullmatch, package.scripts))[:_MOST_PARTS])
    part = next((found for name in others if (found := _of_script(name, package, recognise)).has_runner), None)
    if part is None:
        return whole
    if not is_most(part):
        return Scripted(part.suites + whole.suites, part.left_out + whole.left_out)
    stands = part.suites[0].source
    told = f"{whole.suites[0].source}, of which only the exit code would be known, but for {stands}"
    return replace(part, left_out=(told, *part.left_out))


def made_by(name: str, package: Package) -> tuple[str, ...]:
    """Commands that a script comes to, without what decides nothing about tests; as they are written."""
    return tuple(walk(name, package, lambda _: None).texts)


def comes_to_something(name: str, package: Package) -> bool:
    """Whether a script does more than what decides nothing about tests, here or in the members of a workspace."""
    found = walk(name, package, lambda _: None)
    return bool(found.suites or found.steps)


def tells_of_tests(package: Package) -> bool:
    """Whether a script is called after tests, and does not only say that there are none."""
    return any(not _NO_TESTS.search(package.scripts[name]) for name in NAMES if name in package.scripts)


def _of_script(name: str, package: Package, recognise: Recognise) -> Scripted:
    """Mostly what measures coverage runs the tests once more; but it may be all that does (``npm run lint && npm run
    coverage``), here (``npm run coverage && cd docs && npm test``)."""
    text = package.scripts.get(name, "")
    if not text or _NO_TESTS.search(text):
        return Scripted()
    found = with_unknown_runners(walk(name, package, recognise), name, package)
    is_here = not all(suite.everywhere and folders_of(suite.command.words[-1]) for suite in found.suites)
    if (found.has_runner and is_here) or not any(map(COVERAGE_SCRIPT.match, package.scripts)):
        return found
    measured = with_unknown_runners(walk(name, package, recognise, measured=True), name, package)
    return measured if measured.has_runner or not found.suites else found


def browser_tests(package: Package) -> str:
    """What of its scripts runs tests in a browser, for a person; empty where none does."""
    for name in sorted(package.scripts, key=lambda name: (name not in NAMES, name)):
        for part in every_command(package.scripts[name]):
            words = words_of(part)[1]
            in_one = needs_browser(words) or is_in_installed_browser(words, package.dependencies)
            if in_one and not _INSTALLS.intersection(words[1:2]):
                return f"{package.path} scripts.{name} (`{part[:100]}`)"
    return ""


def tests_in_a_browser(package: Package) -> str:
    """As `browser_tests`; karma, which a task of gulp's or of grunt's starts, and vitest's browsers show among what is
    installed only."""
    installed = (name for name in package.dependencies if name == "karma" or name.startswith("@vitest/browser"))
    return browser_tests(package) or "".join(f"{package.path} devDependencies (`{name}`)" for name in [*installed][:1])
