"""Product code that may make its process end well, where how a command of tests ends is all that is known. Pure."""

import re
from collections import Counter

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import Environment, ReadFile
from repo_tools.environment.javascript.files import SUFFIXES as JAVASCRIPT
from repo_tools.environment.runners.exit_code import ExitCodeRunner
from repo_tools.verification.plain_source import FAILS

_OF_JAVASCRIPT = re.compile(
    rf"\bprocess\s*\.\s*(?:(?:exit|reallyExit)\s*\((?!{FAILS})|execve\s*\(|\w+\s*\(\s*['\"`]exit['\"`]"
    r"|exitCode\s*=(?!=)(?!\s*[1-9]\d?[^\S\n]*[;,)}\n]))"
    r"|['\"`](?:uncaughtException|unhandledRejection|beforeExit)['\"`]"
)
_TEXT = r"\s*[fFrRbBuU]{0,2}['\"]"
_OF_PYTHON = re.compile(
    rf"\b(?<!def )(?:exit|(?<!\.)quit|SystemExit)\s*\((?!{FAILS}|{_TEXT})|\braise\s+SystemExit\b(?!\s*\()"
    r"|\bexcepthook\b|\bos\s*\.\s*exec[lv]\w*\s*\("
)
"""https://nodejs.org/api/process.html#exit-codes, https://docs.python.org/3/library/sys.html#sys.exit"""

_AS_PROGRAM = re.compile(r"^if __name__ == ['\"]__main__['\"]:[^\n]*+\n(?:[ \t\r][^\n]*+\n|\n)*+", re.MULTILINE)
"""Nobody does this who loads the module."""


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
    text = f"{source.decode('utf-8', 'replace')}\n"
    if path.endswith(JAVASCRIPT):
        return [found[0] for found in _OF_JAVASCRIPT.finditer(text)]
    return [found[0] for found in _OF_PYTHON.finditer(_AS_PROGRAM.sub("", text))] if path.endswith(".py") else []
