"""Files of the tests that a run of them altered on disk: what is red or green then is not what those tests say.

Product code runs before a test file is read where another file, a `conftest.py` or a build loads it first. Files are
told apart by when the kernel says that they were last altered, which no command can set: one that is put back is seen.
"""

from collections.abc import Iterable

from repo_tools.changes import ChangeSet, Tree
from repo_tools.sandbox.contract import WORKSPACE, Sandbox
from repo_tools.verification.plain_source import SUFFIXES as PLAIN
from repo_tools.verification.sides import Side, TestLayout, classify
from repo_tools.verification.test_names import SOURCE_SUFFIXES, is_build_file

_MOST_NAMED = 5
PROGRAMS = (*SOURCE_SUFFIXES, *PLAIN, ".sh")
_LOCKS = (".lock", ".locked")


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

    def altered(self) -> frozenset[str]:
        """Since then. SandboxError."""
        pairs = zip(self._paths, self._before, self._now(), strict=True)
        return frozenset(path for path, before, after in pairs if before != after)

    def _now(self) -> tuple[bytes, ...]:
        return self._box.stamps([f"{WORKSPACE}/{path}" for path in self._paths])


def told(altered: Iterable[str]) -> str:
    """Why such a run is none."""
    names = sorted(altered)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    listed = f"{', '.join(names[:_MOST_NAMED])}{more}"
    return f"This run altered files of the tests, which one on the base commit does not: {listed}."
