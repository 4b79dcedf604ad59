"""A Makefile with a target for its tests, there or made by configure: the last resort, of which only the exit code is
known, except where automake's harness tells of each test."""

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.lenient import lenient
from repo_tools.environment.native import OF_C
from repo_tools.environment.texts import read_text

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in make's own order
_CONFIGURED = ("Makefile.in", "Makefile.am")
_TARGETS = ("test", "tests", "check", "unittest", "unit-test", "test-unit", "run_tests", "run-tests", "runtests")
_STANDARD = ("check", *_TARGETS)
"""Where configure makes it; ``tests`` may then only build them:
https://www.gnu.org/prep/standards/html_node/Standard-Targets.html"""
_FOLDERS = ("test", "tests")
_MOST_READ = 100
_TARGET = re.compile(r"^([\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?!=)([^\n#;]*)", re.MULTILINE)
_BUILDS = re.compile(r"^(?:all|build|default)[ \t]*::?(?!=)", re.MULTILINE)
_HANDS_ON = re.compile(
    r"^(?:\.DEFAULT|%)[ \t]*::?[^\n]*\n\t@?(?:cd[ \t]+|\$\(MAKE\)[ \t]+-C[ \t]+)([\w./-]+)[^\n]*\$@", re.M
)
_HARNESS = re.compile(r"^[ \t]*TESTS[ \t]*\+?=", re.MULTILINE)
_CHECKS = re.compile(r"^[ \t]*(?:(?:TESTS|TESTSUITE)[ \t]*\+?=|check[\w-]*[ \t]*::?(?!=))", re.MULTILINE)
"""What ``make check`` runs. Without any of it it runs nothing, and ends well: ``check_PROGRAMS`` are only built."""
_MAKERS = ("autogen.sh", "bootstrap", "bootstrap.sh", "buildconf", "buildconf.sh")
_MANIFEST = re.compile(r"(?:.*/)?(?:Makefile\.(?:in|am)|configure(?:\.ac|\.in)?|[^/]*\.(?:mk|m4))")


class MakeDetector:
    name = "make/8"
    looked_for = "a Makefile with a target test or check"
    suffixes = ()

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        found = next(_targets(tree, read), None)
        if found is None:
            return None
        makefile, target, builds, alone = found
        configured = configuring(tree) if makefile in _CONFIGURED else ()
        build = (SetupCommand(("make",), required=False),) if builds or configured else ()
        programs = ("make", *(["autoreconf"] if any(c.argv[0] == "autoreconf" for c in configured) else []))
        test = ("make", target)
        runner = runner_of(test, tree, read) if makefile in _CONFIGURED else "exit_code"
        manifests = tuple(sorted(path for path in tree if path == makefile or _MANIFEST.fullmatch(path)))
        return Environment(
            detector=self.name,
            evidence=(f"{makefile}: target {target}",),
            setup=(
                *configured,
                *lenient([read_text(read, path) for path in manifests[:_MOST_READ]], tree, read),
                *build,
            ),
            tests=(TestCommand(runner, after_build((("make",),), test) if builds and alone else test),),
            manifests=manifests,
            tools=tuple(Tool(program, "", makefile) for program in programs),
        )


class AutomakeDetector:
    """Where a build tells of each of its tests, as CMake's does."""

    name = MakeDetector.name
    looked_for = "a Makefile.am with TESTS"
    suffixes = OF_C

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        planned = MakeDetector().detect(tree, read)
        return planned if planned and planned.tests[0].runner == "automake" else None


def runner_of(argv: tuple[str, ...], tree: Tree, read: ReadFile) -> str:
    """The runner that understands what this `make` of the root says: automake's own target has its harness."""
    is_own = argv[0] == "make" and "check" in argv[1:] and "Makefile.am" in tree
    return "automake" if is_own and _tells(_HARNESS, tree, read) else "exit_code"


def _tells(wanted: re.Pattern[str], tree: Tree, read: ReadFile) -> bool:
    """Whether one of automake's files has it, or one that they include."""
    files = sorted(path for path in tree if path.endswith((".am", ".mk", ".mak")))[:_MOST_READ]
    return any(wanted.search(read_text(read, path)) for path in files)


def configuring(tree: Tree) -> tuple[SetupCommand, ...]:
    """How the Makefile is made where a configure makes it; empty where none does."""
    if "configure" in tree:
        return (SetupCommand(_started(tree, "configure")),)
    if "configure.ac" in tree or "configure.in" in tree:
        made = SetupCommand(("autoreconf", "--force", "--install"), otherwise=tuple(_own_makers(tree)))
        return (made, SetupCommand(("./configure",)))
    return ()


def _own_makers(tree: Tree) -> Iterator[SetupCommand]:
    """What the repository has to make its configure; many would run it, too."""
    if own := next((name for name in _MAKERS if name in tree), None):
        yield SetupCommand(("env", "NOCONFIGURE=1", *_started(tree, own)))


def _started(tree: Tree, script: str) -> tuple[str, ...]:
    return (f"./{script}",) if tree[script].mode is FileMode.EXECUTABLE else ("sh", script)


def after_build(builds: Iterable[tuple[str, ...]], test: tuple[str, ...]) -> tuple[str, ...]:
    """Tests of what is built first: else they would run what was built before a change."""
    return ("sh", "-c", " && ".join(map(shlex.join, (*builds, test))))


def folders_of_tests(tree: Tree) -> tuple[str, ...]:
    """Those with a Makefile of their own, which has them built and run where the root has none for it."""
    return tuple(folder for folder in _FOLDERS if any(f"{folder}/{name}" in tree for name in MAKEFILES))


def own_target(tree: Tree, read: ReadFile) -> str:
    """What the Makefile that is there has for its tests; empty where it has nothing."""
    return next((target for makefile, target, *_ in _targets(tree, read) if makefile in MAKEFILES), "")


def is_test_target(word: str) -> bool:
    return word in _TARGETS


def _targets(tree: Tree, read: ReadFile) -> Iterator[tuple[str, str, bool, bool]]:
    """(Makefile, its target for tests, whether it builds something, whether the tests leave that to others); those that
    are there first."""
    there = [name for name in MAKEFILES if name in tree][:1]
    for name in (*there, *(name for name in _CONFIGURED if name in tree and configuring(tree))):
        text = read_text(read, name)
        own = name == "Makefile.am" and _tells(_CHECKS, tree, read)
        targets: dict[str, str] = {"check": "all"} if own else {}  # automake adds it
        for found in _TARGET.finditer(text):
            targets |= {word: targets.get(word, "") + found[2].strip() for word in found[1].split()}
        order = _STANDARD if name in _CONFIGURED else _TARGETS
        target = next((word for word in order if word in targets), None) or _handed_on(text, tree, read)
        if target:
            yield name, target, bool(_BUILDS.search(text)), not targets.get(target, target)


def _handed_on(text: str, tree: Tree, read: ReadFile) -> str:
    """The target of a Makefile in a folder below, to which the root's hands on what it does not know itself."""
    found = _HANDS_ON.search(text)
    below = posixpath.join(found[1], "Makefile") if found else ""
    if below not in tree:
        return ""
    words = {word for rule in _TARGET.finditer(read_text(read, below)) for word in rule[1].split()}
    return next((name for name in _TARGETS if name in words), "")
