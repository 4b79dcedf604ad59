"""Rust crates, tested with cargo."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import NOTE, Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.runners.cargo import COMPILED
from repo_tools.environment.settings_text import read_toml, table
from repo_tools.environment.texts import as_text, read_text
from repo_tools.sandbox.contract import ENVIRONMENT

_TEST = re.compile(rb"#\[(?:\w+::)*test\b|#\[cfg\(test\)\]")
_MANIFEST = re.compile(
    r"(?:.*/)?(?:Cargo\.(?:toml|lock)|rust-toolchain(?:\.toml)?|build\.rs|\.cargo/config(?:\.toml)?)"
)
_MOST_READ = 400
_KEEP = (files("repo_tools.environment") / "cargo_layer_program.py").read_text("utf-8")
_RELEASE = re.compile(r"\d{1,4}(?:\.\d{1,4}){0,2}")
_TOOLCHAIN_FILES = ("rust-toolchain", "rust-toolchain.toml")  # in rustup's own order
_CARGO = (TestCommand("cargo", ("cargo", "test")),)
_NEXTEST = (
    TestCommand("nextest", ("cargo", "nextest", "run")),
    TestCommand("cargo_doc", ("cargo", "test", "--doc")),
)
VARIABLES = {"CARGO_HOME": f"{ENVIRONMENT}/cargo"}


COMPILE = ("cargo", "test", "--no-run")
_COMPILING = f"""
{{ "$@" 2>&1; echo $? >"$HOME/ended"; }} | tee "$HOME/said"
ended=$(cat "$HOME/ended")
[ "$ended" != 0 ] && [ ! -e "$CARGO_HOME/config.toml" ] || exit "$ended"
grep -q 'deny(\\|forbid(\\|`-[DF] ' "$HOME/said" || exit "$ended"
printf '[build]\\nrustflags = ["--cap-lints=warn"]\\n' >"$CARGO_HOME/config.toml"
"$@" || {{ rm "$CARGO_HOME/config.toml"; exit 1; }}
echo '{NOTE}what rustc or the code itself forbids, and another release allowed, is a warning (--cap-lints)'
"""


class RustDetector:
    name = "rust/8"
    looked_for = "Rust tests (#[test]) with a Cargo.toml"
    suffixes = (".rs",)

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        if "Cargo.toml" not in tree or _is_extension(tree, read) or not _has_tests(tree, read):
            return None
        manifest = read_toml(read_text(read, "Cargo.toml"))
        workspace = ("--workspace",) if "workspace" in manifest else ()
        nextest = ".config/nextest.toml" in tree
        tests = _NEXTEST if nextest else _CARGO
        if nextest and not _has_library(tree, manifest):
            tests = tests[:1]
        locked = ("--locked",) if "Cargo.lock" in tree else ()
        fetch = ("cargo", "fetch", *locked)
        return Environment(
            detector=self.name,
            evidence=("Cargo.toml", *((".config/nextest.toml",) if nextest else ())),
            setup=(
                SetupCommand(fetch, otherwise=(SetupCommand(fetch[:2]),) if locked else ()),
                _compiling((*workspace, *locked)),
                SetupCommand(
                    ("python3", "-I", "-S", "-c", _KEEP, COMPILED), required=False, typed="keep what was compiled"
                ),
            ),
            tests=tuple(replace(command, argv=(*command.argv, *workspace)) for command in tests),
            manifests=tuple(sorted(path for path in tree if _MANIFEST.fullmatch(path))),
            variables=VARIABLES,
            tools=tuple(_tools(tree, read, manifest)),
        )


def _compiling(options: tuple[str, ...]) -> SetupCommand:
    """What does not compile is the baseline's to say. Each release has more to forbid where ``#![deny(warnings)]``
    stands: https://doc.rust-lang.org/rustc/lints/levels.html#capping-lints"""
    words = (*COMPILE, *options)
    return SetupCommand(("sh", "-c", _COMPILING, "sh", *words), required=False, typed=shlex.join(words))


def _is_extension(tree: Tree, read: ReadFile) -> bool:
    """A module for Python, whose tests are Python's; not a program that is handed out as a package.
    https://www.maturin.rs/bindings"""
    text = read("pyproject.toml") if "pyproject.toml" in tree else b""
    if not any(word in text for word in (b"maturin", b"setuptools-rust")):
        return False
    return table(read_toml(as_text(text)), "tool", "maturin").get("bindings") != "bin"


def _has_tests(tree: Tree, read: ReadFile) -> bool:
    sources = [path for path in tree if path.endswith(".rs")]
    if any(path.startswith("tests/") or "/tests/" in path for path in sources):
        return True
    return any(_TEST.search(read(path)) for path in sorted(sources, key=lambda p: (p.count("/"), p))[:_MOST_READ])


def _has_library(tree: Tree, manifest: Mapping[str, Any]) -> bool:
    """Without one cargo refuses to test documentation."""
    return "lib" in manifest or any(path == "src/lib.rs" or path.endswith("/src/lib.rs") for path in tree)


def _tools(tree: Tree, read: ReadFile, manifest: Mapping[str, Any]) -> Iterator[Tool]:
    """What the manifest asks for. The release that a toolchain file names is the one that its people have: an older one
    may do as well."""
    asked = str(
        table(manifest, "package").get("rust-version")
        or table(manifest, "workspace", "package").get("rust-version")
        or ""
    )
    known = bool(_RELEASE.fullmatch(asked))
    yield Tool("cargo", f">={asked}" if known else "", "Cargo.toml rust-version" if known else "Cargo.toml")
    path = next((name for name in _TOOLCHAIN_FILES if name in tree), None)
    if path and _RELEASE.fullmatch(channel := _channel(read_text(read, path))):
        yield Tool("cargo", "", path, preferred=f">={channel}")


def _channel(text: str) -> str:
    """https://rust-lang.github.io/rustup/overrides.html#the-toolchain-file: once the file held nothing else."""
    plain = text.strip()
    return plain if _RELEASE.fullmatch(plain) else str(table(read_toml(text), "toolchain").get("channel") or "")
