"""What a Python repository declares that its tests need.

Manifests are read, never executed; what cannot be read without executing it is left out.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.pytest_settings import read_ini, read_toml, table

GROUP_NAMES = ("test", "tests", "testing", "unittest", "dev", "develop", "development")
"""Extras and groups that hold what tests need, in the order of likelihood."""

_WORDS = "dev|devel|develop|development|test|tests|testing|ci"
_REQUIREMENTS_FILE = re.compile(
    rf"requirements[-_.]?(?:{_WORDS})?\.(?:txt|in)"
    rf"|(?:{_WORDS})[-_.]requirements\.(?:txt|in)"
    rf"|requirements/(?:[\w-]*[-_.])?(?:{_WORDS})(?:[-_.][\w-]*)?\.(?:txt|in)"
    r"|requirements/(?:base|common|main|requirements)\.(?:txt|in)"
    r"|tests?/requirements\.(?:txt|in)"
)
_PYPROJECT_LISTS = (
    ("tool", "uv", "dev-dependencies"),
    ("tool", "hatch", "envs", "default", "dependencies"),
    ("tool", "hatch", "envs", "default", "extra-dependencies"),
    ("tool", "hatch", "envs", "test", "dependencies"),
    ("tool", "hatch", "envs", "test", "extra-dependencies"),
    ("tool", "hatch", "envs", "hatch-test", "extra-dependencies"),
)


@dataclass(frozen=True)
class RequirementSource:
    """One place that names requirements; `arguments` are for ``pip install``."""

    evidence: str
    arguments: tuple[str, ...]


def declared_requirements(tree: Tree, read: ReadFile) -> tuple[RequirementSource, ...]:
    """Everything declared for development and tests; each place apart, so that one may fail without the others."""
    sources = [*_requirements_files(tree)]
    for name, reader in (
        ("pyproject.toml", _from_pyproject),
        ("setup.cfg", _from_setup_cfg),
        ("setup.py", _from_setup_py),
        ("tox.ini", _from_tox_ini),
    ):
        if name in tree:
            sources.extend(reader(read(name).decode("utf-8", "replace")))
    first = {source.arguments: source for source in reversed(sources) if source.arguments}
    return tuple(source for source in sources if first.get(source.arguments) is source)


def runtime_requirements(path: str, text: str) -> frozenset[str]:
    """What the product needs to run, as far as the manifest `path` says so: requirements as pip takes them."""
    name = PurePosixPath(path).name
    if re.fullmatch(r".*requirements.*\.(?:txt|in)", name) or re.fullmatch(
        r"(?:.*/)?requirements/[^/]+\.(?:txt|in)", path
    ):
        listed: Iterable[Any] = (re.split(r"\s--?\w|\s*\\$", line)[0] for line in _lines(text))
    elif name == "pyproject.toml":
        document = read_toml(text)
        poetry = table(document, "tool", "poetry", "dependencies")
        listed = [*(table(document, "project").get("dependencies") or ()), *_poetry_requirements(poetry)]
    elif name == "setup.cfg":
        listed = _lines(read_ini(text).get("options", "install_requires", fallback="") or "")
    elif name == "setup.py":
        listed = _setup_arguments(text).get("install_requires") or ()
    else:
        listed = ()
    return frozenset(requirement.strip() for requirement in listed if _is_requirement(requirement))


def _requirements_files(tree: Tree) -> Iterator[RequirementSource]:
    found = [path for path in tree if _REQUIREMENTS_FILE.fullmatch(path)]
    compiled = {path for path in found if path.endswith(".txt")}
    for path in sorted(found, key=lambda p: (p != "requirements.txt", p)):
        if path in compiled or str(PurePosixPath(path).with_suffix(".txt")) not in compiled:
            yield RequirementSource(path, ("-r", path))


def _from_pyproject(text: str) -> Iterator[RequirementSource]:
    document = read_toml(text)
    project = table(document, "project")
    extras = table(project, "optional-dependencies")
    for name in _wanted(extras):
        requirements = _expand_extra(extras, name, str(project.get("name", "")))
        yield _source(f"pyproject.toml [project.optional-dependencies] {name}", requirements)
    groups = table(document, "dependency-groups")
    for name in _wanted(groups):
        yield _source(f"pyproject.toml [dependency-groups] {name}", _expand_group(groups, name))
    for keys in _PYPROJECT_LISTS:
        yield _source(f"pyproject.toml [{'.'.join(keys)}]", table(document, *keys[:-1]).get(keys[-1]))
    pdm = table(document, "tool", "pdm", "dev-dependencies")
    for name in _wanted(pdm):
        yield _source(f"pyproject.toml [tool.pdm.dev-dependencies] {name}", pdm[name])
    yield from _from_poetry(table(document, "tool", "poetry"))


def _from_poetry(poetry: Mapping[str, Any]) -> Iterator[RequirementSource]:
    groups = table(poetry, "group")
    for name in _wanted(groups):
        dependencies = table(groups, name, "dependencies")
        yield _source(f"pyproject.toml [tool.poetry.group.{name}]", _poetry_requirements(dependencies))
    old = table(poetry, "dev-dependencies")
    yield _source("pyproject.toml [tool.poetry.dev-dependencies]", _poetry_requirements(old))


def _from_setup_cfg(text: str) -> Iterator[RequirementSource]:
    ini = read_ini(text)
    extras = dict(ini.items("options.extras_require")) if ini.has_section("options.extras_require") else {}
    for name in _wanted(extras):
        yield _source(f"setup.cfg [options.extras_require] {name}", _lines(extras[name]))
    yield _source("setup.cfg tests_require", _lines(ini.get("options", "tests_require", fallback="")))


def _from_setup_py(text: str) -> Iterator[RequirementSource]:
    arguments = _setup_arguments(text)
    extras = arguments.get("extras_require")
    if isinstance(extras, Mapping):
        for name in _wanted(extras):
            yield _source(f"setup.py extras_require {name}", extras[name])
    yield _source("setup.py tests_require", arguments.get("tests_require"))


def _from_tox_ini(text: str) -> Iterator[RequirementSource]:
    ini = read_ini(text)
    dependencies = _lines(ini.get("testenv", "deps", fallback="") or "")
    plain = [line for line in dependencies if not re.match(r"[\w,{}.!-]+:\s", line)]  # not for one factor only
    files = [m[1] for line in plain if (m := re.fullmatch(r"(?:-r|--requirement)[ =]?\s*([\w./-]+)", line))]
    yield _source("tox.ini [testenv] deps", plain)
    for path in files:
        yield RequirementSource(f"tox.ini [testenv] deps -r {path}", ("-r", path))


def _wanted(named: Iterable[str]) -> list[str]:
    normal = {re.sub(r"[-_.]+", "-", name).lower(): name for name in named}
    return [normal[name] for name in GROUP_NAMES if name in normal]


def _source(evidence: str, requirements: Any) -> RequirementSource:
    listed = requirements if isinstance(requirements, (list, tuple)) else ()
    return RequirementSource(evidence, tuple(r for r in listed if _is_requirement(r)))


def _is_requirement(value: object) -> bool:
    """A requirement by its name; options, paths and templates are none."""
    return (
        isinstance(value, str)
        and bool(re.match(r"[A-Za-z0-9][\w.-]*\s*(?:$|[\[(<>=!~;@ ])", value))
        and "{" not in value
    )


def _lines(text: str) -> list[str]:
    return [line for raw in text.splitlines() if (line := raw.split(" #")[0].strip()) and line[0] != "#"]


def _expand_extra(extras: Mapping[str, Any], name: str, project: str, seen: frozenset[str] = frozenset()) -> list[Any]:
    """Extras may name others of the same project: ``name[test,docs]``."""
    requirements: list[Any] = []
    for requirement in extras.get(name) or ():
        own = re.fullmatch(r"([\w.-]+)\[([\w.,\s-]+)\]", requirement) if isinstance(requirement, str) else None
        if own and _normal(own[1]) == _normal(project):
            others = {part.strip() for part in own[2].split(",")} - seen - {name}
            for other in sorted(others):
                requirements += _expand_extra(extras, other, project, seen | {name})
        else:
            requirements.append(requirement)
    return requirements


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _expand_group(groups: Mapping[str, Any], name: str, seen: frozenset[str] = frozenset()) -> list[Any]:
    """https://packaging.python.org/en/latest/specifications/dependency-groups/"""
    requirements: list[Any] = []
    for entry in groups.get(name) or ():
        other = entry.get("include-group") if isinstance(entry, Mapping) else None
        if isinstance(other, str) and other not in seen | {name}:
            requirements += _expand_group(groups, other, seen | {name})
        elif isinstance(entry, str):
            requirements.append(entry)
    return requirements


def _poetry_requirements(dependencies: Mapping[str, Any]) -> list[str]:
    return [_poetry_requirement(name, value) for name, value in dependencies.items() if name.lower() != "python"]


def _poetry_requirement(name: str, value: Any) -> str:
    """Poetry's constraint as a requirement: only the lower bound of ``^`` and ``~``, nothing for alternatives."""
    extras = ",".join(value.get("extras", ())) if isinstance(value, Mapping) else ""
    version = value.get("version", "*") if isinstance(value, Mapping) else value
    head = f"{name}[{extras}]" if extras else name
    if not isinstance(version, str) or version.strip() == "*" or "|" in version:
        return head
    parts = [part.strip() for part in version.split(",")]
    return head + ",".join(re.sub(r"^(?:\^|~(?!=))", ">=", p) if not p[:1].isdigit() else f"=={p}" for p in parts)


def _setup_arguments(text: str) -> dict[str, Any]:
    """The literal keyword arguments of ``setup(...)``; names are looked up among the module's literal assignments."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    names = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call) and _called(node) == "setup")
    return {k.arg: _literal(k.value, names) for call in calls for k in call.keywords if k.arg}


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _literal(node: ast.expr, names: Mapping[str, ast.expr], depth: int = 8) -> Any:
    """The value of a literal, with the parts that are none left out of lists and dicts."""
    if depth == 0:
        return None
    if isinstance(node, ast.Name):
        return _literal(names[node.id], names, depth - 1) if node.id in names else None
    if isinstance(node, ast.Dict):
        pairs = ((key, value) for key, value in zip(node.keys, node.values, strict=True) if key)
        return {
            _literal(k, names, depth - 1): _literal(v, names, depth - 1)
            for k, v in pairs
            if isinstance(k, ast.Constant)
        }
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(item, names, depth - 1) for item in node.elts]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _literal(node.left, names, depth - 1), _literal(node.right, names, depth - 1)
        return [*left, *right] if isinstance(left, list) and isinstance(right, list) else left or right
    return node.value if isinstance(node, ast.Constant) else None
