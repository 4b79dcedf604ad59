"""Product code that may make its process end well, where how a command of tests ends is all that is known. Pure."""

import re
from collections import Counter

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import Environment, ReadFile
from repo_tools.environment.runners.exit_code import ExitCodeRunner
from repo_tools.verification.javascript_source import SUFFIXES as JAVASCRIPT

_NO_FAILURE = r"(?!\s*[1-9])"
_OF_JAVASCRIPT = re.compile(
    rf"\bprocess\s*\.\s*(?:(?:exit|reallyExit|kill|abort)\s*\({_NO_FAILURE}|exitCode\s*=(?!=){_NO_FAILURE})"
    r"|['\"`](?:uncaughtException|unhandledRejection|(?:beforeE|e)xit)['\"`]"
)
_OF_PYTHON = re.compile(rf"\b(?:(?:exit|quit|SystemExit)\s*\({_NO_FAILURE}|excepthook\b|atexit\b)")
"""https://nodejs.org/api/process.html#exit-codes, https://docs.python.org/3/library/sys.html#sys.exit"""


def ends_well(product: ChangeSet, environment: Environment, base: Tree, read: ReadFile) -> tuple[str, ...]:
    """What the changed code as a whole has more of than the base's; empty where each test tells of itself."""
    if not any(command.runner == ExitCodeRunner.name for command in environment.tests):
        return ()
    added = Counter[str]()
    for path, new in product.files.items():
        added.update(_endings(path, new.content if new else b""))
        added.subtract(_endings(path, read(path) if path in base else b""))
    return tuple(sorted(word for word, count in added.items() if count > 0))


def _endings(path: str, source: bytes) -> list[str]:
    pattern = _OF_JAVASCRIPT if path.endswith(JAVASCRIPT) else _OF_PYTHON if path.endswith(".py") else None
    return [found[0] for found in pattern.finditer(source.decode("utf-8", "replace"))] if pattern else []
