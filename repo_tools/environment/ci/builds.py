"""Variables of a workflow that builds read: what is compiled or installed without them is not what the tests use."""

import re
from collections.abc import Mapping
from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import Environment
from repo_tools.sandbox.contract import WORKSPACE

_OF_BUILDS = re.compile(
    r"RUST(?:DOC)?FLAGS|RUSTC_BOOTSTRAP|GOFLAGS|GOEXPERIMENT|CGO_\w+"
    r"|BUNDLE_(?:GEMFILE|WITH|WITHOUT)|MAVEN_ARGS"
)
_DENIED = re.compile(r"(?:^|\s)(?:-D\s?|--deny[ =])warnings(?=\s|$)")
"""A compiler that is not the one of CI has other warnings."""
_LINKED_BY = re.compile(r"(?:^|\s)-C\s?(?:linker|link-arg=-fuse-ld)=\S+")
"""A linker that the CI installs."""
_MACHINE = frozenset((
    "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER",
    "GO111MODULE", "GOARCH", "GOBIN", "GOCACHE", "GOMODCACHE", "GONOSUMDB", "GOOS", "GOPATH", "GOPROXY", "GOROOT",
    "GOSUMDB",
    "CMAKE_BUILD_PARALLEL_LEVEL", "CTEST_PARALLEL_LEVEL", "DISPLAY", "JAVA_HOME", "MAKEFLAGS", "RUSTUP_TOOLCHAIN",
))  # fmt: skip
"""What another machine has around its compilers, and where, how much it does at once, and for which one a matrix builds
besides."""
_UNSTABLE = re.compile(r"(?:^|(?<=\s))-Z\s?\S+")
"""A compiler that is released refuses it (``-Z sanitizer=thread``):
https://doc.rust-lang.org/rustc/command-line-arguments.html#-z-set-unstable-options"""
_OF_A_WHOLE_RUN = re.compile(r"-ff|-fn|-fae|--fail-\w+|-q|--quiet|-T\S*|--threads|-Dmaven\.test\.\S*|-DskipTests\S*")
"""Of Maven's arguments: whether it goes on after a failure, and tells of it, is not the CI's to say."""
_GEMFILE = "BUNDLE_GEMFILE"
_OTHER_MODES = frozenset(("RUBYOPT", "PYTHON_GIL", "PYTHON_JIT", "PYTHONOPTIMIZE"))
"""Of an interpreter, in which most jobs of a matrix do not run it. A Python that is not free-threaded does not start
with ``PYTHON_GIL=0`` (https://docs.python.org/3/using/cmdline.html#envvar-PYTHON_GIL); optimized, it asserts
nothing."""
_COMPILERS = frozenset((
    "AR", "AS", "CC", "CHOST", "CPP", "CXX", "LD", "NM", "RANLIB", "STRIP",
    "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS",
))  # fmt: skip
"""Which compiler there is, is the image's to say; its options, set for the tests alone, would fit nothing that is
built."""


def usable(variables: Mapping[str, str], tree: Tree | None = None) -> dict[str, str]:
    """Those that mean the same in a box: a list of gems that the CI makes first is not in `tree`."""
    own = {name: value for name, value in variables.items() if name not in _COMPILERS | _MACHINE | _OTHER_MODES}
    if tree is not None and root_relative(own.get(_GEMFILE, "").removeprefix(f"{WORKSPACE}/")) not in tree:
        own.pop(_GEMFILE, None)
    lenient = {name: _lenient(name, value) for name, value in own.items()}
    return {name: value for name, value in lenient.items() if value or not own[name]}


def _lenient(name: str, value: str) -> str:
    if name == "MAVEN_ARGS":
        return " ".join(word for word in value.split() if not _OF_A_WHOLE_RUN.fullmatch(word))
    return _LINKED_BY.sub("", _UNSTABLE.sub("", _DENIED.sub("", value))).strip() if name.startswith("RUST") else value


def with_variables(environment: Environment, variables: Mapping[str, str]) -> Environment:
    """What `environment` has itself stays. A Gemfile may read any: what it chose by one is asked for at each start."""
    of_ruby = environment.family == "ruby"
    builds = {name: value for name, value in variables.items() if of_ruby or _OF_BUILDS.fullmatch(name)}
    others = {name: v for name, v in variables.items() if name not in builds and name not in environment.variables}
    return replace(
        environment,
        variables={**builds, **environment.variables},
        test_variables={**others, **environment.test_variables},
    )
