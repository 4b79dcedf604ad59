"""``go test -json``: one event a line (https://pkg.go.dev/cmd/test2json)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import FOLDER, Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.environment.selectors import below, split_selector
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE
from repo_tools.test_report import TestCase, TestOutcome

EXAMPLE = "pkg/store, pkg/store/store_test.go, pkg/store::TestOpen, pkg/store::TestOpen/empty"
BUILD_CACHE = f"{ENVIRONMENT}/go-build"

_WHERE = '{{printf "{\\"Action\\":\\"where\\",\\"Package\\":%q,\\"Dir\\":%q}" .ImportPath .Dir}}'
# Where packages stand is told first, by lines of our own. The cache of set-up cannot be written: links to it can.
_START = f"""
test ! -d {BUILD_CACHE} || cp -rs {BUILD_CACHE} "$GOCACHE"
go list -e -f '{_WHERE}' ./... 2>/dev/null
exec "$@"
"""
_OUTCOMES = {"pass": TestOutcome.PASSED, "fail": TestOutcome.FAILED, "skip": TestOutcome.SKIPPED}
_BUILD_FAILED = re.compile(r"^FAIL\t(\S+) \[(?:build|setup) failed\]", re.MULTILINE)
_CHATTER = re.compile(r"=== |\s*--- (?:PASS|FAIL|SKIP)")


class GoTestRunner(OneTry):
    name = "go_test"
    selects = True

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:2] == ("go", "test")

    def check_selector(self, selector: str) -> None:
        split_selector(selector, EXAMPLE)

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        own = [a for a in command.argv[2:] if selectors == () or not a.startswith((".", "/"))]
        argv = ("sh", "-c", _START, "sh", "go", "test", "-json", "-count=1", *own, *_wanted(command, selectors))
        variables = {"GOCACHE": f"{FOLDER}/go-build", "GOPROXY": "off"}
        return RunOrder(argv, variables, hear_output=True)

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        heard = _hear(account)
        cases = merged(heard.cases())
        return agreed(account, cases, found_none="No tests were run.")


def _wanted(command: TestCommand, selectors: tuple[str, ...]) -> Iterator[str]:
    """Packages, and a pattern for the tests where every selector names one."""
    parts = [split_selector(selector, EXAMPLE) for selector in selectors]
    names = sorted({name.split("/")[0] for _, name in parts if name})
    if parts and all(name for _, name in parts):
        yield f"-run=^(?:{'|'.join(map(re.escape, names))})$"
    yield from sorted({_package(path, command.directory) for path, _ in parts})


def _package(path: str, directory: str) -> str:
    folder = str(PurePosixPath(path).parent) if path.endswith(".go") else path
    inside = below(folder or ".", directory)
    return "." if inside == "." else f"./{inside}"


@dataclass
class _Heard:
    places: dict[str, str] = field(default_factory=dict)
    ended: dict[tuple[str, str], tuple[TestOutcome, float]] = field(default_factory=dict)
    output: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    begun: dict[tuple[str, str], None] = field(default_factory=dict)
    failed_packages: set[str] = field(default_factory=set)
    builds: dict[str, list[str]] = field(default_factory=dict)  # since Go 1.24
    because: dict[str, str] = field(default_factory=dict)  # package -> which build of it failed
    unbuilt: set[str] = field(default_factory=set)  # before Go 1.24 by a line of text
    build_log: str = ""

    def cases(self) -> Iterator[TestCase]:
        for (package, test), (outcome, seconds) in self.ended.items():
            message = self.message(package, test) if outcome is TestOutcome.FAILED else ""
            path = self.place(package)
            yield TestCase(f"{path}::{test}", path, outcome, seconds, message)
        lost = [key for key in self.begun if key not in self.ended and key[0] in self.failed_packages]
        for package, test in lost:
            message = self.message(package, test, f"It did not come to its end.\n{self.message(package, '')}")
            yield TestCase(f"{self.place(package)}::{test}", self.place(package), TestOutcome.ERROR, 0.0, message)
        red = (p for (p, _), (outcome, _s) in self.ended.items() if outcome is TestOutcome.FAILED)
        with_red_tests = {*red, *(package for package, _ in lost)}
        for package in sorted(self.failed_packages - with_red_tests):
            path = self.place(package)
            log = "".join(self.builds.get(self.because.get(package, ""), ())) or self.log_of(package)
            yield TestCase(path, path, TestOutcome.ERROR, 0.0, self.message(package, "", log))

    def log_of(self, package: str) -> str:
        """What was said of its build: its own part, or all where it has none, as where what it imports is broken."""
        if package not in self.unbuilt:
            return ""
        parts = re.split(r"^(?=# )", self.build_log, flags=re.MULTILINE)
        own = re.compile(rf"# \[?{re.escape(package)}(?:_test)?[\]\s]")
        return "".join(filter(own.match, parts)) or self.build_log

    def message(self, package: str, test: str, more: str = "") -> str:
        return shorten_message(("".join(self.output.get((package, test), ())) + more).strip())

    def place(self, package: str) -> str:
        """Root-relative folder of a package; its import path where that was not told."""
        folder = PurePosixPath(self.places.get(package, package))
        return str(folder.relative_to(WORKSPACE)) if folder.is_relative_to(WORKSPACE) else str(folder)


def _hear(account: Account) -> _Heard:
    heard = _Heard()
    for raw in account.results.split(b"\n"):
        line = raw.decode("utf-8", "replace")
        event = _event(line)
        if event is not None:
            _note(heard, event)
        elif found := _BUILD_FAILED.match(line):  # before Go 1.24 not an event
            heard.failed_packages.add(found[1])
            heard.unbuilt.add(found[1])
    if heard.failed_packages:
        shown = account.output.decode("utf-8", "replace").splitlines()
        heard.build_log = "\n".join(line for line in shown if not line.startswith("{"))  # what is no event
    return heard


def _event(line: str) -> dict[str, Any] | None:
    try:
        event = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or not isinstance(event.get("Action"), str):
        return None
    return event if isinstance(event.get("Package") or event.get("ImportPath"), str) else None


def _note(heard: _Heard, event: dict[str, Any]) -> None:
    action, package, test = event.get("Action"), str(event.get("Package") or ""), str(event.get("Test") or "")
    if action == "build-output":
        heard.builds.setdefault(str(event.get("ImportPath")), []).append(str(event.get("Output", "")))
    elif action == "where":
        heard.places[package] = str(event.get("Dir"))
    elif action == "output":
        text = str(event.get("Output", ""))
        heard.unbuilt |= {package} if _BUILD_FAILED.match(text) else set()
        if not _CHATTER.match(text):
            heard.output.setdefault((package, test), []).append(text)
    elif action == "run" and test:
        heard.begun[package, test] = None
    elif action in _OUTCOMES and test:
        known = heard.ended.get((package, test))
        if known and known[0] is TestOutcome.FAILED:
            return  # before Go 1.20 a test may print what reads like another one's result: what failed stays so
        elapsed = event.get("Elapsed")
        heard.ended[package, test] = (_OUTCOMES[action], float(elapsed) if isinstance(elapsed, (int, float)) else 0.0)
    elif action == "fail" and package:
        heard.failed_packages.add(package)
        heard.because[package] = str(event.get("FailedBuild", ""))
