"""One whole run of the pipeline in real boxes, on a folder; only the model is scripted."""

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

import pytest

from agent.budget import BudgetLimits
from agent.pricing import Price
from agent.scripted import ScriptedModel, reply, tool_use
from repo_tools.local import LocalRepository
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from tests.support import calc
from tests.support.engine import shared_bubblewrap
from tests.support.issues import a_claim
from tests.support.laboratory import INDEX_HOSTS, ca_bundle
from tests.support.repositories import git, make_repository
from workers.carry_out import carry_out
from workers.case import Case
from workers.host import Evidence, RunRequest
from workers.local_host import LocalHost
from workers.outcomes import Outcome, Reason
from workers.store import open_store
from workers.suite_steps import BOX_SECONDS, VERIFICATION_RUNS
from workers.workshop import Workshop

CONFTEST = "import os\n\nos.environ['ANYTHING'] = '1'\n"
BRANCH = "fix/first-price"


@dataclass(frozen=True)
class KeptHost(LocalHost):
    """A folder as the host; what it was told to publish is kept. All such folders share their layers."""

    kept: list[Evidence] = field(default_factory=list)

    def repository_key(self, run: RunRequest) -> str:
        return "local"

    def publish_draft(self, evidence: Evidence) -> Outcome:
        self.kept.append(evidence)
        return super().publish_draft(evidence)

    def publish_escalation(self, evidence: Evidence) -> Outcome:
        self.kept.append(evidence)
        return super().publish_escalation(evidence)


class KeptCase(Case):
    last: ClassVar[Case]

    def admit(self) -> None:
        super().admit()
        KeptCase.last = self


@dataclass(frozen=True)
class Ended:
    """A run that ended: outcome, evidence, repository, what was written, how long the suite of the base took, and what
    was kept of the time for the verification."""

    outcome: Outcome
    evidence: Evidence
    repository: Path
    output: Path
    baseline_seconds: float
    reserved_seconds: float


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> BubblewrapEngine:
    return shared_bubblewrap(tmp_path_factory)


@pytest.fixture(scope="module")
def fixed(engine: BubblewrapEngine, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A proved fix to which the model adds test configuration of its own."""
    conftest = tool_use("write_file", path="conftest.py", content=CONFTEST)
    model = ScriptedModel(reply(*blocks) for blocks in calc.mended(conftest))
    return run_on(engine, tmp_path_factory.mktemp("fixed"), calc.FILES, model)


def run_on(engine: BubblewrapEngine, folder: Path, files: Mapping[str, bytes], model: ScriptedModel) -> Ended:
    repository = LocalRepository(make_repository(folder / "repository", files))
    host = KeptHost(repository, repository.resolve("HEAD"), folder / "output", BRANCH)
    workshop = Workshop(
        engine,
        "bubblewrap",
        model,
        Price(*[Decimal(1)] * 4),
        True,
        BudgetLimits(seconds=None),
        INDEX_HOSTS,
        ca_bundle(),
    )
    with closing(open_store(f"sqlite:///{folder / 'store.db'}")) as store:
        claim = a_claim(store)
        outcome = carry_out(store, claim, host, workshop, 60, last_attempt=True, make_case=KeptCase)
        *_, before = [step.data for step in store.steps(claim.run.id) if step.kind == "baseline"]
    return Ended(
        outcome,
        host.kept[0],
        folder / "repository",
        folder / "output",
        before["seconds"],
        KeptCase.last.budget.reserved_seconds,
    )


def test_a_suite_that_cannot_run_is_handed_over_with_what_it_said(engine: BubblewrapEngine, tmp_path: Path) -> None:
    files = {**calc.FILES, "conftest.py": b"raise SystemExit('no licence server')\n"}
    ended = run_on(engine, tmp_path, files, ScriptedModel([]))
    assert ended.outcome.reason is Reason.NO_TESTS
    assert ended.evidence.baseline is not None
    report = (ended.output / "report.md").read_text()
    assert "Output of the tests" in report
    assert "no licence server" in report


def test_a_suite_that_gives_no_result_here_is_left_out_and_the_evidence_says_so(
    engine: BubblewrapEngine, tmp_path: Path
) -> None:
    scripts = {"test": "run-s test:*", "test:a": "node --test a.test.js", "test:b": "mocha"}
    files = {
        "package.json": json.dumps({"name": "x", "scripts": scripts}).encode(),
        "a.test.js": b"require('node:test')('adds', () => {});",
    }
    ended = run_on(engine, tmp_path, files, ScriptedModel([reply(tool_use("give_up", reason="I cannot."))]))
    assert ended.outcome.reason is Reason.GAVE_UP
    assert ended.evidence.baseline is not None
    assert ended.evidence.baseline.passed == {"a.test.js::adds"}
    assert "Left out, because there is no result of it here: mocha" in ended.evidence.baseline.notes[0]


def test_what_no_verdict_counts_is_neither_in_the_patch_nor_on_the_branch(fixed: Ended) -> None:
    assert fixed.outcome.reason is Reason.PROVED
    attempt = fixed.evidence.attempt
    assert attempt is not None
    assert "conftest.py" in attempt.change.files  # the model did write it
    patch = (fixed.output / "change.patch").read_text()
    assert "+++ b/calc.py" in patch
    assert "conftest.py" not in patch
    assert CONFTEST.splitlines()[-1] not in patch
    assert set(git(fixed.repository, "ls-tree", "--name-only", BRANCH).decode().split()) == {
        *calc.FILES,
        "test_first_price.py",
    }


def test_time_for_the_verification_is_kept_from_the_baseline_on(fixed: Ended) -> None:
    needed = VERIFICATION_RUNS * (fixed.baseline_seconds + BOX_SECONDS)
    assert fixed.reserved_seconds == pytest.approx(needed, abs=0.01)
