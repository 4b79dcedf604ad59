"""How a repository was tested by Travis CI, as many were until 2021: `.travis.yml`, read as evidence, never executed.

https://docs.travis-ci.com/user/job-lifecycle/
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose import Started
from repo_tools.environment.ci.evidence import WorkflowEvidence, evidence_in
from repo_tools.environment.ci.files import content_at, parsed
from repo_tools.environment.ci.job_variables import for_tests, steering_among
from repo_tools.environment.ci.matrix import CHANNELS
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.ci.servers import installed_servers, named_server, with_databases
from repo_tools.environment.ci.services import each_once
from repo_tools.environment.ci.steps import MOST_COMMANDS, Expand
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.environment.contract import ReadFile, Service
from repo_tools.yaml_text import Node

PATH = ".travis.yml"
MAX_BYTES = 100_000

_VERSION = re.compile(
    r"(?:(?:[A-Za-z][\w.-]*[ ]?)?[=<>~]{1,2}[ ]?)?(\d{1,9}(?:\.\d{1,9})+)(?:\.\*)?"
    r"(?:[ ]?,[ ]?[=<>~!]{1,2}[ ]?[\d.]+(?:\.\*)?)*"
)
_UNRELEASED = re.compile(
    r"(?:master|main|trunk|head|dev(?:el)?|nightly|edge|pre)|[\w+]{1,20}://.*|[^\d]{0,40}[\d.]{1,20}(?:a|b|rc|dev)\d.*",
    re.IGNORECASE,
)
_LONGEST_VERSION = 100
_MOST_JOBS = 20
_NONE: Mapping[str, str] = {}
_PHASES = ("before_install", "install", "before_script", "script")
_ALIKE = dict.fromkeys(("mysql", "mariadb"), ("mysql", "mariadb"))
"""Kinds of which a machine has one."""
_NO_SERVERS = ("docker", "xvfb")
"""Among the services that it starts."""
_LANGUAGES = {"python": "python", "node_js": "node", "ruby": "ruby", "go": "go", "java": "java", "rust": "rust"}
_BY_ITSELF = {
    **{"node_js": ("npm", "test"), "ruby": ("rake",), "go": ("go", "test", "./...")},
    **{"java": ("mvn", "test"), "rust": ("cargo", "test")},
}
"""What it tests with where no script is given: https://docs.travis-ci.com/user/languages/. Which program it takes
depends on the files that are there, so this tells what the job is about, and is nothing to run."""


_Job = tuple[Mapping[str, str], Mapping[str, Node]]
"""What it sets, and how it is written, if it is no line of a list."""


def read_travis(tree: Tree, read: ReadFile, expand: Expand, started: Started) -> tuple[WorkflowEvidence, ...]:
    """What it says for all jobs; where no script stands there, what each job says that runs tests. Which versions it
    tested with is left out: they are old."""
    root = parsed(content_at(PATH, tree, read, MAX_BYTES))
    if root is None:
        return ()
    if _is_told(root) and (found := _evidence(root, tree, expand, started)):
        return (found,)
    apart = ((each, _of_single_jobs(each)) for each in _apart(root))
    return tuple(filter(None, (_evidence(each, tree, expand, started, own) for each, own in apart)))


def _evidence(
    root: Node, tree: Tree, expand: Expand, started: Started, of_job: Mapping[str, str] = _NONE
) -> WorkflowEvidence | None:
    """`of_job`: variables of the one that `root` is about, if of one alone."""
    found = [each for command in _commands(root, tree) for each in expand(command)] + _without_script(root)
    where = root.key_lines.get("script") or root.key_lines["language"]
    said = evidence_in(f"{PATH}:{where}{_name(root)}", found[:MOST_COMMANDS])
    if said is None:
        return None
    before = said.prepared[:-1]
    others = [started(command) for command in before]
    made = [each for other in others for each in other.databases]
    own = _services(root, made)
    kinds = {kind for service in own for kind in _ALIKE.get(service.kind, (service.kind,))}
    installed = (each for each in installed_servers(before) if each.kind not in kinds)
    services = (*own, *each_once((*(service for each in others for service in each.services), *installed)))
    variables = _of_machine(own) | _variables(root) | dict(of_job) | dict(said.tests[0].variables)
    language = _LANGUAGES.get(_language(root), "")
    return replace(
        said,
        versions={language: ()} if language else {},
        services=with_databases(services, made),
        variables=for_tests(variables),
        steering=steering_among(_of_single_jobs(root) | variables),
        unknown_services=tuple(dict.fromkeys((*_unknown(root), *(image for each in others for image in each.unknown)))),
    )


def _is_told(root: Node) -> bool:
    return "script" in root.mapping or _language(root) in _BY_ITSELF


def _apart(root: Node) -> Iterator[Node]:
    """Where no script stands for all, each job that has one, as if it were alone: what it says comes before what is
    said for all. Those of Python 2 come last. https://docs.travis-ci.com/user/build-stages/"""
    own = [job for job in _jobs(root) if "script" in job.mapping] if "script" not in root.mapping else []
    own.sort(key=lambda job: text_of(job.mapping.get("python")).startswith("2"))
    shared = {key: node for key, node in root.mapping.items() if key != "matrix"}
    for job in own[:_MOST_JOBS]:
        alone = Node({"include": Node([job], job.line)}, job.line)
        said = {key: node for key, node in job.mapping.items() if key != "env"}
        yield replace(root, value={**shared, **said, "jobs": alone}, key_lines={**root.key_lines, **job.key_lines})


def _name(root: Node) -> str:
    """Of the job that it is about, if of one alone, as `WorkflowEvidence` has it."""
    named = " ".join(filter(None, (text_of(root.mapping.get(key)) for key in ("stage", "name"))))
    return f" (job {named[:60]})" if named else ""


def _language(root: Node) -> str:
    return text_of(root.mapping.get("language"))


def _without_script(root: Node) -> list[CommandEvidence]:
    is_told = any("script" in place.mapping for place in (root, *_jobs(root)))
    argv = () if is_told else _BY_ITSELF.get(_language(root), ())
    return [CommandEvidence(argv, source=f"{PATH}:{root.key_lines['language']}", in_part=True)] if argv else []


def _services(root: Node, made: Iterable[tuple[str, str]]) -> list[Service]:
    """Those that it names, or the job whose variables count does, those that it (or one of its jobs) wants in a version
    of their own, and those in which databases (kind, name) are `made`: not every server had to be started there.
    https://docs.travis-ci.com/user/database-setup/"""
    named = _named(root)
    addons = (node_at(job, "addons") for job in (root, *_jobs(root)))
    wanted = {name: root.key_lines.get("addons", 1) for node in addons if node for name in node.mapping}
    needed = {kind: root.key_lines.get("before_script", 1) for kind, _ in made}
    found: dict[str, Service] = {}
    for name, line in (*wanted.items(), *named.items(), *needed.items()):
        server = named_server(name, f"{PATH}:{line}")
        if server and found.keys().isdisjoint(_ALIKE.get(server.kind, (server.kind,))):
            found[server.kind] = server
    return list(found.values())


def _named(root: Node) -> dict[str, int]:
    """Name -> line."""
    lists = [(place.key_lines["services"], place.mapping["services"]) for place in _with_services(root)]
    return {text_of(item): line for line, node in lists for item in node.items or (node,)}


def _unknown(root: Node) -> list[str]:
    return [name for name in _named(root) if name and name not in _NO_SERVERS and not named_server(name, PATH)]


def _with_services(root: Node) -> list[Node]:
    """Which of the file itself, and of the first of its jobs that sets variables, name some."""
    job = islice((job for job in _jobs(root) if "env" in job.mapping), 1)
    return [place for place in (root, *job) if "services" in place.mapping]


def _of_machine(servers: Iterable[Service]) -> dict[str, str]:
    """What stands for a user of its PostgreSQL who is called as the one of its shell: ``postgresql://localhost/app``."""
    known = any(server.kind == "postgresql" for server in servers)
    return {"PGHOST": "localhost", "PGUSER": "postgres"} if known else {}


def _jobs(root: Node, which: str = "include") -> Iterator[Node]:
    for key in ("matrix", "jobs"):
        yield from items_at(root, key, which)


def _commands(root: Node, tree: Tree) -> Iterator[CommandEvidence]:
    """All phases are run by one shell: ``before_script: cd tests`` is in force for ``script``. A folder that is made
    there (``cd build``) is none to start in here."""
    known, folder = _of_single_jobs(root), ""
    for phase in _PHASES:
        node = root.mapping.get(phase)
        script = "\n".join(text_of(line) for line in (node.items or (node,))) if node else ""
        left = yield from commands_of(script, folder, PATH, root.key_lines.get(phase, 1), known)
        folder = left if any(path.startswith(f"{left}/") for path in tree) else ""


def _of_single_jobs(root: Node) -> dict[str, str]:
    """What one of the jobs sets, the first that says it, `_with_newest`: without it, ``tox -e $TOX_ENV`` would be no
    command at all."""
    lists = (node_at(root, "env"), node_at(root, "env", "matrix"), node_at(root, "env", "jobs"))
    lines = [text_of(line) for each in lists if each for line in (each.items or (each,))]
    listed: list[_Job] = [(_assigned(line), {}) for line in lines[:MOST_COMMANDS]]
    released = (job for job in _jobs(root) if text_of(job.mapping.get("rust")) not in CHANNELS)
    own = islice((job.mapping for job in released if "env" in job.mapping), MOST_COMMANDS - len(listed))
    jobs = [*listed, *((_set_by(job), job) for job in own)]
    free = islice((job.mapping for job in _jobs(root, "allow_failures") if "env" in job.mapping), MOST_COMMANDS)
    allowed = [(_set_by(job), job) for job in free]
    known = {name: value for each, _ in reversed(jobs) for name, value in each.items()}
    return _with_newest(known, [job[0] for job in jobs if not _may_fail(job, allowed)])


def _set_by(job: Mapping[str, Node]) -> dict[str, str]:
    return _assigned(" ".join(map(text_of, job["env"].items or (job["env"],))))


def _may_fail(own: _Job, allowed: Iterable[_Job]) -> bool:
    """https://docs.travis-ci.com/user/build-matrix/#rows-that-are-allowed-to-fail"""
    variables, job = own
    named = (each for said, each in allowed if said == variables)
    return any(all(key == "env" or text_of(job.get(key)) == text_of(each[key]) for key in each) for each in named)


def _with_newest(known: dict[str, str], jobs: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """`known`, with the versions of the job that has the newest of the first variable that says several
    (``DJANGO=1.11``, ``DJANGO="Django>=2.2,<3.0"``), which a Python of today runs, if any, and is the same in all else.
    What says no version (``latest``) stays, and one that is not out (``master``) is the last to be taken."""
    alike = [job for job in jobs if all(known[k] == job[k] or _is_of_versions(known[k], job[k]) for k in job)]
    versions: dict[str, set[tuple[int, ...]]] = {}
    for name, value in ((name, value) for job in alike for name, value in job.items()):
        versions.setdefault(name, set()).add(_version(value))
    name = next((name for name, said in versions.items() if len(said - {()}) > (not _version(known[name]))), "")
    if not (name and _is_of_versions(known[name])):
        return known
    newest = max(alike, key=lambda job: _version(job.get(name, "")))
    return {**known, **newest}


def _is_of_versions(*values: str) -> bool:
    return all(_version(value) or _UNRELEASED.fullmatch(value[:_LONGEST_VERSION]) for value in values)


def _version(value: str) -> tuple[int, ...]:
    found = _VERSION.fullmatch(value[:_LONGEST_VERSION])
    return tuple(map(int, found[1].split("."))) if found else ()


def _variables(root: Node) -> dict[str, str]:
    """Those of every job; what is encrypted is unknown."""
    everywhere = node_at(root, "env", "global")
    lines = [text_of(line) for line in everywhere.items] if everywhere else []
    named = {name: text_of(value) for name, value in (everywhere.mapping if everywhere else {}).items()}
    return {name: value for name, value in named.items() if name != "secure" and value} | _assigned(" ".join(lines))


def _assigned(text: str) -> dict[str, str]:
    try:
        words = shlex.split(text)
    except ValueError:
        return {}
    found = (re.fullmatch(r"([A-Za-z_]\w*)=([^$]*)", word) for word in words)
    return {match[1]: match[2] for match in found if match}
