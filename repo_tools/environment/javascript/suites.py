"""The test commands of a JavaScript project: out of its scripts, else out of its dependencies and files. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from repo_tools.changes import Tree
from repo_tools.counted import counted
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.javascript.chosen_members import chosen_members
from repo_tools.environment.javascript.ci_script import COVERAGE, script_of_ci, started_by_ci
from repo_tools.environment.javascript.configured import as_configured, of_every_project
from repo_tools.environment.javascript.declarations import with_checks_only
from repo_tools.environment.javascript.elsewhere import folders_of
from repo_tools.environment.javascript.files import USES_BUN_TEST, USES_NODE_TEST, are_most, is_test_file
from repo_tools.environment.javascript.grunt import in_parts
from repo_tools.environment.javascript.gulp import of_gulp
from repo_tools.environment.javascript.karma import in_pages
from repo_tools.environment.javascript.nyc import with_required_by_nyc
from repo_tools.environment.javascript.own_values import with_own_values
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.plain import plain
from repo_tools.environment.javascript.recipes import with_recipes
from repo_tools.environment.javascript.recognised import runner_of
from repo_tools.environment.javascript.script_commands import words_of
from repo_tools.environment.javascript.scripts import (
    PARTS_OF_TESTS,
    browser_tests,
    made_by,
    scripted,
    scripted_by,
    scripts_everywhere,
    tells_of_tests,
    tests_in_a_browser,
)
from repo_tools.environment.javascript.suite import Scripted, Suite
from repo_tools.environment.javascript.variable_files import with_variable_files
from repo_tools.environment.javascript.vitest_browser import in_node
from repo_tools.environment.runners import JAVASCRIPT
from repo_tools.environment.runners.javascript_command import ScriptCommand, taken_apart

_BY_DEPENDENCY = {
    "vitest": ("vitest", "run"),
    "jest": ("jest",),
    "jest-cli": ("jest",),
    "mocha": ("mocha",),
    "ava": ("ava",),
    "uvu": ("uvu",),
    "jasmine": ("jasmine",),
    "lab": ("lab",),
    "nodeunit": ("nodeunit",),
    "@hapi/lab": ("lab",),
    "vows": ("vows",),
}

_BROWSERS = frozenset(
    (
        *("phantomjs", "phantomjs-prebuilt", "slimerjs", "grunt-contrib-qunit", "grunt-contrib-jasmine", "grunt-mocha"),
        *("puppeteer", "playwright", "nightmare", "selenium-webdriver", "webdriverio", "testcafe", "testem"),
    )
)
_TASK = re.compile(r"\b(?:grunt|gulp)\b")
_MOST_TOLD = 10
_IN_A_BROWSER_TOO = ("mocha", "jasmine")
"""What karma and its kin load into a page: that they are installed says of no tests in node."""
_OF_OTHERS = re.compile(
    r"(?:.*/)?(?:CMakeLists\.txt|meson\.build|configure\.ac|setup\.(?:py|cfg)|pyproject\.toml|go\.mod|Cargo\.toml"
    r"|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json)"
)
"""Manifests of projects in other languages: the Makefile may be theirs."""


@dataclass(frozen=True)
class ProjectSuites:
    """Test commands, where each was read, and what of the tests is left out, and why."""

    commands: tuple[TestCommand, ...] = ()
    sources: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def __add__(self, other: "ProjectSuites") -> "ProjectSuites":
        parts = (self.commands + other.commands, self.sources + other.sources, self.left_out + other.left_out)
        return ProjectSuites(*parts)


def project_suites(root: Package, packages: tuple[Package, ...], tree: Tree, read: ReadFile) -> ProjectSuites:
    """Those of the root's scripts, unless they only start those of its members; what the root merely has installed is
    taken where no member tells of tests."""
    own = _scripted(root, tree, read)
    found = _commands(root, own)
    if found.commands and not any(suite.everywhere for suite in own.suites):
        if known := _beside_silence(found, root, tree, read):
            return known
        if own.has_runner or not any(_scripted(package, tree, read).has_runner for package in packages):
            return found
        told = f"{found.sources[0]}, of which only the exit code would be known, but for the tests of its members"
        found = ProjectSuites(left_out=(told, *found.left_out))
    elsewhere = tuple(_in_other_projects(own, packages))
    aside = ProjectSuites(left_out=elsewhere) if found.commands else ProjectSuites()
    found += _of_members(own, packages, tree, read) + aside
    whole = of_every_project(own, root, tree, read) if found.commands else None
    if whole and not are_most(found.commands, root.folder, tree, read):
        return _commands(root, Scripted((whole,)))
    if elsewhere and not found.commands:  # what it has installed is theirs
        return found
    found = found if found.commands else _commands(root, _without_scripts(root, tree, read))
    if found.commands:
        return _beside_silence(found, root, tree, read) or found
    return _in_pages((root, *packages), tree, read) or found


def _of_members(root: Scripted, packages: tuple[Package, ...], tree: Tree, read: ReadFile) -> ProjectSuites:
    """Those of the members that the root's scripts test, or, where these have none, of every one."""
    everywhere = scripts_everywhere(root.suites, packages)
    started = (suite.command.words for suite in root.suites if scripts_everywhere((suite,), packages))
    chosen, others = chosen_members(started, packages)
    own = [(package, package_suites(package, tree, read, everywhere)) for package in (*chosen, *others)]
    is_meant = any(of_it.suites for _, of_it in own[: len(chosen)])
    taken = own[: len(chosen)] if is_meant else own
    found = sum((_commands(package, of_it) for package, of_it in taken), ProjectSuites())
    rest = [package.folder for package, of_it in own[len(taken) :] if of_it.suites][:_MOST_TOLD]
    told = (f"scripts of tests of members, which those of the root do not start: {', '.join(rest)}",) if rest else ()
    return found + ProjectSuites(left_out=told)


def _in_other_projects(own: Scripted, packages: tuple[Package, ...]) -> Iterator[str]:
    """What scripts of the root test in folders that are no members, for a person: these are set up by themselves."""
    known = {package.folder for package in packages}
    for suite in own.suites:
        folders = [folder for folder in folders_of(suite.command.words[-1]) if folder not in known]
        if suite.everywhere and folders:
            yield f"{suite.source}, tests of other projects of the repository: {', '.join(folders[:_MOST_TOLD])}"


def _beside_silence(found: ProjectSuites, root: Package, tree: Tree, read: ReadFile) -> ProjectSuites | None:
    """What karma tells test by test, where only exit codes would be known: instead of tasks, which start it, and beside
    programs of the repository's own, where some script starts it."""
    if any(command.runner != "exit_code" for command in found.commands):
        return None
    if all(_TASK.search(command.argv[-1]) for command in found.commands):
        return _in_pages((root,), tree, read)
    started = browser_tests(root)
    known = _in_pages((root,), tree, read) if started else None
    others = tuple(told for told in found.left_out if not told.startswith(started))
    return replace(found, left_out=others) + known if known else None


def _in_pages(packages: tuple[Package, ...], tree: Tree, read: ReadFile) -> ProjectSuites | None:
    own = ((package, in_pages(package, tree, read)) for package in packages)
    found = [_known_commands(package, scripted) for package, scripted in own if scripted.suites]
    return sum(found[1:], found[0]) if found else None


def package_suites(package: Package, tree: Tree, read: ReadFile, names: tuple[str, ...] = ()) -> Scripted:
    """`names`: the scripts that are started in every member of the workspace; one that has none of them has no
    tests."""
    found = _scripted(package, tree, read, names)
    return found if found.suites or names else _of_parts(package, tree, read)


def _scripted(package: Package, tree: Tree, read: ReadFile, names: tuple[str, ...] = ()) -> Scripted:
    written = _written_out(package, tree, read)

    def recognise(command: ScriptCommand) -> str | None:
        return runner_of(command, package, tree, read)

    def is_most(part: Scripted) -> bool:
        return are_most(_own_commands(part, package), package.folder, tree, read)

    of_ci = script_of_ci(written, tree, read)
    found = scripted_by(names, written, recognise) if names else scripted(written, recognise, of_ci, is_most)
    parts = [of_gulp(each, package, tree, read) or in_parts(each, package, tree, read) for each in found.suites]
    suites = (plain(each, package, tree, read) for kept, _ in parts for each in kept)
    of_parts = Scripted(_once(suites), (*found.left_out, *(why for _, why in parts if why)))
    return _in_node(as_configured(of_parts, package, tree), package, tree, read)


def _once(suites: Iterable[Suite]) -> tuple[Suite, ...]:
    """A script and a task may come to the same run."""
    found: dict[object, Suite] = {}
    for suite in suites:
        command = suite.command
        words = tuple(word.removeprefix("./") for word in command.words)
        known = suite.runner, suite.everywhere, words, command.before, tuple(command.variables.items())
        found.setdefault(known, suite)
    return tuple(found.values())


def _written_out(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with scripts that say by themselves what other files, and other settings of the manifest, add to
    them."""
    package = with_recipes(package, tree, read)
    package = with_own_values(with_variable_files(package, tree, read))
    return with_checks_only(with_required_by_nyc(package, tree, read), tree, read)


def _in_node(found: Scripted, package: Package, tree: Tree, read: ReadFile) -> Scripted:
    known = [in_node(suite, package, tree, read) for suite in found.suites]
    told = dict.fromkeys(why for _, why in known if why)
    return Scripted(tuple(suite for suite, _ in known if suite), (*found.left_out, *told))


def _commands(package: Package, found: Scripted) -> ProjectSuites:
    """With what is left out. A browser that a command starts of which only the exit code will be known is told, too: it
    may fail by that alone."""
    in_a_browser = browser_tests(package)
    started = _BROWSERS.intersection(package.dependencies)
    if started and found.suites and not (in_a_browser or found.has_runner):
        in_a_browser = f"what {package.path} has `{min(started)}` for"
    browser = (f"{in_a_browser}, which needs a browser",) if in_a_browser else ()
    return _known_commands(package, found) + ProjectSuites(left_out=browser)


def _known_commands(package: Package, found: Scripted) -> ProjectSuites:
    known = {command: f"{package.start}{suite.source}" for command, suite in _own_commands(found, package).items()}
    return ProjectSuites(tuple(known), tuple(known.values()), found.left_out)


def _own_commands(found: Scripted, package: Package) -> dict[TestCommand, Suite]:
    own = (suite for suite in found.suites if not suite.everywhere)
    return {TestCommand(suite.runner, suite.command.argv(), package.folder): suite for suite in own}


def _without_scripts(root: Package, tree: Tree, read: ReadFile) -> Scripted:
    """What the likeliest job of the workflows starts without one, or a Makefile's target of tests; else what is
    installed, or such a target where node runs a program, of which only the exit code is known."""
    suites: list[Suite] = []
    for written, source in started_by_ci(tree, read):
        command = taken_apart(written.argv())
        variables = {**written.variables, **command.variables}
        if runner := runner_of(command, root, tree, read):
            suites.append(plain(Suite(replace(command, variables=variables), runner, source), root, tree, read))
    found = _in_node(Scripted(tuple(suites)), root, tree, read)
    if found.suites:
        return found
    made = root.with_scripts({**root.scripts, "test": "make test"})
    by_make = Scripted() if tells_of_tests(root) else _scripted(made, tree, read, ("test",))
    if by_make.has_runner:
        return by_make
    found = _of_parts(root, tree, read)
    by_node = not any(map(_OF_OTHERS.fullmatch, tree)) and _has_node_run("make test", with_recipes(made, tree, read))
    if found.suites or not by_node:
        return found
    return replace(by_make, suites=tuple(replace(suite, source="Makefile test") for suite in by_make.suites))


def _has_node_run(name: str, package: Package) -> bool:
    """Whether a script, or a target of make, does nothing but have node run programs of the repository."""
    made = made_by(name, package)
    return bool(made) and all(words_of(text)[1][:1] == ("node",) for text in made)


def _of_parts(package: Package, tree: Tree, read: ReadFile) -> Scripted:
    """Where no script runs all tests: those that run some of them, if their runner is known; else what is installed."""
    names = tuple(name for name in package.scripts if PARTS_OF_TESTS.fullmatch(name) and not COVERAGE.fullmatch(name))
    every = next(((name,) for name in names if re.fullmatch(r"tests?[:_-]all", name)), names)
    found = _scripted(package, tree, read, every) if every else Scripted()
    known = any(suite.runner in JAVASCRIPT for suite in found.suites)
    return found if known else _by_dependencies(package, tree, read)


def _by_dependencies(package: Package, tree: Tree, read: ReadFile) -> Scripted:
    found = (plain(suite, package, tree, read) for suite in _installed(package, tree, read))
    return _in_node(Scripted(tuple(found)), package, tree, read)


def _installed(package: Package, tree: Tree, read: ReadFile) -> Iterator[Suite]:
    """Without a script that tells: the runner that is installed, where there are tests."""
    start = package.start
    tests = [path for path in sorted(tree) if path.startswith(start) and is_test_file(path.removeprefix(start))]
    if not tests:
        return
    own = f"package.json devDependencies {{}}, and {counted(len(tests), 'test file')}"
    in_a_browser = bool(tests_in_a_browser(package))
    for name, argv in _BY_DEPENDENCY.items():
        if name in package.dependencies and not (in_a_browser and name in _IN_A_BROWSER_TOO):
            yield Suite(ScriptCommand(argv), argv[0], own.format(name))
            return
    if any(USES_BUN_TEST.search(read(path)) for path in tests[:20]):
        yield Suite(ScriptCommand(("bun", "test")), "bun_test", f"{tests[0].removeprefix(start)}: bun:test")
    elif any(USES_NODE_TEST.search(read(path)) for path in tests[:20]):
        yield Suite(ScriptCommand(("node", "--test")), "node_test", f"{tests[0].removeprefix(start)}: node:test")
    elif "tape" in package.dependencies:
        patterns = ("test/**/*.js",) if any("/" in path.removeprefix(start) for path in tests) else ("test.js",)
        yield Suite(ScriptCommand(("tape", *patterns)), "tap", own.format("tape"))
