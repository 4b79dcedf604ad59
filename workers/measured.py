"""What the harness found by running tests, kept whole in the journal, so that no later attempt of a run does it again.

A result belongs to its subject: commit, layer, plan and change. Another subject is measured anew; so is what no test
said (a problem, a service that ended), unless it is that the suite takes too long.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.baseline import MeasuredSuite
from repo_tools.verification.contract import Verdict, Verification
from workers.journal import Journal

KIND = "measured"
_REPORTS = ("baseline", "regression", "red", "green")
_CHANGES = ("change", "counted")


class Measured:
    """The results of one run, of earlier attempts and of this one."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def baseline(self, subject: str) -> TestReport | None:
        found = self._find("baseline", subject)
        return None if found is None else _report(found)

    def keep_baseline(self, subject: str, report: TestReport) -> None:
        if report.problem is None or report.timed_out:
            self._keep("baseline", subject, _report_json(report))

    def cut(self, subject: str, prepared: PreparedEnvironment) -> MeasuredSuite | None:
        """`prepared` with the test files that stand for the suite, and what they said."""
        found = self._find("cut", subject)
        return None if found is None else MeasuredSuite(scoped(prepared, found["scope"]), _report(found["report"]))

    def keep_cut(self, subject: str, part: MeasuredSuite) -> None:
        scope = list(part.prepared.environment.scope)
        self._keep("cut", subject, {"scope": scope, "report": _report_json(part.baseline)})

    def verification(self, subject: str) -> Verification | None:
        found = self._find("verification", subject)
        return None if found is None else _verification(found)

    def keep_verification(self, subject: str, verification: Verification) -> None:
        self._keep("verification", subject, _verification_json(verification))

    def _find(self, what: str, subject: str) -> dict[str, Any] | None:
        wanted = {"what": what, "subject": subject}
        data = (d for d in self._journal.earlier(KIND) if {name: d.get(name) for name in wanted} == wanted)
        last = next(data, None)
        return None if last is None else _unpacked(last["result"])

    def _keep(self, what: str, subject: str, result: Mapping[str, Any]) -> None:
        self._journal.record(KIND, {"what": what, "subject": subject, "result": _packed(result)})


def subject_of(checkout: Checkout, prepared: PreparedEnvironment, change: ChangeSet | None = None, *more: str) -> str:
    """What a result belongs to. `more`: whatever else decides over it."""
    plan = asdict(prepared.environment)
    told = [checkout.commit, prepared.layer.key, plan, _if_there(ChangeSet.to_json, change), more]
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode("utf-8", "surrogateescape")).hexdigest()


def scoped(prepared: PreparedEnvironment, scope: Sequence[str]) -> PreparedEnvironment:
    return replace(prepared, environment=replace(prepared.environment, scope=tuple(scope)))


def _packed(result: Mapping[str, Any]) -> str:
    """Test reports repeat themselves: a tenth is left of most."""
    return base64.b85encode(zlib.compress(json.dumps(result).encode())).decode("ascii")


def _unpacked(packed: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(zlib.decompress(base64.b85decode(packed)))
    return result


def _report_json(report: TestReport) -> dict[str, Any]:
    return {**asdict(report), "flaky": sorted(report.flaky)}


def _report(data: Mapping[str, Any]) -> TestReport:
    cases = tuple(TestCase(**{**case, "outcome": TestOutcome(case["outcome"])}) for case in data["cases"])
    told: dict[str, Any] = {**_with_tuples(data), "cases": cases, "flaky": frozenset(data["flaky"])}
    return TestReport(**told)


def _verification_json(verification: Verification) -> dict[str, Any]:
    data = {field.name: getattr(verification, field.name) for field in fields(verification)}
    reports = {name: _if_there(_report_json, data[name]) for name in _REPORTS}
    changes = {name: _if_there(ChangeSet.to_json, data[name]) for name in _CHANGES}
    return {**data, **reports, **changes}


def _verification(data: Mapping[str, Any]) -> Verification:
    reports = {name: _if_there(_report, data[name]) for name in _REPORTS}
    changes = {name: _if_there(ChangeSet.from_json, data[name]) for name in _CHANGES}
    told: dict[str, Any] = {**_with_tuples(data), **reports, **changes, "verdict": Verdict(data["verdict"])}
    return Verification(**told)


def _with_tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


def _if_there(make: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else make(value)
