"""Python repositories: installed with pip into a virtual environment, tested with pytest or with unittest.

pytest runs unittest suites too and reports them test by test; unittest's own loader is used where a suite relies on it
(`unittest.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, TestCommand, Tool
from repo_tools.environment.python.attempts import InstallPlan
from repo_tools.environment.python.build_system import packaging
from repo_tools.environment.python.collection import MANIFEST, collection_in_place, options_of_collection
from repo_tools.environment.python.configured_below import folder_of_suite, with_suite, within
from repo_tools.environment.python.django_settings import django_plugin, django_variables
from repo_tools.environment.python.doctests import doctests
from repo_tools.environment.python.features import features_left_out
from repo_tools.environment.python.install import MAKE_VENV_QUICKLY
from repo_tools.environment.python.interpreter import python_tool
from repo_tools.environment.python.left_out import left_out
from repo_tools.environment.python.manifests import python_manifests
from repo_tools.environment.python.marked_out import marked_out
from repo_tools.environment.python.metadata import name_and_entry_points
from repo_tools.environment.python.plan import install_plan, variables_of_tests
from repo_tools.environment.python.pytest_scope import called_by_name, passed_by
from repo_tools.environment.python.pytest_settings import (
    COLLECTED,
    PytestSettings,
    conftests,
    is_collected,
    read_pytest_settings,
)
from repo_tools.environment.python.siblings import siblings_on_path
from repo_tools.environment.python.suites import suites
from repo_tools.environment.python.test_files import (
    TestFiles,
    called_otherwise,
    files_of_tests,
    folders_of,
    mostly_called_otherwise,
    unusual_names,
)
from repo_tools.environment.python.test_places import places_of_tests
from repo_tools.environment.python.test_programs import run_by_nose
from repo_tools.environment.python.unittest import (
    MOST_FILES,
    own_program,
    package_of_itself,
    suite_of_setup,
    unittest_command,
)
from repo_tools.environment.python.unwarned import not_warned_of
from repo_tools.environment.python.versions import unset_for_tests, variables_of, version_without_history
from repo_tools.environment.python.workspace_above import workspace_above
from repo_tools.environment.texts import text_at

_TRANSLATED = re.compile(r"^[^#\n]*\buse_2to3\b['\"\]]{0,2}\s{0,9}[=:]\s{0,9}True\b", re.MULTILINE)


class PythonDetector:
    """The version in the name is part of each layer's key: raise it when the same manifests give other commands."""

    name = "python/46"
    looked_for = "Python test files (test_*.py, *_test.py, or what pytest's configuration names)"
    suffixes = (".py",)

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        settings = read_pytest_settings(tree, read)
        folder = "" if settings else folder_of_suite(tree, read)
        if not folder:
            return self._planned(tree, read, settings)
        place = within(folder, tree, read)
        suite, whole = self.detect(*place), self._planned(tree, read, None, read_pytest_settings(*place))
        return with_suite(whole, suite, folder, tree, read) if whole and suite else whole

    def _planned(
        self, tree: Tree, read: ReadFile, settings: PytestSettings | None, below: PytestSettings | None = None
    ) -> Environment | None:
        """`below`: settings of a folder that holds the suite, whose plug-ins are installed, too."""
        found = _test_files(tree, read, settings)
        called = called_by_name(tree, read)
        test_files = tuple(dict.fromkeys((*found.files, *called)))
        if not test_files:
            return None
        packaged = packaging(tree, read)
        version, version_source = version_without_history(tree, read)
        plan = install_plan(tree, read, settings or below, test_files, packaged, version)
        tool = python_tool(tree, read)
        of_django = bool(django_plugin(tree, read, settings))
        known = settings.python_files if settings else found.patterns or unusual_names(test_files, of_django=of_django)
        unusual = tuple(path for path in called if not is_collected(path, known or COLLECTED))
        named = _python_files(known, unusual, configured=_is_configured(tree, settings))
        options = (*named, *_in_one_order(plan, settings))
        tests, said = _test_command(tree, read, settings, test_files, options)
        if tests.runner == "pytest" and (nose := _run_by_nose(tree, read, settings, test_files, plan)):
            tests = replace(tests, runner="nose")
            said += (f"{nose}: pytest with nose's fixtures and yielded tests",)
        beside = collection_in_place(tree, read)
        return Environment(
            detector=self.name,
            evidence=(
                *_evidence(tree, settings, packaged),
                *filter(None, (found.said,)),
                *said,
                *plan.evidence,
                *_told(version, version_source),
                *_of_python_2(tree, read),
            ),
            setup=(*MAKE_VENV_QUICKLY, *siblings_on_path(tree, read, test_files), *plan.commands(), *beside),
            tests=suites(tests, tree, settings, test_files) if tests.argv[0] == "pytest" else (tests,),
            manifests=(
                *python_manifests(tree, read, (*plan.places(), *((MANIFEST,) if beside else ()))),
                *(above.manifests if (above := workspace_above(read)) else ()),
            ),
            variables=variables_of(version, tree, read),
            test_variables={
                **django_variables(
                    tree, read, settings, by_program=tests.argv[1:2] != ("-m",) and tests.argv[0] == "python"
                ),
                **variables_of_tests(tree, read),
                **unset_for_tests(name_and_entry_points(tree, read)[0]),
            },
            test_paths=places_of_tests(settings.test_paths, tree, test_files) if settings else (),
            test_file_patterns=(*known, *unusual),
            tools=(tool or Tool("python"),),  # asked for in any case: which packages fit depends on it
            dated=True,
            left_out=features_left_out(tree, read),
        )


def _test_files(tree: Tree, read: ReadFile, settings: PytestSettings | None) -> TestFiles:
    """By their names; where neither these nor pytest's settings tell of any, or of most, what a program of tests, or
    ``setup.py test``, loads, or what is called otherwise."""
    named = files_of_tests(tree, settings)
    if not _is_configured(tree, settings) and named and (most := mostly_called_otherwise(named, tree, read)).files:
        return most
    if not (named or settings):
        named = own_program(tree, read) or suite_of_setup(tree, read)[1]
    if named or settings:
        return TestFiles(named)
    own = package_of_itself(tree, read)
    return TestFiles(own, folders_of(own)) if own else called_otherwise(tree, read)


def _in_one_order(plan: InstallPlan, settings: PytestSettings | None) -> tuple[str, ...]:
    """Options that keep pytest-randomly from another order in each run, since runs are compared; none where the suite's
    own options say what it is to do (https://github.com/pytest-dev/pytest-randomly#usage)."""
    told = "randomly" in str(settings.settings.get("addopts", "")) if settings else False
    return ("-p", "no:randomly") if any(plan.asked_for("pytest-randomly")) and not told else ()


def _test_command(
    tree: Tree,
    read: ReadFile,
    settings: PytestSettings | None,
    test_files: tuple[str, ...],
    more: tuple[str, ...],
) -> tuple[TestCommand, tuple[str, ...]]:
    """(how to run the suite, what says so, if it is no file of pytest's); `more` are options of pytest's."""
    if not _is_configured(tree, settings) and (other := unittest_command(tree, read, test_files)):
        return other[0], other[1:]
    options = (*(settings.options if settings else ()), *not_warned_of(tree, read, settings, test_files))
    folders, source = passed_by(tree, read, test_files) if not (settings and settings.test_paths) else ((), "")
    marked, said = marked_out(tree, read)
    examples, told = doctests(tree, read, settings, test_files)
    ignored, ignoring = left_out(tree, read, test_files)
    words = dict.fromkeys((*(f"--ignore={folder}" for folder in folders), *examples, *ignored))
    own = settings.own_options if settings else ()
    of_collection = options_of_collection(tree, read, test_files)
    command = TestCommand("pytest", ("pytest", *options, *more, *of_collection, *words, *marked), own_options=own)
    return command, tuple(filter(None, (source, said, told, ignoring)))


def _run_by_nose(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, test_files: tuple[str, ...], plan: InstallPlan
) -> str:
    if _is_configured(tree, settings):
        return ""
    wanted = {name for name in ("nose", "pytest") if any(plan.asked_for(name))}
    return run_by_nose(tree, read, test_files[:MOST_FILES], wanted)


def _is_configured(tree: Tree, settings: PytestSettings | None) -> bool:
    return settings is not None or bool(conftests(tree))


def _python_files(known: tuple[str, ...], called: tuple[str, ...], *, configured: bool) -> tuple[str, ...]:
    """The option that names what pytest would pass by: files of no name that it knows, `called` by a command."""
    if called:
        told: tuple[str, ...] = (*(known or COLLECTED), *called)
    else:
        told = () if configured else known
    return ("-o", f"python_files={' '.join(told)}") if told else ()


def _told(version: str, source: str) -> Iterator[str]:
    if source:
        yield f"{source}: version {version}, where the build asks for one"


def _of_python_2(tree: Tree, read: ReadFile) -> Iterator[str]:
    """https://setuptools.pypa.io/en/latest/history.html#v58-0-0: what builds of before made of the sources was tested
    where they had put it."""
    if _TRANSLATED.search(text_at("setup.py", tree, read)):
        yield "setup.py use_2to3: its sources are of Python 2, and not what its build made of them is tested"


def _evidence(tree: Tree, settings: PytestSettings | None, packaged: str | None) -> Iterator[str]:
    if settings:
        yield f"{settings.source}: pytest's configuration"
    if conftests(tree):
        yield "conftest.py"
    if packaged:
        yield f"{packaged}: installed editable"
    else:
        yield "no packaging metadata: imported from the repository's root"
