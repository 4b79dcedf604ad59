"""Jobs of other services than GitHub, each told as the job of a workflow would be that does the same. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.matrix import matrix_of
from repo_tools.environment.ci.values import newest_first
from repo_tools.yaml_text import Node

_ELSEWHERE = re.compile(r"(?:~|/(?:etc|go|home|mnt|opt|root|tmp|usr|var)\b).*", re.DOTALL)
_OF_ITS_MACHINE = re.compile(
    r"(?:_?JAVA|JVM|GRADLE|MAVEN|JRUBY|SBT|LEIN)(?:_TOOL)?_(?:OPTS|OPTIONS)|BUNDLE_(?:APP_CONFIG|BIN|JOBS|PATH|RETRY)"
    r"|(?:XDG|YARN|CYPRESS|PIPENV)_CACHE_\w+|npm_config_cache|(?:RBENV|NODENV)_VERSION"
)
"""How much memory there is, where things are, and which of its interpreters is taken."""
_SET_UP = {
    "python": "python",
    "node": "node",
    "ruby": "ruby",
    "golang": "go",
    "go": "go",
    "openjdk": "java",
    "rust": "rust",
}
"""Last part of an image's name -> its language."""
_ACTIONS = {
    **{language: (f"actions/setup-{language}", f"{language}-version") for language in ("python", "node", "ruby", "go")},
    **{"java": ("actions/setup-java", "java-version"), "rust": ("dtolnay/rust-toolchain", "toolchain")},
}

Evidence = Callable[[str, Node, str], WorkflowEvidence | None]
"""(path of the file, a job of GitHub's, what it is called for people) -> what it says."""


@dataclass(frozen=True)
class ToldJob:
    """`job`: as GitHub has it; `path` and `line`: where it stands; `seldom`: as `WorkflowEvidence` has it."""

    name: str
    path: str
    line: int
    job: Node
    seldom: bool = False

    @property
    def source(self) -> str:
        return f"{self.path}:{self.line}" + (f" (job {self.name[:60]})" if self.name else "")


@dataclass(frozen=True)
class Surroundings:
    """Where the steps of a job run. `services`: name -> what is started beside them, as GitHub has it; `here`: the
    folder in the work tree that they start in."""

    variables: Mapping[str, str] = field(default_factory=dict)
    services: Mapping[str, Node] = field(default_factory=dict)
    here: str = ""


def job_of(around: Surroundings, steps: Iterable[Node | None], line: int) -> Node:
    lines = {name: service.line for name, service in around.services.items()}
    told = {
        "env": texts(around.variables, line),
        "services": Node(dict(around.services), line, lines),
        "steps": Node([step for step in steps if step], line),
        "defaults": _within("run", "working-directory", value=around.here),
    }
    return Node(told, line)


def step_of(script: str, line: int, folder: str, variables: Mapping[str, str]) -> Node:
    told = {"run": script, "working-directory": folder}
    return Node({**texts(told, line).mapping, "env": texts(variables, line)}, line)


def installing(image: str, versions: Iterable[str], line: int) -> Node | None:
    """The step that brings the language of an `image` in each of the `versions` (tags); None where it has none."""
    language = _SET_UP.get(image.partition("@")[0].rpartition("/")[2].partition(":")[0])
    if language is None:
        return None
    action, key = _ACTIONS[language]
    named = "\n".join(version.partition("-")[0] for version in versions)
    return Node({"uses": Node(action, line), "with": Node({key: Node(named, line)}, line)}, line)


def texts(values: Mapping[str, str], line: int) -> Node:
    return Node({name: Node(value, line) for name, value in values.items()}, line)


def that_hold_here(variables: Mapping[str, str]) -> dict[str, str]:
    """Of what a job sets, what is known without a shell, and says nothing about its machine."""
    own = {name: value for name, value in variables.items() if not _OF_ITS_MACHINE.fullmatch(name)}
    return {name: value for name, value in own.items() if "$" not in value and not _ELSEWHERE.match(value)}


def likeliest(rows: Sequence[Mapping[str, str]]) -> int:
    """Which of the `rows` of a matrix stands for all. What is empty in the first is so in the ordinary ones."""
    empty = [name for name, value in rows[0].items() if not value]
    plain = {number: row for number, row in enumerate(rows) if not any(row.get(name) for name in empty)}
    first = matrix_of(_within("strategy", "matrix", "include", value=[texts(row, 1) for row in plain.values()]))
    known = (n for n, row in plain.items() if all(first[name][0] == value for name, value in row.items()))
    return next(known, 0)


def evidence_of(jobs: Iterable[ToldJob], evidence: Evidence) -> tuple[WorkflowEvidence, ...]:
    """Of each that runs tests; of several that do so alike, each has the versions of all, and that of the newest comes
    first; of several with the same versions that which sets fewer variables."""
    told = ((each, evidence(each.path, each.job, each.source)) for each in jobs)
    found = [replace(said, seldom=each.seldom) for each, said in told if said]
    alike: dict[tuple[tuple[str, ...], ...], dict[str, list[str]]] = {}
    for job in found:
        known = alike.setdefault(_tests(job), {})
        for language, versions in job.versions.items():
            known.setdefault(language, []).extend(versions)
    newest = sorted(found, key=lambda job: (_newest(job), -len(job.variables)), reverse=True)
    return tuple(
        replace(job, versions={name: newest_first(each) for name, each in alike[_tests(job)].items()}) for job in newest
    )


def _tests(job: WorkflowEvidence) -> tuple[tuple[str, ...], ...]:
    return tuple(command.argv for command in job.tests)


def _newest(job: WorkflowEvidence) -> tuple[int, ...]:
    versions = next(iter(job.versions.values()), ("",))
    return tuple(int(part) for part in versions[0].removeprefix("v").split(".") if part.isdecimal() and len(part) < 10)


def _within(*keys: str, value: list[Node] | str) -> Node:
    node = Node(value, 1)
    for key in reversed(keys):
        node = Node({key: node}, 1)
    return node
