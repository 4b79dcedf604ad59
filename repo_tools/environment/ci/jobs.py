"""One job of a workflow as evidence of how a repository is tested."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from posixpath import basename

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose import Started
from repo_tools.environment.ci.composite import Inline
from repo_tools.environment.ci.conditions import is_done, is_for_linux
from repo_tools.environment.ci.matrix import matrix_of
from repo_tools.environment.ci.servers import installed_servers, with_databases
from repo_tools.environment.ci.services import JobServices, each_once, ports_of, services_of
from repo_tools.environment.ci.steps import MOST_STEPS, Expand, Step, below_root, is_of_another, read_steps, steps_of
from repo_tools.environment.ci.values import Scope, final_versions, newest_first, node_at, text_of, variables_of
from repo_tools.environment.contract import Service
from repo_tools.environment.javascript.node_lines import line_of_the_day, numbered_line
from repo_tools.yaml_text import Node

_IMAGES = {"python": "python", "node": "node", "golang": "go", "ruby": "ruby", "rust": "rust"}
_DIMENSION = re.compile(r"(python|node|go|ruby|java|rust)(?:js)?(?:[-_.]?version)?s?", re.IGNORECASE)
_STEERS_THE_CI = re.compile(
    r"CI|CC_TEST_REPORTER_ID|COVERAGE|PATH|HOME|COLUMNS|TERM|PYTEST_ADDOPTS|NO_COLOR|LD_.*"
    r"|OS|PYTHON|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|SSL_CERT_(?:FILE|DIR)|DOCKER_BUILDKIT|(?:DEFAULT_)?PYTHON_?(?:VERSION)?|TOXENV|NOXSESSION"
    r"|(?:GH|NODE_AUTH|CODACY|CODECLIMATE|CODSPEED|SONAR\w*|SNYK|PYPI|TWINE)_(?:\w+_)?(?:TOKEN|SECRET)"
    r"|PYENV_.*|VIRTUAL_ENV|PYTHONHOME|(?i:(?:https?|ftp|all|no)_proxy)"
    r"|(?:GITHUB|RUNNER|ACTIONS|PIP|UV|TOX|NOX|COMPOSE|CODECOV|COVERALLS|COVERAGE|FORCE|CARGO|S?CCACHE|HATCH|POETRY|NPM)_.*"
    r"|CACHE_(?!(?:URL|URI|HOST|PORT)$).*"  # where a server is
)
_OF_ONE_STEP = frozenset(("BUNDLE_GEMFILE",))
_READ_IT = frozenset(("bundle", "cucumber", "rails", "rake", "rspec", "ruby"))


@dataclass(frozen=True)
class WorkflowEvidence:
    """One job that runs tests. `source` names it for a person: file, line and job.

    `versions`: language (``python``, ``node``, ``go``, ``ruby``, ``java``, ``rust``) -> versions that it is tested
    with, the newest first. `installs`, `tests`, and the `builds` that stand before these, in the order of the steps;
    `scripts` that build stand before the last of them. `prepared`: every command up to the first of its tests.
    `variables`: what its tests find set, without those of `steering`, which say to tox and pytest what to do.
    `system_packages`: Debian packages that it installs. `unknown_services`: images that no kind of service stands for.
    `seldom`: its workflow runs by the clock or when somebody asks, whatever is changed.
    """

    source: str
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    installs: tuple[CommandEvidence, ...] = ()
    builds: tuple[CommandEvidence, ...] = ()
    scripts: tuple[CommandEvidence, ...] = ()
    tests: tuple[CommandEvidence, ...] = ()
    prepared: tuple[CommandEvidence, ...] = ()
    services: tuple[Service, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    steering: Mapping[str, str] = field(default_factory=dict)
    system_packages: tuple[str, ...] = ()
    unknown_services: tuple[str, ...] = ()
    seldom: bool = False


def job_evidence(
    path: str, workflow: Node, job: Node, source: str, expand: Expand, started: Started, inline: Inline
) -> WorkflowEvidence | None:
    """What `job` says; None where it runs no tests, or not on Linux."""
    scope = Scope(matrix_of(job))
    scope = replace(scope, ports=ports_of(job, scope))
    if not is_for_linux(job, scope) or any(map(is_of_another, steps_of(job))):
        return None
    for owner in (workflow, job):
        scope = replace(scope, env={**scope.env, **variables_of(owner, scope)})
    placed = [each for step in steps_of(job) for each in inline(path, step) if is_done(each[1])][:MOST_STEPS]
    steps = read_steps(placed, scope, _directory((workflow, job), scope), expand)
    commands = [command for found in steps for command in found.commands]
    tests = tuple(command for command in commands if command.is_test)
    if not tests:
        return None
    installs = tuple(command for command in commands if command.is_install)
    by_action = JobServices.of(server for step in steps for server in step.servers)
    before = commands[: commands.index(tests[0])]
    services = _services(services_of(job, scope, path), _as_set(steps)[: len(before)], by_action, started)
    tested = _set_for_tests(steps) | dict(tests[0].variables)
    versions = _versions(job, scope, steps)
    return WorkflowEvidence(
        source=source,
        versions=versions,
        installs=installs,
        builds=tuple(command for command in before if command.is_build),
        scripts=tuple(command for command in commands[: commands.index(tests[-1])] if command.built_script),
        tests=tests,
        prepared=(*before, tests[0]),
        services=services.services,
        variables={n: value for n, value in for_tests(tested).items() if value not in versions.get("python", ())},
        steering=steering_among(tested),
        system_packages=tuple(dict.fromkeys(p for command in installs for p in command.system_packages)),
        unknown_services=services.unknown,
    )


def _as_set(steps: list[Step]) -> list[CommandEvidence]:
    """Their commands, with all variables that these find set: compose files name them."""
    return [
        replace(command, variables=tuple({**step.variables, **dict(command.variables)}.items()))
        for step in steps
        for command in step.commands
    ]


def _services(own: JobServices, before: list[CommandEvidence], by_action: JobServices, started: Started) -> JobServices:
    """The job's own, and of the others, which its steps start before the tests, the kinds that it has not."""
    more = [by_action, *(started(command) for command in before)]
    other = [*(service for found in more for service in found.services), *installed_servers(before)]
    kinds = {service.kind for service in own.services}
    services = (*own.services, *each_once(service for service in other if service.kind not in kinds))
    unknown = dict.fromkeys(image for found in more for image in found.unknown)
    made = [database for found in more for database in found.databases]
    return JobServices(with_databases(services, made), (*own.unknown, *unknown))


def _set_for_tests(steps: list[Step]) -> dict[str, str]:
    """By the steps that run them; one that only runs again what an earlier one ran runs it in another mode. Which list
    of packages a later one of Ruby has is not the others'."""
    found: dict[str, str] = {}
    known: set[tuple[str, ...]] = set()
    for step in steps:
        if step.tests - known:
            own = _OF_ONE_STEP if any(not _READ_IT.isdisjoint(map(basename, words)) for words in known) else frozenset()
            found |= {name: value for name, value in step.variables.items() if name not in own}
            known |= step.tests
    return found


def for_tests(variables: Mapping[str, str]) -> dict[str, str]:
    """Those that say nothing about the machine that the CI runs on."""
    return {name: value for name, value in variables.items() if not _STEERS_THE_CI.fullmatch(name)}


def steering_among(variables: Mapping[str, str]) -> dict[str, str]:
    """Those that say what is tested: tox's environments, and pytest's options."""
    return {name: variables[name] for name in ("TOXENV", "PYTEST_ADDOPTS") if name in variables}


def _directory(owners: tuple[Node, ...], scope: Scope) -> str:
    """`defaults.run.working-directory`, of the job before that of the workflow."""
    for owner in reversed(owners):
        if own := scope.resolve(text_of(node_at(owner, "defaults", "run", "working-directory"))):
            return below_root(own) or ""
    return ""


def _versions(job: Node, scope: Scope, steps: list[Step]) -> dict[str, tuple[str, ...]]:
    """From the actions that install a language; from the job's image; from dimensions that are called like one."""
    found: dict[str, tuple[str, ...]] = {}
    for step in steps:
        for language, versions in step.versions.items():
            found[language] = (*found.get(language, ()), *versions)
    image = scope.resolve(text_of(node_at(job, "container")) or text_of(node_at(job, "container", "image")))
    if image and (spoken := _IMAGES.get(image.rpartition("/")[2].partition(":")[0])):
        found.setdefault(spoken, (image.rpartition(":")[2].partition("-")[0],))
    for name, values in scope.matrix.items():
        if dimension := _DIMENSION.fullmatch(name):
            found.setdefault(dimension[1].lower(), values)
    known = {language: _named(language, newest_first(versions)) for language, versions in found.items()}
    return {language: versions for language, versions in known.items() if versions}


def _named(language: str, versions: tuple[str, ...]) -> tuple[str, ...]:
    """Those that name a release; of Node's, some do by a name."""
    final = final_versions(versions)
    if language != "node":
        return final
    return (*final, *(v for v in versions if v not in final and (numbered_line(v) or line_of_the_day(v))))
