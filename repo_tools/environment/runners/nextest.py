"""``cargo nextest run``: what it prints for people (https://nexte.st/docs/reporting/)."""

import re
from collections.abc import Iterator
from dataclasses import replace

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.cargo import LINE, OF_ASKED_FILES, CargoRunner, Target, filters, told_targets
from repo_tools.environment.runners.contract import Account, IsFile
from repo_tools.test_report import TestCase, TestOutcome

_NEXTEST = re.compile(
    r"\s+(?P<again>TRY \d+ )?(?P<how>[A-Z][A-Z+-]{1,20})(?: \d+/\d+)? \[ *[\d.]+s\](?:\s+\([^)]*\))?"
    r"\s+(?P<crate>\S+) (?P<name>\S+)"
)
_NEXTEST_OUTCOMES = {
    **dict.fromkeys(("PASS", "LEAK", "FLAKY", "TMPASS"), TestOutcome.PASSED),
    "SKIP": TestOutcome.SKIPPED,
}
"""What it says of a test's end besides is how it failed: by a signal, by its time, by what it left running."""
_NOT_ENDED = frozenset(("SLOW", "RETRY", "DELAY", "START", "TRMNTG"))
_NO_NEXTEST = re.compile(r"^error: no such command: `nextest`", re.MULTILINE)


class NextestRunner(CargoRunner):
    name = "nextest"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:3] == ("cargo", "nextest", "run")

    def check_selector(self, selector: str) -> None:
        if LINE.search(selector):
            raise ValueError(f"{selector[:200]!r} is a documentation test, which nextest does not run.")
        super().check_selector(selector)

    def wanted(self, selectors: tuple[str, ...]) -> tuple[str, ...]:
        return (OF_ASKED_FILES, *filters(selectors))

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        """Cargo's own, where the image has no nextest."""
        if _NO_NEXTEST.search(account.results.decode("utf-8", "replace")):
            plain = replace(command, runner="cargo", argv=("cargo", "test", *command.argv[3:]))
            return plain, "cargo nextest is not there: cargo test runs the tests instead."
        return super().second_try(command, account)

    def cases(self, text: str, directory: str, is_file: IsFile) -> Iterator[TestCase]:
        return _of_nextest(text)


def _of_nextest(text: str) -> Iterator[TestCase]:
    """Of a test that it tries again the last try counts, and else the worst: what a test prints may look the same."""
    places = {_nextest_name(target): target.path for target in told_targets(text) if target.path}
    tried: dict[str, TestCase] = {}
    for found in filter(None, map(_NEXTEST.match, text.splitlines())):
        if found["how"] in _NOT_ENDED:
            continue
        path = places.get(found["crate"], found["crate"])
        outcome = _NEXTEST_OUTCOMES.get(found["how"], TestOutcome.FAILED)
        case = TestCase(f"{path}::{found['name']}", path, outcome)
        if found["again"] or case.id in tried:
            tried[case.id] = case
        else:
            yield case
    yield from tried.values()


def _nextest_name(target: Target) -> str:
    """https://nexte.st/docs/glossary/#binary-id"""
    package, name, kind = target.package, target.name, target.kind
    if kind == "test":
        return f"{package}::{name}"
    return f"{package}::{kind}/{name}" if kind in ("bin", "example", "bench") else package
