"""A root whose Python manifests only bring tools together, or the members of a workspace: what is tested stands in a
project below it, which says itself how (``backend/`` beside ``frontend/``). Pure."""

from collections.abc import Mapping

from repo_tools.changes import Tree
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.projects import reader_below, subtree
from repo_tools.environment.python.build_system import packaging
from repo_tools.environment.python.detector import PythonDetector
from repo_tools.environment.python.pytest_settings import conftests, read_pytest_settings
from repo_tools.environment.python.requirements import declared_requirements, names_of
from repo_tools.paths import parents

_RUN_TESTS = ("tox.ini", "noxfile.py", "setup.py", "manage.py")
_MOST_PROJECTS = 20


def holds_tools_alone(tree: Tree, read: ReadFile, folders: Mapping[str, frozenset[str]]) -> bool:
    """Whether the root has no package, no tests, and nothing that says how any are run, and of the projects below it
    some configure pytest, which a run from the root does not read, or one has all tests, and the root nothing that they
    may need or the CI tests there. `folders`: of projects, with their families."""
    projects = [folder for folder, families in folders.items() if folder and "python" in families]
    outer = [folder for folder in projects if not {*parents(folder)} & {*projects}]
    if "python" not in folders[""] or not 0 < len(outer) <= _MOST_PROJECTS:
        return False
    below = tuple(f"{folder}/" for folder in outer)
    own = {path: entry for path, entry in tree.items() if not path.startswith(below)}
    wanted = names_of(declared_requirements(own, read), read)
    if _tells_of_tests(own, read) or any(name.startswith("pytest") for name in wanted):
        return False
    each = {folder: (subtree(tree, folder, folders), reader_below(read, folder)) for folder in outer}
    tested = [folder for folder in outer if _is_complete(*each[folder])]
    if any(read_pytest_settings(*each[folder]) for folder in tested):
        return True
    return len(tested) == 1 and (not wanted or _is_where_the_ci_tests(tested[0], tree, read))


def _tells_of_tests(own: Tree, read: ReadFile) -> bool:
    if any(path in _RUN_TESTS or path.endswith("/__init__.py") for path in own):
        return True
    return bool(conftests(own) or read_pytest_settings(own, read) or PythonDetector().detect(own, read))


def _is_complete(tree: Tree, read: ReadFile) -> bool:
    """Whether it has tests, and says itself what it needs."""
    told = packaging(tree, read) or declared_requirements(tree, read)
    return bool(told and PythonDetector().detect(tree, read))


def _is_where_the_ci_tests(folder: str, tree: Tree, read: ReadFile) -> bool:
    job = likeliest_python_job(tree, read)
    return job is not None and {command.directory for command in job.tests} == {folder}
