"""A past run again, from its journal: checked offline, or gone on with from one of its steps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.assignment import FIX, FIX_WITH_PYTHON
from agent.model import ToolCall
from agent.replay import WAITING
from repo_tools.changes import ChangeSet
from repo_tools.errors import RepoError
from repo_tools.local import LocalRepository
from repo_tools.mirror import lock_of
from workers.carry_out import carry_out
from workers.heartbeat import Heartbeat
from workers.journal import all_steps, since_restart
from workers.local_claim import claim_local_run, write_local_run
from workers.local_host import LocalHost
from workers.outcomes import Outcome
from workers.replay_files import ReplayedFiles
from workers.store import TASK, Run, RunStore, Step
from workers.store.journal import READABLE
from workers.workshop import Workshop

AGENTS_OWN = frozenset({"reply", "tool_result", "nudge", "verification"})
"""The steps that a conversation consists of."""
THINKING = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True)
class PastRun:
    """A run with its journal, and the repository that holds its base commit."""

    run: Run
    steps: Sequence[Step]
    repository: LocalRepository
    base_commit: str


@dataclass(frozen=True)
class Replayed:
    """What the journal comes to. Each departure says at which step something else would have happened."""

    turns: int
    change: ChangeSet
    departures: tuple[str, ...]


def find_past(store: RunStore, run_id: str, repository: Path | None, mirrors: Path) -> PastRun:
    """`repository`: where the base commit is, if not in the mirror. RepoError says what is missing."""
    run = store.get(run_id)
    if run is None:
        raise RepoError(f"There is no run {run_id}; `agent-fix runs` lists them.")
    if run.repository == TASK or run.base_commit is None:
        raise RepoError(f"Run {run_id} has no base commit to replay on: it ended before, or was no fix.")
    if repository is None and run.repository_id <= 0:
        raise RepoError(f"Run {run_id} was of a folder, {run.repository}; name it with --repository.")
    steps = since_restart(all_steps(store, run_id))
    unknown = sorted({step.format for step in steps} - READABLE)
    if unknown:
        raise RepoError(
            f"Another release wrote the journal of run {run_id}, in format {unknown[0]}; replay it with that."
        )
    mirror = mirrors / str(run.repository_id)
    if repository is None and not mirror.is_dir():
        raise RepoError(f"The mirror of {run.repository} is no longer kept; name a clone of it with --repository.")
    if repository is None:
        lock_of(mirror).touch()  # it is in use, so that no worker takes it away for want of room
    found = LocalRepository(repository or mirror)
    return PastRun(run, steps, found, found.resolve(run.base_commit))


def check_replay(past: PastRun) -> Replayed:
    """Make every change of files again, on the base commit and without any box, and compare it with its checkpoint."""
    files = ReplayedFiles(past.repository.checkout(past.base_commit))
    calls: dict[str, ToolCall] = {}
    departures: list[str] = []
    turns = 0
    for step in past.steps:
        if step.kind == "reply":
            turns += 1
            calls |= {block["id"]: _call(block) for block in step.data["blocks"] if block["type"] == "tool_use"}
        elif step.kind == "tool_result":
            departures += _departures(step, calls.get(step.data["id"]), files)
    return Replayed(turns, files.change, tuple(departures))


def _call(block: Mapping[str, Any]) -> ToolCall:
    return ToolCall(block["id"], block["name"], block["input"])


def _departures(step: Step, call: ToolCall | None, files: ReplayedFiles) -> Iterator[str]:
    """The recorded checkpoint holds from there on, whatever came of the call."""
    if call is None:
        yield f"step {step.number}: a result of a call that no reply made ({step.data['id']})"
        return
    recorded = step.data.get("change")
    if recorded is None:
        return
    result = files.execute(call)
    if result is not None and result.content != step.data["content"]:
        yield f"step {step.number}: {call.name} answers {result.content!r}, not {step.data['content']!r}"
    expected = ChangeSet.from_json(recorded)
    if result is not None and files.change != expected:
        different = sorted(_differing(files.change, expected))
        yield f"step {step.number}: after {call.name} there is another content of {', '.join(different)}"
    files.change = expected


def _differing(one: ChangeSet, other: ChangeSet) -> set[str]:
    paths = {*one.files, *other.files}
    return {path for path in paths if one.files.get(path, ...) != other.files.get(path, ...)}


def replay_from(
    past: PastRun,
    from_step: int,
    store: RunStore,
    workshop: Workshop,
    output: Path,
    lease_seconds: float,
    started: Callable[[str], None],
) -> Outcome:
    """A new run that begins with what the past one's journal says before `from_step`, and goes on with the workshop's
    model and sandbox. Nothing is published: `output` gets patch, report and transcript. `started` is told its id."""
    run_id = write_local_run(store, past.run.repository, past.run.title, past.run.body)
    claim = claim_local_run(store, run_id, lease_seconds)
    claim = replace(claim, run=replace(claim.run, model=workshop.model.name))  # not the one that its repository names
    with Heartbeat(store, claim, lease_seconds):  # a long journal may take longer than a lease
        for step in kept_steps(past, from_step, workshop):
            store.append_step(claim, step.kind, step.data)
        store.append_step(claim, WAITING, {"detail": f"Replay of run {past.run.id}: what is above is its journal."})
        started(run_id)
    host = LocalHost(past.repository, past.base_commit, output)
    return carry_out(store, claim, host, workshop, lease_seconds, last_attempt=True)


def kept_steps(past: PastRun, from_step: int, workshop: Workshop) -> list[Step]:
    """The conversation before `from_step`, as this release and the workshop's model take it. ValueError where there is
    no such step."""
    last = past.steps[-1].number if past.steps else 0
    if not 1 <= from_step <= last + 1:
        raise ValueError(f"run {past.run.id} has steps from 1 to {last}")
    rules = (FIX_WITH_PYTHON if workshop.run_python else FIX).rules
    same_model = workshop.model.name == past.run.model
    kept = (step for step in past.steps if step.kind in AGENTS_OWN and step.number < from_step)
    return [_taken(step, rules, same_model) if step.kind == "reply" else step for step in kept]


def _taken(step: Step, rules: str, same_model: bool) -> Step:
    """A reply as if it had come under these rules: to try a change of the prompts is what a replay is for. Thinking is
    signed for the model that thought it."""
    blocks = [block for block in step.data["blocks"] if same_model or block["type"] not in THINKING]
    return replace(step, data={**step.data, "blocks": blocks, "request": {**step.data["request"], "rules": rules}})
