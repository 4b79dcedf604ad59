"""What a run's map is made of beside the files: the changes that led to its commit, where its host has them."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.attempt import Task
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, PreparedEnvironment
from repo_tools.repo_map.history import Change
from repo_tools.sandbox.contract import Layer
from repo_tools.verification.baseline import MeasuredSuite
from tests.support.cases import a_case
from tests.support.evidence import make_evidence
from tests.support.files_checkout import FilesCheckout
from tests.support.hosts import FailingHost
from tests.support.issues import a_claim
from workers.host import RunRequest
from workers.store import RunStore

FILES = dict.fromkeys(("a.py", "b.py", "z.py"), "def total(): ...\n")


@dataclass
class RememberingHost(FailingHost):
    changes: Sequence[Change] = ()

    def recent_changes(self, run: RunRequest, checkout: Checkout) -> Sequence[Change]:
        return self.changes

    def repository_key(self, run: RunRequest) -> str:
        return "any"


def map_of(store: RunStore, changes: Sequence[Change]) -> str:
    """For an issue that no file's words tell of."""
    claim, evidence = a_claim(store), make_evidence()
    host = RememberingHost(AssertionError("nobody asks"), changes=changes)
    prepared = PreparedEnvironment(Environment("test", (), (), (), ()), Layer("ab", "layer"), 0.0)
    assert evidence.baseline
    case = a_case(store, claim, host, title="Half a cent is lost", body="")
    task = case.task(FilesCheckout(FILES), MeasuredSuite(prepared, evidence.baseline))
    assert isinstance(task, Task)
    return task.repo_map


def test_the_file_of_whose_changes_the_issue_speaks_comes_first(sqlite_store: RunStore) -> None:
    shown = map_of(sqlite_store, [Change(b"Round to whole cents", ("z.py",)), Change(b"Log in", ("a.py",))])
    assert shown.index("z.py") < shown.index("a.py") < shown.index("b.py")


def test_without_history_there_is_a_map_too(sqlite_store: RunStore) -> None:
    shown = map_of(sqlite_store, [])
    assert shown.index("a.py") < shown.index("b.py") < shown.index("z.py")
