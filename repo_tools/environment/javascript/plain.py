"""Test commands without what stands around their runner, or as it has to be told here. Pure."""

from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.around_node_test import AROUND_NODE_TEST, as_node_test
from repo_tools.environment.javascript.given_files import with_given_files
from repo_tools.environment.javascript.package_json import Package, read_package
from repo_tools.environment.javascript.recognised import AROUND_VITEST, release_of
from repo_tools.environment.javascript.suite import Suite
from repo_tools.environment.javascript.taprc import tap_options
from repo_tools.environment.runners import aegir
from repo_tools.environment.runners.mocha import MochaRunner
from repo_tools.environment.runners.node_tap import NodeTapRunner, unmeasured


def plain(suite: Suite, package: Package, tree: Tree, read: ReadFile) -> Suite:
    if suite.command.program in AROUND_NODE_TEST:
        root = read_package("", read) or package  # a member's tools may be the root's
        installed = {**root.dependencies, **package.dependencies}
        return replace(suite, command=as_node_test(suite.command, installed))
    return replace(suite, command=replace(suite.command, words=_words(suite, package, tree, read)))


def _words(suite: Suite, package: Package, tree: Tree, read: ReadFile) -> tuple[str, ...]:
    words = suite.command.words
    if suite.runner == NodeTapRunner.name:  # which measures coverage, and fails where it is less than all
        return unmeasured(words, release_of("tap", package))
    if words[:2] == aegir.START and suite.runner == MochaRunner.name:
        return aegir.with_files(words, release_of("aegir", package) or 0)
    if words[:2] in AROUND_VITEST:
        return ("vitest", "run", "--passWithNoTests")
    if suite.runner == MochaRunner.name:
        return with_given_files(words, package, tree, read)
    if words[:1] == ("tap",):
        return ("tap", *tap_options(package, tree, read), *words[1:])
    return words
