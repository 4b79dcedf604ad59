"""Suites that rely on unittest's own loader, or on a program that runs it.

A module's ``load_tests`` (https://docs.python.org/3/library/unittest.html#load-tests-protocol) means nothing to pytest,
and Django's tests need what ``manage.py test`` sets up (https://docs.djangoproject.com/en/stable/topics/testing/).
"""

import re
from collections.abc import Iterable, Iterator
from posixpath import dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.programs import name_of
from repo_tools.environment.ci.script_words import NOT_KNOWN
from repo_tools.environment.ci.wrappers import taken_apart
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.folders import DOCUMENTS, EXAMPLES, TESTS, is_below, is_within
from repo_tools.environment.one_project import reader_below, subtree
from repo_tools.environment.python.ci_programs import HOLDS_TESTS, program_of_ci
from repo_tools.environment.python.django_settings import django_variables
from repo_tools.environment.python.django_tests import django_in, django_of_ci, django_of_make, runs_django
from repo_tools.environment.python.pytest_settings import COLLECTED, is_collected, read_pytest_settings
from repo_tools.environment.python.requirements import declared_requirements, names_of
from repo_tools.environment.python.setup_file import suite_named
from repo_tools.environment.python.stestr import discovered_by_stestr
from repo_tools.environment.python.test_programs import (
    IMPORTS_PYTEST,
    PROGRAMS,
    RUNS_UNITTEST,
    command_lines,
    split_line,
    started_programs,
)

_LOADS = re.compile(rb"^(?:def load_tests\(|load_tests[ \t]*=|(?:from|import)[ \t][^\n]*[ \t]load_tests[ \t]*$)", re.M)
_PROGRAMS = (("manage.py", "test"), ("runtests.py",))
_ALONE = ("--parallel=1",)
"""Django's own suite forks otherwise, and what its children find out is theirs."""
_RUNS_TESTS = re.compile(r"(?:run_?tests?|test_?runner|run)\.py")
_TEST_MODULE = re.compile(r"(?:\w+\.)*(?:(?:self_?)?tests?|run_?tests?|test_?runner)")
_PROGRAM_OF_PACKAGE = re.compile(r"(?:src/)?((?:\w+/)*tests?)/__main__\.py")
_MODULE_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(\w[\w.]*)", re.MULTILINE)
_ZOPE, _ZOPE_PROGRAM = "zope.testrunner", "zope-testrunner"
"""https://zopetestrunner.readthedocs.io/: it alone runs what a module's ``test_suite()`` makes, and sets layers up."""
_TESTTOOLS = "testtools.run"
"""It takes the words of unittest, and two of its own: https://testtools.readthedocs.io/en/latest/for-test-folk.html"""
_TESTTOOLS_ALONE = ("--list", "-l", "--load-list")
_PLACE = re.compile(r"\{(?:envbindir|envsitepackagesdir|toxinidir|tox_root)\}/")
"""The project is installed in place: what tox finds among its packages is the root."""
_UNKNOWN = re.compile(r"\{[^{}]*\}")
_DOTTED = re.compile(r"\w+(?:\.\w+)*")
_DOCTESTS = re.compile(rb"\bDoc(?:Test|File)Suite\(")
_OF_OTHERS = re.compile(rb"\b(?:pytest|py\.test|nose)\b")
_WITH_VALUE = frozenset(
    ("-W", "-X", "--omit", "--include", "--source", "--rcfile", "--data-file", "--concurrency", "--context")
)
"""Of Python and of ``coverage run``, where the next word is the value."""
MOST_FILES = 400


_Found = tuple[TestCommand, str]
"""How to run a suite, and what says so."""


def unittest_command(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> _Found | None:
    """Where the suite is of this kind. It has no configuration for pytest."""
    contents = [read(path) for path in test_files[:MOST_FILES]]
    if any(map(IMPORTS_PYTEST.search, contents)):
        return None
    return (
        _of_django_itself(tree)
        or _of_own_commands(tree, read, test_files)
        or django_of_ci(tree, read, test_files, any_job=False)
        or _of_ci_beside_django(tree, read, test_files)
        or _of_django(tree, read, test_files)
        or django_of_ci(tree, read, test_files, any_job=True)
        or program_of_ci(tree, read, test_files)
        or discovered_by_stestr(tree, read, test_files)
        or _of_own_program(tree, read, test_files)
        or _of_own_package(tree, read, test_files)
        or _of_setup(tree, read, test_files)
        or _of_function_of_setup(tree, read)
        or _of_load_tests(tree, test_files, contents)
    )


def _of_django(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> _Found | None:
    for program, *arguments in _PROGRAMS:
        if program in tree and b"django" in read(program):
            called = TestCommand("unittest", ("python", program, *arguments)), f"{program}: Django's"
            return django_of_make(tree, read, test_files) or called
    return _of_django_below(tree, read, test_files)


def _of_ci_beside_django(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> _Found | None:
    """By the program that the CI starts, where another one sets Django up for something else: a demonstration."""
    found = program_of_ci(tree, read, test_files) if "manage.py" in tree else None
    return found if found and found[0].runner == "unittest" and "manage.py" not in found[0].argv else None


def _of_django_below(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> _Found | None:
    """By the program of an application whose sources lie in a folder (``src/manage.py``), where it is the only one and
    all tests are its own, and are not configured for pytest; one among tests or examples is there for them, unless
    nothing else starts all tests, or knows their settings."""
    programs = [path for path in tree if path.endswith("/manage.py")]
    folder = dirname(programs[0]) if len(programs) == 1 else ""
    aside = EXAMPLES | DOCUMENTS | (frozenset() if _has_no_other_start(folder, tree, read) else TESTS)
    if not folder or is_within(folder, aside) or b"django" not in read(programs[0]):
        return None
    configured = read_pytest_settings(subtree(tree, folder, {}), reader_below(read, folder))
    if configured or not all(is_below(path, folder) for path in test_files):
        return None
    command = TestCommand("unittest", ("python", "manage.py", "test"), folder)
    return django_of_make(tree, read, test_files) or (command, f"{programs[0]}: Django's")


def _has_no_other_start(folder: str, tree: Tree, read: ReadFile) -> bool:
    known = any(started_programs(tree, read)) or django_variables(tree, read, None)
    return folder in TESTS and not known


def _of_django_itself(tree: Tree) -> _Found | None:
    if "tests/runtests.py" in tree and "django/__init__.py" in tree:
        return TestCommand("unittest", ("python", "runtests.py", *_ALONE), "tests"), "tests/runtests.py: Django's"
    return None


def _of_own_commands(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> _Found | None:
    for source, place, lines in command_lines(tree, read):
        if started := next(_started_by(source, place, lines, tree, read, test_files), None):
            return started
    return None


def _of_own_program(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> _Found | None:
    alone = own_program(tree, read)
    if test_files != alone:
        return None
    return TestCommand("unittest", ("python", *alone)), f"{alone[0]}: runs unittest"


def _of_own_package(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> _Found | None:
    if any(is_collected(path, COLLECTED) for path in test_files) or test_files != package_of_itself(tree, read):
        return None
    return _by_its_package(tree, read)


def _of_setup(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> _Found | None:
    suite, files = suite_of_setup(tree, read)
    if not suite or test_files != files:
        return None
    return TestCommand("unittest", ("python", "-m", "unittest", suite)), f"setup.py test_suite: {suite}"


def _of_function_of_setup(tree: Tree, read: ReadFile) -> _Found | None:
    """By the function that ``setup.py test`` calls, where that sets Django up or makes tests of doctests, which are not
    its module's own, and nothing speaks for pytest or nose. unittest calls it, too:
    https://docs.python.org/3/library/unittest.html#unittest.TestLoader.loadTestsFromName"""
    suite = suite_named(tree, read)
    module, _, function = suite.rpartition(".")
    of_zope = module == "__main__" and _ZOPE.encode() in read("setup.py")
    file = "setup.py" if of_zope else _source(module, tree) or _source(f"{module}.__init__", tree)
    if file is None or _source(suite, tree) or _source(f"{suite}.__init__", tree) or not _DOTTED.fullmatch(suite):
        return None
    text = read(file)
    if not (of_zope or runs_django(text, function) or _makes_doctests(text, function)):
        return None
    if _OF_OTHERS.search(text) or any(started_programs(tree, read)):
        return None
    if any(name.startswith(("pytest", "nose")) for name in names_of(declared_requirements(tree, read), read)):
        return None
    asked = ("-m", "unittest", suite)
    if of_zope:  # its function has zope.testrunner find all
        in_src = any(path.startswith("src/") and path.endswith(".py") for path in tree)
        asked = ("-m", _ZOPE, f"--test-path={'src' if in_src else '.'}")
    return TestCommand("unittest", ("python", *asked)), f"setup.py test_suite: {suite}"


def _makes_doctests(text: bytes, function: str) -> bool:
    return bool(_DOCTESTS.search(text) and re.search(rb"^def %s\(\):" % function.encode(), text, re.MULTILINE))


def _of_load_tests(tree: Tree, test_files: tuple[str, ...], contents: Iterable[bytes]) -> _Found | None:
    if not any(map(_LOADS.search, contents)):
        return None
    tops = {path.partition("/")[0] if "/" in path else "" for path in test_files}
    top = tops.pop() if len(tops) == 1 else ""
    command = ("python", "-m", "unittest", "discover", *_where(tree, top))
    return TestCommand("unittest", command), "load_tests: found by unittest alone"


def _where(tree: Tree, top: str) -> tuple[str, ...]:
    if not top:
        return ()
    return ("-s", top, "-t", ".") if f"{top}/__init__.py" in tree else ("-s", top)


def _started_by(
    source: str, place: str, lines: Iterable[str], tree: Tree, read: ReadFile, test_files: tuple[str, ...]
) -> Iterator[_Found]:
    """Those of the lines in `source`, which start in `place`, that start unittest, Django's command, or a program of
    the repository that runs unittest, without what measures coverage; none beside pytest, or nose, which is what the
    suite is for."""
    typed_lines = [_PLACE.sub("", line.lstrip("- ")) for line in lines]
    if any(name_of(taken_apart(tuple(split_line(typed)))[1]) in PROGRAMS for typed in typed_lines):
        return

    def of_django(*these: str) -> _Found | None:
        known = "\n".join(_UNKNOWN.sub(NOT_KNOWN, typed) for typed in these)
        return django_in(source, place, known, tree, read, test_files)

    for i, typed in enumerate(typed_lines):
        argv = [word for word in _started(split_line(typed)) if "{" not in word]
        if _is_unittest(argv, place, tree, read):
            said = ("python", *argv)
            yield TestCommand("unittest", said, place), f"{source}: {' '.join(said)}"
        elif of_django(typed) and (found := of_django(*typed_lines[i:])):
            yield found


def _is_unittest(argv: list[str], place: str, tree: Tree, read: ReadFile) -> bool:
    if argv[:1] == ["-m"] and len(argv) > 1:
        return argv[1] in ("unittest", _ZOPE) or _is_test_module(argv[1], place, tree, read)
    return bool(argv) and _is_program(root_relative(argv[0], place), tree, read)


def _started(words: list[str]) -> list[str]:
    """What the interpreter starts, behind its own options and those of ``coverage run``."""
    if words[:2] == ["coverage", "run"]:
        rest = words[2:]
    elif words and re.fullmatch(r"python[\d.]*|\{envpython\}", words[0]):
        rest = words[1:]
    else:
        rest = words if words[:1] == [_ZOPE_PROGRAM] else []
    while rest and (rest[:3] == ["-m", "coverage", "run"] or (rest[0].startswith("-") and rest[0] != "-m")):
        rest = rest[3:] if rest[0] == "-m" else rest[2:] if rest[0] in _WITH_VALUE else rest[1:]
    if rest[:2] == ["-m", _TESTTOOLS] and not any(word.startswith(_TESTTOOLS_ALONE) for word in rest[2:]):
        return ["-m", "unittest", *rest[2:]]
    if rest[:1] == [_ZOPE_PROGRAM]:
        return ["-m", _ZOPE, *(word for word in rest[1:] if not word.startswith("-j"))]
    return rest


def _is_program(path: str, tree: Tree, read: ReadFile) -> bool:
    name = path.removeprefix("./")
    named = name in tree and _RUNS_TESTS.fullmatch(name.rpartition("/")[2])
    return bool(named and RUNS_UNITTEST.search(read(name)))


def own_program(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """The file of a suite that is nothing but a program which makes its tests."""
    found = (f"{folder}{name}" for folder in ("", "tests/", "test/") for name in ("runtests.py", "run_tests.py"))
    return next(((path,) for path in found if _is_program(path, tree, read)), ())


def suite_of_setup(tree: Tree, read: ReadFile) -> tuple[str, tuple[str, ...]]:
    """(the module, or what it makes, that ``setup.py test`` loads, the files of its folder); empty where there is none.
    unittest takes the same name: https://docs.python.org/3/library/unittest.html#command-line-interface"""
    suite = suite_named(tree, read)
    if not _DOTTED.fullmatch(suite):
        return "", ()
    file = _source(suite, tree) or _source(suite.rpartition(".")[0], tree)
    if file is None:
        return "", ()
    beside = tuple(path for path in tree if dirname(path) == dirname(file) and path.endswith(".py"))
    return suite, beside if "/" in file else (file,)


def package_of_itself(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """What holds tests in the package of tests that a command starts as a program of unittest, ``-m shop.tests``, or
    that can be started so: it names its modules itself, whatever they are called."""
    found = _of_own_commands(tree, read, ()) or program_of_ci(tree, read, ()) or _by_its_package(tree, read)
    if found is None or found[0].runner != "unittest" or found[0].argv[1:2] != ("-m",) or found[0].directory:
        return ()
    main = _source(f"{found[0].argv[2]}.__main__", tree)
    below = sorted(path for path in tree if main and path.startswith(f"{dirname(main)}/") and path.endswith(".py"))
    return tuple(path for path in below[:MOST_FILES] if HOLDS_TESTS.search(read(path)))


def _by_its_package(tree: Tree, read: ReadFile) -> _Found | None:
    """Where it is the only one of the repository that is a program of unittest."""
    programs = [(path, named[1]) for path in tree if (named := _PROGRAM_OF_PACKAGE.fullmatch(path))]
    if len(programs) != 1 or not RUNS_UNITTEST.search(text := read(programs[0][0])) or _OF_OTHERS.search(text):
        return None
    command = ("python", "-m", programs[0][1].replace("/", "."))
    return TestCommand("unittest", command), f"{programs[0][0]}: runs unittest"


def _is_test_module(name: str, place: str, tree: Tree, read: ReadFile) -> bool:
    """Of the repository itself, and run by unittest, or by what it imports: often it is two lines."""
    within = f"{place}/{name}".lstrip("/")
    started = _source(f"{within}.__main__", tree) or _source(within, tree)
    if not (started and _TEST_MODULE.fullmatch(name)):
        return False
    text = read(started)
    imported = (_source(found.decode(), tree) for found in _MODULE_IMPORTS.findall(text))
    return b"pytest" not in text and any(b"unittest" in each for each in (text, *map(read, filter(None, imported))))


def _source(module: str, tree: Tree) -> str | None:
    """The file of a module of the repository."""
    path = f"{module.replace('.', '/')}.py"
    return next((each for each in (path, f"src/{path}") if each in tree), None)
