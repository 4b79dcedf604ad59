"""Which of a repository's jobs is *the* test job. Pure."""

import re
from collections.abc import Iterable

from repo_tools.environment.ci.docker_run import is_of_docker
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.programs import tests_a_part

_LIKELY = re.compile(r"test|unit|\bci\b|python|node|build|main")
_PLAIN = re.compile(r"run|all|and|the|on|workflow|linux|ubuntu|push|pr|default|js|javascript|py|")
_WORDS = re.compile(r"[-_. ]+|(?<=[a-z])(?=[A-Z])")
_STEM = re.compile(r".*/|\.ya?ml(?::\d+)?$")
_UNLIKELY = re.compile(
    r"lint|doc(?!ker)|release|publish|deploy|bench|nightly|fuzz|coverage|integration|e2e|wheel|pre-?commit"
    r"|(?:3rd|third)[-_]?party|downstream|stress|emscripten|pyodide|wasm|msrv|min(?:imum)?[-_](?:version|dep)"
    r"|backwards?[-_ ]?compat|free[-_ ]?thread|no[-_]?gil"
    r"|(?<![a-z])older|oldest|outdated|upstream|daily|weekly|remote|unstable|long[-_]?running|system[-_ ]tests?"
    r"|(?<![a-z])(?:[amt]san|ubsan|miri)(?![a-z])|sanitiz|valgrind|(?<![a-z])loom(?![a-z])"
    r"|distcheck|cross(?![-_ ]?platform)|qemu|riscv|s390|ppc64|armhf|armv\d"
)
_FOR_ANOTHER_END = -3
"""How likely a job is, at most, that tests before it publishes."""


def likeliest_first(found: Iterable[WorkflowEvidence]) -> tuple[WorkflowEvidence, ...]:
    """Of two that are as likely the one that tests more than a part of the suite comes first, then one whose tests can
    be known without a run, then one whose tests may not fail, then one that runs them in no container of its own, then
    one that is not of Python 2 alone, and then the one that needs fewer services, or has the plainest name, or the
    shortest."""
    return tuple(sorted(found, key=_rank, reverse=True))


def as_likely(jobs: tuple[WorkflowEvidence, ...]) -> tuple[WorkflowEvidence, ...]:
    """Of these, `likeliest_first`, those that may as well be *the* test job as the first, and need no more services."""
    return tuple(job for job in jobs if _rank(job)[:3] >= _rank(jobs[0])[:3])


def are_for_another_end(found: Iterable[WorkflowEvidence]) -> bool:
    """Whether all of them only publish, or the like."""
    return all(likelihood(each.source) <= _FOR_ANOTHER_END for each in found)


def _rank(evidence: WorkflowEvidence) -> tuple[int, ...]:
    path, _, job = evidence.source.partition(" (job ")
    return (
        likelihood(evidence.source) - 3 * evidence.seldom,
        not all(tests_a_part(command.program) for command in evidence.tests),
        any(not command.in_part for command in evidence.tests),
        not evidence.may_fail,
        not _is_contained(evidence),
        not _is_of_python_2(evidence),
        -len(evidence.services) - len(evidence.unknown_services),
        len(evidence.versions),
        -_special(path),
        _is_likely(job),
        -len(_name(path)),
    )


def _is_contained(evidence: WorkflowEvidence) -> bool:
    """Whether its tests run in a container of its own, of whose servers and variables less is known."""
    of_docker = {command.source for command in evidence.prepared if is_of_docker(command)}
    return evidence.tests[0].source in of_docker


def _is_of_python_2(evidence: WorkflowEvidence) -> bool:
    """Alone: no sandbox has it, and what such a job installs is older than what the other does. Other languages build
    by it."""
    versions = evidence.versions.get("python", ())
    return evidence.languages == {"python"} and bool(versions) and all(each.startswith("2") for each in versions)


def _special(path: str) -> int:
    """How many words a workflow's name has that make it another one than that of the plain tests:
    ``ci-alternative-runtime.yml`` stands beside ``ci.yml``, ``test-browser.yml`` beside ``test.yml``. Files of other
    services are parts of one."""
    words = _WORDS.split(_name(path))
    return sum(not (_is_likely(word) or _PLAIN.fullmatch(word.lower())) for word in words)


def _name(path: str) -> str:
    """Of a workflow; empty for a file of another service."""
    return _STEM.sub("", path) if path.startswith(".github/") else ""


def _is_likely(name: str) -> bool:
    return bool(_LIKELY.search(name.lower().replace("latest", "")))


def likelihood(text: str) -> int:
    words = text.lower().removeprefix(".github/workflows/")
    return 2 * bool(_LIKELY.search(words)) - 3 * bool(_UNLIKELY.search(words))
