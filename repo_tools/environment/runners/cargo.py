"""``cargo test`` and ``cargo nextest run``: what both print for people, because their machine formats are not stable.

https://doc.rust-lang.org/rustc/tests/index.html, https://nexte.st/docs/machine-readable/
"""

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import Account, IsFile, Reading, RunOrder
from repo_tools.environment.selectors import split_selector
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE
from repo_tools.test_report import TestCase, TestOutcome

EXAMPLE = "tests/parse.rs, src/lib.rs::parser::tests::empty"

COMPILED = f"{ENVIRONMENT}/cargo-target"
"""What set-up compiled of others' crates."""
# Which file a target is, is told first, by a line of our own: cargo itself tells paths from each crate's own folder.
_START = f"""
tell=$1; shift
test ! -d {COMPILED} || test -e target || cp -a {COMPILED} target
cargo metadata --no-deps --offline --format-version 1 2>/dev/null | python3 -I -S -c "$tell"
exec "$@" 2>&1
"""
_TELL_TARGETS = """
import json, sys
try:
    packages = json.load(sys.stdin)["packages"]
    print(json.dumps({"targets": [[t["name"], t["src_path"]] for p in packages for t in p["targets"]]}), flush=True)
except (ValueError, KeyError):
    pass
"""
_TARGETS_TOLD = '{"targets": '
_DEEPEST = 40
_TARGET = re.compile(
    r"\s+Running (?:unittests )?(?P<path>\S+) \((?:\S*[/\\])?(?P<crate>[\w-]+)-[0-9a-f]{16}(?:\.exe)?\)"
)
_DOC_TESTS = re.compile(r"\s+Doc-tests (?P<crate>\S+)")
_HOW = re.compile(r"(?:.*\s)?(ok|FAILED|ignored)(?:, .*)?")
_KIND = re.compile(r" - (?:should panic|compile(?: fail)?)$")
_DOC_NAME = re.compile(r"(?P<path>\S+\.(?:rs|md)) - (?P<name>.*)")
_FAILURE = re.compile(r"---- (?P<name>.+?) std(?:out|err) ----")
_NEXTEST = re.compile(
    r"\s+(?P<how>PASS|FAIL|SKIP|TIMEOUT|SIG\w+|ABORT) \[[^\]]*\](?:\s+\([^)]*\))?\s+(?P<crate>\S+) (?P<name>\S+)"
)
_DID_NOT_BUILD = re.compile(r"^error(?:\[E\d+\])?: .*|^error: could not compile .*", re.MULTILINE)
_OUTCOMES = {"ok": TestOutcome.PASSED, "FAILED": TestOutcome.FAILED, "ignored": TestOutcome.SKIPPED}
_NEXTEST_OUTCOMES = {"PASS": TestOutcome.PASSED, "SKIP": TestOutcome.SKIPPED}


class CargoRunner:
    name = "cargo"
    selects = True

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:2] == ("cargo", "test") or argv[:3] == ("cargo", "nextest", "run")

    def check_selector(self, selector: str) -> str:
        path, names = split_selector(selector, EXAMPLE)
        if path.endswith(".rs") or (names and path):
            return selector
        raise ValueError(f"{selector[:200]!r} names no tests. Write the path of a test target: {EXAMPLE}.")

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        options = ("--no-fail-fast", "--color=never", *_targets(selectors))
        filters = sorted({_filter(name) for _, name in _parts(selectors) if name})
        all_named = selectors and all(name for _, name in _parts(selectors))
        last = () if command.argv[1] == "nextest" else ("--", "--color=never")
        argv = (*command.argv, *options, *last, *(filters if all_named else ()))
        variables = {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never", "CARGO_TERM_PROGRESS_WHEN": "never"}
        # What is run goes to standard error, what comes of it to standard output: together they are in order.
        return RunOrder(("sh", "-c", _START, "sh", _TELL_TARGETS, *argv), variables, hear_output=True)

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        return None

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        text = account.results.decode("utf-8", "replace")
        cases = merged(_cases(text, command.directory, is_file))
        why = _DID_NOT_BUILD.search(text)
        built = f"Something did not build or run: {why[0]}" if why else "Something did not build or run."
        return agreed(account, cases, found_none="No tests were run.", failed_without_red=built)


def _parts(selectors: tuple[str, ...]) -> list[tuple[str, str]]:
    return [split_selector(selector, EXAMPLE) for selector in selectors]


def _targets(selectors: tuple[str, ...]) -> Iterator[str]:
    """The targets of ``tests/``, the library, the binaries; every one where a path does not tell: cargo fails where it
    is asked for a library that there is none of."""
    known = {_target(PurePosixPath(path)) for path, _ in _parts(selectors)}
    return iter(()) if None in known else iter(sorted(target for target in known if target))


def _target(path: PurePosixPath) -> str | None:
    if path.parent.name == "tests":
        return f"--test={path.stem}"
    if path.name == "main.rs" or path.parent.name == "bin":
        return "--bins"
    return "--lib" if path.name == "lib.rs" else None


def _filter(name: str) -> str:
    return name if not name.startswith("-") else name.lstrip("-")


def _cases(text: str, directory: str, is_file: IsFile) -> Iterator[TestCase]:
    messages = _messages(text)
    places = _told_places(text)
    path = directory or "."
    for line in text.splitlines():
        if found := _TARGET.match(line):
            known = places.get((found["crate"], found["path"]))
            path = known or _place(found["path"], found["crate"], directory, is_file)
        elif found := _DOC_TESTS.match(line):
            path = found["crate"]
        elif result := _result(line):
            yield _case(path, *result, directory, messages)
        elif found := _NEXTEST.match(line):
            outcome = _NEXTEST_OUTCOMES.get(found["how"], TestOutcome.FAILED)
            yield TestCase(f"{found['crate']}::{found['name']}", found["crate"], outcome)


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


def _told_places(text: str) -> dict[tuple[str, str], str]:
    """(target, path from its crate's folder) -> path from the root; without those that stand for several files."""
    told = next((line for line in text.splitlines() if line.startswith(_TARGETS_TOLD)), "{}")
    try:
        targets = [(str(name).replace("-", "_"), PurePosixPath(path)) for name, path in json.loads(told)["targets"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    found: dict[tuple[str, str], list[str]] = {}
    for name, place in targets:
        if place.is_relative_to(WORKSPACE) and len(place.parts) <= _DEEPEST:
            parts = place.relative_to(WORKSPACE).parts
            for start in range(len(parts)):
                found.setdefault((name, "/".join(parts[start:])), []).append("/".join(parts))
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
