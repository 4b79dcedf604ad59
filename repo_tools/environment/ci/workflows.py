"""How a repository is tested by its own CI: `.github/workflows/*.yml`, or else `.travis.yml`, or else the file of
CircleCI, and the scripts that they call, read as evidence and never executed.

Whatever stands there, nothing raises: what is broken, hidden behind expressions, or kept in another repository's
workflow says nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from posixpath import basename
from weakref import WeakKeyDictionary

from repo_tools.changes import Tree
from repo_tools.environment.ci.circleci import read_circleci
from repo_tools.environment.ci.compose import starting
from repo_tools.environment.ci.composite import inlining
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.files import parsed
from repo_tools.environment.ci.inputs import as_called, callers
from repo_tools.environment.ci.jobs import References, job_evidence
from repo_tools.environment.ci.ranking import are_for_another_end, likeliest_first, likelihood
from repo_tools.environment.ci.scripts import expanding
from repo_tools.environment.ci.travis import read_travis
from repo_tools.environment.ci.values import node_at, text_of
from repo_tools.environment.ci.within import jobs_within
from repo_tools.environment.contract import ReadFile
from repo_tools.yaml_text import Node

MOST_FILES = 30
MOST_JOBS = 50

_known: WeakKeyDictionary[ReadFile, tuple[Tree, tuple[WorkflowEvidence, ...]]] = WeakKeyDictionary()
"""What was read last by each way to read a repository: a detection asks ten times, with one way of its own."""

_PATH = re.compile(r"\.github/workflows/[^/]+\.ya?ml")
_STARTED_BY_NO_CHANGE = frozenset({"schedule", "workflow_dispatch", "repository_dispatch", "workflow_run", "release"})
"""https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows"""


def read_workflows(tree: Tree, read: ReadFile) -> tuple[WorkflowEvidence, ...]:
    """Every job that runs tests on Linux, `likeliest_first`. Where there is none, or they only publish, or the like:
    what Travis does, too, and then CircleCI."""
    known = _known.get(read)
    if known is None or known[0] is not tree:
        known = _known[read] = (tree, _read(tree, read))
    return known[1]


def tell_workflows(folder: str, tree: Tree, read: ReadFile, below: Tree, read_below: ReadFile) -> None:
    """Let `read_workflows` give for the project in `folder`, as `below` and `read_below` have it, what the CI of the
    repository does there; where that is nothing, what stands in the folder itself."""
    found = jobs_within(read_workflows(tree, read), folder)
    if found:
        _known[read_below] = (below, found)


def _read(tree: Tree, read: ReadFile) -> tuple[WorkflowEvidence, ...]:
    references = References(expanding(tree, read), starting(tree, read), inlining(tree, read))
    roots = {path: parsed(read(path)) for path in _likeliest(tree)}
    calls = callers(roots.values())
    found = [job for path, root in roots.items() for job in _jobs(path, root, references, calls.get(path, ()))]
    if are_for_another_end(found):
        found += read_travis(tree, read, references.expand, references.started)

    def said(path: str, job: Node, source: str) -> WorkflowEvidence | None:
        return job_evidence(path, job, job, source, references)

    if are_for_another_end(found):
        found += read_circleci(tree, read, said)
    return likeliest_first(found)


def _likeliest(tree: Tree) -> list[str]:
    """The files of GitHub's that are read."""
    paths = [path for path, entry in tree.items() if _PATH.fullmatch(path) and entry.mode.is_file]
    return sorted(paths, key=lambda path: (-likelihood(basename(path)), path))[:MOST_FILES]


def likeliest_python_job(tree: Tree, read: ReadFile) -> WorkflowEvidence | None:
    """Of `read_workflows`, the first that is about Python, or may be."""
    return next((each for each in read_workflows(tree, read) if "python" in (each.languages or {"python"})), None)


def _jobs(path: str, root: Node | None, references: References, calls: Sequence[Node]) -> Iterator[WorkflowEvidence]:
    """`calls`: the jobs of other workflows that this one is started by."""
    jobs = node_at(root, "jobs")
    if root is None or jobs is None:
        return
    for name, job in list(jobs.mapping.items())[:MOST_JOBS]:
        source = f"{path}:{jobs.key_lines[name]} (job {name[:60]})"
        for each in as_called(job, root, calls):
            evidence = job_evidence(path, root, each, source, references)
            if evidence is not None:
                yield replace(evidence, seldom=_is_seldom(root))


def _is_seldom(workflow: Node) -> bool:
    """Whether what starts it is all of the clock's or a person's; where nothing starts it, nobody knows."""
    on = workflow.mapping.get("on")
    named = {text_of(on), *(on.mapping or map(text_of, on.items))} - {""} if on else set()
    return bool(named) and named <= _STARTED_BY_NO_CHANGE
