"""What a change newly needs that the environment does not have: it was made from the base commit's manifests."""

from collections.abc import Iterable

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python_requirements import runtime_requirements
from repo_tools.environment.run import ACTIVATE
from repo_tools.sandbox.contract import Sandbox

_ASK = ("python", "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check")
_ASK_SECONDS = 60.0


def added_requirements(product: ChangeSet, base: Tree, read: ReadFile) -> tuple[str, ...]:
    """Requirements that the changed manifests have and those of the base have not, as they are written."""
    added: set[str] = set()
    for path in product:
        new = product.files[path]
        before = runtime_requirements(path, read(path).decode("utf-8", "replace")) if path in base else frozenset()
        if new is not None:
            added |= runtime_requirements(path, new.content.decode("utf-8", "replace")) - before
    return tuple(sorted(added))


def not_installed(box: Sandbox, requirements: Iterable[str]) -> tuple[str, ...]:
    """Those that pip does not find satisfied in the box, which has no network to get them from."""
    asked = ((wanted, (*ACTIVATE, *_ASK, wanted)) for wanted in requirements)
    return tuple(wanted for wanted, argv in asked if box.exec(argv, timeout_seconds=_ASK_SECONDS).exit_code != 0)
