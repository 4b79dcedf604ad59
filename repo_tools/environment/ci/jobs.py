"""One job of a workflow as evidence of how a repository is tested: its steps, their commands, and what these find."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose import Started
from repo_tools.environment.ci.composite import Inline, Placed
from repo_tools.environment.ci.conditions import is_done, is_for_linux
from repo_tools.environment.ci.evidence import WorkflowEvidence, evidence_in
from repo_tools.environment.ci.job_variables import for_tests, set_for_tests, steering_among
from repo_tools.environment.ci.matrix import matrix_of
from repo_tools.environment.ci.servers import installed_servers, with_databases
from repo_tools.environment.ci.services import JobServices, each_once, ports_of, services_of
from repo_tools.environment.ci.steps import MOST_STEPS, Expand, Step, below_root, is_of_another, read_steps, steps_of
from repo_tools.environment.ci.values import Scope, node_at, text_of, variables_of
from repo_tools.environment.ci.versions import versions_of
from repo_tools.yaml_text import Node


@dataclass(frozen=True)
class References:
    """What the steps of a repository's CI refer to: the scripts that they call, the containers that they start, the
    actions that they use."""

    expand: Expand
    started: Started
    inline: Inline


def job_evidence(path: str, workflow: Node, job: Node, source: str, references: References) -> WorkflowEvidence | None:
    """What `job` says; None where it runs no tests, or not on Linux."""
    scope = _scope(workflow, job)
    if not is_for_linux(job, scope) or any(map(is_of_another, steps_of(job))):
        return None
    placed = list(islice(_placed(path, job, references.inline), MOST_STEPS))
    steps = read_steps(placed, scope, _directory(workflow, job, scope), references.expand)
    commands = [command for step in steps for command in step.commands]
    said = evidence_in(source, commands)
    if said is None:
        return None
    versions = versions_of(job, scope, steps)
    variables = set_for_tests(steps) | dict(said.tests[0].variables)
    before = list(islice(_as_set(steps), len(said.prepared) - 1))
    services = _services(services_of(job, scope, path), before, steps, references.started)
    pythons = versions.get("python", ())  # a variable that only names the interpreter is not set
    return replace(
        said,
        versions=versions,
        services=services.services,
        unknown_services=services.unknown,
        variables={name: value for name, value in for_tests(variables).items() if value not in pythons},
        steering=steering_among(variables),
        may_fail=_may_fail(job)
        or all(_may_fail(step) for (_, step), read in zip(placed, steps, strict=True) if read.tests),
    )


def _may_fail(node: Node) -> bool:
    """https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idcontinue-on-error"""
    return text_of(node.mapping.get("continue-on-error")) == "true"


def _scope(workflow: Node, job: Node) -> Scope:
    """What its expressions may name: the matrix, the ports of its services, and variables, its own before others."""
    scope = Scope(matrix_of(job))
    scope = replace(scope, ports=ports_of(job, scope))
    for owner in (workflow, job):
        scope = replace(scope, env={**scope.env, **variables_of(owner, scope)})
    return scope


def _directory(workflow: Node, job: Node, scope: Scope) -> str:
    """`defaults.run.working-directory`, of the job before that of the workflow."""
    for owner in (job, workflow):
        if own := scope.resolve(text_of(node_at(owner, "defaults", "run", "working-directory"))):
            return below_root(own) or ""
    return ""


def _placed(path: str, job: Node, inline: Inline) -> Iterator[Placed]:
    """Its steps, with those of the actions that they use."""
    return (each for step in steps_of(job) for each in inline(path, step) if is_done(each[1]))


def _as_set(steps: list[Step]) -> Iterator[CommandEvidence]:
    """Their commands, with all variables that these find set: compose files name them."""
    for step in steps:
        for command in step.commands:
            yield replace(command, variables=tuple({**step.variables, **dict(command.variables)}.items()))


def _services(own: JobServices, before: list[CommandEvidence], steps: list[Step], started: Started) -> JobServices:
    """The job's own, and of the others, which its actions, and its commands before the tests, start, the kinds that it
    has not."""
    by_action = JobServices.of(server for step in steps for server in step.servers)
    more = [by_action, *map(started, before)]
    other = [*(service for found in more for service in found.services), *installed_servers(before)]
    kinds = {service.kind for service in own.services}
    services = (*own.services, *each_once(service for service in other if service.kind not in kinds))
    unknown = dict.fromkeys(image for found in more for image in found.unknown)
    made = [database for found in more for database in found.databases]
    return JobServices(with_databases(services, made), (*own.unknown, *unknown))
