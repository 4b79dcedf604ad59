"""Files of the tests that a run of them altered on disk: what is red or green then is not what those tests say.

Product code runs before a test file is read where another file, a `conftest.py` or a build loads it first. Files are
told apart by when the kernel says that they were last altered, which no command can set: one that is put back is seen.
"""

import json
from collections.abc import Iterable

from repo_tools.changes import ChangeSet, Tree
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import WORKSPACE, Sandbox
from repo_tools.verification.plain_source import SUFFIXES as PLAIN
from repo_tools.verification.sides import Side, TestLayout, classify
from repo_tools.verification.test_names import SOURCE_SUFFIXES, is_build_file

_SECONDS = 60.0
_MOST_NAMED = 5
PROGRAMS = (*SOURCE_SUFFIXES, *PLAIN, ".sh")
_LOCKS = (".lock", ".locked")
_ASK = ("python3", "-I", "-S", "-c")
_STAMPS = """
import json, os, sys
def stamp(path):
    try:
        state = os.lstat(path)
    except OSError:
        return 0
    return state.st_ino, state.st_ctime_ns
print(json.dumps([stamp(path) for path in json.load(sys.stdin)]))
"""


def watched(tree: Tree, overlay: ChangeSet | None, layout: TestLayout) -> tuple[str, ...]:
    """Programs of the tests' side and what configures tests. Data are left out, which suites write by right; so is
    what a build makes again, or Bundler, which follows the gem's own version."""
    return tuple(sorted(path for path in {*tree, *(overlay or ())} if _is_watched(path, layout)))


def _is_watched(path: str, layout: TestLayout) -> bool:
    side = classify(path, layout)
    if side is Side.CONFIGURATION:
        return not (is_build_file(path) or path.endswith(_LOCKS))
    return side is Side.TESTS and (path.endswith(PROGRAMS) or path in layout.collected or path in layout.suites)


class Stamps:
    """When each of `paths` was last altered, as it stands in the box when this is made."""

    def __init__(self, box: Sandbox, paths: tuple[str, ...]) -> None:
        """SandboxError."""
        self._box, self._paths = box, paths
        self._before = self._now()
        if len(self._before) != len(paths):
            raise SandboxError("The sandbox does not say when files were altered.")

    def altered(self) -> frozenset[str]:
        """Since then; all of them where a box that is full or out of memory does not say."""
        now = self._now() or [None] * len(self._paths)
        pairs = zip(self._paths, self._before, now, strict=True)
        return frozenset(path for path, before, after in pairs if before != after)

    def _now(self) -> list[object]:
        """Empty where it cannot be told."""
        if not self._paths:
            return []
        result = self._box.exec(
            (*_ASK, _STAMPS),
            timeout_seconds=_SECONDS,
            cwd=WORKSPACE,
            stdin=json.dumps(self._paths).encode(),
            max_output_bytes=100 * len(self._paths),
        )
        try:
            stamps: list[object] = json.loads(result.output)
        except ValueError:
            return []
        return stamps


def told(altered: Iterable[str]) -> str:
    """Why such a run is none."""
    names = sorted(altered)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    listed = f"{', '.join(names[:_MOST_NAMED])}{more}"
    return f"This run altered files of the tests, which one on the base commit does not: {listed}."
