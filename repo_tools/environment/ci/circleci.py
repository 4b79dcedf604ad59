"""How a repository is tested by CircleCI: `.circleci/config.yml`, or `circle.yml`, read as evidence, never executed.

Each of its jobs is told as the job of a GitHub workflow would be that does the same.
https://circleci.com/docs/reference/configuration-reference/
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.ci.circleci_1 import OLD_PATH, machine_of_old, steps_of_old
from repo_tools.environment.ci.circleci_file import Arguments, Use, defaults_of, each_given, nodes_of, uses_of
from repo_tools.environment.ci.circleci_machines import Machine, Machines
from repo_tools.environment.ci.circleci_steps import Unfolding, place_of, run_in
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.files import MAX_BYTES, content_at, parsed
from repo_tools.environment.ci.merges import entries_of, merged
from repo_tools.environment.ci.steps import MOST_STEPS
from repo_tools.environment.ci.told_jobs import (
    Evidence,
    Surroundings,
    ToldJob,
    evidence_of,
    installing,
    job_of,
    likeliest,
)
from repo_tools.environment.ci.values import text_of
from repo_tools.environment.contract import ReadFile
from repo_tools.yaml_text import Node

PATHS = (".circleci/config.yml", ".circleci/config.yaml")

_MOST_JOBS = 50
_ROOT = "~/project"


def read_circleci(tree: Tree, read: ReadFile, evidence: Evidence) -> tuple[WorkflowEvidence, ...]:
    """Each job that is run and that runs tests, as `evidence_of` has them."""
    path = next((path for path in (*PATHS, OLD_PATH) if path in tree), "")
    root = parsed(content_at(path, tree, read, MAX_BYTES)) if path else None
    if root is None:
        return ()
    jobs = _File(path, root).jobs() if path in PATHS else _old(root)
    others = frozenset(("BUNDLE_GEMFILE",)) if "Gemfile" in tree else frozenset[str]()
    return evidence_of(jobs, lambda *job: _without(evidence(*job), others))


class _File:
    def __init__(self, path: str, root: Node) -> None:
        self._path = path
        self._root = root
        self._known: Arguments = defaults_of(root, "pipeline.parameters")
        orbs = {name: text_of(node).partition("@")[0] for name, node in entries_of(root, "orbs").items()}
        self._machines = Machines(entries_of(root, "executors"), orbs, self._known)
        self._unfolding = Unfolding(entries_of(root, "commands"), orbs, self._known)

    def jobs(self) -> Iterator[ToldJob]:
        uses = uses_of(self._root)
        node = self._root.mapping.get("jobs")
        for name, job in islice(merged(node).mapping.items(), _MOST_JOBS) if node else ():
            places = [Use()] if uses is None else uses.get(name, [])
            given = [{**self._known, **each} for each in each_given(places, merged(job))]
            told = self._told(merged(job), given) if given else None
            if node and told:
                line = node.key_lines.get(name, job.line)
                yield ToldJob(name, self._path, line, told, all(place.seldom for place in places))

    def _told(self, job: Node, given: list[dict[str, Node]]) -> Node | None:
        """As the combination among `given` runs it that stands for all; None where it is not for Linux."""
        rows = [{name.replace(".", "-"): text_of(node) for name, node in each.items()} for each in given]
        arguments = given[likeliest(rows)]
        machine = self._machines.machine(job, arguments)
        if machine.is_another:
            return None
        steps = job.mapping.get("steps")
        unfolded = self._unfolding.leaves(nodes_of(steps, arguments) if steps else (), arguments)
        leaves = list(islice(unfolded, MOST_STEPS))
        place = place_of(leaves, machine.directory or _ROOT)
        tags = dict.fromkeys(self._machines.image(job, each).rpartition(":")[2] for each in given)
        runs = [installing(machine.image, tags, job.line), *(run_in(place, leaf, self._unfolding) for leaf in leaves)]
        return job_of(_around(machine, place.here), runs, job.line)


def _old(root: Node) -> Iterator[ToldJob]:
    """The one job of a file of before there were any."""
    machine, line = machine_of_old(root), root.key_lines.get("test", 1)
    yield ToldJob("", OLD_PATH, line, job_of(_around(machine, machine.directory), steps_of_old(root), line))


def _around(machine: Machine, here: str) -> Surroundings:
    """Services answer on ``localhost``, whatever the image."""
    return Surroundings(machine.variables, machine.services, here=here)


def _without(job: WorkflowEvidence | None, names: frozenset[str]) -> WorkflowEvidence | None:
    """One job for each list of gems stands beside those of the root's own, and none of them stands for all."""
    return job and replace(job, variables={name: value for name, value in job.variables.items() if name not in names})
