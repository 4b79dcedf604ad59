"""Each write to GitHub takes effect and its answer is lost: the next attempt finds what is there in GitHub and in the
store's journal. All of it in this process; `parts.answers` loses answers of a running site."""

import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault
from bench.chaos.faults import LOSSES
from bench.chaos.github_jobs import JOBS, SENT_BY, Attempt, Job, Stage, Write
from bench.chaos.parts import Result
from bench.chaos.world import MARKER
from repo_tools.errors import TransientError
from tests.support.github import REPOSITORY, make_scene
from tests.support.processes import eventually
from tests.support.web import make_app, serving, web_settings
from workers.store import open_store

WRITES = tuple(dict.fromkeys(write for writes in SENT_BY.values() for write in writes))
IN_ONE_PROCESS = "stand-in, one process"
ATTEMPTS = 4
AT_ONCE = 8
_MIGRATING = threading.Lock()
"""Alembic does it for one database at a time."""


def lost_answers(times: int) -> list[Result]:
    """A row for each write, each so many times; several at once, for most of it is waiting."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda write: _lost_alone(write, times), WRITES))


def _lost_alone(write: Write, times: int) -> Result:
    with _stage() as stage:
        return lose(stage, write, JOBS[write.job], times)


@contextmanager
def _stage() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory() as name, GitHubStandIn() as github:
        folder = Path(name)
        with _MIGRATING:
            opened = open_store(f"sqlite:///{folder / 'store.db'}")
        with closing(opened) as store:
            app = make_app(web_settings(folder, github_webhook_secret=github.webhook_secret), store)
            with serving(app) as port:
                yield Stage(make_scene(github, folder), store, f"http://127.0.0.1:{port}/webhooks/github")


def lose(stage: Stage, write: Write, job: Job, times: int) -> Result:
    """Each time for a new issue; all are looked at in the end."""
    issues = [stage.new_issue() for _ in range(times)]
    found: list[str] = []
    for number, issue in enumerate(issues):
        attempt = job.begin(stage, issue)
        fault = Fault(LOSSES[number % len(LOSSES)], write.method, write.path)
        stage.scene.github.faults.add(fault)
        _until_done(attempt)
        found += [f"issue {issue}: no such write was sent"] if fault.times else []
        eventually(partial(_has_run, stage, issue), 60, f"a run for issue {issue}")
    wanted = Counter(job.wanted) + Counter(runs=1)
    for issue in issues:
        there = _there(stage, issue)
        found += [f"issue {issue}: {dict(there)}, not {dict(wanted)}"] if there != wanted else []
    return Result(f"answer lost: {write.job}, {write}", IN_ONE_PROCESS, times, times, found)


def _until_done(attempt: Attempt) -> None:
    """As workers do: what may pass is tried again. The last attempt's error is a bug of ours."""
    for _ in range(ATTEMPTS - 1):
        try:
            attempt()
        except TransientError:
            continue
        return
    attempt()


def _has_run(stage: Stage, issue: int) -> bool:
    return any(run.issue_number == issue for run in stage.store.list_runs())


def _there(stage: Stage, number: int) -> Counter[str]:
    """Everything of ours that is there because of an issue, by kind."""
    github, prefix = stage.scene.github, f"agent-fix/issue-{number}-"
    repository = github.state.repository(REPOSITORY)
    runs = [run.id for run in stage.store.list_runs(limit=100_000) if run.issue_number == number]
    pulls = [issue for issue in github.pull_requests(REPOSITORY) if issue.pull and issue.pull.head.startswith(prefix)]
    bodies = [c.body for place in (number, *(p.number for p in pulls)) for c in github.comments(REPOSITORY, place)]
    refs = repository.git.git("for-each-ref", "--format=%(refname)").decode().split()
    counts = Counter(kind for body in bodies for kind in MARKER.findall(body)[:1])
    counts["runs"] = len(runs)
    counts["pull requests"] = sum(pull.state == "open" for pull in pulls)
    counts["closed pull requests"] = sum(pull.state != "open" for pull in pulls)
    counts["branches"] = sum(ref.startswith(f"refs/heads/{prefix}") for ref in refs)
    counts["transcripts"] = sum(ref.startswith(f"refs/agent-fix/transcripts/{run}") for ref in refs for run in runs)
    counts["reactions"] = len(github.reactions(REPOSITORY, number))
    return +counts
