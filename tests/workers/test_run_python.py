"""`run_python` in a fix: off, unless the operator turns it on, and then on a throw-away copy. Real boxes; only the
model is scripted."""

from decimal import Decimal
from pathlib import Path

import pytest

from agent.budget import BudgetLimits
from agent.pricing import Price
from agent.scripted import ScriptedModel, reply, tool_use
from repo_tools.local import LocalRepository
from tests.support import calc
from tests.support.cases import a_case
from tests.support.engine import shared_bubblewrap
from tests.support.files_checkout import FilesCheckout
from tests.support.issues import a_claim
from tests.support.laboratory import INDEX_HOSTS, ca_bundle
from tests.support.memory_workspace import results
from tests.support.repositories import make_repository
from workers.carry_out import carry_out
from workers.local_host import LocalHost
from workers.outcomes import Reason
from workers.settings import WorkerSettings
from workers.store import RunStore
from workers.workshop import Workshop

SPOIL = "open('calc.py', 'w').write('')\nopen('new.txt', 'w').write('x')\n"
TRY = (
    tool_use("run_python", code=f"from calc import total\n{SPOIL}total([1, 2, 3])"),
    tool_use("run_python", code="import os\nos.path.getsize('calc.py'), os.path.exists('new.txt')"),
    tool_use("run_tests"),
)


def test_where_it_is_on_it_tries_out_the_changed_files_and_changes_nothing_of_the_fix(
    store: RunStore, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    engine = shared_bubblewrap(tmp_path_factory)
    repository = LocalRepository(make_repository(tmp_path / "repository", calc.FILES))
    host = LocalHost(repository, repository.resolve("HEAD"), tmp_path / "output")
    model = ScriptedModel(reply(*blocks) for blocks in calc.mended(*TRY))
    price = Price(*[Decimal(1)] * 4)
    workshop = Workshop(
        engine, "bubblewrap", model, price, True, BudgetLimits(seconds=None), INDEX_HOSTS, ca_bundle(),
        run_python=True,
    )  # fmt: skip
    outcome = carry_out(store, a_claim(store), host, workshop, 60, last_attempt=True)
    told = [block["content"] for block in results(model.requests[-1])]
    patch = (tmp_path / "output" / "change.patch").read_text()
    assert told[2] == "6"  # as mended by the file tools
    assert told[3] == "(0, True)"  # the copy goes on as the code left it
    assert told[4].startswith("2 passed")  # the work does not know of it
    assert outcome.reason is Reason.PROVED
    assert "+    return sum(prices)" in patch
    assert "new.txt" not in patch


def test_it_is_off_by_default(store: RunStore) -> None:
    assert not WorkerSettings.model_fields["run_python"].default
    assert "run_python" not in a_case(store, a_claim(store)).assignment(FilesCheckout({})).toolbox.by_name
