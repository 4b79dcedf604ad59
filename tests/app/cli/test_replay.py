"""`agent-fix replay` as an operator types it, on the store of a worker that has proved a fix on GitHub."""

import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agent.scripted import reply, tool_use
from app.standins.messages import MessagesServer, turns_of
from tests.support import calc
from tests.support.command_line import CommandLine
from tests.support.engine import shared_bubblewrap
from tests.support.github import REPOSITORY
from tests.support.issues import run_of
from tests.support.real_worker import NEW_TEST, SUITE, RealWorker, real_worker, script
from workers.journal import all_steps
from workers.outcomes import Reason
from workers.store import Run

pytestmark = pytest.mark.bubblewrap

WRITE = tool_use("write_file", path="checks.py", content=SUITE + NEW_TEST)
TURNS = ([*calc.PLAN, WRITE], [calc.mend()], [calc.finish()])
OTHER = "the-operators-other-model"
Replay = Callable[..., subprocess.CompletedProcess[str]]


@dataclass(frozen=True)
class Past:
    """A proved run of the worker in `folder`."""

    worker: RealWorker
    run_id: str
    folder: Path

    @property
    def second_reply(self) -> int:
        return [step.number for step in all_steps(self.worker.store, self.run_id) if step.kind == "reply"][1]

    def all_that_was_written(self) -> list[Any]:
        """The run itself, and what GitHub shows."""
        github, store = self.worker.scene.github, self.worker.store
        refs = github.state.repository(REPOSITORY).git.git("for-each-ref")
        places = [(github.comments(REPOSITORY, n), github.reactions(REPOSITORY, n)) for n in (1, 2)]
        return [store.get(self.run_id), all_steps(store, self.run_id), refs, github.pull_requests(REPOSITORY), places]

    def new_runs(self) -> list[Run]:
        return [run for run in self.worker.store.list_runs() if run.id != self.run_id]


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Past]:
    folder = tmp_path_factory.mktemp("replay")
    with real_worker(shared_bubblewrap(tmp_path_factory), folder) as worker:
        run_id = worker.queue()
        worker.ring(run_id, script(*(reply(*blocks) for blocks in TURNS)))
        run = run_of(worker.store, run_id)
        assert run.reason is Reason.PROVED
        yield Past(worker, run_id, folder)


def answer(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The other model gives up at once."""
    if request["model"] == OTHER:
        return [tool_use("give_up", reason="It is a matter of taste.")]
    return TURNS[min(turns_of(request), len(TURNS) - 1)]


@pytest.fixture(scope="module")
def messages() -> Iterator[MessagesServer]:
    with MessagesServer(answer) as server:
        yield server


@pytest.fixture
def replay(agent_fix: CommandLine, past: Past, messages: MessagesServer, tmp_path: Path) -> Replay:
    """With all that the operator's worker has: it could write to GitHub."""
    github = past.worker.scene.github
    return partial(
        agent_fix,
        "replay",
        cwd=tmp_path,
        AGENT_FIX_DATA_DIR=str(past.folder),
        AGENT_FIX_DATABASE_URL=f"sqlite:///{past.folder / 'store.db'}",
        AGENT_FIX_SANDBOX="bubblewrap",
        AGENT_FIX_MODEL="scripted",
        AGENT_FIX_ALLOWED_MODELS=OTHER,
        AGENT_FIX_GITHUB_API_URL=github.api_url,
        AGENT_FIX_GITHUB_SERVER_URL=github.server_url,
        AGENT_FIX_GITHUB_APP_ID=str(github.app_id),
        AGENT_FIX_GITHUB_PRIVATE_KEY=github.private_key_pem,
        ANTHROPIC_API_KEY="k",
        ANTHROPIC_BASE_URL=messages.url,
        COLUMNS="120",
    )


def test_a_whole_run_is_replayed_offline(replay: Replay, past: Past, messages: MessagesServer) -> None:
    before, asked = past.all_that_was_written(), len(messages.requests)
    done = replay(past.run_id, ANTHROPIC_API_KEY="")
    assert (done.returncode, done.stderr) == (0, "")
    steps = len(all_steps(past.worker.store, past.run_id))
    size = f"3 turns, {steps} steps, 2 changed files"
    assert done.stdout == f"{past.run_id}: the journal replays to the same change ({size}).\n"
    assert (past.all_that_was_written(), len(messages.requests)) == (before, asked)


def test_from_a_step_on_it_is_a_live_run_of_its_own_that_publishes_nothing(
    replay: Replay, past: Past, messages: MessagesServer, tmp_path: Path
) -> None:
    before, known, asked = past.all_that_was_written(), past.new_runs(), len(messages.requests)
    done = replay(past.run_id, "--from-step", past.second_reply)
    assert done.returncode == 0, done.stderr
    (made,) = [run for run in past.new_runs() if run not in known]
    assert (made.reason, made.model, made.installation_id) == (Reason.PROVED, "scripted", 0)
    told = f"Run {made.id} goes on from step {past.second_reply} of run {past.run_id}, with scripted."
    assert f"{told} Nothing is published." in done.stderr
    assert "proved: Red before, green after" in done.stderr
    assert "agent-fix-output" in done.stderr
    assert [turns_of(request) for request in messages.requests[asked:]] == [1, 2]  # the first turn was kept
    assert "return sum(prices)\n" in (tmp_path / "agent-fix-output" / "change.patch").read_text()
    assert past.all_that_was_written() == before


def test_another_model_of_the_operators_may_hand_over(replay: Replay, past: Past) -> None:
    before = past.all_that_was_written()
    done = replay(past.run_id, "--from-step", past.second_reply, "--model", OTHER)
    assert done.returncode == 3, done.stderr
    assert f"with {OTHER}." in done.stderr
    assert "The model gave up: It is a matter of taste." in done.stderr
    assert past.all_that_was_written() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--from-step", "9", "--model", "foreign"), f"foreign is none of the operator's models (scripted, {OTHER})"),
        (("--model", OTHER), "without --from-step no model is asked"),
        (("--from-step", "soon"), "should be a valid integer"),
        (("--from-step", "0"), "should be greater than or equal to 1"),
        (("--from-step", "999"), "has steps from 1 to "),
    ],
)
def test_a_mistake_is_told_before_anything_is_begun(
    replay: Replay, past: Past, arguments: tuple[str, ...], words: str
) -> None:
    known = past.new_runs()
    done = replay(past.run_id, *arguments)
    assert done.returncode == 2, done.stderr
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert past.new_runs() == known


def test_an_unknown_run_is_told(replay: Replay) -> None:
    done = replay("nothing")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "agent-fix: There is no run nothing; `agent-fix runs` lists them.\n"


def altered(past: Past, folder: Path, change: str) -> str:
    """The URL of a copy of the store in which `change` was made to the steps."""
    with (
        closing(sqlite3.connect(past.folder / "store.db")) as source,
        closing(sqlite3.connect(folder / "c.db")) as copy,
    ):
        source.backup(copy)
        copy.execute(f"update steps set data = {change}")
        copy.commit()
    return f"sqlite:///{folder / 'c.db'}"


def test_a_journal_that_departs_is_told_step_by_step(replay: Replay, past: Past, tmp_path: Path) -> None:
    url = altered(past, tmp_path, "replace(data, 'sum(prices)\"', 'max(prices)\"') where kind = 'reply'")
    done = replay(past.run_id, AGENT_FIX_DATABASE_URL=url)
    assert done.returncode == 3, done.stderr
    assert "the replay departs from the journal" in done.stdout
    assert "after edit_file there is another content of calc.py" in done.stdout


def test_a_journal_of_another_release_is_refused(replay: Replay, past: Past, tmp_path: Path) -> None:
    url = altered(past, tmp_path, "json_set(data, '$.format', 1)")
    done = replay(past.run_id, "--from-step", "9", AGENT_FIX_DATABASE_URL=url)
    assert done.returncode == 2
    assert f"Another release wrote the journal of run {past.run_id}, in format 1" in done.stderr


def test_a_broken_store_is_an_internal_error(replay: Replay, past: Past, tmp_path: Path) -> None:
    assert replay(past.run_id, AGENT_FIX_DATABASE_URL=altered(past, tmp_path, "'{'")).returncode == 1
