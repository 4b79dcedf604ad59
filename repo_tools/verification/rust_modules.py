"""Rust's unit tests stand in product files, or in modules of their own, and are run with their crate. Pure.

https://doc.rust-lang.org/reference/items/modules.html#module-source-filenames
"""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from posixpath import basename, dirname, join, normpath

from repo_tools.changes import ChangeSet, FileChange, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.verification.rust_items import (
    UnreadableError,
    is_readable,
    items_of_tests,
    only_tests,
    same_product,
    with_tests_of,
    without_tests,
)
from repo_tools.verification.test_names import stands_in_product

_ROOTS = ("mod", "lib", "main")
_PROGRAM = re.compile(r"(?:.*/)?tests/[^/]+(?:/main)?\.rs")
_CALLED_FOR_TESTS = re.compile(r"_?tests?$")


def parts_of(new: FileChange, old: bytes) -> tuple[FileChange | None, FileChange | None]:
    """What a changed file is to the product, and what to the tests; None where nothing is changed there. Each is the
    new version of its own part with the base's other one. What cannot be parsed is the product's, and screened."""
    try:
        if only_tests(old) == only_tests(new.content):
            return new, None
        if same_product(old, new.content):
            return None, new
        product, tests = with_tests_of(new.content, old), with_tests_of(old, new.content)
    except UnreadableError:
        return new, None
    return FileChange(new.mode, product), FileChange(new.mode, tests)


def is_declared_for_tests(path: str, change: ChangeSet, base: Tree, read: ReadFile) -> bool:
    """Whether a file, or a module that it stands in, is compiled for tests alone: ``#[cfg(test)] mod tests;``. What the
    base has counts as it is declared there."""
    new = {} if path in base else {name: file.content for name, file in change.files.items() if file}
    above = [f"{folder}.rs" for folder in PurePosixPath(path).parents][:-1]
    return any(_is_for_tests(module, base, new, read) for module in (path, *above))


def holds_rust_tests(path: str) -> bool:
    """Whether a file of the tests' side is one of a crate, or a test program of its own.
    https://doc.rust-lang.org/cargo/guide/project-layout.html"""
    return _is_of_a_crate(path) or bool(_PROGRAM.fullmatch(path))


def crates_of(path: str, collected: Collection[str]) -> frozenset[str]:
    """Unit tests are `collected` from the roots of crates: those that `path` may be part of."""
    if not _is_of_a_crate(path) or basename(path) in ("lib.rs", "main.rs"):
        return frozenset({path}).intersection(collected)
    return frozenset(root for root in collected if stands_in_product(root) and path.startswith(_folder(root)))


def begins_their_names(path: str, root: str) -> str:
    """How the tests of a file are called in its crate: ``parse::number::`` of ``src/parse/number.rs``; empty of the
    root itself."""
    if path == root:
        return ""
    names = path.removeprefix(_folder(root)).removesuffix(".rs").removesuffix("/mod")
    return f"{names.replace('/', '::')}::"


def _is_of_a_crate(path: str) -> bool:
    return stands_in_product(path) or (path.endswith(".rs") and "/src/" in f"/{path}")


def _is_for_tests(module: str, base: Tree, new: Mapping[str, bytes], read: ReadFile) -> bool:
    """Whether it is declared so, and by none of two crates otherwise."""
    parents = [name for name in _parents(module) if name in base or name in new]
    told = [_declares(name, new[name] if name in new else read(name), module) for name in parents]
    return True in told and False not in told


def _declares(parent: str, source: bytes, path: str) -> bool | None:
    """Whether for tests alone; None where it declares no such module."""
    if not is_readable(source):
        return None
    modules = [item for item in items_of_tests(source) if item.module and len(item.key) == 1]
    given = {normpath(join(dirname(parent), item.file)) for item in modules if item.file}
    if path in given or _name(path) in {item.module for item in modules if not item.file}:
        return True
    plain = re.search(rf"(?<!\w)mod\s+{re.escape(_name(path))}\s*;".encode(), without_tests(source))
    return False if plain else None


def _parents(path: str) -> Iterator[str]:
    """Where a module may be declared: in the file of its folder, or in one beside it that it is called after."""
    inside = dirname(dirname(path)) if basename(path) == "mod.rs" else dirname(path)
    yield from (join(inside, f"{root}.rs") for root in _ROOTS)
    yield f"{inside}.rs"
    yield join(dirname(path), f"{_CALLED_FOR_TESTS.sub('', _name(path))}.rs")


def _name(path: str) -> str:
    return basename(dirname(path)) if basename(path) == "mod.rs" else basename(path).removesuffix(".rs")


def _folder(path: str) -> str:
    return f"{dirname(path)}/" if dirname(path) else ""
