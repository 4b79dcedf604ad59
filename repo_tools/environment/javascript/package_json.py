"""``package.json`` and what stands beside it, as values (https://docs.npmjs.com/cli/configuring-npm/package-json)."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import accumulate, islice
from pathlib import PurePosixPath
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.settings_text import strings
from repo_tools.environment.texts import read_text
from repo_tools.yaml_text import YamlError, parse_yaml

DEVELOPED_WITH = "devEngines"
_MOST_PACKAGES = 200
_MOST_SCRIPTS = 500
_LONGEST_SCRIPT, _MOST_CHARACTERS = 4_000, 50_000
_LONGEST_NAME = 100
_MOST_WILDCARDS = 2
"""In one name of a glob, and names that stand for any number of them: matching takes as long as the power of each."""
_SOURCE = re.compile(r"(?<!\.d)\.[cm]?tsx?$")
_NOT_NODES = frozenset(("browser", "react-native", "deno", "bun", "worker", "workerd", "edge-light", "types", "module"))
"""https://nodejs.org/api/packages.html#community-conditions-definitions"""
WORD = re.compile(r"[^\s=;&|'\"()]+")
"""Of a script: a program, a file, an option, a value or another script."""


@dataclass(frozen=True)
class Package:
    """One ``package.json``; `folder` root-relative, empty at the root. What is of another type than it has to be counts
    as not there."""

    folder: str
    content: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def start(self) -> str:
        """What the root-relative paths of its files begin with."""
        return f"{self.folder}/" if self.folder else ""

    @property
    def path(self) -> str:
        return f"{self.start}package.json"

    @cached_property
    def scripts(self) -> Mapping[str, str]:
        """Of more, or of longer ones than anybody writes, the rest is left out: they are read many times over."""
        written = islice(texts(self.content.get("scripts")).items(), _MOST_SCRIPTS)
        known = [(n, text) for n, text in written if len(n) <= _LONGEST_NAME and len(text) <= _LONGEST_SCRIPT]
        up_to = accumulate(len(text) for _, text in known)
        return {n: text for (n, text), characters in zip(known, up_to, strict=True) if characters <= _MOST_CHARACTERS}

    def with_scripts(self, scripts: Mapping[str, str]) -> "Package":
        return replace(self, content={**self.content, "scripts": scripts})

    def words_run_by(self, *names: str) -> frozenset[str]:
        """Of these scripts, and of all that they name, however far away."""
        waiting, seen, words = list(names), set[str](), set[str]()
        while waiting:
            name = waiting.pop()
            if name in self.scripts and name not in seen:
                seen.add(name)
                found = WORD.findall(self.scripts[name])
                words.update(found)
                waiting += found
        return frozenset(words)

    @cached_property
    def dependencies(self) -> Mapping[str, str]:
        """Of every kind, by name."""
        kinds = ("dependencies", "optionalDependencies", "peerDependencies", "devDependencies")
        return {name: version for kind in kinds for name, version in texts(self.content.get(kind)).items()}

    @property
    def has_dependencies(self) -> bool:
        return bool(self.dependencies)

    @property
    def entry_points(self) -> tuple[str, ...]:
        """Files that node gives for this package, root-relative as far as they are its own. What bundlers take in their
        place (``module`` beside ``main``) is none of them, nor ``main`` where ``exports`` give sources in TypeScript:
        that one is for whoever gets it published."""
        exports = [*_leaves(self.content.get("exports"))]
        as_sources = any(isinstance(entry, str) and _SOURCE.search(entry) for entry in exports)
        main = None if as_sources else self.content.get("main") or self.content.get("module")
        found = [main, *exports, *_leaves(self.content.get("bin"))]
        plain = [entry for entry in found if isinstance(entry, str) and "*" not in entry]
        named = [
            entry
            for entry in plain
            if re.search(r"\.[cm]?js$", entry) or (entry is main and not PurePosixPath(entry).suffix)
        ]
        return tuple(str(PurePosixPath(self.folder, entry)) for entry in named)


def texts(value: Any) -> dict[str, str]:
    """The entries of an object that are texts."""
    return {k: v for k, v in value.items() if isinstance(v, str)} if isinstance(value, dict) else {}


def read_package(folder: str, read: ReadFile) -> Package | None:
    """None where it is not there or holds something else."""
    try:
        content = json.loads(read_text(read, Package(folder).path))
    except (KeyError, ValueError, RecursionError):
        return None
    return Package(folder, content) if isinstance(content, dict) else None


def members(root: Package, tree: Tree, read: ReadFile) -> tuple[Package, ...]:
    """The packages of a workspace, without its root; empty where it is none."""
    patterns = list(_patterns(root, tree, read))
    wanted = [p for p in patterns if not p.startswith("!")]
    refused = [p[1:] for p in patterns if p.startswith("!")]
    folders = sorted(
        path.removesuffix("/package.json")
        for path in tree
        if path.endswith("/package.json") and "node_modules" not in path.split("/")
    )
    chosen = [f for f in folders if _any_match(f, wanted) and not _any_match(f, refused)]
    found = (read_package(folder, read) for folder in chosen[:_MOST_PACKAGES])
    return tuple(package for package in found if package)


def _patterns(root: Package, tree: Tree, read: ReadFile) -> Iterator[str]:
    """https://pnpm.io/pnpm-workspace_yaml, https://docs.npmjs.com/cli/using-npm/workspaces"""
    declared = root.content.get("workspaces")
    yield from strings(declared.get("packages") if isinstance(declared, dict) else declared)
    if "pnpm-workspace.yaml" in tree:
        yield from pnpm_patterns(read_text(read, "pnpm-workspace.yaml"))
    if not declared:
        yield from _lerna_patterns(tree, read)


def lerna_patterns(root: Package, tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Those of a workspace that no package manager knows of; empty where one does."""
    known = root.content.get("workspaces") or "pnpm-workspace.yaml" in tree
    return () if known else tuple(_lerna_patterns(tree, read))


def _lerna_patterns(tree: Tree, read: ReadFile) -> list[str]:
    """https://lerna.js.org/docs/api-reference/configuration#packages"""
    try:
        return strings(json.loads(read("lerna.json")).get("packages", ["packages/*"])) if "lerna.json" in tree else []
    except (ValueError, AttributeError, RecursionError):
        return []


def pnpm_patterns(text: str) -> list[str]:
    """Empty where a ``pnpm-workspace.yaml`` names no members."""
    try:
        root = parse_yaml(text).root
    except YamlError:
        return []
    packages = root.mapping.get("packages") if root else None
    return strings(packages.data()) if packages else []


def _any_match(folder: str, patterns: list[str]) -> bool:
    return any(_pattern(pattern).fullmatch(folder) for pattern in patterns)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    """A glob of folders: ``*`` within one name, ``**`` any number of names, none too; of one that would take too long
    to match, what never matches."""
    names = glob.split("/")
    deep = sum("**" in name for name in names)
    if deep > _MOST_WILDCARDS or any(len(re.findall(r"\*+", name)) > _MOST_WILDCARDS for name in names):
        return re.compile(r"(?!)")
    text = re.escape(glob.removeprefix("./").strip("/"))
    text = re.sub(r"/\\\*\\\*$", "(?:/.*)?", text)
    text = text.replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return re.compile(re.sub(r"\\\{([^{}]*)\\\}", lambda m: f"(?:{m[1].replace(',', '|')})", text))


def _leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, dict) and depth < 8:
        for condition, inner in value.items():
            if condition not in _NOT_NODES:
                yield from _leaves(inner, depth + 1)
    else:
        yield value
