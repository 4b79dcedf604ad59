"""How a repository is tested by its own CI: `.github/workflows/*.yml`, or else `.travis.yml`, or else the file of
CircleCI, of Azure or of GitLab, and the scripts that they call, read as evidence and never executed.

Whatever stands there, nothing raises: what is broken, hidden behind expressions, or kept in another repository's
workflow says nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename
from weakref import WeakKeyDictionary

from repo_tools.changes import Tree
from repo_tools.environment.ci.azure import read_azure
from repo_tools.environment.ci.builds import usable, with_variables
from repo_tools.environment.ci.circleci import read_circleci
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose import Started, starting
from repo_tools.environment.ci.composite import Inline, Placed, inlining
from repo_tools.environment.ci.docker_run import is_of_docker
from repo_tools.environment.ci.files import parsed
from repo_tools.environment.ci.gitlab import read_gitlab
from repo_tools.environment.ci.installs import with_installs
from repo_tools.environment.ci.jobs import WorkflowEvidence, job_evidence
from repo_tools.environment.ci.options import with_options
from repo_tools.environment.ci.preparations import with_preparations
from repo_tools.environment.ci.programs import DJANGO, JAVASCRIPT_RUNNERS, tests_a_part
from repo_tools.environment.ci.scripts import expanding
from repo_tools.environment.ci.steps import Expand
from repo_tools.environment.ci.told_jobs import FILE
from repo_tools.environment.ci.tools import with_tested_versions
from repo_tools.environment.ci.travis import read_travis
from repo_tools.environment.ci.values import node_at, text_of
from repo_tools.environment.ci.within import jobs_within
from repo_tools.environment.contract import Environment, ReadFile, Service
from repo_tools.errors import ServiceError
from repo_tools.sandbox.service import check_services
from repo_tools.yaml_text import Node

MOST_FILES = 30
MOST_JOBS = 50

_known: WeakKeyDictionary[ReadFile, tuple[Tree, tuple[WorkflowEvidence, ...]]] = WeakKeyDictionary()
"""What was read last by each way to read a repository: a detection asks ten times, with one way of its own."""

_PATH = re.compile(r"\.github/workflows/[^/]+\.ya?ml")
_LIKELY = re.compile(r"test|unit|\bci\b|python|node|build|main")
_PLAIN = re.compile(r"run|all|and|the|on|workflow|linux|ubuntu|push|pr|default|js|javascript|py|")
_STEM = re.compile(r".*/|\.ya?ml(?::\d+)?$")
_UNLIKELY = re.compile(
    r"lint|doc(?!ker)|release|publish|deploy|bench|nightly|fuzz|coverage|integration|e2e|wheel|pre-?commit"
    r"|(?:3rd|third)[-_]?party|downstream|stress|emscripten|pyodide|wasm|msrv|min(?:imum)?[-_](?:version|dep)"
    r"|oldest|outdated|upstream|daily|weekly|remote|unstable|long[-_]?running|system[-_ ]tests?"
    r"|(?<![a-z])(?:[amt]san|ubsan|miri)(?![a-z])|sanitiz|valgrind|(?<![a-z])loom(?![a-z])"
    r"|distcheck|cross(?![-_ ]?platform)|qemu|riscv|s390|ppc64|armhf|armv\d"
)
_FOR_ANOTHER_END = -3
"""How likely a job is, at most, that tests before it publishes."""
_STARTED_BY_NO_CHANGE = frozenset({"schedule", "workflow_dispatch", "repository_dispatch", "workflow_run", "release"})
"""https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows"""
_LANGUAGES = {
    "python": "python", "javascript": "node", "go": "go", "rust": "rust", "maven": "java", "gradle": "java",
    "ruby": "ruby",
}  # fmt: skip
"""Detector -> the language that a workflow would set up for it."""
_NATIVE = {"cmake": ("ctest", "cmake"), "meson": ("meson", "ninja")}
"""Detector -> programs that run such tests."""
_PROGRAMS = {
    **dict.fromkeys(("pytest", "py.test", "tox", "nox", "unittest", "setup.py", "manage.py", "hatch", "pdm"), "python"),
    **dict.fromkeys(DJANGO, "python"),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "node", "grunt", "gulp", "jake", "nx", "turbo", "lerna"), "node"),
    **dict.fromkeys(JAVASCRIPT_RUNNERS, "node"),
    **dict.fromkeys(("mvn", "mvnw", "gradle", "gradlew"), "java"),
    **dict.fromkeys(("rspec", "rake", "rails"), "ruby"),
    "go": "go",
    "gotestsum": "go",
    "cargo": "rust",
}


def read_workflows(tree: Tree, read: ReadFile) -> tuple[WorkflowEvidence, ...]:
    """Every job that runs tests on Linux, the likeliest to be *the* test job first; of two such, the one that tests
    more than a part of the suite, then one whose tests can be known without a run, then one that runs them in no
    container of its own, then one that is not of Python 2 alone, and then the one that needs fewer services, or has the
    plainest name. Where there is none, or they only publish, or the like: what Travis does, too, and then
    CircleCI, Azure and GitLab."""
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
    expand, started, inline = expanding(tree, read), starting(tree, read), inlining(tree, read)

    def placed(path: str, step: Node) -> Iterator[Placed]:
        return inline(text_of(step.mapping.get(FILE)) or path, step)

    def said(path: str, job: Node, source: str) -> WorkflowEvidence | None:
        return job_evidence(path, job, job, source, expand, started, placed)

    paths = [path for path, entry in tree.items() if _PATH.fullmatch(path) and entry.mode.is_file]
    likeliest = sorted(paths, key=lambda path: (-_likelihood(basename(path)), path))[:MOST_FILES]
    found = [evidence for path in likeliest for evidence in _jobs(path, parsed(read(path)), expand, started, inline)]
    if _are_for_another_end(found):
        found += read_travis(tree, read, expand, started)
    for read_others in (read_circleci, read_azure, read_gitlab):
        if _are_for_another_end(found):
            found += read_others(tree, read, said)
    return tuple(sorted(found, key=_rank, reverse=True))


def _are_for_another_end(found: list[WorkflowEvidence]) -> bool:
    return all(_likelihood(each.source) <= _FOR_ANOTHER_END for each in found)


def with_workflows(
    environment: Environment, found: tuple[WorkflowEvidence, ...], tree: Tree | None = None
) -> Environment:
    """`environment` with the services and the variables of the job that runs such tests, with its interpreters where
    the project leaves them open, and with what it installs besides; what it has stays."""
    evidence = _of_the_same_tests(environment, found)
    if evidence is None:
        return environment
    like_it = (job for job in found if _likelihood(job.source.replace("coverage", "")) >= 0)
    environment = with_options(with_tested_versions(environment, evidence), (evidence, *like_it))
    environment = with_installs(environment, evidence, tree or {})
    environment = with_preparations(environment, evidence, tree or {})
    return _with_variables(_with_services(environment, evidence), evidence, tree)


def _with_services(environment: Environment, evidence: WorkflowEvidence) -> Environment:
    told = [
        f"{evidence.source}: runs without its service {image}, of no kind known here"
        for image in evidence.unknown_services
    ]
    services, problems = _startable(environment.services, evidence.services)
    told += [f"{s.source}: service {s.kind} {s.version}".rstrip() + _differences(s) for s in services] + problems
    services = (*environment.services, *services)
    return replace(environment, services=services, evidence=(*environment.evidence, *told))


def _with_variables(environment: Environment, evidence: WorkflowEvidence, tree: Tree | None) -> Environment:
    variables = usable(evidence.variables, tree)
    added = sorted(variables.keys() - environment.test_variables.keys() - environment.variables.keys())
    told = (f"{evidence.source}: variables {', '.join(added)}",) if added else ()
    environment = with_variables(environment, variables)
    return replace(environment, evidence=(*environment.evidence, *told))


def _differences(service: Service) -> str:
    more = f", with the databases {', '.join(service.databases)} besides" if service.databases else ""
    more += f", extended by {', '.join(service.extensions)}" if service.extensions else ""
    names = [account.partition(":")[0] for account in service.users]
    more += f", with the users {', '.join(names)} besides" if names else ""
    return (f", plain, instead of {service.richer}" if service.richer else "") + more


def _startable(known: tuple[Service, ...], found: tuple[Service, ...]) -> tuple[tuple[Service, ...], list[str]]:
    """Of `found`, the kinds that are not known yet, as far as all of them can stand beside one another; and what is to
    be said of the others."""
    added: tuple[Service, ...] = ()
    problems: list[str] = []
    for service in found:
        if service.kind not in {other.kind for other in known}:
            try:
                check_services((*known, *added, service))
            except ServiceError as error:
                problems.append(f"{service.source}: runs without its service {service.kind}: {error}")
                continue
            added = (*added, service)
    return added, problems


def languages(evidence: WorkflowEvidence) -> frozenset[str]:
    """What the job is about, by its tests' programs, else by what it sets up; empty where neither says."""
    programs = {command.name for command in evidence.tests}
    return frozenset(_PROGRAMS[name] for name in programs if name in _PROGRAMS) or frozenset(evidence.versions)


def likeliest_python_job(tree: Tree, read: ReadFile) -> WorkflowEvidence | None:
    """Of `read_workflows`, the first that is about Python, or may be."""
    return next((each for each in read_workflows(tree, read) if "python" in (languages(each) or {"python"})), None)


def as_likely(jobs: tuple[WorkflowEvidence, ...]) -> tuple[WorkflowEvidence, ...]:
    """Of `read_workflows`, those that may as well be *the* test job as the first, and need no more services."""
    return tuple(job for job in jobs if _rank(job)[:3] >= _rank(jobs[0])[:3])


def _of_the_same_tests(environment: Environment, found: tuple[WorkflowEvidence, ...]) -> WorkflowEvidence | None:
    """Of a job for the same language: the first in the same folder, or else the first."""
    family = environment.family
    if family in _NATIVE:
        own = next((e for e in found if any(_is_of_a_build(command, family) for command in e.tests)), None)
        return own or next((replace(e, variables={}) for e in found), None)
    language = _LANGUAGES.get(family)
    same = [e for e in found if language is None or not languages(e) or language in languages(e)]
    folders = {command.directory for command in environment.tests}
    near = (e for e in same if folders & {command.directory for command in e.tests})
    return next(near, next(iter(same), None))


def _is_of_a_build(command: CommandEvidence, family: str) -> bool:
    """Whether it tests as the build does, rather than by a script of its own, which wants other variables."""
    by_make = command.name in ("make", "gmake", "ninja") and bool(command.directory)
    return command.name in _NATIVE[family] or by_make


def _jobs(path: str, root: Node | None, expand: Expand, started: Started, inline: Inline) -> Iterator[WorkflowEvidence]:
    jobs = node_at(root, "jobs")
    if root is None or jobs is None:
        return
    for name, job in list(jobs.mapping.items())[:MOST_JOBS]:
        source = f"{path}:{jobs.key_lines[name]} (job {name[:60]})"
        evidence = job_evidence(path, root, job, source, expand, started, inline)
        if evidence is not None:
            yield replace(evidence, seldom=_is_seldom(root))


def _is_seldom(workflow: Node) -> bool:
    """Whether what starts it is all of the clock's or a person's; where nothing starts it, nobody knows."""
    on = workflow.mapping.get("on")
    named = {text_of(on), *(on.mapping or map(text_of, on.items))} - {""} if on else set()
    return bool(named) and named <= _STARTED_BY_NO_CHANGE


def _rank(evidence: WorkflowEvidence) -> tuple[int, ...]:
    path, _, job = evidence.source.partition(" (job ")
    return (
        _likelihood(evidence.source) - 3 * evidence.seldom,
        not all(tests_a_part(command.program) for command in evidence.tests),
        any(not command.in_part for command in evidence.tests),
        not _is_contained(evidence),
        not _is_of_python_2(evidence),
        -len(evidence.services) - len(evidence.unknown_services),
        len(evidence.versions),
        -_special(path),
        _is_likely(job),
    )


def _is_contained(evidence: WorkflowEvidence) -> bool:
    """Whether its tests run in a container of its own, of whose servers and variables less is known."""
    of_docker = {command.source for command in evidence.prepared if is_of_docker(command)}
    return evidence.tests[0].source in of_docker


def _is_of_python_2(evidence: WorkflowEvidence) -> bool:
    """Alone: no sandbox has it, and what such a job installs is older than what the other does. Other languages build
    by it."""
    versions = evidence.versions.get("python", ())
    return languages(evidence) == {"python"} and bool(versions) and all(each.startswith("2") for each in versions)


def _special(path: str) -> int:
    """How many words a workflow's name has that make it another one than that of the plain tests:
    ``ci-alternative-runtime.yml`` stands beside ``ci.yml``, ``test-browser.yml`` beside ``test.yml``. Files of other
    services are parts of one."""
    words = re.split(r"[-_. ]+", _STEM.sub("", path).lower()) if path.startswith(".github/") else ()
    return sum(not (_is_likely(word) or _PLAIN.fullmatch(word)) for word in words)


def _is_likely(name: str) -> bool:
    return bool(_LIKELY.search(name.lower().replace("latest", "")))


def _likelihood(text: str) -> int:
    words = text.lower().removeprefix(".github/workflows/")
    return 2 * bool(_LIKELY.search(words)) - 3 * bool(_UNLIKELY.search(words))
