"""Go modules, tested with ``go test``."""

import re
import shlex
from pathlib import PurePosixPath
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.go_path import OLD_MANIFEST, import_path
from repo_tools.environment.runners.go_test import BUILD_CACHE
from repo_tools.sandbox.contract import ENVIRONMENT

_VERSION = re.compile(r"^go\s+(\d+\.\d+(?:\.\d+)?)", re.MULTILINE)
_MANIFEST = re.compile(r"(?:.*/)?(?:go\.(?:mod|sum|work|work\.sum)|vendor/modules\.txt)")
_COMPILE = f"GOCACHE={BUILD_CACHE} go test -run='^$' ./... || GOCACHE={BUILD_CACHE} go build ./... || true"
"""Fills the build cache; what does not build is the baseline's to say."""


VARIABLES = {
    "GOPATH": f"{ENVIRONMENT}/go",
    "GOTOOLCHAIN": "local",  # the image's: what go.mod asks for is not fetched behind everybody's back
}


class GoDetector:
    name = "go/3"
    looked_for = "Go test files (*_test.go) with a go.mod, or of before there was one"
    suffixes = (".go",)

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        module = next((name for name in ("go.work", "go.mod") if name in tree), None)
        if not any(path.endswith("_test.go") for path in tree):
            return None
        if module is None:
            return _of_before_modules(self.name, tree, read)
        version = _VERSION.search(read(module).decode("utf-8", "replace"))
        return Environment(
            detector=self.name,
            evidence=(module, "*_test.go"),
            setup=(*_downloads(tree), SetupCommand(("sh", "-c", _COMPILE), required=False)),
            tests=tuple(TestCommand("go_test", ("go", "test", "./..."), folder) for folder in _modules(tree, read)),
            manifests=tuple(sorted(path for path in tree if _MANIFEST.fullmatch(path))),
            variables=VARIABLES,
            tools=(Tool("go", f">={version[1]}" if version else "", module),),
        )


_OLD = "1.16"
"""What old code was written in: later ones mean other things by the same words, and vet refuses more."""


def _of_before_modules(name: str, tree: Tree, read: ReadFile) -> Environment | None:
    """Made a module in set-up, where it is one: what it imports is found again, in versions of today."""
    path = import_path(tree, read)
    if path is None:
        return None
    start = f"go mod init {shlex.quote(path)} && go mod edit -go={_OLD} && go mod tidy"
    return Environment(
        detector=name,
        evidence=("*_test.go", f"no go.mod: taken as {path}"),
        setup=(SetupCommand(("sh", "-c", start)), SetupCommand(("sh", "-c", _COMPILE), required=False)),
        tests=(TestCommand("go_test", ("go", "test", "./...")),),
        manifests=tuple(sorted(path for path in tree if OLD_MANIFEST.fullmatch(path))),
        variables={**VARIABLES, "GO111MODULE": "on", "GOFLAGS": "-mod=mod"},  # whatever stands in vendor/
        tools=(Tool("go", "", "*_test.go"),),
    )


def _downloads(tree: Tree) -> tuple[SetupCommand, ...]:
    """What is vendored is there already."""
    if "vendor/modules.txt" in tree:
        return ()
    command = ("go", "work", "sync") if "go.work" in tree else ("go", "mod", "download")
    return (SetupCommand(command),)


def _modules(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Folders of the modules with tests: in a workspace ``./...`` stops at each module's border."""
    if "go.work" not in tree:
        return ("",)
    used = [folder for folder in _uses(read("go.work").decode("utf-8", "replace")) if not folder.startswith("..")]
    tested = [PurePosixPath(path) for path in tree if path.endswith("_test.go")]
    mine = {_deepest(path, used) for path in tested}
    return tuple(folder for folder in used if folder in mine) or ("",)


def _deepest(path: PurePosixPath, folders: list[str]) -> str | None:
    return max((folder for folder in folders if path.is_relative_to(folder)), key=len, default=None)


def _uses(text: str) -> list[str]:
    """The folders that ``use`` names, root-relative; the root is empty."""
    text = re.sub(r"//.*", "", text)
    blocks = re.findall(r"^use[ \t]{0,20}\(([^()]*)\)", text, re.MULTILINE)
    single = re.findall(r"^use\s+([^(\s]+)", text, re.MULTILINE)
    named = [word.strip('"`') for word in (*" ".join(blocks).split(), *single)]
    return list(dict.fromkeys("" if normpath(word) == "." else normpath(word) for word in named))
