"""Which files decide what an installation of JavaScript's packages leaves: those that their names tell, those that its
scripts start or apply, and the patches that manifests name. Files are read, never executed."""

import re
from collections.abc import Iterable, Iterator
from posixpath import basename, dirname, normpath

from repo_tools.changes import Tree
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.texts import text_at

_NAMES = frozenset((
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml",
    "yarn.lock", ".npmrc", ".yarnrc", ".yarnrc.yml", "lerna.json", "binding.gyp",
    ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpmfile.js", "bun.lock", "bun.lockb", "bunfig.toml", ".taprc",
))  # fmt: skip
_APPLIED = re.compile(r"(?:.*/)?(?:patches/.*\.patch|\.yarn/(?:patches|plugins|releases)/.*|prisma/schema\.prisma)")
"""What an installation applies or, by scripts of its packages, reads."""
_PATCH = re.compile(r".*\.(?:patch|diff)")
_NAMED_PATCH = re.compile(r"(?<![\w./@+-])[\w./@+-]{1,200}\.(?:patch|diff)\b")
"""https://pnpm.io/settings#patcheddependencies, https://yarnpkg.com/protocol/patch"""
_NAMING = "pnpm-workspace.yaml"
_AT_INSTALLATION = ("preinstall", "install", "postinstall", "prepare")
_STARTED = ("", ".js", ".cjs", ".mjs", "/index.js")
"""What node adds to the name of a program."""


def javascript_manifests(packages: Iterable[Package], tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Sorted. `packages`: all that are installed together, the root too."""
    by_name = (path for path in tree if basename(path) in _NAMES or _APPLIED.fullmatch(path))
    patches = {path for path in tree if _PATCH.fullmatch(path)}
    named = (path for package in packages for path in _of_installation(package, patches, tree, read))
    return tuple(sorted({*by_name, *named}))


def _of_installation(package: Package, patches: set[str], tree: Tree, read: ReadFile) -> Iterator[str]:
    """What the scripts of an installation, and those that they run, name; and patches, by a folder or one by one."""
    places = {normpath(f"{package.start}{word}") for word in package.words_run_by(*_AT_INSTALLATION)}
    yield from (path for place in places for path in (f"{place}{end}" for end in _STARTED) if path in tree)
    if patches:
        texts = (text_at(path, tree, read) for path in (package.path, f"{package.start}{_NAMING}"))
        places |= {root_relative(word, package.folder) for text in texts for word in _NAMED_PATCH.findall(text)}
        yield from (path for path in patches if path in places or dirname(path) in places)
