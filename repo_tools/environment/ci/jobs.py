"""One job of a workflow as evidence of how a repository is tested."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from repo_tools.environment.ci.action_commands import script_of_action
from repo_tools.environment.ci.actions import compose_of_action, server_of_action
from repo_tools.environment.ci.commands import CommandEvidence, commands_of
from repo_tools.environment.ci.compose import Started
from repo_tools.environment.ci.composite import Inline, Placed
from repo_tools.environment.ci.matrix import matrix_of
from repo_tools.environment.ci.servers import installed_server, with_databases
from repo_tools.environment.ci.services import JobServices, ports_of, services_of
from repo_tools.environment.ci.values import Scope, final_versions, newest_first, text_of, variables_of
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import Service
from repo_tools.environment.javascript.node_lines import line_of_the_day, numbered_line
from repo_tools.yaml_text import Node

Expand = Callable[[CommandEvidence], tuple[CommandEvidence, ...]]
"""What a command stands for: what the script runs that it starts, or itself."""

MOST_STEPS = 100
MOST_COMMANDS = 60

_LINUX = re.compile(r"ubuntu|linux|self-hosted|debian", re.IGNORECASE)
_NOT_HERE = re.compile(r"windows|macos|failure\(\)|release|schedule|workflow_dispatch", re.IGNORECASE)
_REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}")
_OF_THE_MATRIX = re.compile(
    r"(?:\$\{\{)?\s*matrix\.(?P<name>[\w.-]+)\s*(?P<sign>[!=]=)\s*'?(?P<value>[^'}]*)'?\s*(?:\}\})?"
)
_DENIED = re.compile(r"!|==\s{0,9}false")
_ACTIONS = {
    "setup-python": ("python", "python-version"), "setup-uv": ("python", "python-version"),
    "setup-pdm": ("python", "python-version"), "setup-node": ("node", "node-version"),
    "setup-go": ("go", "go-version"), "setup-ruby": ("ruby", "ruby-version"), "setup-java": ("java", "java-version"),
    "rust-toolchain": ("rust", "toolchain"), "toolchain": ("rust", "toolchain"),
}  # fmt: skip
"""Last part of an action's name -> the language that it installs, and the input that says which."""
_IMAGES = {"python": "python", "node": "node", "golang": "go", "ruby": "ruby", "rust": "rust"}
_DIMENSION = re.compile(r"(python|node|go|ruby|java|rust)(?:js)?(?:[-_.]?version)?s?", re.IGNORECASE)
_STEERS_THE_CI = re.compile(
    r"CI|CC_TEST_REPORTER_ID|PATH|HOME|COLUMNS|TERM|PYTEST_ADDOPTS|NO_COLOR|.*_(?:TOKEN|SECRET)|LD_.*"
    r"|OS|PYTHON|(?:DEFAULT_)?PYTHON_?(?:VERSION)?|TOXENV|NOXSESSION"
    r"|(?:GITHUB|RUNNER|ACTIONS|PIP|UV|TOX|NOX|CODECOV|COVERALLS|COVERAGE|FORCE|CARGO|SCCACHE|HATCH|POETRY|NPM)_.*"
    r"|CACHE_(?!(?:URL|URI|HOST|PORT)$).*"  # where a server is
)


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
    if not _is_for_linux(job, scope) or any(map(_is_of_another, _steps(job))):
        return None
    for owner in (workflow, job):
        scope = replace(scope, env={**scope.env, **variables_of(owner, scope)})
    placed = [each for step in _steps(job) for each in inline(path, step) if _is_done(each[1])][:MOST_STEPS]
    steps = _read_steps(placed, scope, _directory((workflow, job), scope), expand)
    commands = [command for found in steps for command in found.commands]
    tests = tuple(command for command in commands if command.is_test)
    if not tests:
        return None
    installs = tuple(command for command in commands if command.is_install)
    by_action = JobServices.of(server for step in steps for server in step.servers)
    before = commands[: commands.index(tests[0])]
    services = _services(services_of(job, scope, path), before, by_action, started)
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


def _services(own: JobServices, before: list[CommandEvidence], by_action: JobServices, started: Started) -> JobServices:
    """The job's own, and of the others, which its steps start before the tests, the kinds that it has not."""
    more = [by_action, *(started(command) for command in before)]
    other = [service for found in more for service in found.services]
    other += [service for command in before for service in installed_server(command)]
    kinds = {service.kind for service in own.services}
    services = (*own.services, *(service for service in other if service.kind not in kinds))
    unknown = tuple(image for found in more for image in found.unknown)
    made = [database for found in more for database in found.databases]
    return JobServices(with_databases(services, made), (*own.unknown, *unknown))


def _set_for_tests(steps: list["_Step"]) -> dict[str, str]:
    """By the steps that run them; one that only runs again what an earlier one ran runs it in another mode."""
    found: dict[str, str] = {}
    known: set[tuple[str, ...]] = set()
    for step in steps:
        if step.tests - known:
            found |= step.variables
            known |= step.tests
    return found


def for_tests(variables: Mapping[str, str]) -> dict[str, str]:
    """Those that say nothing about the machine that the CI runs on."""
    return {name: value for name, value in variables.items() if not _STEERS_THE_CI.fullmatch(name)}


def steering_among(variables: Mapping[str, str]) -> dict[str, str]:
    """Those that say what is tested: tox's environments, and pytest's options."""
    return {name: variables[name] for name in ("TOXENV", "PYTEST_ADDOPTS") if name in variables}


@dataclass(frozen=True)
class _Step:
    commands: tuple[CommandEvidence, ...]
    variables: Mapping[str, str]
    versions: Mapping[str, tuple[str, ...]]
    servers: tuple[Service | str, ...] = ()

    @property
    def tests(self) -> set[tuple[str, ...]]:
        return {command.argv for command in self.commands if command.is_test}


def _steps(job: Node) -> Iterator[Node]:
    steps = job.mapping.get("steps")
    for step in steps.items[:MOST_STEPS] if steps else ():
        if _is_done(step):
            yield step


def _is_of_another(step: Node) -> bool:
    """Whether it puts another repository in the place of this one: the tests are that one's."""
    named = _inputs(step)
    other = bool(_REPOSITORY.fullmatch(named.get("repository", ""))) and not named.get("path")
    return other and text_of(step.mapping.get("uses")).startswith("actions/checkout")


def _is_done(node: Node) -> bool:
    """Unless its condition is for other machines or other events; what denies something is taken as met."""
    condition = text_of(node.mapping.get("if"))
    return any(not any(map(_is_elsewhere, each.split("&&"))) for each in condition.split("||"))


def _is_elsewhere(condition: str) -> bool:
    return bool(_NOT_HERE.search(condition)) and not _DENIED.search(condition)


def _is_of_other_jobs(step: Node, scope: Scope) -> bool:
    """Whether only jobs of the matrix do it that have another value than the one that is taken here."""
    condition = text_of(step.mapping.get("if"))
    return all(any(_is_other(each, scope) for each in either.split("&&")) for either in condition.split("||"))


def _is_other(condition: str, scope: Scope) -> bool:
    found = _OF_THE_MATRIX.fullmatch(condition.strip())
    if not found or _LINUX.search(found["value"]) or found["name"] not in scope.matrix:
        return False
    taken = next(iter(scope.matrix[found["name"]]), "")
    return (taken == found["value"]) is (found["sign"] == "!=")


def _read_steps(placed: Iterable[Placed], scope: Scope, directory: str, expand: Expand) -> list[_Step]:
    """With the first `MOST_COMMANDS` that they hold together."""
    found: list[_Step] = []
    left = MOST_COMMANDS
    for path, step in placed:
        found.append(_step(path, step, scope, directory, expand, left))
        left -= len(found[-1].commands)
    return found


def _step(path: str, step: Node, scope: Scope, directory: str, expand: Expand, most: int) -> _Step:
    scope = replace(scope, env={**scope.env, **variables_of(step, scope)})
    own = scope.resolve(text_of(step.mapping.get("working-directory")))
    place = _below_root(own) if own else directory
    written = _commands(path, step, scope, place)
    found = (each for command in written for each in expand(command))
    if _is_of_other_jobs(step, scope):
        found = (command for command in found if not command.keeps_to_a_version)
    commands = tuple(islice(found, most))
    composed, servers = _started_by_action(path, step, scope)
    return _Step((*commands, *composed), scope.env, _installed_versions(step, scope), servers)


def _started_by_action(
    path: str, step: Node, scope: Scope
) -> tuple[tuple[CommandEvidence, ...], tuple[Service | str, ...]]:
    node = step.mapping.get("uses")
    if node is None:
        return (), ()
    inputs = {name: scope.resolve(value) or "" for name, value in _inputs(step).items()}
    used = text_of(node), inputs, f"{path}:{node.line}"
    found = server_of_action(*used)
    return compose_of_action(*used), (found,) if found else ()


def _commands(path: str, step: Node, scope: Scope, directory: str | None) -> Iterator[CommandEvidence]:
    node = step.mapping.get("run") or step.mapping.get("uses")
    text = text_of(step.mapping.get("run")) or script_of_action(text_of(node), _inputs(step))
    if node is not None and directory is not None:
        script = "\n".join(map(scope.resolve_in_part, text.split("\n")))
        yield from commands_of(script, directory, path, node.line + ("\n" in text), scope.env)


def _inputs(step: Node) -> dict[str, str]:
    given = step.mapping.get("with")
    return {name: text_of(value) for name, value in given.mapping.items()} if given else {}


def _directory(owners: tuple[Node, ...], scope: Scope) -> str:
    """`defaults.run.working-directory`, of the job before that of the workflow."""
    for owner in reversed(owners):
        defaults = owner.mapping.get("defaults")
        run = defaults.mapping.get("run") if defaults else None
        if run and (own := scope.resolve(text_of(run.mapping.get("working-directory")))):
            return _below_root(own) or ""
    return ""


def _below_root(path: str) -> str | None:
    return None if path.startswith("/") or ".." in path.split("/") else root_relative(path)


def _is_for_linux(job: Node, scope: Scope) -> bool:
    node = job.mapping.get("runs-on")
    asked = [text_of(item) for item in (node, *node.items)] if node else []
    systems = [value for text in asked if text for value in scope.values(text)]
    return _is_done(job) and (not systems or any(map(_LINUX.search, systems)))


def _versions(job: Node, scope: Scope, steps: list[_Step]) -> dict[str, tuple[str, ...]]:
    """From the actions that install a language; from the job's image; from dimensions that are called like one."""
    found: dict[str, tuple[str, ...]] = {}
    for step in steps:
        for language, versions in step.versions.items():
            found[language] = (*found.get(language, ()), *versions)
    container = job.mapping.get("container")
    image = scope.resolve(text_of(container) or text_of(container.mapping.get("image"))) if container else None
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


def _installed_versions(step: Node, scope: Scope) -> dict[str, tuple[str, ...]]:
    action = text_of(step.mapping.get("uses")).partition("@")[0].rpartition("/")[2]
    language, key = _ACTIONS.get(action, ("", ""))
    given = step.mapping.get("with")
    node = given.mapping.get(key) if given else None
    if node is None or not language:
        return {}
    texts = [text_of(item) for item in node.items] or text_of(node).split("\n")
    return {language: tuple(value for text in texts if text for value in scope.values(text))}
