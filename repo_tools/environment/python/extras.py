"""The extras and the groups of a project, whichever file declares them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from packaging.requirements import Requirement

from repo_tools.changes import Tree
from repo_tools.environment.ci.installs import NOT_FOR_TESTS
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.groups import expand_extra
from repo_tools.environment.python.poetry import poetry_extra, poetry_requirements
from repo_tools.environment.python.requirement import normal, read_requirement, requirement_list
from repo_tools.environment.python.setup_file import setup_arguments
from repo_tools.environment.settings_text import entries, read_ini, read_toml, section, table
from repo_tools.environment.texts import text_at

OWN = re.compile(r"\.\[([\w.,\s-]+)\]")
"""The project itself with extras, as a list of requirements names it."""
_OPEN_WILDCARD = re.compile(r"(?<=[<>])(=?\s*[\w.]+?)\.\*")
_NO_VERSION = re.compile(r"^([A-Za-z0-9][\w.-]*(?:\[[\w, -]+\])?)\s*(?:[<>]=?|[=!~]=)\s*[A-Za-z]\w*$")
_SECTIONS = ("options.extras_require", "extras")
"""Of ``setup.cfg``: setuptools', and pbr's (https://docs.openstack.org/pbr/latest/user/features.html#extra-requirements).
"""
_OF_PBR = re.compile(r"(?<=[\w\])])\s*:\s*(?=\(?\s*(?:python|sys|os|platform)_)")
"""What stands before a condition there (``futures:python_version=='2.7'``)."""


def declared_extras(tree: Tree, read: ReadFile) -> Mapping[str, Any]:
    """Name -> what it lists."""
    document = read_toml(text_at("pyproject.toml", tree, read))
    poetry = table(document, "tool", "poetry")
    return {
        **({} if lists_extras(document) else _of_before(tree, read)),
        **{name: poetry_extra(poetry, listed) for name, listed in table(poetry, "extras").items()},
        **table(document, "project", "optional-dependencies"),
    }


def lists_extras(document: Mapping[str, Any]) -> bool:
    """Whether a ``pyproject.toml`` does so itself: then what ``setup.cfg`` and ``setup.py`` list has no effect
    (https://setuptools.pypa.io/en/latest/userguide/pyproject_config.html), and may be of years before."""
    return "optional-dependencies" in table(document, "project")


def _of_before(tree: Tree, read: ReadFile) -> Mapping[str, Any]:
    of_setup = setup_arguments(text_at("setup.py", tree, read)).get("extras_require")
    return {
        **(with_conditions(of_setup) if isinstance(of_setup, Mapping) else {}),
        **{name: listed for _, name, listed in extras_of_setup_cfg(text_at("setup.cfg", tree, read))},
    }


def extras_of_setup_cfg(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """(section, name, what it lists) of each."""
    ini = read_ini(text)
    for place in _SECTIONS:
        for name, value in section(ini, place).items():
            yield place, name, requirement_list(_OF_PBR.sub("; ", value or ""))


def of_extras(tree: Tree, read: ReadFile) -> Mapping[str, str]:
    """Normal name -> the requirement, of all that the extras list; those of documents and linters come last."""
    extras = declared_extras(tree, read)
    last_first = sorted(extras, key=lambda name: not NOT_FOR_TESTS.fullmatch(str(name)))
    named = (each for name in last_first for each in entries(extras, name) if isinstance(each, str))
    return {normal(requirement.name): str(requirement) for requirement in map(read_requirement, named) if requirement}


def with_conditions(extras: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Extras of a ``setup.py``, with what their names put a condition on (``test:python_version<"3.8"``) among them;
    None for what of that cannot be read:
    https://setuptools.pypa.io/en/latest/userguide/dependency_management.html#platform-specific-dependencies"""
    extras = {str(name): listed for name, listed in extras.items()}
    found = {name: listed for name, listed in extras.items() if ":" not in name}
    for named, listed in extras.items():
        name, _, condition = named.partition(":")
        if condition and isinstance(listed, list) and isinstance(found.setdefault(name, []), list):
            read = (_on_condition(read_requirement(str(each)), condition) for each in listed)
            found[name] = [*found[name], *(requirement and str(requirement) for requirement in read)]
    return found


def _on_condition(requirement: Requirement | None, condition: str) -> Requirement | None:
    if requirement is None or requirement.url or not condition:
        return requirement
    both = f"({requirement.marker}) and ({condition})" if requirement.marker else condition
    return read_requirement(f"{requirement.name}[{','.join(requirement.extras)}]{requirement.specifier}; {both}")


def declared_groups(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Name -> what it lists, of a ``pyproject.toml``."""
    of_poetry = table(document, "tool", "poetry", "group")
    return {
        **{name: poetry_requirements(table(of_poetry, name, "dependencies")) for name in of_poetry},
        **table(document, "tool", "pdm", "dev-dependencies"),
        **table(document, "dependency-groups"),
    }


def own_requirements(word: str, tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """What ``.[a,b]`` asks for besides the project; empty where `word` is something else."""
    own = OWN.fullmatch(word)
    if own is None:
        return ()
    extras, project = declared_extras(tree, read), _name(tree, read)
    listed = (each for name in own[1].split(",") for each in expand_extra(extras, name.strip(), project))
    return tuple(lenient(each) for each in listed if isinstance(each, str) and re.match(r"[A-Za-z0-9]", each))


def lenient(requirement: str) -> str:
    """What was taken until 2023 as installers of today take it: ``>=0.4`` for ``>=0.4.*``, and ``pytz`` for a
    ``pytz>dev`` (https://packaging.pypa.io/en/latest/changelog.html, 22.0)."""
    return _NO_VERSION.sub(r"\1", _OPEN_WILDCARD.sub(r"\1", requirement))


def _name(tree: Tree, read: ReadFile) -> str:
    document = read_toml(text_at("pyproject.toml", tree, read))
    return str(table(document, "project").get("name", ""))
