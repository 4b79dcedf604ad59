"""A root whose Python manifests only bring tools together, or the members of a workspace: what is tested stands in a
project below it, which says itself how (``backend/`` beside ``frontend/``). Pure."""

from collections.abc import Mapping, Set
from itertools import islice
from pathlib import PurePosixPath

from repo_tools.changes import Tree
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.one_project import reader_below, subtree
from repo_tools.environment.projects import IMPORTED
from repo_tools.environment.python.build_system import packaging
from repo_tools.environment.python.detector import PythonDetector
from repo_tools.environment.python.hatch import hatch_commands
from repo_tools.environment.python.pytest_settings import conftests, read_pytest_settings
from repo_tools.environment.python.requirement import name_of, normal
from repo_tools.environment.python.requirements import declared_requirements, names_of, runtime_requirements
from repo_tools.environment.python.tox import read_tools
from repo_tools.environment.settings_text import read_toml, table
from repo_tools.environment.texts import read_text, text_at
from repo_tools.paths import parents

_RUN_TESTS = ("tox.ini", "tox.toml", "noxfile.py", "setup.py", "manage.py")
_MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")
_MOST_PROJECTS, _MOST_READ = 20, 200


def holds_tools_alone(tree: Tree, read: ReadFile, folders: Mapping[str, frozenset[str]]) -> bool:
    """Whether the root has no package, no tests, and nothing that says how any are run, nor lists what the projects
    below it need and do not list themselves; and of these some configure pytest, which a run from the root does not
    read, or one has all tests, and the root lists nothing or the CI tests there. `folders`: of projects, with their
    families."""
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
    if any(_lacks(*each[folder], wanted | _of_product(own, read)) for folder in tested):
        return False
    if len(tested) == 1 and (not wanted or _where_the_ci_tests(tree, read) == {tested[0]}):
        return True
    configured = any(read_pytest_settings(*each[folder]) for folder in tested)
    return configured and (len(tested) == 1 or "" not in _where_the_ci_tests(tree, read))


def _tells_of_tests(own: Tree, read: ReadFile) -> bool:
    if any(path in _RUN_TESTS or path.endswith("/__init__.py") for path in own):
        return True
    of_tox = table(read_toml(text_at("pyproject.toml", own, read)), "tool", "tox")
    if of_tox or any(read_tools(own, read)) or any(hatch_commands(own, read)):
        return True
    return bool(conftests(own) or read_pytest_settings(own, read) or PythonDetector().detect(own, read))


def _is_complete(tree: Tree, read: ReadFile) -> bool:
    """Whether it has tests, and says itself what it needs."""
    told = packaging(tree, read) or declared_requirements(tree, read)
    return bool(told and PythonDetector().detect(tree, read))


def _lacks(tree: Tree, read: ReadFile, wanted: Set[str]) -> bool:
    """Whether its sources import what is `wanted` in the root, and neither they nor what it declares itself have."""
    sources = [path for path in tree if path.endswith(".py")]
    own = {normal(name) for path in sources for name in PurePosixPath(path).with_suffix("").parts}
    lacking = wanted - names_of(declared_requirements(tree, read), read) - _of_product(tree, read) - own
    texts = (read(path) for path in islice(sources if lacking else (), _MOST_READ))
    return any(normal(name.decode()) in lacking for text in texts for name in IMPORTED.findall(text))


def _of_product(tree: Tree, read: ReadFile) -> frozenset[str]:
    told = (runtime_requirements(path, read_text(read, path)) for path in _MANIFESTS if path in tree)
    return frozenset(name_of(requirement) for requirements in told for requirement in requirements)


def _where_the_ci_tests(tree: Tree, read: ReadFile) -> Set[str]:
    job = likeliest_python_job(tree, read)
    return {command.directory for command in job.tests} if job else set()
