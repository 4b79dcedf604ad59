"""Manifests of packages that another one takes by their paths: what these need is installed with it. Pure."""

import re
from collections.abc import Iterator
from itertools import islice
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.commands import root_relative

_MOST_NAMED = 200
_TAKEN = {
    "package.json": (re.compile(r'"(?:file|link|portal):([^"\n]{1,200})"'), ("", "package.json")),
    "Cargo.toml": (re.compile(r'\bpath\s{0,9}=\s{0,9}"([^"\n]{1,200})"'), ("Cargo.toml",)),
    "go.mod": (re.compile(r"=>[ \t]{0,9}(\.{1,2}/[^\s]{1,200})"), ("go.mod", "go.sum")),
    "pom.xml": (re.compile(r"<relativePath>\s{0,99}([^<\s]{1,200})"), ("", "pom.xml")),
    **dict.fromkeys(
        ("Gemfile", "gems.rb"), (re.compile(r"\bpath(?::|\s{0,9}=>)\s{0,9}['\"]([^'\"\n]{1,200})"), ("*.gemspec",))
    ),
}
"""Manifest -> how it names a folder (or a file, where that itself counts), and what decides there.

https://docs.npmjs.com/cli/configuring-npm/package-json#local-paths,
https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html#specifying-path-dependencies,
https://go.dev/ref/mod#go-mod-file-replace, https://maven.apache.org/pom.html#inheritance,
https://bundler.io/guides/gemfile.html"""


def takes_by_path(manifest: str) -> bool:
    return basename(manifest) in _TAKEN


def local_manifests(manifest: str, text: str, tree: Tree) -> Iterator[str]:
    """Root-relative paths in `tree` of those that `manifest` (root-relative, with this `text`) takes by their paths."""
    pattern, names = _TAKEN[basename(manifest)]
    for found in islice(pattern.finditer(text), _MOST_NAMED):
        place = root_relative(found[1], dirname(manifest))
        for name in names:
            yield from _gemspecs(place, tree) if "*" in name else _there(root_relative(name, place), tree)


def _there(path: str, tree: Tree) -> Iterator[str]:
    if path in tree:
        yield path


def _gemspecs(folder: str, tree: Tree) -> Iterator[str]:
    return (path for path in tree if path.endswith(".gemspec") and dirname(path) == folder)
