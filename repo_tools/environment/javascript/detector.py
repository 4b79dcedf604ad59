"""JavaScript and TypeScript projects: a ``package.json``, its package manager, and the runners behind its scripts."""

import re
from collections.abc import Iterable, Iterator, Mapping

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand
from repo_tools.environment.javascript.builds import (
    build_as_in_ci,
    build_once,
    build_scripts,
    built_as_in_ci,
    in_build_order,
    lacking,
    left_to_ci,
    with_build,
)
from repo_tools.environment.javascript.ci_script import builds_of_ci
from repo_tools.environment.javascript.files import SUFFIXES, is_test_file
from repo_tools.environment.javascript.install import (
    install_commands,
    is_open_ended,
    managers_beside,
    spare_dependencies,
    variables_of,
)
from repo_tools.environment.javascript.karma import page, spare_with_karma
from repo_tools.environment.javascript.large_workspace import showing_members, spared_members
from repo_tools.environment.javascript.layer import keep_in_layer, roots_told
from repo_tools.environment.javascript.manager import PackageManager, package_manager
from repo_tools.environment.javascript.manager_commands import CACHE
from repo_tools.environment.javascript.manifests import javascript_manifests
from repo_tools.environment.javascript.mocha_of_then import mocha_of_then
from repo_tools.environment.javascript.node_release import raised_by_tests
from repo_tools.environment.javascript.package_json import (
    DEVELOPED_WITH,
    Package,
    lerna_patterns,
    members,
    read_package,
)
from repo_tools.environment.javascript.suites import ProjectSuites, project_suites
from repo_tools.environment.javascript.taprc import plugin_build
from repo_tools.environment.javascript.unbuilt import is_tested_unbuilt
from repo_tools.environment.javascript.versions import node_tool

TEST_VARIABLES = {
    "CI": "true",  # no watch mode, no snapshots written
    "HUSKY": "",  # set-up wants no hooks; tests of tools that commit make repositories whose hooks have to run
    "NO_UPDATE_NOTIFIER": "1",
    "npm_config_cache": "/tmp/npm-cache",  # noqa: S108 - in the box; set-up's is gone, and its place cannot be written
    "npm_config_offline": "true",
}
_MOST_READ = 500
_MOST_TOLD = 10
_GULPFILE = re.compile(r"[Gg]ulpfile(?:\.babel)?\.[cm]?[jt]s")


class JavaScriptDetector:
    """The version in the name is part of each layer's key: raise it when the same manifests give other commands."""

    name = "javascript/47"
    looked_for = "a package.json with a test script, or with mocha, jest, vitest, tape or node:test and test files"
    suffixes = (*SUFFIXES, ".vue", ".svelte")

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        root = read_package("", read)
        if root is None:
            return None
        packages = members(root, tree, read)
        found = project_suites(root, packages, tree, read)
        if not found.commands:
            return None
        manager = package_manager(root, tree, read)
        tested = [path for path in sorted(tree) if is_test_file(path)][:_MOST_READ]
        tested += [path for path in sorted(tree) if _GULPFILE.fullmatch(path)] if _starts_gulp(root, found) else []
        sources = [read(path) for path in tested if tree[path].mode.is_file]
        spare = spare_dependencies(root, packages, sources)
        by_karma = any(command.runner == "karma" for command in found.commands)
        spare = spare_with_karma(spare) if by_karma else spare
        places = [command.directory for command in found.commands]
        spared, showing = spared_members(manager.lock, packages, places, read), showing_members(packages, places)
        every = (root, *(package for package in packages if package.folder not in spared))
        of_lerna = lerna_patterns(root, tree, read) if packages else ()
        typed = any("typescript" in package.dependencies for package in every)
        built = [package for package in every if package.folder not in showing]
        builds = {} if is_tested_unbuilt(every, found, tree, read) else build_scripts(built, tree, read)
        tests = tuple(with_build(command, every, builds) for command in found.commands)
        in_ci = lacking(builds_of_ci(root, tree, read), tests)
        guarded = {"preinstall"} & root.scripts.keys() | {DEVELOPED_WITH} & root.content.keys()
        open_ended = any(map(is_open_ended, every))
        install = install_commands(
            manager, spare, typed, read, spared, of_lerna, guarded=guarded, open_ended=open_ended
        )
        last = left_to_ci(builds, in_ci, found.commands, every)
        first = {folder: script for folder, script in builds.items() if folder not in last}
        setup = _setup(manager, every, install, first, tests, tree, read)
        in_a_page = (page(),) if by_karma else ()
        return Environment(
            detector=self.name,
            evidence=(f"{manager.source}: {manager.name}", *_told(spared), *found.sources, *_built(in_ci)),
            setup=(*setup, *build_as_in_ci(in_ci), *_builds(every, last, unless_there=True), *in_a_page),
            tests=tuple(built_as_in_ci(command, in_ci) for command in tests),
            manifests=javascript_manifests((root, *packages), tree, read),
            variables=variables_of(manager, root, tree, read),
            test_variables=TEST_VARIABLES | roots_told((root, *packages)),
            tools=(raised_by_tests(node_tool(root, tree, read), found.commands, sources, every),),
            left_out=found.left_out,
        )


def _setup(
    manager: PackageManager,
    packages: tuple[Package, ...],
    install: Iterable[SetupCommand],
    builds: Mapping[str, str],
    tests: tuple[TestCommand, ...],
    tree: Tree,
    read: ReadFile,
) -> Iterator[SetupCommand]:
    """A build is made once, for what lasts of it; whether it works shows when the tests are run. `packages`: the root
    first."""
    root, installs = packages[0], any(package.has_dependencies for package in packages)
    yield from managers_beside(manager, packages, installs, builds, tests)
    if installs:
        yield from install
        yield from mocha_of_then(manager, root, tree)
        yield from filter(None, (plugin_build(package, tree, read) for package in packages))
    yield from _builds(packages, builds)
    if installs:
        yield keep_in_layer(tuple(_own_folders(packages, tree)), (CACHE,))


def _builds(
    packages: tuple[Package, ...], scripts: Mapping[str, str], *, unless_there: bool = False
) -> Iterator[SetupCommand]:
    for package in in_build_order(packages, packages):
        if script := scripts.get(package.folder):
            yield build_once(package, script, packages[0], unless_there=unless_there)


def _starts_gulp(root: Package, found: ProjectSuites) -> bool:
    """Whether a command of the tests, or a script that it names, does: gulp begins with all that its file loads."""
    typed = {word for command in found.commands for text in command.argv for word in re.split(r"[\s;&|]+", text)}
    words = typed | root.words_run_by(*typed & root.scripts.keys())
    return any(word == "gulp" or word.endswith("/gulp") for word in words)


def _told(spared: tuple[str, ...]) -> Iterator[str]:
    if spared:
        yield f"without the packages of what shows or documents the rest: {', '.join(spared[:_MOST_TOLD])}"


def _built(in_ci: tuple[CommandEvidence, ...]) -> Iterator[str]:
    yield from (f"{command.source}: builds with {command.built_script} before the tests" for command in in_ci)


def _own_folders(packages: tuple[Package, ...], tree: Tree) -> Iterator[str]:
    """Where packages are installed; not where the repository itself keeps some."""
    kept = {start for path in tree for start, found, _ in (path.partition("node_modules/"),) if found}
    yield from (package.folder or "." for package in packages if package.start not in kept)
