"""What takes the place of code that nobody wrote here, and which tests may stand on. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from posixpath import basename
from typing import Any

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.settings_text import read_toml
from repo_tools.verification.javascript_source import without_comments

_COMPILED = (".so", ".pyd", ".dll", ".dylib", ".node", ".class", ".jar")
_CRATES = "Cargo.toml"
_GO_LIST, _GO_COPIES = "go.mod", "vendor/modules.txt"
"""The latter stands beside the copies of other modules that a build takes: https://go.dev/ref/mod#vendoring"""
_NODES_COPIES = re.compile(r"(?:^|/)node_modules/")
_TSCONFIG = re.compile(r"(?:.*/)?[tj]sconfig(?:\.[\w-]+)*\.json")
_OF_COMPILER = b"compilerOptions"
"""Other files say so that a ``tsconfig.json`` extends."""
_MAPS = re.compile(
    r"\b(?:paths|baseUrl|plugins|ts-node|extends)[\"']?\s*:\s*(?:\{[^}]*\}|\[[^\]]*\]|\"[^\"]*\"|'[^']*')"
)
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_MOST_SETTINGS = 20_000
"""Characters of a file of settings that are searched; of more, all counts."""


def replaced(product: ChangeSet, base: Tree, read: ReadFile) -> Iterator[str]:
    """Why a person must look, in sentences."""
    new = {path: state.content for path, state in product.files.items() if state is not None}
    old = {path: read(path) if path in base else b"" for path in new}
    if compiled := [path for path in new if path.endswith(_COMPILED)]:
        yield f"These files are compiled code, which cannot be checked; a person must look: {', '.join(compiled)}."
    if others := [*_copies(new, base), *_other_modules(old, new, base)]:
        yield f"This changes other modules, on which tests may stand; a person must look: {', '.join(others)}."
    settings = [path for path in new if _is_of_compiler(path, old[path] + new[path])]
    if moved := [path for path in settings if _mapped(old[path]) != _mapped(new[path])]:
        yield (
            "This changes where modules are found, or with which programs they are compiled (`paths`, `baseUrl`, "
            f"`extends`, `plugins`, `ts-node`), and tests stand on that; a person must look: {', '.join(moved)}."
        )
    packages = [path for path in new if basename(path) == "package.json" and path in base]
    if renamed := [path for path in packages if _is_renamed(_json(old[path]), _json(new[path]))]:
        yield (
            "This changes which files names stand for (`imports`, `_moduleAliases`), and tests may use them; a person "
            f"must look: {', '.join(renamed)}."
        )


def _copies(paths: Iterable[str], base: Tree) -> Iterator[str]:
    """Of other modules' code, within the repository."""
    vendors = tuple(path.removesuffix(_GO_COPIES) + "vendor/" for path in base if f"/{path}".endswith(f"/{_GO_COPIES}"))
    return (path for path in paths if path.startswith(vendors) or _NODES_COPIES.search(path))


def _other_modules(old: Mapping[str, bytes], new: Mapping[str, bytes], base: Tree) -> Iterator[str]:
    """Manifests in which a dependency comes to stand for other code."""
    for path, content in new.items():
        if basename(path) == _GO_LIST and not _is_new_below(path, base):
            is_moved = bool(_replacements(content) - _replacements(old[path]))
        else:
            is_moved = basename(path) == _CRATES and _is_moved(_crates(old[path]), _crates(content))
        if is_moved:
            yield path


def _is_of_compiler(path: str, content: bytes) -> bool:
    return bool(_TSCONFIG.fullmatch(path)) or (path.endswith(".json") and _OF_COMPILER in content)


def _mapped(settings: bytes) -> list[str]:
    """What a ``tsconfig.json`` says of where modules are, and of programs that compile: ts-node, tsx and plug-ins of
    the compiler heed it (https://www.typescriptlang.org/tsconfig/#paths)."""
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), without_comments(settings))
    found = _MAPS.findall(text) if len(text) <= _MOST_SETTINGS else [text]
    return ["".join(each.split()) for each in found]


def _is_renamed(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Node's own names are new or known (https://nodejs.org/api/packages.html#imports); an alias may be a package's."""
    known = (old.get("imports"), new.get("imports"))
    return old.get("_moduleAliases") != new.get("_moduleAliases") or _is_moved(*known)


def _is_moved(old: object, new: object) -> bool:
    """Whether what both name is elsewhere."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return False
    return any(old[name] != new[name] for name in old.keys() & new.keys())


def _json(manifest: bytes) -> Mapping[str, Any]:
    try:
        content = json.loads(manifest)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _crates(manifest: bytes) -> dict[str, object]:
    """From where each dependency of a ``Cargo.toml`` comes, where it is not the index, whatever it is one for.
    https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html"""
    return dict(_crates_in(read_toml(manifest.decode("utf-8", "replace"))))


def _crates_in(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict) and key.endswith("dependencies"):
            yield from ((f"{above}{key} {name}", _place(spec)) for name, spec in value.items())
        elif isinstance(value, dict):
            yield from _crates_in(value, f"{above}{key} ")


def _place(spec: object) -> object:
    return [spec.get(key) for key in ("path", "git", "package", "registry")] if isinstance(spec, dict) else [None] * 4


def _is_new_below(path: str, base: Tree) -> bool:
    """A new module in another's folder: the tests of the base are another's, for which it replaces nothing."""
    return path not in base and any(str(folder / _GO_LIST) in base for folder in PurePosixPath(path).parents)


def _replacements(modules: bytes) -> frozenset[bytes]:
    """The `replace` directives of a ``go.mod``."""
    lines = (line.partition(b"//")[0] for line in modules.splitlines())
    return frozenset(b" ".join(line.replace(b"replace", b"").split()) for line in lines if b"=>" in line)
