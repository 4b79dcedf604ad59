"""`run_python` in a fix: off, unless the operator turns it on, and then on a throw-away copy. Real boxes; only the
model is scripted."""

from contextlib import closing
from decimal import Decimal
from pathlib import Path

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
from tests.support.memory_workspace import results
from tests.support.repositories import make_repository
from workers.carry_out import carry_out
from workers.local_host import LocalHost
from workers.outcomes import Outcome, Reason
from workers.store import open_store
from workers.workshop import Workshop

SPOIL = "open('calc.py', 'w').write('')\nopen('new.txt', 'w').write('x')\n"
TRY = (
    tool_use("run_python", code=f"from calc import total\n{SPOIL}total([1, 2, 3])"),
    tool_use("run_python", code="import os\nos.path.getsize('calc.py'), os.path.exists('new.txt')"),
    tool_use("run_tests"),
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> BubblewrapEngine:
    return shared_bubblewrap(tmp_path_factory)


def fixed(engine: BubblewrapEngine, folder: Path, *, run_python: bool) -> tuple[Outcome, list[str], str]:
    """(how it ended, what the calls of the first turn answered, the patch)."""
    repository = LocalRepository(make_repository(folder / "repository", calc.FILES))
    host = LocalHost(repository, repository.resolve("HEAD"), folder / "output")
    model = ScriptedModel(reply(*blocks) for blocks in calc.mended(*TRY))
    price = Price(*[Decimal(1)] * 4)
    workshop = Workshop(
        engine, "bubblewrap", model, price, True, BudgetLimits(seconds=None), INDEX_HOSTS, ca_bundle(),
        run_python=run_python,
    )  # fmt: skip
    with closing(open_store(f"sqlite:///{folder / 'store.db'}")) as store:
        outcome = carry_out(store, a_claim(store), host, workshop, 60, last_attempt=True)
    told = [block["content"] for block in results(model.requests[-1])]
    return outcome, told, (folder / "output" / "change.patch").read_text()


def test_where_it_is_on_it_tries_out_the_changed_files_and_changes_nothing_of_the_fix(
    engine: BubblewrapEngine, tmp_path: Path
) -> None:
    outcome, told, patch = fixed(engine, tmp_path, run_python=True)
    assert told[2] == "6"  # as mended by the file tools
    assert told[3] == "(0, True)"  # the copy goes on as the code left it
    assert told[4].startswith("2 passed")  # the work does not know of it
    assert outcome.reason is Reason.PROVED
    assert "+    return sum(prices)" in patch
    assert "new.txt" not in patch


def test_it_is_off_by_default(engine: BubblewrapEngine, tmp_path: Path) -> None:
    outcome, told, _ = fixed(engine, tmp_path, run_python=False)
    assert told[2].startswith("There is no tool 'run_python'")
    assert outcome.reason is Reason.PROVED
