"""``cargo test``: what it prints for people, because its machine format is not stable.

https://doc.rust-lang.org/rustc/tests/index.html
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import PurePosixPath

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.cargo_errors import uncompiled
from repo_tools.environment.runners.contract import Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.ctest import NOT_BUILT
from repo_tools.environment.selectors import split_selector
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE
from repo_tools.test_report import TestCase, TestOutcome

EXAMPLE = "tests/parse.rs, src/lib.rs::parser::tests::empty"
DOC_EXAMPLE = "src/lib.rs::parse (line 3)"

COMPILED = f"{ENVIRONMENT}/cargo-target"
"""What set-up compiled of others' crates."""
_PROGRAM = (files("repo_tools.environment.box_programs") / "cargo_tests.py").read_text("utf-8")
_START = f"""
program=$1; shift
test ! -d {COMPILED} || test -e target || cp -a {COMPILED} target
exec python3 -I -S -c "$program" "$@" 2>&1
"""
OF_ASKED_FILES = "--of-asked-files"
_TARGETS_TOLD = '{"targets": '
_DEEPEST = 40
_TARGET = re.compile(
    r"\s+Running (?:unittests )?(?P<path>\S+) \((?:\S*[/\\])?(?P<crate>[\w-]+)-[0-9a-f]{16}(?:\.exe)?\)"
)
_DOC_TESTS = re.compile(r"\s+Doc-tests (?P<crate>\S+)")
_HOW = re.compile(r"(?:.*\s)?(ok|FAILED|ignored)(?:, .*)?")
_KIND = re.compile(r" - (?:should panic|compile(?: fail)?)$")
_DOC_NAME = re.compile(r"(?P<path>\S+\.(?:rs|md)) - (?P<name>.*)")
LINE = re.compile(r"\(line \d+\)$")
_FAILURE = re.compile(r"---- (?P<name>.+?) std(?:out|err) ----")
_DID_NOT_BUILD = re.compile(r"^error(?:\[E\d+\])?: .*|^error: could not compile .*", re.MULTILINE)
_OUTCOMES = {"ok": TestOutcome.PASSED, "FAILED": TestOutcome.FAILED, "ignored": TestOutcome.SKIPPED}
_BEGIN = re.compile(r"running \d+ tests?")
_SUMMARY = "test result: "
"""As libtest begins and ends what it says of a program's tests; one that ends itself leaves the latter out."""
_DIED = re.compile(r"\s*process didn't exit successfully: `\S*[/\\][\w-]+-[0-9a-f]{16}\b[^`]*` \(signal: (?P<how>.*)\)")
"""Of a test program that a test aborted, or whose stack ran over: which test it was, nobody tells."""
_RAN = re.compile(r"^test \S.* \.\.\. |^[ \t]+(?:Running |Starting \d|Summary \[)", re.MULTILINE)


@dataclass(frozen=True)
class Target:
    """`path` is root-relative; empty where it stands outside."""

    name: str
    path: str
    kind: str
    package: str


class CargoRunner:
    """Unit, integration and documentation tests."""

    name = "cargo"
    selects = True

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:2] == ("cargo", "test")

    def check_selector(self, selector: str) -> None:
        path, names = split_selector(selector, EXAMPLE)
        if not (path.endswith(".rs") or (names and path)):
            raise ValueError(f"{selector[:200]!r} names no tests. Write the path of a test target: {EXAMPLE}.")

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        variables = {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never", "CARGO_TERM_PROGRESS_WHEN": "never"}
        # What is run goes to standard error, what comes of it to standard output: together they are in order.
        start = ("sh", "-c", _START, "sh", _PROGRAM, json.dumps(_asked_files(selectors)))
        words = (*command.argv, "--no-fail-fast", "--color=never", *self.wanted(selectors))
        return RunOrder((*start, *words), variables, hear_output=True)

    def wanted(self, selectors: tuple[str, ...]) -> tuple[str, ...]:
        return (OF_ASKED_FILES, "--", "--color=never", *filters(selectors))

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        """Without the other members of a workspace of which one does not build here, so that nothing ran."""
        text = account.results.decode("utf-8", "replace")
        if "--workspace" not in command.argv or not _DID_NOT_BUILD.search(text) or _RAN.search(text):
            return None
        alone = replace(command, argv=tuple(word for word in command.argv if word != "--workspace"))
        return alone, "The whole workspace does not build here: only what cargo tests by itself is tested."

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        text = account.results.decode("utf-8", "replace")
        cases = merged(self.cases(text, command.directory, is_file))
        why = _DID_NOT_BUILD.search(text)
        built = f"{NOT_BUILT} {why[0]}" if why else NOT_BUILT
        reading = agreed(account, cases, found_none="No tests were run.", failed_without_red=built)
        if cases or not reading.problem:
            return reading
        roots = [target.path for target in told_targets(text)]
        return replace(reading, cases=tuple(uncompiled(text, roots, command.directory)))

    def cases(self, text: str, directory: str, is_file: IsFile) -> Iterator[TestCase]:
        return _cases(text, directory, is_file)


class CargoDocRunner(CargoRunner):
    """Documentation tests alone, which nextest does not run: https://nexte.st/docs/running/"""

    name = "cargo_doc"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:2] == ("cargo", "test") and "--doc" in argv

    def check_selector(self, selector: str) -> None:
        path, name = split_selector(selector, DOC_EXAMPLE)
        if not path or not LINE.search(name):
            raise ValueError(f"{selector[:200]!r} names no documentation test. Write one: {DOC_EXAMPLE}.")


def _parts(selectors: tuple[str, ...]) -> list[tuple[str, str]]:
    return [split_selector(selector, EXAMPLE) for selector in selectors]


def _asked_files(selectors: tuple[str, ...]) -> list[str]:
    """None where a documentation test is among them, which is of no target that has a name."""
    parts = _parts(selectors)
    return [] if any(LINE.search(name) for _, name in parts) else [f"{WORKSPACE}/{path}" for path, _ in parts]


def filters(selectors: tuple[str, ...]) -> tuple[str, ...]:
    """None where one of them asks for a whole file."""
    names = sorted({_filter(name) for _, name in _parts(selectors) if name})
    return tuple(names) if all(name for _, name in _parts(selectors)) else ()


def _filter(name: str) -> str:
    return name if not name.startswith("-") else name.lstrip("-")


def _cases(text: str, directory: str, is_file: IsFile) -> Iterator[TestCase]:
    messages = _messages(text)
    places = _places(told_targets(text))
    path, begun = directory or ".", ""
    for line in text.splitlines():
        if begun and (_TARGET.match(line) or _DOC_TESTS.match(line)):
            yield _ended_early(begun)
            begun = ""
        if line.startswith(_SUMMARY):
            begun = ""
        elif _BEGIN.fullmatch(line):
            begun = path
        elif found := _TARGET.match(line):
            known = places.get((found["crate"], found["path"]))
            path = known or _place(found["path"], found["crate"], directory, is_file)
        elif found := _DOC_TESTS.match(line):
            path = found["crate"]
        elif result := _result(line):
            yield _case(path, *result, directory, messages)
        elif died := _DIED.match(line):
            begun = ""
            yield TestCase(path, path, TestOutcome.ERROR, 0.0, f"It was ended by signal {died['how']}.")
    if begun:
        yield _ended_early(begun)


def _ended_early(path: str) -> TestCase:
    return TestCase(path, path, TestOutcome.ERROR, 0.0, "It ended before its tests did.")


def _result(line: str) -> tuple[str, TestOutcome] | None:
    """Name and outcome of ``test name - should panic ... ok``; what the test prints may stand before the outcome."""
    name, dots, rest = line.removeprefix("test ").partition(" ... ")
    found = _HOW.fullmatch(rest) if dots and line.startswith("test ") else None
    return (_KIND.sub("", name), _OUTCOMES[found[1]]) if found else None


def _case(path: str, name: str, outcome: TestOutcome, directory: str, messages: dict[str, str]) -> TestCase:
    if found := _DOC_NAME.fullmatch(name):  # a documentation test names its own file
        path, short = str(PurePosixPath(directory, found["path"])), found["name"]
    else:
        short = name
    message = messages.get(name, "") if outcome is TestOutcome.FAILED else ""
    return TestCase(f"{path}::{short}", path, outcome, 0.0, message)


def told_targets(text: str) -> tuple[Target, ...]:
    told = next((line for line in text.splitlines() if line.startswith(_TARGETS_TOLD)), "{}")
    try:
        return tuple(_target(*map(str, words)) for words in json.loads(told)["targets"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()


def _target(name: str, place: str, kind: str = "", package: str = "") -> Target:
    path = PurePosixPath(place)
    inside = path.is_relative_to(WORKSPACE) and len(path.parts) <= _DEEPEST
    return Target(name, str(path.relative_to(WORKSPACE)) if inside else "", kind, package)


def _places(targets: Iterable[Target]) -> dict[tuple[str, str], str]:
    """(target, path from its crate's folder) -> path from the root; without those that stand for several files."""
    found: dict[tuple[str, str], list[str]] = {}
    for target in targets:
        parts = PurePosixPath(target.path).parts
        for start in range(len(parts)):
            found.setdefault((target.name.replace("-", "_"), "/".join(parts[start:])), []).append(target.path)
    return {key: paths[0] for key, paths in found.items() if len(paths) == 1}


def _place(path: str, crate: str, directory: str, is_file: IsFile) -> str:
    """cargo tells paths from the crate's own folder, which in a workspace is another."""
    places = [PurePosixPath(directory, folder, path) for folder in ("", crate, crate.replace("_", "-"))]
    places += [PurePosixPath(directory, "crates", name, path) for name in (crate, crate.replace("_", "-"))]
    return next((str(place) for place in places if is_file(str(place))), f"{crate}/{path}")


def _messages(text: str) -> dict[str, str]:
    """Test name -> what it printed, of those that failed."""
    messages: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in text.splitlines():
        if found := _FAILURE.fullmatch(line):
            current = messages.setdefault(found["name"], [])
        elif line == "failures:" and current:
            current = None
        elif current is not None:
            current.append(line)
    return {name: shorten_message("\n".join(lines).strip()) for name, lines in messages.items()}
