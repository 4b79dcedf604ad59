"""How a repository is tested by CircleCI: `.circleci/config.yml`, or `circle.yml`, read as evidence, never executed.

Each of its jobs is told as the job of a GitHub workflow would be that does the same.
https://circleci.com/docs/reference/configuration-reference/
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.ci.circleci_1 import OLD_PATH, machine_of_old, steps_of_old
from repo_tools.environment.ci.circleci_file import (
    Arguments,
    Use,
    defaults_of,
    each_given,
    entries_of,
    merged,
    nodes_of,
    uses_of,
)
from repo_tools.environment.ci.circleci_machines import Machine, Machines
from repo_tools.environment.ci.circleci_steps import Unfolding, installing, place_of, run_in
from repo_tools.environment.ci.files import MAX_BYTES, content_at, parsed
from repo_tools.environment.ci.jobs import WorkflowEvidence
from repo_tools.environment.ci.matrix import matrix_of
from repo_tools.environment.ci.steps import MOST_STEPS
from repo_tools.environment.ci.values import newest_first, text_of
from repo_tools.environment.contract import ReadFile
from repo_tools.yaml_text import Node

PATHS = (".circleci/config.yml", ".circleci/config.yaml")

_MOST_JOBS = 50
_ROOT = "~/project"

Evidence = Callable[[str, Node, str], WorkflowEvidence | None]
"""(path of the file, a job of GitHub's, what it is called for people) -> what it says."""


def read_circleci(tree: Tree, read: ReadFile, evidence: Evidence) -> tuple[WorkflowEvidence, ...]:
    """Each job that is run and that runs tests; of several that do so alike, each has the versions of all. That of the
    newest comes first."""
    path = next((path for path in (*PATHS, OLD_PATH) if path in tree), "")
    root = parsed(content_at(path, tree, read, MAX_BYTES)) if path else None
    if root is None:
        return ()
    jobs = _File(root).jobs() if path in PATHS else _old(root)
    told = ((job, evidence(path, job.told, f"{path}:{job.line}{job.shown}")) for job in jobs)
    others = frozenset(("BUNDLE_GEMFILE",)) if "Gemfile" in tree else frozenset[str]()
    return _newest_first([replace(_without(each, others), seldom=job.seldom) for job, each in told if each])


@dataclass(frozen=True)
class _Job:
    """`told`: as one of GitHub's; `seldom`: as `WorkflowEvidence` has it."""

    name: str
    line: int
    told: Node
    seldom: bool = False

    @property
    def shown(self) -> str:
        return f" (job {self.name[:60]})" if self.name else ""


class _File:
    def __init__(self, root: Node) -> None:
        self._root = root
        self._known: Arguments = defaults_of(root, "pipeline.parameters")
        orbs = {name: text_of(node).partition("@")[0] for name, node in entries_of(root, "orbs").items()}
        self._machines = Machines(entries_of(root, "executors"), orbs, self._known)
        self._unfolding = Unfolding(entries_of(root, "commands"), orbs, self._known)

    def jobs(self) -> Iterator[_Job]:
        uses = uses_of(self._root)
        node = self._root.mapping.get("jobs")
        for name, job in islice(merged(node).mapping.items(), _MOST_JOBS) if node else ():
            places = [Use()] if uses is None else uses.get(name, [])
            given = [{**self._known, **each} for each in each_given(places, merged(job))]
            told = self._told(merged(job), given) if given else None
            if node and told:
                line = node.key_lines.get(name, job.line)
                yield _Job(name, line, told, all(place.seldom for place in places))

    def _told(self, job: Node, given: list[dict[str, Node]]) -> Node | None:
        """As the combination among `given` runs it that stands for all; None where it is not for Linux."""
        arguments = _likeliest(given)
        machine = self._machines.machine(job, arguments)
        if machine.is_another:
            return None
        steps = job.mapping.get("steps")
        unfolded = self._unfolding.leaves(nodes_of(steps, arguments) if steps else (), arguments)
        leaves = list(islice(unfolded, MOST_STEPS))
        place = place_of(leaves, machine.directory or _ROOT)
        tags = dict.fromkeys(self._machines.image(job, each).rpartition(":")[2] for each in given)
        runs = [installing(machine.image, tags, job.line), *(run_in(place, leaf, self._unfolding) for leaf in leaves)]
        return _as_of_github(machine, place.here, [step for step in runs if step], job.line)


def _old(root: Node) -> Iterator[_Job]:
    """The one job of a file of before there were any."""
    machine, line = machine_of_old(root), root.key_lines.get("test", 1)
    yield _Job("", line, _as_of_github(machine, machine.directory, steps_of_old(root), line))


def _likeliest(given: list[dict[str, Node]]) -> dict[str, Node]:
    """That which stands for a matrix with the same values."""
    texts = [{name.replace(".", "-"): text_of(node) for name, node in each.items()} for each in given]
    entries = [Node({name: Node(text, 1) for name, text in each.items()}, 1) for each in texts]
    first = matrix_of(_within("strategy", "matrix", "include", value=entries))
    known = (each for each, said in zip(given, texts, strict=True) if all(first[n][0] == t for n, t in said.items()))
    return next(known, given[0])


def _as_of_github(machine: Machine, here: str, steps: list[Node], line: int) -> Node:
    env = Node({name: Node(value, line) for name, value in machine.variables.items()}, line)
    lines = {name: service.line for name, service in machine.services.items()}
    services = Node(dict(machine.services), line, lines)
    place = _within("run", "working-directory", value=here)
    return Node({"env": env, "services": services, "steps": Node(steps, line), "defaults": place}, line)


def _within(*keys: str, value: list[Node] | str) -> Node:
    node = Node(value, 1)
    for key in reversed(keys):
        node = Node({key: node}, 1)
    return node


def _without(job: WorkflowEvidence, names: frozenset[str]) -> WorkflowEvidence:
    """One job for each list of gems stands beside those of the root's own, and none of them stands for all."""
    return replace(job, variables={name: value for name, value in job.variables.items() if name not in names})


def _newest_first(jobs: list[WorkflowEvidence]) -> tuple[WorkflowEvidence, ...]:
    """Of several with the same versions that which sets fewer variables."""
    alike: dict[tuple[tuple[str, ...], ...], dict[str, list[str]]] = {}
    for job in jobs:
        known = alike.setdefault(_tests(job), {})
        for language, versions in job.versions.items():
            known.setdefault(language, []).extend(versions)
    newest = sorted(jobs, key=lambda job: (_newest(job), -len(job.variables)), reverse=True)
    return tuple(
        replace(job, versions={name: newest_first(each) for name, each in alike[_tests(job)].items()}) for job in newest
    )


def _tests(job: WorkflowEvidence) -> tuple[tuple[str, ...], ...]:
    return tuple(command.argv for command in job.tests)


def _newest(job: WorkflowEvidence) -> tuple[int, ...]:
    versions = next(iter(job.versions.values()), ("",))
    return tuple(int(part) for part in versions[0].removeprefix("v").split(".") if part.isdecimal() and len(part) < 10)
