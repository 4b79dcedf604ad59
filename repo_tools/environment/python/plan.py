"""What is installed for a Python project, as its files tell."""

import re
from collections.abc import Mapping
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.compiled import is_compiled
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.as_it_lies import as_it_lies
from repo_tools.environment.python.attempts import InstallPlan
from repo_tools.environment.python.build_system import (
    build_system,
    built_with,
    has_own_develop,
    is_built_by_setuptools,
    rebuilds,
)
from repo_tools.environment.python.cythonized import made_by_cython
from repo_tools.environment.python.django_settings import django_plugin
from repo_tools.environment.python.extras import of_extras, own_requirements
from repo_tools.environment.python.imports import undeclared
from repo_tools.environment.python.pytest_settings import PytestSettings, conftests
from repo_tools.environment.python.requirement_files import requirements_in
from repo_tools.environment.python.requirements import (
    RequirementSource,
    declared_requirements,
    names_of,
    runtime_requirements,
    without_options,
)
from repo_tools.environment.python.rewritten_build import as_rewritten, rewritten
from repo_tools.environment.python.tox import read_tools
from repo_tools.environment.python.used import Uses
from repo_tools.environment.python.versions import UNKNOWN
from repo_tools.environment.python.workspace import project_of_sources, projects_of_tests, settled, tested_members
from repo_tools.environment.python.workspace_above import workspace_above
from repo_tools.environment.submodules import submodules
from repo_tools.environment.texts import read_text

LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")
_RUNTIME_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt")
_OLD_PYTEST = re.compile(r"(?:pytest|py|pluggy) ?(?:\[[^]]*\])? ?\(? ?(?:~=|==|<|[^,;]*, ?<)")
_LIST = re.compile(r"""['"]([\w./-]{1,200}\.(?:txt|in))['"]""")
_AT_ONCE = {"PIP_RETRIES": "0", "UV_HTTP_RETRIES": "0"}


def install_plan(
    tree: Tree,
    read: ReadFile,
    settings: PytestSettings | None,
    test_files: tuple[str, ...],
    packaged: str | None,
    uses: Uses,
    version: str = UNKNOWN,
) -> InstallPlan:
    """For the project at the root of `tree`, whose suite is `test_files`, in this `version`."""
    sources = _sources(tree, read, test_files, packaged, uses)
    lines = {source.path: requirements_in(source.path, tree, read) for source in sources if source.path}
    plugins = settings.plugins if settings else ()
    runtime = _runtime(tree, read)
    known = RequirementSource("", (*plugins, *(word for listed in runtime.values() for word in listed)))
    needed = _needed(runtime, tree, read)
    above = workspace_above(read)
    lock = next((path for path in LOCK_FILES if path in tree), above.lock if above else "")
    is_of_pyproject = packaged == "pyproject.toml"
    anew = rewritten(tree, read) if is_of_pyproject else ""
    builders = built_with(tree, read)
    return InstallPlan(
        packaged,
        loosely=(is_of_pyproject and not build_system(tree, read)) or bool(submodules(tree)),
        built_with=as_rewritten(builders) if anew else builders,
        rebuilds=rebuilds(tree, read) if is_of_pyproject else "",
        runtime=needed,
        sources=sources,
        lines=lines,
        extras={word: own_requirements(word, tree, read) for listed in lines.values() for word in listed},
        plugins=plugins,
        guessed=_guessed(tree, read, settings, test_files, names_of((*sources, known), read), uses),
        limits=_limits(tree, read),
        lock=lock,
        may_pin_old_pytest=bool(lock) or _pins_pytest(sources, lines),
        develops=packaged == "setup.py" and has_own_develop(tree, read),
        cythonized=made_by_cython(tree, read) if packaged else (),
        compiles=packaged is not None and is_compiled(tree) and is_built_by_setuptools(tree, read),
        lies=as_it_lies(tree, read, version),
        has_tests="tests/__init__.py" in tree,
        rewritten=anew,
    )


def _sources(
    tree: Tree, read: ReadFile, test_files: tuple[str, ...], packaged: str | None, uses: Uses
) -> tuple[RequirementSource, ...]:
    """What is declared for the tests, and the repository's own projects that they need."""
    above = workspace_above(read)
    written = declared_requirements(tree, read) or tuple(above.sources() if above else ())
    declared = (
        *written,
        *project_of_sources(tree, packaged),
        *tested_members(tree, read, test_files, uses),
        *projects_of_tests(tree, read, test_files, packaged, uses),
    )
    return settled((without_options(source, tree, read) for source in declared), tree, read)


def _runtime(tree: Tree, read: ReadFile) -> dict[str, frozenset[str]]:
    """Manifest -> what it says that the project runs with; where ``setup.py`` only reads a list, that list."""
    found = {path: runtime_requirements(path, read_text(read, path)) for path in _RUNTIME_FILES if path in tree}
    if "setup.py" in tree and not found["setup.py"]:
        named = (path for path in _LIST.findall(read_text(read, "setup.py")) if "requirements" in path and path in tree)
        found |= {path: runtime_requirements(path, read_text(read, path)) for path in islice(named, 1)}
    return found


def _needed(runtime: Mapping[str, frozenset[str]], tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """What the project itself runs with, by the first of its manifests that says so."""
    own = [sorted(listed) for path, listed in runtime.items() if path != "requirements.txt" and listed]
    found = settled((RequirementSource("runtime", tuple(own[0])),), tree, read) if own else ()
    return found[0].arguments if found else ()


def _guessed(
    tree: Tree,
    read: ReadFile,
    settings: PytestSettings | None,
    test_files: tuple[str, ...],
    known: frozenset[str],
    uses: Uses,
) -> tuple[str, ...]:
    """What tests use and nothing declares."""
    found = undeclared(tree, read, (*conftests(tree), *test_files), known, of_extras(tree, read), uses)
    return tuple(dict.fromkeys((*found, *(each for each in django_plugin(tree, read, settings) if each not in known))))


def variables_of_tests(tree: Tree, read: ReadFile) -> dict[str, str]:
    """What tox sets beside the tests, the first that says it; and what keeps installers from asking again and again
    where there is no network."""
    told = {name: value for told in reversed(read_tools(tree, read)) for name, value in told.variables.items()}
    return _AT_ONCE | told


def _limits(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    named = (path for told in read_tools(tree, read) for path in told.constraints)
    return tuple(dict.fromkeys(path for path in named if path in tree))


def _pins_pytest(sources: tuple[RequirementSource, ...], lines: Mapping[str, tuple[str, ...]]) -> bool:
    words = (word for source in sources for word in (lines[source.path] if source.path else source.arguments))
    return any(_OLD_PYTEST.match(" ".join(word.split())) for word in words)
