"""One whole run of the pipeline in real boxes, on a folder; only the model is scripted."""

from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import pytest

from agent.budget import BudgetLimits
from agent.pricing import Price
from agent.scripted import ScriptedModel, reply, tool_use
from repo_tools.local import LocalRepository
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from tests.support import calc
from tests.support.engine import require_bubblewrap
from tests.support.issues import a_claim
from tests.support.laboratory import INDEX_HOSTS, ca_bundle
from tests.support.repositories import git, make_repository
from workers.carry_out import carry_out
from workers.host import Evidence
from workers.local_host import LocalHost
from workers.outcomes import Outcome, Reason
from workers.pipeline import BOX_SECONDS, VERIFICATION_RUNS, Workshop
from workers.store import open_store

CONFTEST = "import os\n\nos.environ['ANYTHING'] = '1'\n"
BRANCH = "fix/first-price"


@dataclass(frozen=True)
class KeptHost(LocalHost):
    """A folder as the host; what it was told to publish is kept."""

    kept: list[Evidence] = field(default_factory=list)

    def publish_draft(self, evidence: Evidence) -> Outcome:
        self.kept.append(evidence)
        return super().publish_draft(evidence)


@dataclass(frozen=True)
class Fixed:
    """A run that ended: outcome, evidence, repository, what was written, and how long the suite of the base took."""

    outcome: Outcome
    evidence: Evidence
    repository: Path
    output: Path
    baseline_seconds: float


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> BubblewrapEngine:
    return require_bubblewrap(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def fixed(engine: BubblewrapEngine, tmp_path_factory: pytest.TempPathFactory) -> Fixed:
    """A proved fix to which the model adds test configuration of its own."""
    folder = tmp_path_factory.mktemp("fixed")
    repository = LocalRepository(make_repository(folder / "repository", calc.FILES))
    host = KeptHost(repository, repository.resolve("HEAD"), folder / "output", BRANCH)
    conftest = tool_use("write_file", path="conftest.py", content=CONFTEST)
    model = ScriptedModel(reply(*blocks) for blocks in calc.mended(conftest))
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
        outcome = carry_out(store, claim, host, workshop, 60, last_attempt=True)
        (before,) = [step.data for step in store.steps(claim.run.id) if step.kind == "baseline"]
    return Fixed(outcome, host.kept[0], folder / "repository", folder / "output", before["seconds"])


def test_what_no_verdict_counts_is_neither_in_the_patch_nor_on_the_branch(fixed: Fixed) -> None:
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


def test_time_for_the_verification_is_kept_from_the_baseline_on(fixed: Fixed) -> None:
    attempt = fixed.evidence.attempt
    assert attempt is not None
    needed = VERIFICATION_RUNS * (fixed.baseline_seconds + BOX_SECONDS)
    assert attempt.budget.reserved_seconds == pytest.approx(needed, abs=0.01)
