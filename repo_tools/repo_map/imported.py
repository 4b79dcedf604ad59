"""Whether a file imports another one, by the names in its imports."""

import posixpath
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Container, Iterable
from importlib import import_module

from repo_tools.repo_map.languages import language_of

WHOLE_FOLDER = frozenset({"__init__", "index", "mod"})
_BY_FILE = frozenset({"javascript", "typescript", "tsx", "component", "ruby", "php", "c", "cpp"})
"""Languages in which a file is imported by its path; a suffix may stand there, and be that of what it is made into
(``basket.js`` of ``basket.ts``) or of what declares it (``basket.h`` of ``basket.cc``)."""

_ROOTS = frozenset({"", "lib", "src"})
"""Folders whose files are imported by their names alone."""

_BARE_IS_ELSEWHERE = frozenset({"javascript", "typescript", "tsx", "component"})
"""Languages in which a name without a folder is somebody else's package."""

_ALIAS = r"[@~]/|#/?"
"""What stands for the folder of sources before a path in JavaScript (tsconfig's ``paths``, Node's ``imports``)."""

_NO_CRATE = frozenset({"std", "core", "alloc", "self", "super"})
GO_MODULE = rb"(?m)^module[ \t]+\"?([^\s\"]{1,300})"
"""By which name a module of Go is imported, as its go.mod says."""
_PARTED = r"[/\\:]+"


class Imported:
    """A file, or a package, of `tree` as others import it. `given` is what `given_name` says."""

    def __init__(self, path: str, tree: Container[str], given: str = "") -> None:
        stem = path.rpartition(".")[0] if language_of(path) else path
        folder, _, last = stem.rpartition("/")
        self.stem = folder if last in WHOLE_FOLDER and folder else stem
        self.folder, _, self.name = self.stem.rpartition("/")
        self._dotted = self.stem.replace("/", ".")
        self._given = given
        self._crate, _, inner = f"/{self.stem}".rpartition("/src/")
        self._in_crate = inner.split("/")
        self._is_in_package = posixpath.join(self.folder, "__init__.py") in tree

    def is_named(self, by: str, names: Iterable[str]) -> bool:
        """Whether one of `names`, as the imports of the file `by` have them, means this."""
        language = language_of(by)
        return any(self._is(by, language, name) for name in names)

    def _is(self, by: str, language: str, name: str) -> bool:
        if language in _BY_FILE and language_of(name):
            name = name.rpartition(".")[0]
        match language:
            case "rust":
                return self._is_in_rust(by, [part for part in name.split("::") if part])
            case "go":
                return bool(name) and name == self._given
            case "php" if self._given and name.lstrip("\\") == self._given:
                return True
            case "java" if name.endswith(".*"):
                return f".{self.folder.replace('/', '.')}".endswith(f".{name.removesuffix('.*')}")
        if language in _BARE_IS_ELSEWHERE and (alias := re.match(_ALIAS, name)):
            return self._is_behind_alias(name[alias.end() :])
        if name.startswith("."):
            return _relative(by, language, name) in (self.stem, self._given)
        dotted = re.sub(_PARTED, ".", name).strip(".")
        if "." in dotted:
            return f".{self._dotted}".endswith(f".{dotted}")
        return dotted == self.name and self._goes_by_its_name(language)

    def _is_behind_alias(self, path: str) -> bool:
        is_whole = "/" in path or self.folder.rpartition("/")[2] in _ROOTS
        return is_whole and f"/{self.stem}".endswith(f"/{path}")

    def _is_in_rust(self, by: str, parts: list[str]) -> bool:
        """The first part is a crate: this one, one by the name of its folder, or the repository's whose name is not
        known."""
        inner, crate = self._in_crate, self._crate.lstrip("/")
        if not parts or inner == ["lib"] or parts[1 : 1 + len(inner)] != inner:
            return False
        if parts[0] == "crate":
            return by.startswith(f"{crate}/src/".lstrip("/"))
        name = crate.rpartition("/")[2].replace("-", "_")
        return parts[0] == name if name else parts[0] not in _NO_CRATE

    def _goes_by_its_name(self, language: str) -> bool:
        if language == "python":
            return not self._is_in_package and self.name not in sys.stdlib_module_names
        if language in _BARE_IS_ELSEWHERE:
            return False
        return language in ("c", "cpp") or self.folder.rpartition("/")[2] in _ROOTS


def _relative(by: str, language: str, name: str) -> str:
    """The path that a relative name means, without suffix."""
    if language == "python":
        rest = name.lstrip(".")
        name = "../" * (len(name) - len(rest) - 1) + rest.replace(".", "/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(by), name)).removesuffix("/index")


def given_name(path: str, tree: Container[str], read: Callable[[str], bytes]) -> str:
    """By what others import `path` because a manifest says so: in Go and PHP a name, in JavaScript the folder of a
    package whose main file it is. Empty without one."""
    language = language_of(path)
    if language not in _MANIFESTS:
        return ""
    name, named = _MANIFESTS[language]
    around = posixpath.dirname(path)
    while (manifest := posixpath.join(around, name)) not in tree:
        if not around:
            return ""
        around = posixpath.dirname(around)
    try:
        content = read(manifest)
    except KeyError:  # a submodule is called so
        return ""
    given = named(content, path[len(around) :].strip("/"))
    return posixpath.normpath(posixpath.join(around, given)) if given and language in _BARE_IS_ELSEWHERE else given


def _package_of_go(manifest: bytes, path: str) -> str:
    module = re.search(GO_MODULE, manifest)
    return posixpath.join(module[1].decode("utf-8", "replace"), posixpath.dirname(path)).rstrip("/") if module else ""


def _class_of_php(manifest: bytes, path: str) -> str:
    """By the longest folder that holds it (https://getcomposer.org/doc/04-schema.md#psr-4)."""
    try:
        autoload = import_module("json").loads(manifest)["autoload"]["psr-4"]
        mapped = [(prefix, folder) for prefix, folders in autoload.items() for folder in _listed(folders)]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return ""
    found = []
    for prefix, folder in mapped:
        root = f"{posixpath.normpath(folder).strip('/')}/".removeprefix("./")
        if path.startswith(root):
            inner = path[len(root) :].removesuffix(".php").replace("/", "\\")
            found.append((len(root), len(prefix), f"{prefix}{inner}"))
    return max(found, default=(0, 0, ""))[2]


def _folder_of_main(manifest: bytes, path: str) -> str:
    """https://nodejs.org/api/packages.html#main"""
    try:
        main = posixpath.normpath(import_module("json").loads(manifest).get("main") or "index")
    except (ValueError, RecursionError, TypeError, AttributeError):
        return ""
    stem = main.rpartition(".")[0] if language_of(main) else main
    return "." if path.rpartition(".")[0] in (stem, posixpath.normpath(posixpath.join(stem, "index"))) else ""


def _listed(folders: object) -> list[str]:
    return [folder for folder in (folders if isinstance(folders, list) else [folders]) if isinstance(folder, str)]


_MANIFESTS = {
    "go": ("go.mod", _package_of_go),
    "php": ("composer.json", _class_of_php),
    **dict.fromkeys(_BARE_IS_ELSEWHERE, ("package.json", _folder_of_main)),
}


def takes(content: bytes, name: str) -> bool:
    """Whether Python's `content` imports `name` from some package: ``from shop import mail, basket``."""
    pattern = rb"^[ \t]*from[ \t]+[.\w]+[ \t]+import[ \t]*(?:\([^)]{0,4000}|[^\n#(]{0,400})\b%b\b" % re.escape(
        name.encode()
    )
    return re.search(pattern, content.removeprefix(BOM_UTF8), re.M) is not None
