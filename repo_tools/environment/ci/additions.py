"""What a repository's CI adds to the plan of a project: the services, the variables, the options of its tests, and what
it installs and prepares for them. Pure."""

from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.ci.builds import usable, with_variables
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.installs import with_installs
from repo_tools.environment.ci.options import with_options
from repo_tools.environment.ci.preparations import with_preparations
from repo_tools.environment.ci.ranking import likelihood
from repo_tools.environment.ci.tools import with_tested_versions
from repo_tools.environment.contract import Environment, Service
from repo_tools.errors import ServiceError
from repo_tools.sandbox.service import check_services

_LANGUAGES = {
    "python": "python", "javascript": "node", "go": "go", "rust": "rust", "maven": "java", "gradle": "java",
    "ruby": "ruby",
}  # fmt: skip
"""Detector -> the language that a workflow would set up for it."""
_NATIVE = {"cmake": ("ctest", "cmake"), "meson": ("meson", "ninja")}
"""Detector -> programs that run such tests."""
_GEMFILE = "BUNDLE_GEMFILE"
"""That of one of the projects, where several are set up each by its own."""


def with_workflows(
    environment: Environment, found: tuple[WorkflowEvidence, ...], tree: Tree | None = None
) -> Environment:
    """`environment` with the services and the variables of the job that runs such tests, with its interpreters where
    the project leaves them open, and with what it installs besides; what it has stays."""
    evidence = _of_the_same_tests(environment, found)
    if evidence is None:
        return environment
    like_it = (job for job in found if likelihood(job.source.replace("coverage", "")) >= 0)
    environment = with_options(with_tested_versions(environment, evidence, found), (evidence, *like_it))
    environment = with_installs(environment, evidence, tree or {})
    environment = with_preparations(environment, evidence, tree or {})
    return _with_variables(_with_services(environment, evidence), evidence, tree)


def _of_the_same_tests(environment: Environment, found: tuple[WorkflowEvidence, ...]) -> WorkflowEvidence | None:
    """Of a job for the same language: the first in the same folder, or else the first."""
    family = environment.family
    if family in _NATIVE:
        own = next((e for e in found if any(_is_of_a_build(command, family) for command in e.tests)), None)
        return own or next((replace(e, variables={}) for e in found), None)
    language = _LANGUAGES.get(family)
    same = [e for e in found if language is None or not e.languages or language in e.languages]
    folders = {command.directory for command in environment.tests}
    near = (e for e in same if folders & {command.directory for command in e.tests})
    return next(near, next(iter(same), None))


def _is_of_a_build(command: CommandEvidence, family: str) -> bool:
    """Whether it tests as the build does, rather than by a script of its own, which wants other variables."""
    by_make = command.name in ("make", "gmake", "ninja") and bool(command.directory)
    return command.name in _NATIVE[family] or by_make


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
    if len({command.directory for command in environment.setup if command.argv[:2] == ("bundle", "install")}) > 1:
        variables.pop(_GEMFILE, None)
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
