"""The part of `make chaos` that loses answers: it knows every write of the product, and finds what is doubled."""

import ast
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from app.standins.github_faults import FaultKind
from bench.chaos import lost_answers
from bench.chaos.faults import LOSSES, RUN_WRITES, Done, lose_answer
from bench.chaos.github_jobs import JOBS, SENT_BY, Attempt, Job, Stage, Write
from repo_tools.errors import TransientError
from tests.support.github import REPOSITORY, Scene, make_scene
from workers.github.rest import Rest
from workers.store import open_store

WORKERS = Path(lost_answers.__file__).parents[2] / "workers"
WRITING = {"post", "patch", "delete"}


def sending() -> Iterator[str]:
    """Class and name of each method of the workers that has `Rest` write something."""
    for path in sorted(WORKERS.rglob("*.py")):
        for owner in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)):
            for method in (node for node in owner.body if isinstance(node, ast.FunctionDef)):
                if any(map(_writes, ast.walk(method))):
                    yield f"{owner.name}.{method.name}"


def calls() -> int:
    return sum(_writes(node) for path in WORKERS.rglob("*.py") for node in ast.walk(ast.parse(path.read_text())))


def _writes(node: ast.AST) -> bool:
    """``rest.post(…)``, ``self._rest.delete(…)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in WRITING:
        return False
    called = node.func.value
    return "rest" in (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""))


def test_every_write_of_the_product_is_among_those_whose_answers_are_lost() -> None:
    assert set(sending()) == set(SENT_BY)
    assert calls() == len(SENT_BY)  # none stands outside of a method
    assert {name for name in vars(Rest) if not name.startswith("_")} == WRITING | {"get", "pages", "cursor_pages"}
    assert {write.job for write in lost_answers.WRITES} == set(JOBS)


@pytest.mark.timeout(600)
def test_nothing_is_doubled_or_missing_whichever_answer_is_lost() -> None:
    results = lost_answers.lost_answers(2)
    assert len(results) == len(lost_answers.WRITES) >= 20
    assert [problem for result in results for problem in result.damage] == []


def careless(stage: Stage, issue: int) -> Attempt:
    """Tries again without a look at what is there."""
    stored = stage.run_for(issue)
    return lambda: _commented(stage, stored.attempt().issue_number)


def _commented(stage: Stage, issue: int) -> None:
    host = stage.scene.host
    host._do(stage.scene.run, lambda client: client.create_comment(issue, "<!-- agent-fix:run=x:refusal -->"))


def test_a_write_that_is_doubled_is_found_and_one_that_is_never_sent(tmp_path: Path) -> None:
    write = Write("refusal", "POST", "/comments$")
    with GitHubStandIn() as github, closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        stage = Stage(make_scene(github, tmp_path), store, "")
        (doubled,) = lost_answers.lose(stage, write, Job(careless, JOBS["refusal"].wanted), 1).damage
        assert "'refusal': 2" in doubled
        unsent = lost_answers.lose(stage, Write("refusal", "PUT", "/"), JOBS["refusal"], 1).damage
        assert [problem.partition(": ")[2] for problem in unsent] == ["no such write was sent"]
        assert len(github.comments(REPOSITORY, 2)) == 2


def write_until(over: Callable[[], bool], scene: Scene) -> None:
    while not over():
        scene.host._do(scene.run, lambda client: client.create_comment(1, "unheard"))


@pytest.mark.parametrize("kind", LOSSES)
def test_an_answer_that_is_lost_counts_once_its_write_has_come(tmp_path: Path, kind: FaultKind) -> None:
    comment, done = Write("any", "POST", r"/issues/\d+/comments$"), Done()
    with GitHubStandIn() as github, ThreadPoolExecutor(1) as pool:
        scene = make_scene(github, tmp_path)
        lose_answer(github.faults, comment, kind, done, wait_seconds=0.0)
        scene.host._do(scene.run, lambda client: client.create_comment(1, "heard"))
        assert not done.total  # nothing came in its time, and later there is no harm
        harm = pool.submit(lose_answer, github.faults, comment, kind, done)
        with pytest.raises(TransientError):
            write_until(lambda: done.total > 0, scene)
        harm.result()
        assert done.times("POST /issues/N/comments")
        assert github.comments(REPOSITORY, 1)[-1].body == "unheard"


def test_a_site_loses_the_answers_of_all_that_its_runs_send() -> None:
    git = {f"POST /git/{name}" for name in ("blobs", "trees", "commits", "refs")}
    others = {"POST /access_tokens", "POST /reactions", "POST /issues/N/comments", "POST /pulls"}
    assert sorted(map(str, RUN_WRITES)) == sorted(git | others)
