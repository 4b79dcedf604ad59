"""Whether a test run's accounts of itself agree: what it said live, its result file, and its exit code. Pure."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from repo_tools.environment.runners.contract import Account
from repo_tools.test_report import TestCase, TestOutcome

_COLOURS = {"passed": TestOutcome.PASSED, "skipped": TestOutcome.SKIPPED, "failed": TestOutcome.FAILED}
_WORST_LAST = (TestOutcome.PASSED, TestOutcome.SKIPPED, TestOutcome.FAILED)
_NO_XML = re.compile(r"[^\t\n\r\x20-\x7e\x80-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass
class _Heard:
    """Of each test, by its flat name: the worst that was reported, and which phases raised when they ran last."""

    outcomes: dict[str, TestOutcome] = field(default_factory=dict)
    raised: dict[str, dict[str, bool]] = field(default_factory=dict)
    end: int | None = None


def disagreement(account: Account, cases: Iterable[TestCase]) -> str | None:
    """The first point on which they differ, for a person; None where they agree. `cases` are those of the results."""
    try:
        heard = _hear(account)
    except (ValueError, KeyError, TypeError):
        return "its live account holds lines that are not its own"
    if heard.end is None:
        return "it did not come to its end, and yet wrote results"
    if heard.end != account.exit_code:
        return f"it ended with {heard.end}, and its process with {account.exit_code}"
    written = {_flat(case.id): case for case in cases}
    return _first_difference(heard, written)


def blamed(account: Account) -> str:
    """The plug-in that was at work where an internal error ended the runner; empty where none is known."""
    found = re.search(rb'(?m)^%b\["blamed", "([\w.-]{1,100})"\]$' % re.escape(account.nonce), account.said)
    return found[1].decode() if found else ""


def whole_tests(account: Account, cases: tuple[TestCase, ...]) -> tuple[TestCase, ...]:
    """`cases` without what the results have of parts: a test that passed is skipped there as soon as one of its
    subtests was. An account that cannot be read is told of by `disagreement`."""
    try:
        outcomes = _hear(account).outcomes
    except (ValueError, KeyError, TypeError):
        return cases
    return tuple(
        replace(case, outcome=TestOutcome.PASSED, message="")
        if case.outcome is TestOutcome.SKIPPED and outcomes.get(_flat(case.id)) is TestOutcome.PASSED
        else case
        for case in cases
    )


def _first_difference(heard: _Heard, written: Mapping[str, TestCase]) -> str | None:
    for name, case in written.items():
        colour = TestOutcome.FAILED if case.outcome is TestOutcome.ERROR else case.outcome
        live = heard.outcomes.get(name)
        if live is not colour and (live is not None or colour is TestOutcome.PASSED):
            return f"its results have {case.id} as {case.outcome}, and while it ran it was {live or 'never reported'}"
        if colour is TestOutcome.PASSED and any(heard.raised.get(name, {}).values()):
            return f"its results have {case.id} as passed, and yet it raised an exception"
    lost = [n for n, outcome in heard.outcomes.items() if outcome is TestOutcome.FAILED and n not in written]
    return f"{lost[0]} failed while it ran, and is not among its results" if lost else None


def _hear(account: Account) -> _Heard:
    """ValueError, KeyError, TypeError where a line is none of the runner's."""
    heard = _Heard()
    for line in account.said.splitlines():
        if not line.startswith(account.nonce) or heard.end is not None:
            raise ValueError(line[:100])
        kind, *words = json.loads(line.removeprefix(account.nonce))
        if kind == "end":
            (heard.end,) = words
        elif kind in ("began", "blamed", "loads", "loaded", "finishing"):
            continue
        elif kind == "ran":
            name, when, raised = words
            heard.raised.setdefault(_flat(name), {})[when] = raised
        else:
            _note(heard, *words)
    return heard


def _note(heard: _Heard, name: str, when: str, said: str) -> None:
    """A phase that passed says nothing but for the call; outcomes of plug-ins (`rerun`) are no results."""
    outcome = _COLOURS.get(said)
    if outcome is None or (outcome is TestOutcome.PASSED and when != "call"):
        return
    known = heard.outcomes.get(_flat(name), outcome)
    heard.outcomes[_flat(name)] = max(known, outcome, key=_WORST_LAST.index)


def _flat(test_id: str) -> str:
    """The id as JUnit XML has it, in one: dots between all parts, no characters that XML cannot carry. From pytest 9.2
    on a bracket is closed there in any case (``[mypy]test_a``, a plug-in's own)."""
    head, bracket, parameters = test_id.partition("[")
    path, separator, names = head.partition("::")
    path = "" if path == "." else path  # of a test that is of no file
    dotted = path.removesuffix(".py").replace("/", ".") + separator.replace("::", ".") + names.replace("::", ".")
    return _NO_XML.sub(_escaped, dotted + bracket + parameters.removesuffix("]"))


def _escaped(found: re.Match[str]) -> str:
    """As pytest's own ``bin_xml_escape`` writes it."""
    code = ord(found[0])
    return f"#x{code:02X}" if code <= 0xFF else f"#x{code:04X}"
