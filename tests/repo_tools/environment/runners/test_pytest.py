"""What pytest's result file says decides whether a suite is run again without its own options."""

import pytest

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import Account
from repo_tools.environment.runners.pytest import PytestRunner

ERRORS = b'<testsuite name="pytest" errors="1" failures="0" skipped="0" tests="1">'
TOLD = b"Direct construction of a.Item has been deprecated"
HEAD = b'<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">'


@pytest.mark.parametrize(
    ("results", "again"),
    [
        (HEAD + ERRORS + TOLD, True),
        (ERRORS + TOLD, True),
        (HEAD + b'<testsuite name="pytest" errors="1" failures="1" tests="2">' + ERRORS + TOLD, False),
    ],
)
def test_only_the_suite_that_a_result_file_begins_with_counts(results: bytes, again: bool) -> None:
    tried = PytestRunner().second_try(TestCommand("pytest", ("pytest",)), Account(1, results))
    assert (tried is not None) is again
