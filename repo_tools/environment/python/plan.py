"""What is installed for a Python project, as its files tell."""

import re
from collections.abc import Mapping
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.agreement import agreeing
from repo_tools.environment.python.as_it_lies import as_it_lies
from repo_tools.environment.python.attempts import InstallPlan
from repo_tools.environment.python.builders import builders
from repo_tools.environment.python.cythonized import made_by_cython
from repo_tools.environment.python.django_settings import django_plugin
from repo_tools.environment.python.extras import of_extras, own_requirements
from repo_tools.environment.python.imports import undeclared
from repo_tools.environment.python.pytest_settings import PytestSettings, entries, read_toml, table
from repo_tools.environment.python.requirement_files import requirements_in
from repo_tools.environment.python.requirements import (
    RequirementSource,
    declared_requirements,
    names_of,
    runtime_requirements,
    without_options,
)
from repo_tools.environment.python.tox import read_tools
from repo_tools.environment.python.versions import UNKNOWN
from repo_tools.environment.python.workspace import project_of_sources, projects_of_tests, settled, tested_members
from repo_tools.environment.submodules import submodules
from repo_tools.environment.texts import read_text

LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")
_RUNTIME_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt")
_OLD_PYTEST = re.compile(r"(?:pytest|py|pluggy) ?(?:\[[^]]*\])? ?\(? ?(?:~=|==|<|[^,;]*, ?<)")
_OWN_DEVELOP = re.compile(r"\bsetuptools\.command(?:\.develop| import [^\n]{0,200}\bdevelop)\b")
"""https://setuptools.pypa.io/en/latest/userguide/extension.html#extending-or-customizing-setuptools"""
_AT_ONCE = {"PIP_RETRIES": "0", "UV_HTTP_RETRIES": "0"}


def install_plan(
    tree: Tree,
    read: ReadFile,
    settings: PytestSettings | None,
    test_files: tuple[str, ...],
    packaged: str | None,
    version: str = UNKNOWN,
) -> InstallPlan:
    """For the project at the root of `tree`, whose suite is `test_files`, in this `version`."""
    members = (*project_of_sources(tree, packaged), *tested_members(tree, read, test_files))
    members += projects_of_tests(tree, read, test_files, packaged)
    declared = (*declared_requirements(tree, read), *members)
    sources = settled((without_options(source, tree, read) for source in declared), tree, read)
    plugins = settings.plugins if settings else ()
    runtime = {p: runtime_requirements(p, read_text(read, p)) for p in _RUNTIME_FILES if p in tree}
    known = names_of(
        (*sources, RequirementSource("", ("", *plugins, *(r for rs in runtime.values() for r in rs)))), read
    )
    conftests = [path for path in tree if re.fullmatch(r"(?:.*/)?conftest\.py", path)]
    lock = next((path for path in LOCK_FILES if path in tree), "")
    own = [sorted(listed) for path, listed in runtime.items() if path != "requirements.txt" and listed]
    needed = settled((RequirementSource("runtime", tuple(own[0])),), tree, read) if own else ()
    guessed = undeclared(tree, read, (*conftests, *test_files), known, of_extras(tree, read))
    guessed += tuple(plugin for plugin in django_plugin(tree, read, settings) if plugin not in known)
    lines = {source.path: requirements_in(source.path, tree, read) for source in sources if source.path}
    return InstallPlan(
        packaged,
        loosely=(packaged == "pyproject.toml" and not _build_system(read)) or bool(submodules(tree)),
        built_with=_built_with(tree, read),
        rebuilds=_rebuilds(read) if packaged == "pyproject.toml" else "",
        runtime=needed[0].arguments if needed else (),
        sources=agreeing(sources, lines, needed[0].arguments if needed else ()),
        lines=lines,
        extras={word: own_requirements(word, tree, read) for listed in lines.values() for word in listed},
        plugins=plugins,
        guessed=tuple(dict.fromkeys(guessed)),
        limits=_limits(tree, read),
        lock=lock,
        may_pin_old_pytest=bool(lock) or _pins_pytest(sources, tree, read),
        develops=packaged == "setup.py" and bool(_OWN_DEVELOP.search(read_text(read, "setup.py"))),
        cythonized=made_by_cython(tree, read) if packaged else (),
        lies=as_it_lies(tree, read, version),
    )


def variables_of_tests(tree: Tree, read: ReadFile) -> dict[str, str]:
    """What tox sets beside the tests, the first that says it; and what keeps installers from asking again and again
    where there is no network."""
    told = {name: value for told in reversed(read_tools(tree, read)) for name, value in told.variables.items()}
    return _AT_ONCE | told


def packaging(tree: Tree, read: ReadFile) -> str | None:
    """The file by which pip can install the project."""
    if "pyproject.toml" in tree:
        document = read_toml(read_text(read, "pyproject.toml"))
        if table(document, "tool", "poetry").get("package-mode") is False:
            return None
        if "project" in document or ("build-system" in document and not _builds_nothing(document, tree)):
            return "pyproject.toml"
    return "setup.py" if "setup.py" in tree else None


def _builds_nothing(document: Mapping[str, Any], tree: Tree) -> bool:
    """Whether setuptools is named as the build, and nothing says of which project: the root of several."""
    backend = str(table(document, "build-system").get("build-backend", "setuptools"))
    others = {"poetry", "flit"} & table(document, "tool").keys()
    return backend.startswith("setuptools") and not (others or {"setup.py", "setup.cfg"} & tree.keys())


def _build_system(read: ReadFile) -> Mapping[str, Any]:
    """Empty for most applications: their ``[project]`` lists dependencies, and is never built."""
    return table(read_toml(read_text(read, "pyproject.toml")), "build-system")


def _built_with(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    if "pyproject.toml" in tree and (named := entries(_build_system(read), "requires")):
        return tuple(map(str, named))
    return builders(tree, read)


def _rebuilds(read: ReadFile) -> str:
    """https://mesonbuild.com/meson-python/how-to-guides/editable-installs.html: by what it was built with, which has to
    be there still."""
    name = table(read_toml(read_text(read, "pyproject.toml")), "project").get("name")
    return name if isinstance(name, str) and _build_system(read).get("build-backend") == "mesonpy" else ""


def _limits(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    named = (path for told in read_tools(tree, read) for path in told.constraints)
    return tuple(dict.fromkeys(path for path in named if path in tree))


def _pins_pytest(sources: tuple[RequirementSource, ...], tree: Tree, read: ReadFile) -> bool:
    lines = (r for s in sources for r in (requirements_in(s.path, tree, read) if s.path else s.arguments))
    return any(_OLD_PYTEST.match(" ".join(line.split())) for line in lines)
