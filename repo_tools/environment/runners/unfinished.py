"""What a run that was cut had told until then. It proves nothing: it is for people, and for what to leave out. Pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from repo_tools.environment.runners.contract import Account
from repo_tools.environment.runners.javascript_account import test_id
from repo_tools.environment.runners.javascript_launch import RESULTS_FILE

_HANGS_SECONDS = 30.0
_HANGS_SHARE = 0.2
"""A run that told nothing for so long, and for so much of its time, waits for something that does not come."""


@dataclass(frozen=True)
class Unfinished:
    """So many tests had `ended`, `last` the last of them; `running` had begun, as far as the runner says so. `hangs`:
    it was not only long; `loading`: a file, or a class, that was being loaded."""

    ended: int = 0
    last: str = ""
    running: tuple[str, ...] = ()
    hangs: bool = False
    loading: str = ""

    def told(self) -> str:
        """What a person may want to know; empty where nothing is known."""
        if self.running:
            return f": {self.ended} tests had ended by then, and {', '.join(self.running[:3])} had begun"
        return f": {self.ended} tests had ended by then, {self.last} the last of them" if self.ended else ""

    def files(self) -> tuple[str, ...]:
        """Of the tests that had begun."""
        return tuple(dict.fromkeys(test.partition("::")[0] for test in self.running))


def unfinished(account: Account, seconds: float) -> Unfinished:
    """Of a run that was cut after `seconds`. Never raises, whatever the account holds."""
    began: dict[str, None] = {}
    ended: dict[str, None] = {}
    loading: dict[str, None] = {}
    tidies = ""  # a test of pytest's that has told its outcome, and puts away what it used
    for kind, test in _events(account):
        tidies = test if kind == "reported" else "" if kind in ("case", "finishing") else tidies
        match kind:
            case "loads":
                loading[test] = None
            case "loaded":
                loading.pop(test, None)
            case "began":
                began[test] = None
            case "reported" | "case":
                ended[test] = None
    running = tuple(test for test in began if test not in ended) or tuple(filter(None, [tidies]))
    silent = account.silent or 0.0
    hangs = silent >= max(_HANGS_SECONDS, _HANGS_SHARE * seconds)
    return Unfinished(len(ended), next(reversed(ended), ""), running, hangs, next(reversed(loading), ""))


def _events(account: Account) -> Iterator[tuple[str, str]]:
    for written in (account.said, account.results or account.files.get(RESULTS_FILE, b"")):
        for line in written.splitlines():
            try:
                event = _event(json.loads(line.removeprefix(account.nonce)))
            except (ValueError, TypeError, IndexError, RecursionError):
                continue
            if event:
                yield event


def _event(said: Any) -> tuple[str, str] | None:
    """pytest's lines name a test in one word, unittest's beside its file, those of JavaScript by all its names; where
    every file is run alone, by the file."""
    if isinstance(said, dict):
        return ("case", str(said["path"])) if "path" in said else None
    kind, *words = said
    if kind == "finishing":
        return kind, ""
    if kind in ("began", "reported", "loads", "loaded"):
        return kind, str(words[0])
    if kind != "case":
        return None
    named = words[1]
    return "case", test_id(str(words[0]), map(str, named)) if isinstance(named, list) else str(named)
