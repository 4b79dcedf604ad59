"""Product code in Go that is newly compiled, or left out, by tags that the suite's commands set. Pure."""

import re

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import Environment, ReadFile

_CONSTRAINT = re.compile(r"^//(?:go:build| ?\+build) (.+)$", re.MULTILINE)
"""https://pkg.go.dev/cmd/go#hdr-Build_constraints"""


def newly_tagged(product: ChangeSet, environment: Environment, base: Tree, read: ReadFile) -> tuple[str, ...]:
    """Files whose users may compile something else than the tests do."""
    tags = frozenset(tag for command in environment.tests for tag in _tags(command.argv))
    files = {path: new.content for path, new in product.files.items() if new and path.endswith(".go")} if tags else {}
    old = {path: read(path) if path in base else b"" for path in files}
    return tuple(sorted(path for path in files if tags & (_named(files[path]) - _named(old[path]))))


def _tags(words: tuple[str, ...]) -> list[str]:
    found = re.findall(r"(?<![\w-])--?tags[ =]['\"]?([\w.,]+)", " ".join(words))
    return [tag for each in found for tag in each.split(",")]


def _named(source: bytes) -> frozenset[str]:
    lines = _CONSTRAINT.findall(source.decode("utf-8", "replace"))
    return frozenset(word for line in lines for word in re.findall(r"[\w.]+", line))
