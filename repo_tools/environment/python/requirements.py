"""What a Python repository declares that its tests need.

Manifests are read, never executed; what cannot be read without executing it is left out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.ci.installs import NOT_FOR_TESTS
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.conda import read_conda
from repo_tools.environment.python.extras import (
    declared_extras,
    declared_groups,
    extras_of_setup_cfg,
    lenient,
    lists_extras,
    with_conditions,
)
from repo_tools.environment.python.groups import expand_extra, expand_group, includes, wanted_groups
from repo_tools.environment.python.hatch import read_hatch
from repo_tools.environment.python.poetry import poetry_extra, poetry_requirements
from repo_tools.environment.python.requirement import (
    is_requirement,
    lines_of,
    normal,
    requirement_list,
    without_options_behind,
)
from repo_tools.environment.python.requirement_files import has_options_to_leave_out, requirement_files, requirements_in
from repo_tools.environment.python.setup_file import setup_arguments
from repo_tools.environment.python.sync import EVERY
from repo_tools.environment.python.told import read_ci
from repo_tools.environment.python.tox import read_tools
from repo_tools.environment.settings_text import entries, read_ini, read_toml, table
from repo_tools.environment.texts import read_text, text_at

_ANY_PYTHONS = re.compile(r"(?![^;]*;.*\bpython_(?:full_)?version\s*(?:<|==))[A-Za-z0-9][\w.-]*")
_IN_REQUIREMENTS = re.compile(r"(?:.*/)?requirements/[^/]+\.(?:txt|in)")


@dataclass(frozen=True)
class RequirementSource:
    """One place that names requirements; `arguments` are for ``pip install``."""

    evidence: str
    arguments: tuple[str, ...]

    @property
    def path(self) -> str:
        """Of the file that it is, if it is one."""
        return self.arguments[1] if self.arguments[:1] == ("-r",) else ""


def declared_requirements(tree: Tree, read: ReadFile) -> tuple[RequirementSource, ...]:
    """Everything declared for development and tests; each place apart, so that one may fail without the others."""
    sources = [RequirementSource(path, ("-r", path)) for path in requirement_files(tree)]
    if "pyproject.toml" in tree:
        sources.extend(_from_pyproject(read_text(read, "pyproject.toml")))
    sources.extend(_from_setup(tree, read))
    sources.extend(_from_tools(tree, read))
    sources.extend(_from_other_files(tree, read))
    first = {source.arguments: source for source in reversed(sources) if source.arguments}
    return tuple(source for source in sources if first.get(source.arguments) is source)


def names_of(sources: Iterable[RequirementSource], read: ReadFile) -> frozenset[str]:
    """The normal names of all that they install, as far as it can be read; what only some Pythons get, which it names
    as the last ones, counts for nothing."""
    lines: list[str] = []
    for source in sources:
        try:
            lines += lines_of(read_text(read, source.path)) if source.path else source.arguments
        except KeyError:
            continue
    return frozenset(normal(m[0]) for line in lines if (m := _ANY_PYTHONS.match(line)))


def without_options(source: RequirementSource, tree: Tree, read: ReadFile) -> RequirementSource:
    """Its words in the place of a file that has options behind them (``psycopg2 --no-binary psycopg2``), of which uv
    takes none: pip does, and knows no days. So it is with what is to be read `lenient`, and with PyPI by another
    name."""
    written = requirements_in(source.path, tree, read) if source.path else ()
    words = tuple(map(lenient, written))
    as_it_is = words == written and not has_options_to_leave_out(source.path, tree, read)
    return source if as_it_is or not words else replace(source, arguments=words)


def runtime_requirements(path: str, text: str) -> frozenset[str]:
    """What the product needs to run, as far as the manifest `path` says so: requirements as pip takes them."""
    name = PurePosixPath(path).name
    if re.fullmatch(r".*requirements.*\.(?:txt|in)", name) or _IN_REQUIREMENTS.fullmatch(path):
        listed: Iterable[Any] = map(without_options_behind, lines_of(text))
    elif name == "pyproject.toml":
        document = read_toml(text)
        poetry = table(document, "tool", "poetry", "dependencies")
        flit = entries(table(document, "tool", "flit", "metadata"), "requires")
        listed = [*entries(table(document, "project"), "dependencies"), *poetry_requirements(poetry), *flit]
    elif name == "setup.cfg":
        listed = requirement_list(read_ini(text).get("options", "install_requires", fallback=""))
    elif name == "setup.py":
        told = setup_arguments(text).get("install_requires")
        listed = requirement_list(told) if isinstance(told, str) else told if isinstance(told, list | tuple) else ()
    else:
        listed = ()
    return frozenset(lenient(requirement.strip()) for requirement in listed if is_requirement(requirement))


def _from_pyproject(text: str) -> Iterator[RequirementSource]:
    document = read_toml(text)
    project = table(document, "project")
    extras = table(project, "optional-dependencies")
    for name in wanted_groups(extras):
        requirements = expand_extra(extras, name, str(project.get("name", "")))
        yield _source(f"pyproject.toml [project.optional-dependencies] {name}", requirements)
    flit = table(document, "tool", "flit", "metadata")
    yield _source("pyproject.toml [tool.flit.metadata] dev-requires", flit.get("dev-requires"))
    extra = table(flit, "requires-extra")
    for name in wanted_groups(extra):
        yield _source(f"pyproject.toml [tool.flit.metadata.requires-extra] {name}", extra[name])
    groups = table(document, "dependency-groups")
    for name in dict.fromkeys((*wanted_groups(groups), *_by_default(document, groups))):
        yield _source(f"pyproject.toml [dependency-groups] {name}", expand_group(groups, name))
    for tool in ("uv", "rye"):
        listed = table(document, "tool", tool).get("dev-dependencies")
        yield _source(f"pyproject.toml [tool.{tool}.dev-dependencies]", listed)
    pdm = table(document, "tool", "pdm", "dev-dependencies")
    for name in wanted_groups(pdm):
        yield _source(f"pyproject.toml [tool.pdm.dev-dependencies] {name}", pdm[name])
    yield from _from_poetry(table(document, "tool", "poetry"))


def _by_default(document: Mapping[str, Any], groups: Mapping[str, Any]) -> list[str]:
    """What uv installs before it runs anything: https://docs.astral.sh/uv/concepts/projects/dependencies/#default-groups.
    So does whoever has put the tests' own group into the one for all work."""
    named = table(document, "tool", "uv").get("default-groups")
    if named is None and ("uv" in table(document, "tool") or includes(groups, "dev", wanted_groups(groups))):
        named = ["dev"]
    return [name for name in named if isinstance(name, str) and name in groups] if isinstance(named, list) else []


def _from_poetry(poetry: Mapping[str, Any]) -> Iterator[RequirementSource]:
    groups = table(poetry, "group")
    for name in wanted_groups(groups):
        dependencies = table(groups, name, "dependencies")
        yield _source(f"pyproject.toml [tool.poetry.group.{name}]", poetry_requirements(dependencies))
    extras = table(poetry, "extras")
    for name in wanted_groups(extras):
        yield _source(f"pyproject.toml [tool.poetry.extras] {name}", poetry_extra(poetry, extras[name]))
    old = table(poetry, "dev-dependencies")
    yield _source("pyproject.toml [tool.poetry.dev-dependencies]", poetry_requirements(old))


def _from_setup(tree: Tree, read: ReadFile) -> Iterator[RequirementSource]:
    if not lists_extras(read_toml(text_at("pyproject.toml", tree, read))):
        yield from _extras_of_setup(tree, read)
    ini = read_ini(text_at("setup.cfg", tree, read))
    yield _source("setup.cfg tests_require", requirement_list(ini.get("options", "tests_require", fallback="")))
    yield _source("setup.py tests_require", setup_arguments(text_at("setup.py", tree, read)).get("tests_require"))


def _extras_of_setup(tree: Tree, read: ReadFile) -> Iterator[RequirementSource]:
    extras = {name: (place, listed) for place, name, listed in extras_of_setup_cfg(text_at("setup.cfg", tree, read))}
    for name in wanted_groups(extras):
        yield _source(f"setup.cfg [{extras[name][0]}] {name}", extras[name][1])
    computed = setup_arguments(text_at("setup.py", tree, read)).get("extras_require")
    if isinstance(computed, Mapping):
        of_setup = with_conditions(computed)
        for name in wanted_groups(of_setup):
            evidence, listed = f"setup.py extras_require {name}", of_setup[name]
            is_read = isinstance(listed, list | tuple) and None not in listed
            yield _source(evidence, listed)
            if not is_read:
                yield _by_name(evidence, name)


def _from_tools(tree: Tree, read: ReadFile) -> Iterator[RequirementSource]:
    """What tox, nox, hatch and the CI install beside the project."""
    document = read_toml(text_at("pyproject.toml", tree, read))
    extras, project = declared_extras(tree, read), str(table(document, "project").get("name", ""))
    groups = declared_groups(document)
    computed = "setup.py" in tree or "optional-dependencies" in entries(table(document, "project"), "dynamic")
    for told in (*read_hatch(tree, read), *read_tools(tree, read), *read_ci(tree, read)):
        yield _source(told.source, told.requirements)
        for path in told.files:
            yield RequirementSource(f"{told.source} -r {path}", ("-r", path))
        for name in _named(told.extras, extras):
            evidence, listed = f"{told.source} extra {name}", expand_extra(extras, name, project)
            yield _by_name(evidence, name) if computed and not listed else _source(evidence, listed)
        for name in _named(told.groups, groups):
            yield _source(f"{told.source} group {name}", expand_group(groups, name))


def _by_name(evidence: str, extra: str) -> RequirementSource:
    """Installers run what is not read here."""
    return RequirementSource(evidence, ("--editable", f".[{extra}]"))


def _named(names: Iterable[str], declared: Iterable[str]) -> list[str]:
    """All but those of documents and linters, where all are asked for: they take longer to install than the tests."""
    every = [name for name in declared if not NOT_FOR_TESTS.fullmatch(name)]
    return list(dict.fromkeys(known for name in names for known in (every if name == EVERY else (name,))))


def _from_other_files(tree: Tree, read: ReadFile) -> Iterator[RequirementSource]:
    """pipenv's and conda's: https://pipenv.pypa.io/en/latest/pipfile.html"""
    if "Pipfile" in tree:
        document = read_toml(read_text(read, "Pipfile"))
        for name in ("packages", "dev-packages"):
            yield _source(f"Pipfile [{name}]", poetry_requirements(table(document, name)))
    for evidence, listed in read_conda(tree, read):
        yield _source(evidence, listed)


def _source(evidence: str, requirements: Any) -> RequirementSource:
    listed = requirements if isinstance(requirements, (list, tuple)) else ()
    return RequirementSource(evidence, tuple(lenient(r) for r in listed if is_requirement(r)))
