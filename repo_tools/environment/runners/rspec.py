"""RSpec's own JSON (https://rspec.info/features/3-12/rspec-core/formatters/json-formatter/)."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from repo_tools.counted import counted
from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import RESULTS, Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.minitest import ANY_ADDRESS, without_addresses
from repo_tools.environment.selectors import below, split_selector
from repo_tools.test_report import TestCase, TestOutcome

EXAMPLE = "spec/stack_spec.rb, spec/stack_spec.rb::Stack pops what was pushed"
_OUTCOMES = {"passed": TestOutcome.PASSED, "failed": TestOutcome.FAILED, "pending": TestOutcome.SKIPPED}
_FRAMES = 5
_NOT_LOADED = re.compile(r"\s*(?:An error occurred while|While) loading (?:\./)?(?P<path>\S+?\.rb)\b")
"""RSpec 3.6 and later; with one such file it runs none."""
_WITHOUT = "--exclude-pattern"
_OURS = ("--no-profile", _WITHOUT)
"""Before the files that a second try leaves out: the repository may leave out some of its own."""
_PLAIN = re.compile(r"[\w./-]+")
_MOST_NAMED = 5
_GENERATED = re.compile(r"(?:^|\s)(?:is expected to|should(?: not)?|example at)\s.*", re.DOTALL)
"""What RSpec may call an example that has no words of its own, once it ran:
https://rspec.info/features/3-12/rspec-core/subject/one-liner-syntax/"""


class RspecRunner:
    name = "rspec"
    selects = True

    def recognises(self, argv: tuple[str, ...]) -> bool:
        words = argv[2:] if argv[:2] == ("bundle", "exec") else argv
        return bool(words) and words[0] in ("rspec", "bin/rspec")

    def check_selector(self, selector: str) -> None:
        split_selector(selector, EXAMPLE)

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        parts = [split_selector(selector, EXAMPLE) for selector in selectors]
        every = sorted({below(path or ".", command.directory) for path, _ in parts})
        paths = [path for path in every if path not in _excluded(command)] or every
        names = sorted({_GENERATED.sub("", name).partition(ANY_ADDRESS)[0] for _, name in parts})
        named = [word for name in names for word in ("--example", name)] if all(names) else []
        results = ("--format", "json", "--out", f"/proc/self/fd/{RESULTS}", "--format", "progress")
        return RunOrder((*command.argv, "--no-color", "--no-fail-fast", *results, *named, *paths))

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        """Without the files that cannot be loaded, because of which no other was run."""
        try:
            broken = sorted(path for path, _ in _broken(json.loads(account.results)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        has_own = any(word.startswith(_WITHOUT) for word in command.argv)  # which ours would take the place of
        if not broken or has_own or not all(map(_PLAIN.fullmatch, broken)):
            return None
        others = replace(command, argv=(*command.argv, *_OURS, ",".join(broken)))
        return others, f"{', '.join(broken[:_MOST_NAMED])} cannot be loaded: the other specs are run without."

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        try:
            document = json.loads(account.results)
            not_loaded = [*_not_loaded(document, command.directory)]
            broken = [*not_loaded, *_left_out(command)]
            cases = merged((*_cases(document["examples"], command.directory), *broken))
            outside = int(document["summary"].get("errors_outside_of_examples_count", 0))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Reading((), f"The test runner died. (exit code {account.exit_code}, no results)")
        if outside > len(not_loaded):
            return Reading(cases, f"{counted(outside, 'error')} outside of the examples: some files were not loaded.")
        if broken and document["examples"]:
            account = replace(account, exit_code=account.exit_code or 1)  # of what was left out
        return agreed(account, cases, found_none="No examples were found.")


def _broken(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Path of each file that could not be loaded, from where RSpec ran, and what was said."""
    for message in document.get("messages") or ():
        if found := _NOT_LOADED.match(str(message)):
            yield found["path"], str(message)


def _not_loaded(document: dict[str, Any], directory: str) -> Iterator[TestCase]:
    for place, message in _broken(document):
        path = str(PurePosixPath(directory, place))
        yield TestCase(path, path, TestOutcome.ERROR, 0.0, shorten_message(message.strip()))


def _left_out(command: TestCommand) -> Iterator[TestCase]:
    """Of a second try."""
    for place in _excluded(command):
        path = str(PurePosixPath(command.directory, place))
        yield TestCase(path, path, TestOutcome.ERROR, 0.0, "It cannot be loaded.")


def _excluded(command: TestCommand) -> list[str]:
    return command.argv[-1].split(",") if command.argv[-3:-1] == _OURS else []


def _cases(examples: list[dict[str, Any]], directory: str) -> Iterator[TestCase]:
    for example in examples:
        path = str(PurePosixPath(directory, _file(example).removeprefix("./")))
        outcome = _OUTCOMES.get(str(example["status"]), TestOutcome.ERROR)
        name = without_addresses(str(example["full_description"]))
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
