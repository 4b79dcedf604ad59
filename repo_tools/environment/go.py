"""Go modules, tested with ``go test``."""

import re
import shlex
from collections.abc import Set
from posixpath import basename, dirname, normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import NOTE, Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.folders import is_below
from repo_tools.environment.generated import stand_in
from repo_tools.environment.go_embed import stand_ins
from repo_tools.environment.go_path import OLD_MANIFEST, import_path, is_vendored
from repo_tools.environment.runners.go_test import BUILD_CACHE
from repo_tools.environment.texts import read_text
from repo_tools.paths import parents
from repo_tools.sandbox.contract import ENVIRONMENT

_DOWNLOAD = ("go", "mod", "download")
_VERSION = re.compile(r"^go\s+(\d+\.\d+(?:\.\d+)?)", re.MULTILINE)
_MANIFEST = re.compile(r"(?:.*/)?(?:go\.(?:mod|sum|work|work\.sum)|vendor/modules\.txt)")
_MODULE = re.compile(r"^module[ \t]+\"?([^\s\"]+)", re.MULTILINE)
_OF_TESTS = re.compile(r"(?:internal/)?_?(?:tests?|testing)")
GO_TEST = ("go", "test")
_NOT_MATCHED = re.compile(r"testdata|vendor|[._].*")
"""https://pkg.go.dev/cmd/go#hdr-Package_lists_and_patterns"""
_OF_BUILDS = ("-tags=", "-ldflags=", "-gcflags=")
_UNVETTED = ("-vet=off",)
_TOLD = "go vet refuses the base commit: its tests are run without (-vet=off)"


def _compile(options: tuple[str, ...] = ()) -> str:
    """Fills the build cache; what does not build is the baseline's to say. Where vet alone refuses it, which knows more
    with each release of Go, its tests are run without; not where the CI sets GOFLAGS, which goes before ``go env``."""
    of_both = [word for word in options if word.startswith(_OF_BUILDS)]
    tested = shlex.join(("go", "test", "-run=^$", *options, "./..."))
    unvetted = shlex.join(("go", "test", "-run=^$", *options, *_UNVETTED, "./..."))
    settled = f"{{ [ ! \"$GOFLAGS\" ] && {unvetted} && go env -w GOFLAGS={_UNVETTED[0]} && echo '{NOTE}{_TOLD}'; }}"
    built = shlex.join(("go", "build", *of_both, "./..."))
    ways = (tested, *([] if set(_UNVETTED) <= set(options) else [settled]), built, "true")
    return f"export GOCACHE={BUILD_CACHE}; {' || '.join(ways)}"


def compiled_with(argv: tuple[str, ...], options: tuple[str, ...]) -> tuple[str, ...]:
    """A command of set-up, with options of the tests where it compiles for them."""
    own = next((own for own in ((), _UNVETTED) if argv == ("sh", "-c", _compile(own))), None)
    return argv if own is None else ("sh", "-c", _compile((*options, *own)))


VARIABLES = {
    "GOPATH": f"{ENVIRONMENT}/go",
    "GOENV": f"{ENVIRONMENT}/go-env",
    "GOTOOLCHAIN": "local",  # the image's: what go.mod asks for is not fetched behind everybody's back
}


class GoDetector:
    name = "go/11"
    looked_for = "Go test files (*_test.go) with a go.mod, or of before there was one"
    suffixes = (".go",)

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        module = next((name for name in ("go.work", "go.mod") if name in tree), None)
        modules = _modules(tree, read)
        if not modules:
            return None
        if module is None:
            return _of_before_modules(self.name, tree, read)
        version = _VERSION.search(read_text(read, module))
        beside = _modules_of_tests(tree, read) if module == "go.mod" else ()
        lacking = stand_ins(tree, read)
        return Environment(
            detector=self.name,
            evidence=(
                module,
                "*_test.go",
                *(f"{path}: empty, instead of what a build makes to embed" for path in lacking),
            ),
            setup=(
                *(SetupCommand(stand_in(path), required=False) for path in lacking),
                *_downloads(tree),
                *(SetupCommand(_DOWNLOAD, required=False, directory=folder) for folder in beside),
                *_compiling((*modules, *beside)),
            ),
            tests=tuple(TestCommand("go_test", ("go", "test", "./..."), folder) for folder in (*modules, *beside)),
            manifests=tuple(sorted(path for path in tree if _MANIFEST.fullmatch(path))),
            variables=VARIABLES,
            tools=(Tool("go", f">={version[1]}" if version else "", module),),
        )


_OLD = "1.16"
"""What old code was written in: later ones mean other things by the same words."""
_UNCHECKED = "1.13"
"""The last that takes a ``vendor/`` without its list of modules: https://go.dev/doc/go1.14#vendor"""


def _of_before_modules(name: str, tree: Tree, read: ReadFile) -> Environment | None:
    """Made a module in set-up, where it is one: what it imports is in its ``vendor/``, or else is found again, in
    versions of today. Until 1.10, of the last months before modules, ``go test`` did not vet:
    https://go.dev/doc/go1.10#test-vet"""
    path = import_path(tree, read)
    if path is None:
        return None
    kept = is_vendored(tree, read, path)
    start = f"go mod init {shlex.quote(path)} && go mod edit -go={_OLD} && go mod tidy"
    if kept:
        start = f"printf 'module %s\\n\\ngo {_UNCHECKED}\\n' {shlex.quote(path)} >go.mod"
    return Environment(
        detector=name,
        evidence=("*_test.go", f"no go.mod: taken as {path}", *(["vendor/ has all that it imports"] if kept else [])),
        setup=(SetupCommand(("sh", "-c", start)), *_compiling(("",), _UNVETTED)),
        tests=(TestCommand("go_test", ("go", "test", *_UNVETTED, "./...")),),
        manifests=tuple(sorted(path for path in tree if OLD_MANIFEST.fullmatch(path))),
        variables={**VARIABLES, "GO111MODULE": "on", "GOFLAGS": "-mod=vendor" if kept else "-mod=mod"},
        tools=(Tool("go", "", "*_test.go"),),
    )


def _downloads(tree: Tree) -> tuple[SetupCommand, ...]:
    """What is vendored is there already. In a workspace, that of all its modules (``go work sync`` fetches none)."""
    return () if "vendor/modules.txt" in tree else (SetupCommand(_DOWNLOAD),)


def _compiling(modules: tuple[str, ...], options: tuple[str, ...] = ()) -> tuple[SetupCommand, ...]:
    """In each module: at the root of a workspace, ``./...`` may match none."""
    return tuple(SetupCommand(("sh", "-c", _compile(options)), required=False, directory=folder) for folder in modules)


def _modules(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Folders of the modules with tests: ``./...`` stops at each module's border, in a workspace too."""
    used = [""]
    if "go.work" in tree:
        used = [folder for folder in _uses(read_text(read, "go.work")) if not folder.startswith("..")]
    borders = {"", *used, *(dirname(path) for path in tree if basename(path) == "go.mod")}
    tested = {folder for path in tree if path.endswith("_test.go") for folder in [_tested_from(path, borders)]}
    return tuple(folder for folder in used if folder in tested)


def _modules_of_tests(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Folders of modules beside the root's that hold tests of it, so that it needs nothing that they need."""
    own = _MODULE.search(read_text(read, "go.mod"))
    if own is None:
        return ()
    folders = sorted(
        dirname(path) for path in tree if basename(path) == "go.mod" and _OF_TESTS.fullmatch(dirname(path))
    )
    tested = {dirname(path) for path in tree if path.endswith("_test.go")}
    replaced = re.compile(rf"(?:^|\s){re.escape(own[1])}(?:[ \t]+v\S+)?[ \t]+=>[ \t]+(\.\.[./]*)\s")
    found = ((folder, replaced.search(read_text(read, f"{folder}/go.mod") + "\n")) for folder in folders)
    known = [folder for folder, place in found if place and normpath(f"{folder}/{place[1]}") == "."]
    return tuple(folder for folder in known if any(is_below(path, folder) for path in tested))


def _tested_from(path: str, borders: Set[str]) -> str | None:
    """The module that a test is of; None where ``./...`` passes over its folder."""
    above = tuple(parents(path))
    if any(_NOT_MATCHED.fullmatch(basename(folder)) for folder in above):
        return None
    return next((folder for folder in above if folder in borders), "")


def _uses(text: str) -> list[str]:
    """The folders that ``use`` names, root-relative; the root is empty."""
    text = re.sub(r"//.*", "", text)
    blocks = re.findall(r"^use[ \t]{0,20}\(([^()]*)\)", text, re.MULTILINE)
    single = re.findall(r"^use\s+([^(\s]+)", text, re.MULTILINE)
    named = [word.strip('"`') for word in (*" ".join(blocks).split(), *single)]
    return list(dict.fromkeys("" if normpath(word) == "." else normpath(word) for word in named))
