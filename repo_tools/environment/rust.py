"""Rust crates, tested with cargo."""

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.python.pytest_settings import read_toml, table
from repo_tools.environment.runners.cargo import COMPILED
from repo_tools.sandbox.contract import ENVIRONMENT

_TEST = re.compile(rb"#\[(?:\w+::)*test\b|#\[cfg\(test\)\]")
_MANIFEST = re.compile(
    r"(?:.*/)?(?:Cargo\.(?:toml|lock)|rust-toolchain(?:\.toml)?|build\.rs|\.cargo/config(?:\.toml)?)"
)
_MOST_READ = 400
_KEEP = (files("repo_tools.environment") / "cargo_layer_program.py").read_text("utf-8")
VARIABLES = {"CARGO_HOME": f"{ENVIRONMENT}/cargo"}


class RustDetector:
    name = "rust/3"
    looked_for = "Rust tests (#[test]) with a Cargo.toml"
    suffixes = (".rs",)

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        if "Cargo.toml" not in tree or _is_extension(tree, read) or not _has_tests(tree, read):
            return None
        manifest = read_toml(read("Cargo.toml").decode("utf-8", "replace"))
        workspace = ("--workspace",) if "workspace" in manifest else ()
        nextest = ".config/nextest.toml" in tree
        test = ("cargo", "nextest", "run") if nextest else ("cargo", "test")
        locked = ("--locked",) if "Cargo.lock" in tree else ()
        fetch = ("cargo", "fetch", *locked)
        return Environment(
            detector=self.name,
            evidence=("Cargo.toml", *((".config/nextest.toml",) if nextest else ())),
            setup=(
                SetupCommand(fetch, otherwise=(SetupCommand(fetch[:2]),) if locked else ()),
                SetupCommand(("cargo", "test", "--no-run", *workspace, *locked), required=False),
                SetupCommand(("python3", "-I", "-S", "-c", _KEEP, COMPILED), required=False),
            ),
            tests=(TestCommand("cargo", (*test, *workspace)),),
            manifests=tuple(sorted(path for path in tree if _MANIFEST.fullmatch(path))),
            variables=VARIABLES,
            tools=_tools(manifest, nextest=nextest),
        )


def _is_extension(tree: Tree, read: ReadFile) -> bool:
    """A module for Python, whose tests are Python's."""
    return "pyproject.toml" in tree and any(word in read("pyproject.toml") for word in (b"maturin", b"setuptools-rust"))


def _has_tests(tree: Tree, read: ReadFile) -> bool:
    sources = [path for path in tree if path.endswith(".rs")]
    if any(path.startswith("tests/") or "/tests/" in path for path in sources):
        return True
    return any(_TEST.search(read(path)) for path in sorted(sources, key=lambda p: (p.count("/"), p))[:_MOST_READ])


def _tools(manifest: Mapping[str, Any], *, nextest: bool) -> tuple[Tool, ...]:
    asked = str(
        table(manifest, "package").get("rust-version")
        or table(manifest, "workspace", "package").get("rust-version")
        or ""
    )
    versions = f">={asked}" if re.fullmatch(r"\d+(?:\.\d+){0,2}", asked) else ""
    extra = (Tool("cargo-nextest", "", ".config/nextest.toml"),) if nextest else ()
    return (Tool("cargo", versions, "Cargo.toml rust-version" if versions else "Cargo.toml"), *extra)
