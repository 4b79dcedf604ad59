"""RSpec's own JSON (https://rspec.info/features/3-12/rspec-core/formatters/json-formatter/)."""

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import RESULTS, Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.environment.selectors import below, split_selector
from repo_tools.test_report import TestCase, TestOutcome

EXAMPLE = "spec/stack_spec.rb, spec/stack_spec.rb::Stack pops what was pushed"
_OUTCOMES = {"passed": TestOutcome.PASSED, "failed": TestOutcome.FAILED, "pending": TestOutcome.SKIPPED}
_FRAMES = 5


class RspecRunner(OneTry):
    name = "rspec"
    selects = True

    def recognises(self, argv: tuple[str, ...]) -> bool:
        words = argv[2:] if argv[:2] == ("bundle", "exec") else argv
        return bool(words) and words[0] in ("rspec", "bin/rspec")

    def check_selector(self, selector: str) -> str:
        split_selector(selector, EXAMPLE)
        return selector

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        parts = [split_selector(selector, EXAMPLE) for selector in selectors]
        paths = sorted({below(path or ".", command.directory) for path, _ in parts})
        named = [word for _, name in parts if name for word in ("--example", name)] if all(n for _, n in parts) else []
        results = ("--format", "json", "--out", f"/proc/self/fd/{RESULTS}", "--format", "progress")
        return RunOrder((*command.argv, "--no-color", "--no-fail-fast", *results, *named, *paths))

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        try:
            document = json.loads(account.results)
            cases = merged(_cases(document["examples"], command.directory))
            outside = int(document["summary"].get("errors_outside_of_examples_count", 0))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Reading((), f"The test runner died. (exit code {account.exit_code}, no results)")
        if outside:
            return Reading(cases, f"{outside} errors outside of the examples: some files were not loaded.")
        return agreed(account, cases, found_none="No examples were found.")


def _cases(examples: list[dict[str, Any]], directory: str) -> Iterator[TestCase]:
    for example in examples:
        path = str(PurePosixPath(directory, _file(example).removeprefix("./")))
        outcome = _OUTCOMES.get(str(example["status"]), TestOutcome.ERROR)
        name = str(example["full_description"])
        yield TestCase(f"{path}::{name}", path, outcome, float(example.get("run_time") or 0.0), _message(example))


def _file(example: dict[str, Any]) -> str:
    """That which was loaded: a shared example stands in another one, which by itself has none."""
    loaded, bracket, _ = str(example.get("id") or "").rpartition("[")
    return loaded if bracket and loaded.endswith(".rb") else str(example["file_path"])


def _message(example: dict[str, Any]) -> str:
    exception = example.get("exception") or {}
    trace = [str(frame) for frame in exception.get("backtrace") or ()][:_FRAMES]
    text = "\n".join((f"{exception.get('class', '')}: {exception.get('message', '')}", *trace)) if exception else ""
    return shorten_message(text.strip())
