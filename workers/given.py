"""What is given with a task that has no repository: which of it is tests, which data, and that it stays as it is."""

import re
from collections.abc import Collection, Iterable

from repo_tools.path_rules import PathRules
from repo_tools.test_report import TestReport

CONFTEST = frozenset({"conftest.py"})
DATA = "data/"
"""Where data stands; whatever else was given is a test or supports one."""
_SYNTAX = re.compile(
    r'File "(?:[^"\n]*/)?([^"/\n]+)", (line \d+)\n(?:.*\n){0,3}?E? *((?:Syntax|Indentation|Tab)Error: .*)'
)
"""How Python shows one, and pytest with an E before each line."""
_FUNCTION = re.compile(rb"^(?:async\s+)?def\s+test", re.MULTILINE)
_CLASS = re.compile(rb"^class\s+(?:Test|\w+\(.*TestCase)", re.MULTILINE)
_METHOD = re.compile(rb"^[ \t]+(?:async\s+)?def\s+test", re.MULTILINE)
_NAMED = re.compile(r"test_.*\.py|.*_test\.py")
"""Files that hold tests by their names, which their classes may inherit; what others of these share is no test."""
_MAY_HOLD = re.compile(
    rb"\bdef\s+test|Test|\bimport\b.*(?:\*|\btest)|^[ \t]*test\w*[ \t]*(?:[=,)]|$)"
    rb"|\b(?:globals|locals|vars|setattr|exec|scenarios?)\s*\(",
    re.MULTILINE,
)
_OF_PATTERNS = re.compile(r"[\\*?\[\] ]")
"""What `PathRules` would not take for itself in a file's name."""
STAYS = f"is protected: what was given with the task stays as it is, and nothing is added to {DATA}"


def given_tests(paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the given paths that hold tests or support them."""
    return tuple(sorted(p for p in paths if not p.startswith(DATA) and p.endswith(".py") and p not in CONFTEST))


def holds_tests(path: str, content: bytes) -> bool:
    """Whether pytest finds tests in it for sure; other given Python files may support these."""
    if _FUNCTION.search(content):
        return True
    return bool(_CLASS.search(content) and (_NAMED.fullmatch(path) or _METHOD.search(content)))


def may_hold_tests(content: bytes) -> bool:
    """Whether there is anything in it that could be a test, or bring one that is written elsewhere."""
    return bool(_MAY_HOLD.search(content))


def rules_of_given(paths: Iterable[str]) -> PathRules:
    """Given files stay as they are, and data among themselves."""
    beside = (_OF_PATTERNS.sub(r"\\\g<0>", path) for path in paths if not path.startswith(DATA))
    given = (f"/{DATA}", *(f"/{path}" for path in beside))
    return PathRules(protected=given, why_protected=STAYS)


def syntax_error(report: TestReport, given: Collection[str]) -> str:
    """The first one in a given file, as ``test_x.py, line 4: SyntaxError: …``; empty where there is none. The box's
    Python knows which words are its own, this one may be older."""
    told = "\n".join((*(case.message for case in report.cases), report.output))
    return next((f"{file}, {line}: {error}" for file, line, error in _SYNTAX.findall(told) if file in given), "")
