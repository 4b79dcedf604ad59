"""TAP, the Test Anything Protocol, versions 12 to 14, into test cases (https://testanything.org). Pure.

A case is a test with a name of its own: a subtest, or what stands below a ``# name`` line, as tape writes it. Its
assertions are not: their number and wording differ from run to run.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from repo_tools.counted import counted
from repo_tools.test_report import TestOutcome

# Whoever writes these lines may write any: each pattern reads a line of any length in one pass.
_POINT = re.compile(r"(?P<not>not )?ok\b(?: +(?P<number>\d{1,9}))?(?: +-)?(?: +(?P<name>.*))?")
_DIRECTIVE = re.compile(r"(?<!\\)#\s*(?P<what>skip|todo)\b\S*(?P<why>.*)", re.IGNORECASE)
_TIME = re.compile(r"(?<!\\)#\s*time ?= ?(?P<number>[\d.]{1,20})(?P<unit>ms|s)?", re.IGNORECASE)
_PLAN = re.compile(r"(?P<first>\d{1,9})\.\.(?P<last>\d{1,9})(?:\s*#.*)?")
_COUNTS = re.compile(
    r"(?:tests|pass|passed|fail|failed|skip|todo|suites|cancelled|skipped|duration_ms|time|ok)\b[ =:].*|ok"
)
_SUBTEST = re.compile(r"#?\s*Subtest(?:: (?P<name>.*))?")
_NUMBERED = re.compile(r"(?:not )?ok (?P<number>\d{1,9})(?!\S)")
_VERSION = re.compile(r"TAP version \d+", re.IGNORECASE)
_MAX_DEPTH = 50


@dataclass(frozen=True)
class TapCase:
    names: tuple[str, ...]
    outcome: TestOutcome
    seconds: float
    message: str


@dataclass
class TapResult:
    """`problem`: why the text cannot be trusted as the account of a whole run."""

    cases: list[TapCase] = field(default_factory=list)
    problem: str | None = None
    failed: bool = False


@dataclass
class _Group:
    """Points below one ``# name`` line."""

    name: str
    points: int = 0
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)  # assertions that failed before its own point, as brittle has them


@dataclass
class _Level:
    names: tuple[str, ...]
    indent: int
    planned: int | None = None
    plans: int = 0
    points: int = 0
    subtest: str | None = None  # the name of the subtest that was announced and has no point yet
    failures: list[str] = field(default_factory=list)  # assertions of its own that failed
    told: list[str] = field(default_factory=list)  # those of the subtest before the point that is to come
    group: _Group | None = None
    numbered: bool = False


class _Reader:
    def __init__(self, lines: Iterable[str]) -> None:
        self.result = TapResult()
        self._lines = list(lines)
        self._at = 0
        self._levels = [_Level((), 0)]

    def read(self) -> TapResult:
        while self._at < len(self._lines) and self.result.problem is None:
            line = self._lines[self._at]
            self._at += 1
            self._line(line)
        while len(self._levels) > 1 and self.result.problem is None:
            self._complain(f"a subtest ({' > '.join(self._levels[-1].names)}) that never ends")
        self._end(self._levels[0])
        return self.result

    def _line(self, line: str) -> None:
        text = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        level = self._levels[-1]
        if level.group and indent == level.indent + 4 and text.startswith("not ok "):
            level.group.told.append("\n".join((text, *self._diagnostics(indent))))
        elif self._is_ours(indent, text):
            self._own_line(indent, text)

    def _own_line(self, indent: int, text: str) -> None:
        level = self._levels[-1]
        if found := _SUBTEST.fullmatch(text):
            self._announce((found["name"] or "").strip())
        elif text.lower().startswith("bail out!"):
            self._complain(f"the run was given up: {text[9:].strip()[:200]}")
        elif text == "}" and len(self._levels) > 1 and indent == level.indent - 4:
            self._close()
        elif found := _PLAN.fullmatch(text):
            self._plan(level, int(found["first"]), int(found["last"]))
        elif found := _POINT.fullmatch(text):
            self._point(found)
        elif text.startswith("# ") and not _COUNTS.fullmatch(text[2:]):
            self._comment(level, text[2:].strip())

    def _is_ours(self, indent: int, text: str) -> bool:
        """Anything may be printed between the lines; indented lines count only below an announced subtest."""
        if not text:
            return False
        if _VERSION.fullmatch(text) and not indent:
            self._begin()
            return False
        level = self._levels[-1]
        if indent == level.indent or (text == "}" and indent == level.indent - 4):
            return True
        if indent == level.indent + 4 and (level.subtest is not None or _SUBTEST.fullmatch(text)):
            if level.subtest is not None and len(self._levels) < _MAX_DEPTH:
                self._levels.append(_Level((*level.names, level.subtest), indent))
                level.subtest = None
            return True
        if indent == level.indent - 4 and len(self._levels) > 1 and (_POINT.fullmatch(text) or text.startswith("# ")):
            return self._leave(text)
        return False

    def _begin(self) -> None:
        """A second copy of the library in one process has a list of its own, after the first one's."""
        (first, *inner) = self._levels
        if first.plans and first.planned == first.points and not inner:
            self._end(first)
            self._levels = [_Level((), 0)]

    def _leave(self, text: str) -> bool:
        """The point after a subtest is its own result."""
        if _POINT.fullmatch(text):
            self._close()
            return True
        return False

    def _close(self) -> None:
        inner = self._levels.pop()
        self._end(inner)
        outer = self._levels[-1]
        outer.told = inner.failures
        if outer.subtest is None:
            outer.subtest = inner.names[-1]

    def _announce(self, name: str) -> None:
        level = self._levels[-1]
        self._finish(level)
        level.subtest = name

    def _plan(self, level: _Level, first: int, last: int) -> None:
        level.plans += 1
        if level.plans > 1:
            self._complain("two plans for one list of tests")
        level.planned = max(0, last - first + 1) if last else 0

    def _point(self, found: re.Match[str]) -> None:
        level = self._levels[-1]
        if level.numbered and not found["number"]:
            return  # something that a test printed
        level.numbered = bool(found["number"])
        rest, opens = self._block(level, found["name"] or "")
        directive, time = _DIRECTIVE.search(rest), _TIME.search(rest)
        name = _bare(rest, directive, time)
        level.points += 1
        if found["number"] and int(found["number"]) != level.points:
            self._complain(f"test point {found['number']} where {level.points} was to come")
        message = "\n".join(self._diagnostics(level.indent)) if found["not"] else ""
        if not found["not"]:
            self._skip_diagnostics(level.indent)
        outcome = _outcome(found, directive)
        if outcome is TestOutcome.FAILED:
            self.result.failed = True
        if opens:
            self._levels.append(_Level((*level.names, name), level.indent + 4))
        else:
            self._settle(level, name, outcome, _seconds(time), message)

    def _settle(self, level: _Level, name: str, outcome: TestOutcome, seconds: float, message: str) -> None:
        """A point is a subtest's own, one of a group's, an assertion of the test that the level is, or a test."""
        if level.subtest is not None:
            shown = name or level.subtest
            message = "\n".join(filter(None, (*level.told, message)))
            level.subtest, level.told = None, []
            self._case((*level.names, shown), outcome, seconds, message)
        elif level.group is not None:
            _add(level.group, name, outcome, message)
        elif level.names:
            if outcome is TestOutcome.FAILED:  # an assertion of a subtest, whose own point is still to come
                level.failures.append(f"not ok: {name}\n{message}".strip())
        else:
            self._case((name or f"test {level.points}",), outcome, seconds, message)

    def _block(self, level: _Level, rest: str) -> tuple[str, bool]:
        """What stands after a point, and whether a block of subtests begins behind it: ``ok 1 - name {``."""
        inner = " " * (level.indent + 4)
        if not rest.endswith("{") or rest.endswith("\\{") or not self._peek().startswith((inner, f"{inner[4:]}}}")):
            return rest, False
        return rest[:-1].rstrip(), True

    def _comment(self, level: _Level, text: str) -> None:
        """tape's heading of a test. A directive in it says what the whole test is."""
        if level.indent:
            return
        self._finish(level)
        directive = re.fullmatch(r"(SKIP|TODO) (.*)", text)
        if directive and directive[1] == "SKIP":
            self._case((directive[2],), TestOutcome.SKIPPED, 0.0, "")
        else:
            level.group = _Group(text.removeprefix("TODO "))

    def _finish(self, level: _Level) -> None:
        group, level.group = level.group, None
        if group is None or not group.points:
            return
        outcome = TestOutcome.FAILED if group.failures else TestOutcome.PASSED if group.passed else TestOutcome.SKIPPED
        self._case((*level.names, group.name), outcome, 0.0, "\n".join(group.failures))

    def _end(self, level: _Level) -> None:
        self._finish(level)
        if self.result.problem is None and level.planned is None and level.points:
            self._complain("no plan: the list of tests may be cut")
        elif self.result.problem is None and level.planned is not None and level.planned != level.points:
            self._complain(f"{counted(level.planned, 'test')} planned, and {level.points} with results")

    def _case(self, names: tuple[str, ...], outcome: TestOutcome, seconds: float, message: str) -> None:
        self.result.cases.append(TapCase(names, outcome, seconds, message))

    def _complain(self, problem: str) -> None:
        self.result.problem = self.result.problem or problem

    def _diagnostics(self, indent: int) -> Iterator[str]:
        """The YAML block below a point, as it stands."""
        start = next((i for i in (2, 4) if self._peek() == " " * (indent + i) + "---"), None)
        if start is None:
            return
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.strip() == "..." and len(line) - len(line.lstrip()) == indent + start:
                return
            yield line[indent + start :]

    def _skip_diagnostics(self, indent: int) -> None:
        for _ in self._diagnostics(indent):
            pass

    def _peek(self) -> str:
        return self._lines[self._at].rstrip() if self._at < len(self._lines) else ""


def read_tap(text: str) -> TapResult:
    """Every named test. Lines that are not TAP are passed over: suites print."""
    return _Reader(_apart(text.splitlines())).read()


def _apart(lines: list[str]) -> Iterator[str]:
    """A point that stands behind what was printed without a line's end, on a line of its own; only where its number has
    none."""
    known = {found["number"] for found in map(_NUMBERED.match, lines) if found}
    for line in lines:
        found = None if line.startswith(("#", " ")) else _NUMBERED.search(line)
        if found and found.start() and found["number"] not in known:
            known.add(found["number"])
            yield line[: found.start()]
            yield line[found.start() :]
        else:
            yield line


def _outcome(found: re.Match[str], directive: re.Match[str] | None) -> TestOutcome:
    if directive:
        return TestOutcome.SKIPPED
    return TestOutcome.FAILED if found["not"] else TestOutcome.PASSED


def _add(group: _Group, name: str, outcome: TestOutcome, message: str) -> None:
    group.points += 1
    group.passed += outcome is TestOutcome.PASSED
    if outcome is TestOutcome.FAILED:
        group.failures.append("\n".join(filter(None, (f"not ok: {name}", *group.told, message))))
    group.told.clear()


def _seconds(time: re.Match[str] | None) -> float:
    if not time:
        return 0.0
    try:
        return float(time["number"]) / (1000 if time["unit"] == "ms" else 1)
    except ValueError:
        return 0.0


def _bare(text: str, *marks: re.Match[str] | None) -> str:
    """A point's name, without what begins with the first of these."""
    end = min((mark.start() for mark in marks if mark), default=len(text))
    return _unescaped(text[:end].strip().removeprefix("- "))


def _unescaped(name: str) -> str:
    return name.replace("\\#", "#").replace("\\\\", "\\")
