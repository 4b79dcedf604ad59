"""A suite that takes too long is cut to the test files that the issue and the change are about.

They are the same before and after, and what is told of them says "n of m".
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile
from repo_tools.environment.javascript.files import test_files
from repo_tools.environment.run import is_selector
from repo_tools.environment.runners import JAVASCRIPT
from repo_tools.repo_map.repository_map import rank_tree
from repo_tools.test_report import TestReport
from repo_tools.verification.sides import Side, Sides, TestLayout, classify, holds_tests

SCOPES = (24, 6, 1)
"""How many files are tried, one after the other, until they end in time."""
MOST_FOR_A_CHANGE = 8


def files_with_tests(tree: Tree, environment: Environment, read: ReadFile) -> tuple[str, ...]:
    """Every file that holds tests and that can be run alone: nothing was collected yet. By its name; JavaScript, whose
    tests may have any, by its content too."""
    javascript = [command for command in environment.tests if command.runner in JAVASCRIPT]
    others = _named_as_tests(tree, environment) if len(javascript) < len(environment.tests) else []
    files = sorted({*others, *test_files(javascript, tree, read)} if javascript else others)
    return tuple(path for path in files if is_selector(environment, path))


def _named_as_tests(tree: Tree, environment: Environment) -> list[str]:
    layout = TestLayout(environment.test_paths, frozenset(), environment.test_file_patterns)
    return [path for path in sorted(tree) if holds_tests(path, layout) and classify(path, layout) is Side.TESTS]


def most_related(files: Iterable[str], tree: Tree, read: ReadFile, words: str, most: int) -> tuple[str, ...]:
    """Those of `files` that share words with `words`, the most related, at most `most`; sorted by path."""
    ranked = rank_tree({path: tree[path] for path in files}, read, words)
    return tuple(sorted(entry.path for entry in ranked[:most] if entry.score > 0))


def related_to_change(
    environment: Environment, sides: Sides, tree: Tree, read: ReadFile
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Test files outside of the environment's scope: (those that `sides` change, those whose subject they change)."""
    outside = frozenset(files_with_tests(tree, environment, read)).difference(environment.scope)
    changed = outside.intersection(sides.tests)
    words = " ".join(f"{path} {PurePosixPath(path).stem}" for path in sides.product)
    return tuple(sorted(changed)), most_related(outside - changed, tree, read, words, MOST_FOR_A_CHANGE)


def joined(report: TestReport, more: TestReport, files: int) -> TestReport:
    """One report of two parts of the suite, the second of so many files."""
    return replace(
        report,
        cases=(*report.cases, *(case for case in more.cases if case.id not in report.by_id)),
        exit_code=max(report.exit_code, more.exit_code),
        seconds=report.seconds + more.seconds,
        problem=report.problem or more.problem,
        part=(report.part[0] + files, report.part[1]) if report.part else None,
    )
