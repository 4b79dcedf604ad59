"""A Makefile with a target for its tests: the last resort, of which only the exit code is known."""

import re

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in make's own order
_TARGETS = ("test", "tests", "check", "unittest", "unit-test", "test-unit")
_TARGET = re.compile(r"^([\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?!=)", re.MULTILINE)
_BUILDS = re.compile(r"^(?:all|build|default)[ \t]*::?(?!=)", re.MULTILINE)


class MakeDetector:
    name = "make/1"
    looked_for = "a Makefile with a target test or check"
    suffixes = ()

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        makefile = next((name for name in _MAKEFILES if name in tree), None)
        if makefile is None:
            return None
        text = read(makefile).decode("utf-8", "replace")
        targets = {word for found in _TARGET.finditer(text) for word in found[1].split()}
        target = next((name for name in _TARGETS if name in targets), None)
        if target is None:
            return None
        build = (SetupCommand(("make",), required=False),) if _BUILDS.search(text) else ()
        return Environment(
            detector=self.name,
            evidence=(f"{makefile}: target {target}",),
            setup=build,
            tests=(TestCommand("exit_code", ("make", target)),),
            manifests=tuple(sorted(path for path in tree if path == makefile or path.endswith(".mk"))),
            tools=(Tool("make", "", makefile),),
        )
