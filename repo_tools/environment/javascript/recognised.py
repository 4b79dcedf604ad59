"""Which test runner a command of a package's scripts starts. Pure."""

import re
from itertools import chain
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.angular import is_by_vitest
from repo_tools.environment.javascript.around_node_test import AROUND_NODE_TEST
from repo_tools.environment.javascript.files import BESIDE_TESTS, USES_NODE_TEST, USES_TAP, is_test_file, started_by
from repo_tools.environment.javascript.loaded import files_loaded_by
from repo_tools.environment.javascript.package_json import Package, read_package
from repo_tools.environment.runners import aegir
from repo_tools.environment.runners.ava import AvaRunner
from repo_tools.environment.runners.bun_test import BunTestRunner
from repo_tools.environment.runners.jasmine import JasmineRunner
from repo_tools.environment.runners.jasmine_node import JasmineNodeRunner
from repo_tools.environment.runners.javascript_command import ScriptCommand, split_operands
from repo_tools.environment.runners.jest import JestRunner
from repo_tools.environment.runners.lab import LabRunner
from repo_tools.environment.runners.mocha import MochaRunner
from repo_tools.environment.runners.node_tap import NEW_NODE_TAP, NodeTapRunner
from repo_tools.environment.runners.node_test import NODE_WITH_VALUE, NodeTestRunner
from repo_tools.environment.runners.nodeunit import NodeunitRunner
from repo_tools.environment.runners.qunit import QUnitRunner
from repo_tools.environment.runners.tap import TapRunner
from repo_tools.environment.runners.tap_commands import AS_NODE
from repo_tools.environment.runners.uvu import UvuRunner
from repo_tools.environment.runners.vitest import VitestRunner
from repo_tools.environment.runners.vows import VowsRunner

_RUNNERS = (
    *(MochaRunner(), JestRunner(), JasmineRunner(), LabRunner(), QUnitRunner(), VitestRunner()),
    NodeTestRunner(),
    *(AvaRunner(), TapRunner(), UvuRunner(), BunTestRunner(), NodeunitRunner(), JasmineNodeRunner()),
    VowsRunner(),
)
_TAP_PACKAGES = ("tape", "tap", "zora", "brittle", "tapzero", "fresh-tape")
AROUND_VITEST = (("ts-scripts", "test"), ("ts-scripts", "specs"))
"""vitest, after what only checks (https://github.com/borderless/ts-scripts)."""


def runner_of(command: ScriptCommand, package: Package, tree: Tree, read: ReadFile) -> str | None:
    """Its name; None where the command is of none that is known."""
    argv = command.words
    if command.program in ("tap", "tap-run"):
        has_own_line = command.program == "tap-run" or (release_of("tap", package) or 0) >= NEW_NODE_TAP
        return NodeTapRunner.name if has_own_line or _is_typescript(argv, package, tree) else "tap"
    if command.program in AROUND_NODE_TEST:
        return NodeTestRunner.name
    if argv[:2] in AROUND_VITEST:
        installed = (package, read_package("", read) or package)  # a member's tools may be the root's
        return "vitest" if any("vitest" in each.dependencies for each in installed) else None
    if argv[:2] == aegir.START and (release_of("aegir", package) or 0) < aegir.FIRST_RELEASE:
        return None
    if is_by_vitest(argv, package, tree, read):
        return VitestRunner.name
    if _is_without_jest(command.program, package) or _is_jasmine_2(command.program, package):
        return None
    for runner in _RUNNERS:
        if runner.recognises(argv):
            return runner.name
    if command.program == "node":
        return _of_file(argv, package, tree, read)
    return TapRunner.name if command.program in AS_NODE and _loads_tap(argv, package, tree, read) else None


def release_of(name: str, package: Package) -> int | None:
    """The first number of what the package asks for of a dependency."""
    found = re.match(r"[\^~>=v\s]*(\d{1,9})", package.dependencies.get(name, ""))
    return int(found[1]) if found else None


def _is_without_jest(program: str, package: Package) -> bool:
    """Frameworks that only in some releases, or with some plug-in, test with jest."""
    if program == "vue-cli-service":
        return "@vue/cli-plugin-unit-jest" not in package.dependencies
    return program == "tsdx" and bool(release_of("tsdx", package))


def _is_jasmine_2(program: str, package: Package) -> bool:
    """jasmine-node's second release alone is of another jasmine than 1.3."""
    return program == "jasmine-node" and release_of(program, package) == 2


def _is_typescript(argv: tuple[str, ...], package: Package, tree: Tree) -> bool:
    operands = split_operands(argv[1:], frozenset())[1]
    tests = [path for path in tree if path.startswith(package.start) and is_test_file(path)]
    return any(".ts" in word for word in operands) or (not operands and any(path.endswith(".ts") for path in tests))


def _of_file(argv: tuple[str, ...], package: Package, tree: Tree, read: ReadFile) -> str | None:
    """``node test.js``: by what the file loads, or starts."""
    operands = split_operands(argv[1:], NODE_WITH_VALUE)[1]
    path = next((_file_of(word, package.folder, tree) for word in operands[:1]), None)
    if path is None:
        return None
    source = read(path)
    if runner := started_by(source):
        return None if runner == "japa" and release_of("japa", package) == 1 else runner  # which has no emitter
    if not re.search(r"test|spec", path) or BESIDE_TESTS.fullmatch(path):
        return None
    loaded = (read(each) for each in files_loaded_by(path, tree, read))
    if any(map(USES_NODE_TEST.search, chain((source,), loaded))):  # ``index.js`` may only load the others
        return "node_test"
    loads_tap = USES_TAP.search(source) or any(name in package.dependencies for name in _TAP_PACKAGES)
    return "tap" if loads_tap else None


def _loads_tap(argv: tuple[str, ...], package: Package, tree: Tree, read: ReadFile) -> bool:
    """Whether the one file of a program that runs it as node does, or what that loads, prints TAP."""
    operands = split_operands(argv[1:], NODE_WITH_VALUE)[1]
    path = _file_of(operands[-1], package.folder, tree) if operands else None
    return path is not None and any(USES_TAP.search(read(each)) for each in (path, *files_loaded_by(path, tree, read)))


def _file_of(word: str, folder: str, tree: Tree) -> str | None:
    path = normpath(f"{folder}/{word}" if folder else word)
    candidates = (path, *(f"{path}{end}" for end in (".js", ".cjs", ".mjs", "/index.js", ".ts", "/index.ts")))
    return next((candidate for candidate in candidates if candidate in tree), None) or _first_of(path, tree)


def _first_of(pattern: str, tree: Tree) -> str | None:
    """``test/*.js`` names files of one folder, as a shell has it; ``test/**/*.js`` those below it, too."""
    folder, below, name = pattern.partition("**/")
    if folder.count("*") + name.count("*") != 1:
        return None
    text = "(?:.*/)?".join(re.escape(each).replace(r"\*", "[^/]*") for each in ((folder, name) if below else (folder,)))
    return min(filter(re.compile(text).fullmatch, tree), default=None)
