"""How a repository is tested by Azure's pipelines: `azure-pipelines.yml`, read as evidence, never executed.

Each of its jobs is told as the job of a GitHub workflow would be that does the same.
https://learn.microsoft.com/en-us/azure/devops/pipelines/yaml-schema/
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from posixpath import relpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.files import MAX_BYTES, content_at, parsed
from repo_tools.environment.ci.services import MOST_SERVICES
from repo_tools.environment.ci.steps import MOST_STEPS
from repo_tools.environment.ci.told_jobs import (
    Evidence,
    Surroundings,
    ToldJob,
    evidence_of,
    installing,
    job_of,
    likeliest,
    step_of,
    texts,
    that_hold_here,
)
from repo_tools.environment.ci.values import MAX_CHARACTERS, items_at, node_at, text_of
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import is_below
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.yaml_text import Node

PATHS = ("azure-pipelines.yml", "azure-pipelines.yaml", ".azure-pipelines.yml", ".azure-pipelines.yaml")

_OTHER_PATH = re.compile(
    r"(?:\.azure-?pipelines|azure-?pipelines|\.azure(?:devops)?|\.?ci/azure)/(?:.*/)?[^/]+\.ya?ml"
    r"|(?:\.?ci/|\.)?azure[^/]*\.ya?ml|\.vsts-ci\.ya?ml"
)
_OF_A_PIPELINE = frozenset(("trigger", "pr", "schedules", "pool", "resources", "extends"))
"""What no template has."""
_MOST_FILES = 10
_MOST_JOBS = 50
_MOST_ROWS = 60
_MOST_VARIABLES = 60
_MOST_PUT = 100
_LONGEST_PUT = 200
_LONGEST_CONDITION = 1_000
_MOST_CHARACTERS = 300_000
"""Of all that its steps run, and its machines are told by: with aliases, a file says more than it holds."""
_OTHER_SYSTEM = re.compile(r"\bwin|windows|\bvs20\d\d|mac-?os|darwin", re.IGNORECASE)
_SYSTEM = re.compile(r"ubuntu-[\w.]+|(?:windows|macos|vs20\d\d|win)[-\w. ]*", re.IGNORECASE)
_MACRO = re.compile(r"\$\(([A-Za-z_][\w.-]{0,99})\)")
_OF_A_SHELL = re.compile(r"\$\{?([A-Z_][A-Z0-9_]{0,99})")
_AT_RUN_TIME = re.compile(r"\$\[.{1,1000}\]", re.DOTALL)
_NAMED = re.compile(r"variables(?:\.|\[')([\w.-]{1,100})")
_IS_OFF = re.compile(
    r"false|failed\(\)|(?!.*\b(?:not|or)\().*\beq\([^()]*'(?:windows_nt|darwin)'\).*", re.IGNORECASE | re.DOTALL
)
_NOTHING = Node(None, 1)
_GIVEN = {
    **dict.fromkeys(("build.sourcesdirectory", "system.defaultworkingdirectory"), WORKSPACE),
    **dict.fromkeys(("build.repository.localpath",), WORKSPACE),
    **{"agent.os": "Linux", "build.reason": "PullRequest"},
}
"""https://learn.microsoft.com/en-us/azure/devops/pipelines/build/variables"""
_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_LANGUAGES = {
    "usepythonversion": ("python", "versionspec"), "nodetool": ("node", "versionspec"), "usenode": ("node", "version"),
    "gotool": ("go", "version"), "userubyversion": ("ruby", "versionspec"),
    "javatoolinstaller": ("openjdk", "versionspec"),
}  # fmt: skip
"""Task -> what it installs, and the input that says which."""
_SCRIPTS = ("script", "bash", "pwsh", "powershell")
_OF_SCRIPTS = {"cmdline": "", "bash": "bash", "shellscript": "bash", "powershell": "pwsh", "pythonscript": "python"}
"""Task -> what it starts a file with."""
_PROGRAMS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "npm": ("npm", {"command": "install", "customcommand": ""}), "yarn": ("yarn", {"arguments": ""}),
    "maven": ("mvn", {"goals": "package", "options": ""}), "gradle": ("./gradlew", {"tasks": "build", "options": ""}),
    "go": ("go", {"command": "get", "arguments": ""}), "cmake": ("cmake", {"cmakeargs": ""}),
    "dotnetcorecli": ("dotnet", {"command": "build", "projects": "", "arguments": ""}),
    "gulp": ("gulp", {"targets": ""}), "grunt": ("grunt", {"targets": ""}),
}  # fmt: skip
"""Task -> its program, and the inputs that are put behind it, with their defaults:
https://learn.microsoft.com/en-us/azure/devops/pipelines/tasks/reference/"""
_FOLDERS = ("workingdirectory", "workingdir", "cwd", "projectdirectory", "workingfolder")


def read_azure(tree: Tree, read: ReadFile, evidence: Evidence) -> tuple[WorkflowEvidence, ...]:
    """Each job for Linux that runs tests, as `evidence_of` has them; in the file of the usual name, or else in others
    that are no templates."""
    usual = [path for path in PATHS if path in tree]
    paths = usual or sorted(path for path in tree if _OTHER_PATH.fullmatch(path))[:_MOST_FILES]
    found = [(path, root) for path in paths if (root := parsed(content_at(path, tree, read, MAX_BYTES)))]
    pipelines = [_Pipeline(path, root) for path, root in found if usual or not _OF_A_PIPELINE.isdisjoint(root.mapping)]
    jobs = (job for pipeline in pipelines for job in pipeline.jobs())
    return evidence_of(islice(jobs, _MOST_JOBS), evidence)


@dataclass(frozen=True)
class _Row:
    """What is set in one job of a matrix. Names are the same in small letters and in capitals."""

    values: Mapping[str, str]

    @cached_property
    def _by_name(self) -> dict[str, str]:
        return {**_GIVEN, **{name.lower(): value for name, value in self.values.items()}}

    def said(self, node: Node | None) -> str:
        """A text with the variables that it names; others stay as they are written. Of what is worked out at run time,
        the first variable that it names."""
        text = text_of(node)
        if _AT_RUN_TIME.fullmatch(text.strip()):
            named = (self._by_name.get(name.lower()) for name in _NAMED.findall(text))
            return next(filter(None, named), "")
        for _ in range(3):
            text = _MACRO.sub(self._put, text, _MOST_PUT)
        return text

    def _put(self, found: re.Match[str]) -> str:
        known = self._by_name.get(found[1].lower(), found[0])
        return known if len(known) <= _LONGEST_PUT else found[0]

    def texts(self, node: Node | None) -> dict[str, str]:
        entries = islice(node.mapping.items(), _MOST_VARIABLES) if node else ()
        return {name: self.said(each) for name, each in entries}

    def does(self, owner: Node) -> bool:
        """Whether the step, the job or the stage is run; where only a run would know it is."""
        asked = (text_of(owner.mapping.get(key))[:_LONGEST_CONDITION] for key in ("enabled", "condition"))
        return not any(map(_IS_OFF.fullmatch, asked))

    def set_for_programs(self, written: Iterable[str]) -> dict[str, str]:
        """What has a name as programs read it, and is not put in where the steps are `written`, or is named there as a
        shell does. https://learn.microsoft.com/en-us/azure/devops/pipelines/process/variables#environment-variables"""
        text = "\n".join(written)
        put_in, shell = {name.lower() for name in _MACRO.findall(text)}, set(_OF_A_SHELL.findall(text))
        spelt = {name: re.sub(r"[. ]", "_", name).upper() for name in self.values}
        own = {n for n, env in spelt.items() if env in shell or (_NAME.fullmatch(n) and n.lower() not in put_in)}
        found = {spelt[name]: self.said(Node(self.values[name], 1)) for name in own if self.values[name]}
        return that_hold_here({name: value for name, value in found.items() if not _SYSTEM.fullmatch(value)})


Owners = tuple[Node, ...]
"""The file, the stage, if there are any, and the job, as far as these are not one and the same."""


class _Pipeline:
    def __init__(self, path: str, root: Node) -> None:
        self._path = path
        self._root = root
        containers = items_at(root, "resources", "containers")[:_MOST_VARIABLES]
        self._containers = {text_of(each.mapping.get("container")): each for each in containers}
        self._characters = _MOST_CHARACTERS

    def jobs(self) -> Iterator[ToldJob]:
        seldom = all(text_of(self._root.mapping.get(key)) == "none" for key in ("trigger", "pr"))
        for owners in self._owners():
            job = owners[-1]
            told = self._told(owners)
            if told:
                name = next(filter(None, (text_of(job.mapping.get(key)) for key in ("job", "displayName"))), "")
                name = name or text_of(owners[-2:][0].mapping.get("stage"))
                line = job.key_lines.get("job") or job.key_lines.get("steps", job.line)
                yield ToldJob(name, self._path, line, told, seldom)

    def _owners(self) -> Iterator[Owners]:
        stages: list[Owners] = [(self._root, stage) for stage in items_at(self._root, "stages")]
        for owners in stages or [(self._root,)]:
            yield from ((*owners, job) for job in items_at(owners[-1], "jobs"))
            if "steps" in owners[-1].mapping:
                yield owners

    def _told(self, owners: Owners) -> Node | None:
        """As the row of its matrix runs it that stands for all; None where it is not for Linux."""
        machine = _machine(owners)
        rows = [row for row in _rows(owners) if self._is_linux(machine, row)]
        row = rows[likeliest([row.values for row in rows])] if rows else None
        if row is None or not all(map(row.does, owners)):
            return None
        job = owners[-1]
        steps = items_at(job, "steps")[:MOST_STEPS]
        told = [self._step(step, row, rows) for step in steps]
        variables = row.set_for_programs(text for step in steps for text in _written(step))
        return job_of(Surroundings(variables, *self._beside(job, row)), told, job.line)

    def _is_linux(self, machine: Iterable[Node | None], row: _Row) -> bool:
        for node in machine:
            if self._characters < 0:
                return False
            text = row.said(node)
            self._characters -= len(text_of(node)) + len(text)
            if _OTHER_SYSTEM.search(text):
                return False
        return True

    def _beside(self, job: Node, row: _Row) -> tuple[dict[str, Node], str]:
        """The services of a job, and the image of its own container."""
        named = job.mapping.get("services")
        containers = islice(named.mapping.items(), MOST_SERVICES) if named else ()
        found = ((name, self._container(each, row)) for name, each in containers)
        services = {name: _service(each, row) for name, each in found if each}
        own = self._container(job.mapping.get("container"), row)
        return services, row.said(own.mapping.get("image")) if own else ""

    def _container(self, node: Node | None, row: _Row) -> Node | None:
        """What is said there itself, or of the one that is named there; a name may be an image's, too."""
        name = row.said(node)
        if node is None or node.mapping or not name:
            return node if node and node.mapping else None
        return self._containers.get(name, Node({"image": Node(name, node.line)}, node.line))

    def _step(self, step: Node, row: _Row, rows: Iterable[_Row]) -> Node | None:
        if not row.does(step):
            return None
        task = text_of(step.mapping.get("task")).lower().partition("@")[0]
        inputs = _inputs(step)
        if task in _LANGUAGES:
            language, key = _LANGUAGES[task]
            return installing(language, dict.fromkeys(each.said(inputs.get(key)) for each in rows), step.line)
        script, line = _script(step, task, inputs, row)
        self._characters -= len(script)
        if not script or self._characters < 0:
            return None
        folder = row.said(step.mapping.get("workingDirectory")) or _first(inputs, _FOLDERS, row)
        variables = that_hold_here(row.texts(step.mapping.get("env")))
        return step_of(script, line, _folder(folder), variables)


def _rows(owners: Owners) -> list[_Row]:
    known = {name: value for owner in owners for name, value in _variables(owner).items()}
    matrix = node_at(owners[-1], "strategy", "matrix")
    rows = islice(matrix.mapping.values(), _MOST_ROWS) if matrix else ()
    own = [{name: text_of(value) for name, value in row.mapping.items()} for row in rows if row.mapping]
    of_others = dict.fromkeys((name for each in own for name in each), "")
    return [_Row({**of_others, **known, **each}) for each in own] or [_Row(known)]


def _variables(owner: Node) -> dict[str, str]:
    """A mapping, or a list of names and values."""
    told = owner.mapping.get("variables", _NOTHING)
    listed = (each.mapping for each in told.items[:_MOST_VARIABLES])
    found = {text_of(each["name"]): text_of(each.get("value")) for each in listed if "name" in each}
    return found | {name: text_of(each) for name, each in islice(told.mapping.items(), _MOST_VARIABLES)}


def _machine(owners: Owners) -> tuple[Node | None, ...]:
    """What is said of it."""
    pool = next((owner.mapping["pool"] for owner in reversed(owners) if "pool" in owner.mapping), None)
    asked = node_at(pool, "demands")
    listed = asked.items[:_MOST_VARIABLES] if asked else ()
    return (pool, node_at(pool, "vmImage"), node_at(pool, "name"), asked, *listed)


def _service(container: Node, row: _Row) -> Node:
    ports = [Node(row.said(port), port.line) for port in items_at(container, "ports")[:_MOST_VARIABLES]]
    told = {key: Node(row.said(container.mapping.get(key)), container.line) for key in ("image", "options")}
    env = texts(row.texts(container.mapping.get("env")), container.line)
    return Node({**told, "env": env, "ports": Node(ports, container.line)}, container.line)


def _inputs(step: Node) -> dict[str, Node]:
    given = step.mapping.get("inputs")
    return {name.lower(): each for name, each in given.mapping.items()} if given else {}


def _script(step: Node, task: str, inputs: Mapping[str, Node], row: _Row) -> tuple[str, int]:
    """What it runs, as it would be typed, and where that stands; empty where it runs nothing."""
    written = next((step.mapping[key] for key in _SCRIPTS if key in step.mapping), None)
    if task in _OF_SCRIPTS and task != "pythonscript":
        written = inputs.get("script") if _first(inputs, ("targettype",), row).lower() != "filepath" else None
    if written is not None:
        return row.said(written), written.line
    if task in _OF_SCRIPTS and (path := _first(inputs, ("filepath", "scriptpath"), row)):
        return " ".join(filter(None, (_OF_SCRIPTS[task], path, _first(inputs, ("arguments", "args"), row)))), step.line
    if task not in _PROGRAMS:
        return "", step.line
    program, wanted = _PROGRAMS[task]
    words = (_first(inputs, (name,), row) or default for name, default in wanted.items())
    return " ".join(word for word in (program, *words) if word not in ("", "custom")), step.line


def _written(step: Node) -> Iterator[str]:
    """Of what it runs and is given, the beginnings."""
    yield from (text_of(each)[:MAX_CHARACTERS] for each in (*step.mapping.values(), *_inputs(step).values()))


def _first(inputs: Mapping[str, Node], names: Iterable[str], row: _Row) -> str:
    return next((row.said(inputs[name]) for name in names if name in inputs), "")


def _folder(path: str) -> str:
    return relpath(path, WORKSPACE) if is_below(path, WORKSPACE) else path
