"""A repository on the stand-in for GitHub, a model that counts, a site of real processes, and what is left of them."""

import platform
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from app.demo.service import Service
from app.standins.github import GitHubStandIn
from app.standins.github_webhooks import Delivery
from app.standins.messages import MessagesServer
from bench.chaos.checks import Ending, IssueFacts, RunFacts
from bench.chaos.script import CountingScript, ending_of, title_of
from tests.support import calc
from tests.support.stage import put_away
from workers.outcomes import RunStatus
from workers.store import Run, RunStore, Step, open_store

REPOSITORY, LABEL, MAINTAINER = "acme/calc", "agent-fix", "maria"
LEASE_SECONDS = 5  # the least that the setting takes
PATROL_SECONDS = 60
MODEL_SECONDS = 1.0
MARKER = re.compile(r"<!-- agent-fix:run=[^:]+:(\S+) -->")


@dataclass
class World:
    """What outlives every site: GitHub, the model's provider, and the layers of the sandbox."""

    github: GitHubStandIn
    messages: MessagesServer
    script: CountingScript
    folder: Path
    layers: Path  # prepared environments, which worlds may share
    sites: int = 0
    labelled: int = 0

    @property
    def messages_port(self) -> int:
        return int(self.messages.url.rpartition(":")[2])

    def label(self, count: int) -> list["Labelled"]:
        """So many new issues, labelled one after the other; every other one comes to nothing."""
        self.labelled += count
        return [self.label_one(gives_up=n % 2 == 0) for n in range(self.labelled - count, self.labelled)]

    def label_one(self, *, gives_up: bool = False) -> "Labelled":
        number = len(self.github.state.repository(REPOSITORY).issues) + 1
        title = title_of(number, gives_up=gives_up)
        self.script.expect(title)
        number = self.github.open_issue(REPOSITORY, title, "It should be otherwise.")
        delivery = self.github.label_issue(REPOSITORY, number, LABEL, MAINTAINER)
        if delivery is None:
            raise RuntimeError("no site is open: there is nobody to deliver to")
        return Labelled(number, title, [delivery])


@dataclass
class Labelled:
    """An issue that was labelled, and the deliveries of it."""

    number: int
    title: str
    deliveries: list[Delivery]

    @property
    def accepted(self) -> bool:
        return any(d.response is not None and d.response.is_success for d in self.deliveries)


@dataclass
class Site:
    """A running site. The store is read from this process."""

    world: World
    service: Service
    store: RunStore
    data_dir: Path
    log: Path
    workers: int

    def held_by(self, pids: Set[int]) -> list[str]:
        """Ids of the runs that these processes work on."""
        names = {f"{platform.node()}-{pid}" for pid in pids}
        return [run.id for run in self.store.list_runs() if run.status is RunStatus.RUNNING and run.worker in names]

    def redeliver_lost(self, labelled: Sequence[Labelled]) -> None:
        """As the owner of a webhook does on GitHub's page: each delivery that was not taken is sent again."""
        for one in labelled:
            if not one.accepted:
                one.deliveries.append(_again(one.deliveries[0], f"{self.service.url}/webhooks/github"))

    def runs(self, labelled: Sequence[Labelled]) -> dict[str, list[Run]]:
        """title -> its runs."""
        found: dict[str, list[Run]] = {one.title: [] for one in labelled}
        for run in self.store.list_runs(limit=100_000):
            if run.title in found:
                found[run.title].append(run)
        return found

    def open_runs(self, labelled: Sequence[Labelled]) -> int:
        """Issues whose run has not ended, or is not there."""
        return sum(
            not runs or any(run.status is not RunStatus.ENDED for run in runs) for runs in self.runs(labelled).values()
        )

    def facts(self, labelled: Sequence[Labelled], also: Set[Ending] = frozenset()) -> list[IssueFacts]:
        """`also`: endings that the harm allows besides the one that the model comes to."""
        runs = self.runs(labelled)
        return [self._facts_of(one, runs[one.title], {ending_of(one.title), *also}) for one in labelled]

    def steps(self, run: Run) -> list[Step]:
        steps: list[Step] = []
        while page := self.store.steps(run.id, after=steps[-1].number if steps else 0):
            steps += page
        return steps

    def _facts_of(self, one: Labelled, runs: Sequence[Run], endings: Set[Ending]) -> IssueFacts:
        repository = self.world.github.state.repository(REPOSITORY)
        with self.world.github.state.lock:
            prefix = f"agent-fix/issue-{one.number}-"
            pulls = [issue for issue in repository.issues.values() if issue.pull and issue.pull.head.startswith(prefix)]
            places = [repository.issues[one.number], *pulls]
            own = [c.body for place in places for c in place.comments if c.author == self.world.github.state.bot]
            kinds = Counter(kind for body in own for kind in MARKER.findall(body)[:1])
        refs = repository.git.git("for-each-ref", "--format=%(refname:short)", f"refs/heads/{prefix}*")
        asked = [(a.turn, a.at) for a in self.world.script.asked if a.title == one.title]
        branches = refs.decode().split()
        standing = sum(pull.state == "open" for pull in pulls)  # one that came too late is closed again
        return IssueFacts(one.title, endings, [self._run(run) for run in runs], standing, branches, kinds, asked)

    def _run(self, run: Run) -> RunFacts:
        return run_facts(run, self.steps(run), run.epoch)


def run_facts(run: Run, steps: Sequence[Step], attempts: int) -> RunFacts:
    """What the store has of a run: its row, and the steps of its agent."""
    replies = [step for step in steps if step.kind == "reply"]
    return RunFacts(
        run.id,
        Ending(run.outcome, run.reason) if run.outcome and run.reason else None,
        attempts,
        {n: step.at.timestamp() for n, step in enumerate(replies)},
        int(run.spend.get("tokens", {}).get("used", 0)),
        sum(sum(step.data["usage"].values()) for step in replies),
        [step.data["charged_tokens"] for step in steps if step.kind == "resumed"],
    )


@contextmanager
def open_world(layers: Path | None = None) -> Iterator[World]:
    """With `layers` of its own, unless it is told where others keep theirs."""
    script = CountingScript(MODEL_SECONDS)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True)))
        github = stack.enter_context(GitHubStandIn(folder / "github"))
        messages = stack.enter_context(MessagesServer(script))
        github.create_repository(REPOSITORY, calc.FILES)
        github.add_collaborator(REPOSITORY, MAINTAINER, "write")
        own = folder / "bubblewrap"
        own.mkdir()
        yield World(github, messages, script, folder, layers or own)


@contextmanager
def open_site(
    world: World, workers: int, settings: Mapping[str, str] | None = None, *, read_from: str | None = None
) -> Iterator[Site]:
    """So many workers, a web process and a broker, on SQLite and an embedded broker unless `settings` say otherwise.
    Open once the web process answers: runs wait until a worker does. `read_from`: how this process reaches the
    database, where that is another way than the site's own."""
    world.sites += 1
    data_dir = world.folder / f"site-{world.sites}"
    data_dir.mkdir()
    (data_dir / "bubblewrap").symlink_to(world.layers)
    fixed = {
        "ANTHROPIC_API_KEY": "a-key",
        "ANTHROPIC_BASE_URL": world.messages.url,
        "AGENT_FIX_SANDBOX": "bubblewrap",
        "AGENT_FIX_LEASE_SECONDS": str(LEASE_SECONDS),
        "AGENT_FIX_PATROL_SECONDS": str(PATROL_SECONDS),
        "AGENT_FIX_RUNS_PER_REPOSITORY": "none",
    }
    chosen = {**fixed, **(settings or {})}
    program = (sys.executable, "-m", "bench.chaos.site", "--workers", str(workers))
    log = data_dir / "log"
    with Service(world.github, data_dir, chosen, log, program, ready="/livez") as service:
        own = chosen.get("AGENT_FIX_DATABASE_URL", f"sqlite:///{data_dir / 'agent-fix.db'}")
        store = open_store(read_from or own)
        try:
            yield Site(world, service, store, data_dir, log, workers)
        finally:
            store.close()
            put_away(world.github)  # else the next site's patrol makes a run of each issue that its store does not know


def _again(lost: Delivery, url: str) -> Delivery:
    try:
        answer = httpx.post(url, content=lost.body, headers=lost.headers, timeout=10, trust_env=False)
    except httpx.TransportError:
        return lost
    return Delivery(lost.id, lost.event, lost.body, lost.headers, answer)
