"""A Makefile with a target for its tests, there or made by configure: the last resort, of which only the exit code is
known."""

import re
from collections.abc import Iterator

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in make's own order
_CONFIGURED = ("Makefile.in", "Makefile.am")
_TARGETS = ("test", "tests", "check", "unittest", "unit-test", "test-unit")
_TARGET = re.compile(r"^([\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?!=)", re.MULTILINE)
_BUILDS = re.compile(r"^(?:all|build|default)[ \t]*::?(?!=)", re.MULTILINE)
_MANIFEST = re.compile(r"(?:.*/)?(?:Makefile\.(?:in|am)|configure(?:\.ac|\.in)?|[^/]*\.(?:mk|m4))")


class MakeDetector:
    name = "make/2"
    looked_for = "a Makefile with a target test or check"
    suffixes = ()

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        found = next(_targets(tree, read), None)
        if found is None:
            return None
        makefile, target, builds = found
        configured = configuring(tree) if makefile in _CONFIGURED else ()
        build = (SetupCommand(("make",), required=False),) if builds or configured else ()
        programs = ("make", *(["autoreconf"] if any(c.argv[0] == "autoreconf" for c in configured) else []))
        return Environment(
            detector=self.name,
            evidence=(f"{makefile}: target {target}",),
            setup=(*configured, *build),
            tests=(TestCommand("exit_code", ("make", target)),),
            manifests=tuple(sorted(path for path in tree if path == makefile or _MANIFEST.fullmatch(path))),
            tools=tuple(Tool(program, "", makefile) for program in programs),
        )


def configuring(tree: Tree) -> tuple[SetupCommand, ...]:
    """How the Makefile is made where a configure makes it; empty where none does."""
    if "configure" in tree:
        executable = tree["configure"].mode is FileMode.EXECUTABLE
        return (SetupCommand(("./configure",) if executable else ("sh", "configure")),)
    if "configure.ac" in tree or "configure.in" in tree:
        return (SetupCommand(("autoreconf", "--force", "--install")), SetupCommand(("./configure",)))
    return ()


def has_test_target(tree: Tree, read: ReadFile) -> bool:
    """Whether the Makefile that is there has one."""
    return any(makefile in MAKEFILES for makefile, _, _ in _targets(tree, read))


def _targets(tree: Tree, read: ReadFile) -> Iterator[tuple[str, str, bool]]:
    """(Makefile, its target for tests, whether it builds something first); those that are there first."""
    there = [name for name in MAKEFILES if name in tree][:1]
    for name in (*there, *(name for name in _CONFIGURED if name in tree and configuring(tree))):
        text = read(name).decode("utf-8", "replace")
        targets = {word for found in _TARGET.finditer(text) for word in found[1].split()}
        if name == "Makefile.am":  # automake adds it
            targets.add("check")
        target = next((name for name in _TARGETS if name in targets), None)
        if target:
            yield name, target, bool(_BUILDS.search(text))
