"""Files of the repository's own that its suite's commands name, and that are the tests' by what they are. Pure."""

import posixpath
import re
import shlex
from collections.abc import Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import AND_RUN, Environment, ReadFile, TestCommand
from repo_tools.verification.links import linked_programs
from repo_tools.verification.loaded_first import LOADS, files_named, loaded_first, shipped

_RUNS_TESTS = re.compile(
    r"(?:.*[^a-z])?(?:run|self)?(?:tests?|specs?|testsuite)(?:[^a-z].*)?|manage\.py", re.IGNORECASE
)
"""``runtests.py``, ``run-tests.sh``, ``scripts/spec``; a command names product, too (``node bin/tape``)."""
_NAMES_SETTINGS = re.compile(r"--?(?:c|config|configuration|opts|rcfile|g(?:runt|ulp)file)")
_TASKS = {
    "grunt": r"gruntfile\..+",
    "gulp": r"gulpfile\..+",
    "jake": r"jakefile(?:\..+)?",
    "just": r"\.?justfile",
    "task": r"taskfile\..+",
    **dict.fromkeys(("invoke", "inv"), r"tasks\.py"),
    "doit": r"dodo\.py",
    "ant": r"build\.xml",
    "scons": r"sconstruct",
}
"""What a program reads, that nobody names, of what its words start. Make's and Rake's is configuration anyway."""
_EXIT_CODE = "exit_code"
_STARTED_BY_A_FILE = "japa"
"""It has no program of its own: one of the repository's says which tests there are."""
_SHELLS = ("sh", "bash", "dash")
_INTERPRETERS = ("node", "ts-node", "tsx", "python", "python3", "ts-node/register", "@swc-node/register")
_MAYBE_PRODUCT = re.compile(r"(?:.*/)?(?:(?:bin|lib|src|dist|build)/.*|(?:index|cli|main|__main__)\.\w+)")
"""What a suite may start of the product, to see that it ends well."""
_BESIDE_PRODUCT = re.compile(r"(?:.*/)?(?:scripts?|ci|tools?|dev)/.*|.*\.(?:ba|da)?sh")
"""Where a program that runs tests stands, whatever it is called."""


def programs_of(environment: Environment, base: Tree, read: ReadFile) -> tuple[frozenset[str], frozenset[str]]:
    """(what decides how tests are run, what is all that the tests are): a program of which only the exit code is known
    holds them itself. So do links, of what they lead to."""
    runs, holds = map(set, linked_programs(base, read))
    runs.update(loaded_first(environment, base, read))
    for command in environment.tests:
        kept = shipped(("", command.directory), base, read)
        runs.update(_loaded(command, base) - kept)
        (holds if command.runner == _EXIT_CODE else runs).update(_named(command, base, kept))
    return frozenset(runs - holds), frozenset(holds)


def _named(command: TestCommand, base: Tree, kept: frozenset[str]) -> Iterator[str]:
    """But for product that is `kept`: a package's own program, which a suite may start."""
    before = ""
    for word, builds in _words(command.argv):
        option, equals, value = word.partition("=")
        path = posixpath.normpath(posixpath.join(command.directory, value if equals else word))
        is_setting = not builds and bool(_NAMES_SETTINGS.fullmatch(option if equals else before))
        is_script = before in _SHELLS or _BESIDE_PRODUCT.fullmatch(path)
        runs = command.runner == _EXIT_CODE and not builds and is_script
        if command.runner in (_EXIT_CODE, _STARTED_BY_A_FILE) and not builds and before in _INTERPRETERS:
            started = {path, *files_named((word,), command.directory, base)} & base.keys() - kept
            is_own = command.runner == _STARTED_BY_A_FILE
            yield from (file for file in started if is_own or not _MAYBE_PRODUCT.fullmatch(file))
        if path in base and (is_setting or runs or _RUNS_TESTS.fullmatch(posixpath.basename(path))):
            yield path
        if tasks := _TASKS.get(posixpath.basename(word)):
            yield from _of_folder(tasks, posixpath.normpath(command.directory), base)
        before = word


def _of_folder(name: str, folder: str, base: Tree) -> Iterator[str]:
    files = (path for path in base if (posixpath.dirname(path) or ".") == folder)
    return (path for path in files if re.fullmatch(name, posixpath.basename(path), re.IGNORECASE))


def _loaded(command: TestCommand, base: Tree) -> frozenset[str]:
    """What the command has its runner load, in its words or in variables of node's (``NODE_OPTIONS``)."""
    set_first = ((word, False) for _, value in command.variables for word in value.split())
    before, found = "", list[str]()
    for word, builds in (*_words(command.argv), *set_first):
        option, equals, value = word.rpartition("=")
        if not builds and LOADS.fullmatch(option.rpartition("=")[2] if equals else before):
            found.append(value)
        before = word
    return frozenset(files_named(found, command.directory, base))


def _words(argv: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """(word, whether it is of what is built before), with those of a text for a shell."""
    for word in argv:
        yield word, False
        if " " in word:
            try:
                yield from ((part, word.endswith(AND_RUN)) for part in shlex.split(word))
            except ValueError:  # none that a shell would take
                continue
