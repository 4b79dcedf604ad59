"""What hatch installs for tests, and how it starts them: https://hatch.pypa.io/latest/config/environment/overview/"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.told import Told
from repo_tools.environment.python.tox_factors import as_started
from repo_tools.environment.settings_text import read_toml, strings, table
from repo_tools.environment.texts import text_at

_FOR_TESTS = re.compile(r"default|(?:hatch-)?test(?:s|ing)?|pytest|unit(?:[_-]?tests?)?")


def read_hatch(tree: Tree, read: ReadFile) -> Iterator[Told]:
    """Of each environment whose name says that tests run in it."""
    for source, env in _environments(tree, read):
        yield _told(source, env)


def hatch_commands(tree: Tree, read: ReadFile) -> Iterator[str]:
    """The lines of these environments' scripts, `as_started`."""
    for _, env in _environments(tree, read):
        for script in table(env, "scripts").values():
            lines = script if isinstance(script, list) else [script]
            yield from (as_started(line) for line in lines if isinstance(line, str))


def _environments(tree: Tree, read: ReadFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(where it stands, what it says); ``hatch.toml`` holds what else stands below ``[tool.hatch]``."""
    for path, keys in (("pyproject.toml", ("tool", "hatch", "envs")), ("hatch.toml", ("envs",))):
        envs = table(read_toml(text_at(path, tree, read)), *keys)
        for name in filter(_FOR_TESTS.fullmatch, envs):
            yield f"{path} [{'.'.join((*keys, name))}]", table(envs, name)


def _told(source: str, env: Mapping[str, Any]) -> Told:
    return Told(
        source,
        requirements=tuple(map(_placed, (*strings(env.get("dependencies")), *strings(env.get("extra-dependencies"))))),
        extras=tuple(strings(env.get("features"))),
        groups=tuple(strings(env.get("dependency-groups"))),
    )


def _placed(requirement: str) -> str:
    """One that is a folder of the repository, as `workspace.settled` knows it:
    https://hatch.pypa.io/latest/config/context/#paths"""
    return re.sub(r"@\s*\{root:uri\}/", "@ ./", requirement)
