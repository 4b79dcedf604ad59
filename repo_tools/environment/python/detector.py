"""Python repositories: installed with pip into a virtual environment, tested with pytest or with unittest.

pytest runs unittest suites too and reports them test by test; unittest's own loader is used where a suite relies on it
(`unittest.py`).
"""

import re
from collections.abc import Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, TestCommand, Tool
from repo_tools.environment.python.attempts import InstallPlan
from repo_tools.environment.python.build_system import packaging
from repo_tools.environment.python.django_settings import django_variables
from repo_tools.environment.python.features import features_left_out
from repo_tools.environment.python.found_tests import find_tests
from repo_tools.environment.python.install import MAKE_VENV_QUICKLY
from repo_tools.environment.python.interpreter import python_tool
from repo_tools.environment.python.manifests import python_manifests
from repo_tools.environment.python.metadata import name_and_entry_points
from repo_tools.environment.python.plan import install_plan, variables_of_tests
from repo_tools.environment.python.pytest_settings import PytestSettings, conftests, read_pytest_settings
from repo_tools.environment.python.siblings import siblings_on_path
from repo_tools.environment.python.suite_command import suite_command
from repo_tools.environment.python.suites import suites
from repo_tools.environment.python.test_places import places_of_tests
from repo_tools.environment.python.used import Uses
from repo_tools.environment.python.versions import unset_for_tests, variables_of, version_without_history
from repo_tools.environment.python.workspace_above import workspace_above
from repo_tools.environment.texts import text_at

_TRANSLATED = re.compile(r"^[^#\n]*\buse_2to3\b['\"\]]{0,2}\s{0,9}[=:]\s{0,9}True\b", re.MULTILINE)


class PythonDetector:
    """The version in the name is part of each layer's key: raise it when the same manifests give other commands."""

    name = "python/60"
    looked_for = "Python test files (test_*.py, *_test.py, or what pytest's configuration names)"
    suffixes = (".py",)

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        settings = read_pytest_settings(tree, read)
        tests = find_tests(tree, read, settings)
        if tests is None:
            return None
        packaged = packaging(tree, read)
        version, version_source = version_without_history(tree, read)
        uses = Uses(tree, read)
        plan = install_plan(tree, read, settings, tests.files, packaged, uses, version)
        command, command_sources = suite_command(tree, read, settings, tests, plan, uses)
        return Environment(
            detector=self.name,
            evidence=(
                *_configuration(tree, settings, packaged),
                *filter(None, (tests.said,)),
                *command_sources,
                *plan.evidence,
                *_assumed_version(version, version_source),
                *_of_python_2(tree, read),
            ),
            setup=(
                *MAKE_VENV_QUICKLY,
                *siblings_on_path(tree, read, tests.files),
                *plan.commands(),
            ),
            tests=suites(command, tree, settings, tests.files) if _is_by_pytest(command) else (command,),
            manifests=tuple(_manifests(tree, read, plan)),
            variables=variables_of(version, tree, read),
            test_variables=_test_variables(tree, read, settings, command),
            test_paths=places_of_tests(settings.test_paths, tree, tests.files) if settings else (),
            test_file_patterns=(*tests.patterns, *tests.unusual),
            tools=(python_tool(tree, read) or Tool("python"),),  # in any case: which packages fit depends on it
            dated=True,
            left_out=features_left_out(tree, read),
        )


def _is_by_pytest(command: TestCommand) -> bool:
    return command.argv[0] == "pytest"


def _manifests(tree: Tree, read: ReadFile, plan: InstallPlan) -> Iterator[str]:
    yield from python_manifests(tree, read, plan.places())
    if above := workspace_above(read):
        yield from above.manifests


def _test_variables(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, command: TestCommand
) -> dict[str, str]:
    by_program = command.argv[0] == "python" and command.argv[1:2] != ("-m",)
    return {
        **django_variables(tree, read, settings, by_program=by_program),
        **variables_of_tests(tree, read),
        **unset_for_tests(name_and_entry_points(tree, read)[0]),
    }


def _configuration(tree: Tree, settings: PytestSettings | None, packaged: str | None) -> Iterator[str]:
    if settings:
        yield f"{settings.source}: pytest's configuration"
    if conftests(tree):
        yield "conftest.py"
    if packaged:
        yield f"{packaged}: installed editable"
    else:
        yield "no packaging metadata: imported from the repository's root"


def _assumed_version(version: str, source: str) -> Iterator[str]:
    if source:
        yield f"{source}: version {version}, where the build asks for one"


def _of_python_2(tree: Tree, read: ReadFile) -> Iterator[str]:
    """https://setuptools.pypa.io/en/latest/history.html#v58-0-0: what builds of before made of the sources was tested
    where they had put it."""
    if _TRANSLATED.search(text_at("setup.py", tree, read)):
        yield "setup.py use_2to3: its sources are of Python 2, and not what its build made of them is tested"
