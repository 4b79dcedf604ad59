"""Files of the repository's own that its suite's commands name, and that are the tests' by what they are. Pure."""

import posixpath
import re
import shlex
from collections.abc import Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import AND_RUN, Environment, TestCommand

_RUNS_TESTS = re.compile(
    r"(?:.*[^a-z])?(?:run|self)?(?:tests?|specs?|testsuite)(?:[^a-z].*)?|manage\.py", re.IGNORECASE
)
"""``runtests.py``, ``run-tests.sh``, ``scripts/spec``; a command names product, too (``node bin/tape``)."""
_NAMES_SETTINGS = re.compile(r"--?(?:c|config|configuration|opts|rcfile)")
_EXIT_CODE = "exit_code"


def programs_of(environment: Environment, base: Tree) -> tuple[frozenset[str], frozenset[str]]:
    """(what decides how tests are run, what is all that the tests are): a program of which only the exit code is known
    holds them itself."""
    runs, holds = set[str](), set[str]()
    for command in environment.tests:
        (holds if command.runner == _EXIT_CODE else runs).update(_named(command, base))
    return frozenset(runs - holds), frozenset(holds)


def _named(command: TestCommand, base: Tree) -> Iterator[str]:
    before = ""
    for word, builds in _words(command.argv):
        option, equals, value = word.partition("=")
        path = posixpath.normpath(posixpath.join(command.directory, value if equals else word))
        is_setting = not builds and bool(_NAMES_SETTINGS.fullmatch(option if equals else before))
        if path in base and (is_setting or _RUNS_TESTS.fullmatch(posixpath.basename(path))):
            yield path
        before = word


def _words(argv: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """(word, whether it is of what is built before), with those of a text for a shell."""
    for word in argv:
        yield word, False
        if " " in word:
            try:
                yield from ((part, word.endswith(AND_RUN)) for part in shlex.split(word))
            except ValueError:  # none that a shell would take
                continue
