"""Where package managers and languages put what is not this work tree, and whether that is a copy of it."""

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module

from repo_tools.repo_map.imported import GO_MODULE

_LANGUAGES_OWN = (
    r"(?:site|dist)-packages(?:/[^/]+\.egg)?|lib(?:64)?/(?:python|pypy)\d[\d.]*|Python\d+/[Ll]ib"
    r"|(?i:anaconda|miniconda|miniforge|mambaforge)\d?(?:/envs/[^/]+)?/[Ll]ib|Python/\d[\d.]*/x64/[Ll]ib"
    r"|lib/ruby/\d[\d.]*|rustc/\w+|rustlib/src/rust"
    r"|usr/local/go/src|lib/go(?:-\d[\d.]*)?/src|go/\d[\d.]*/(?:x64|libexec)/src|(?<=:/)Go/src|Program Files/Go/src"
)
"""What is in there goes by its path: no package is named apart from it."""

_INSTALLED = (
    rf".*/(?:(?:{_LANGUAGES_OWN})/"
    r"|registry/src/[^/]+/(?P<crate>[^/]+)-\d[^/]*/|git/checkouts/(?P<checked_out>[^/]+)-[\da-f]{8,20}/[\da-f]{7,40}/"
    r"|gems/(?P<gem>[^/]+)-[\da-f][^/]*/|node_modules/(?P<module>(?:@[^/]+/)?[^/]+)/"
    r"|pkg/mod/(?P<go>[^@]+)@[^/]+/|vendor/(?P<composed>[^/]+/[^/]+)/(?=.*\.php$))(?P<inside>.+)"
)
_CRATE = rb"(?m)^\[package\][^\[]*?^[ \t]*name[ \t]*=[ \t]*[\"']([\w-]{1,100})"
_GO_MAJOR = r"/v\d+\Z"


def installed(path: str) -> re.Match[str] | None:
    """What lies in such a place, and where."""
    return re.match(_INSTALLED, path)


class OwnPackages:
    """Of a tree: `by_name` has its paths by the names of their files, `content` gives one file, empty where it cannot
    be had. Manifests are read when a frame asks for them."""

    def __init__(self, by_name: Mapping[str, list[str]], content: Callable[[str], bytes]) -> None:
        self._by_name = by_name
        self._at_root = cache(lambda kind: self._named_at_root(kind, content))

    def has(self, path: str, place: re.Match[str]) -> bool:
        """Whether a file is what lies at `place`: all of its path in there is the end of the file's, and the folder
        before it is called like the package. The root's folder has no name, but its manifest may give one. What cargo
        has checked out is a whole repository."""
        if not f"/{path}".endswith(f"/{place['inside']}"):
            return False
        kind = next((name for name, value in place.groupdict().items() if value and name != "inside"), None)
        if kind is None:
            return True
        package = place[kind]
        folder = path[: -len(place["inside"])].rstrip("/").rpartition("/")[2]
        if folder:
            return kind != "checked_out" and package.lower().endswith(folder.lower())
        own = self._at_root(kind)
        return not own or _plain(package) in own

    def _named_at_root(self, kind: str, content: Callable[[str], bytes]) -> frozenset[str]:
        """The package's own names there, as its manifest or its file says; empty where nothing does."""
        if kind == "gem":
            specifications = (name for name, paths in self._by_name.items() if name in paths)
            return frozenset(_plain(name[:-8]) for name in specifications if name.endswith(".gemspec"))
        manifest, named = _MANIFESTS[kind]
        name = named(content(manifest)) if manifest in self._by_name.get(manifest, ()) else ""
        return frozenset({_plain(name)}) if name else frozenset()


def _plain(package: str) -> str:
    """As all of them write it: Go marks capitals by ``!`` and adds the major version, crates mix ``-`` and ``_``."""
    return re.sub(_GO_MAJOR, "", package.replace("!", "").replace("_", "-").lower())


def _of_json(manifest: bytes) -> str:
    try:
        name = import_module("json").loads(manifest)["name"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return ""
    return name if isinstance(name, str) else ""


def _first(pattern: bytes, manifest: bytes) -> str:
    found = re.search(pattern, manifest)
    return found[1].decode("utf-8", "replace") if found else ""


_OF_CARGO = ("Cargo.toml", partial(_first, _CRATE))
_MANIFESTS: dict[str, tuple[str, Callable[[bytes], str]]] = {
    "module": ("package.json", _of_json),
    "composed": ("composer.json", _of_json),
    "crate": _OF_CARGO,
    "checked_out": _OF_CARGO,
    "go": ("go.mod", partial(_first, GO_MODULE)),
}
