"""How a repository is tested by GitLab: `.gitlab-ci.yml`, read as evidence, never executed.

Each of its jobs is told as the job of a GitHub workflow would be that does the same.
https://docs.gitlab.com/ci/yaml/
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, product

from repo_tools.changes import Tree
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.files import ParsedFiles
from repo_tools.environment.ci.merges import entries_of, merged
from repo_tools.environment.ci.services import MOST_SERVICES
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
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.environment.contract import ReadFile
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.yaml_text import Node

PATH = ".gitlab-ci.yml"

_MOST_FILES = 20
_MOST_JOBS = 50
_MOST_DEEP = 10
_MOST_LINES = 200
_MOST_VARIABLES = 60
_MOST_VALUES = 60
_MOST_REFERENCES = 2_000
_LONGEST_PUT = 200
_MOST_PUT = 50
_MOST_CHARACTERS = 300_000
"""Of all that its scripts run: with aliases, and with references, a file says more than it holds."""
_NO_JOBS = frozenset(
    ("default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script", "spec")
)
_OTHER_SYSTEM = re.compile(r"\bwin(?:dows)?|mac-?os|\bosx", re.IGNORECASE)
_SELDOM = frozenset(("schedules", "tags", "triggers", "web", "api", "chat", "pipelines", "/^$/"))
"""https://docs.gitlab.com/ci/yaml/deprecated_keywords/#onlyrefs--exceptrefs"""
_NAME = re.compile(r"\$(?:\{([A-Za-z_]\w{0,99})\}|([A-Za-z_]\w{0,99}))")
_OF_SERVERS = re.compile(r"(?:POSTGRES(?:QL)?|MYSQL|MARIADB|REDIS|VALKEY|RABBITMQ)_\w+")
_OF_RUNNERS = re.compile(r"(?:DOCKER|GIT|FF|KUBERNETES|ARTIFACT|CI)_\w+")
_DOCKER = re.compile(r"(?:.*/)?docker(?::.*)?", re.DOTALL)
_GIVEN = {"CI_PROJECT_DIR": WORKSPACE}

Rows = list[dict[str, str]]


def read_gitlab(tree: Tree, read: ReadFile, evidence: Evidence) -> tuple[WorkflowEvidence, ...]:
    """Each job for Linux that runs tests, as `evidence_of` has them."""
    file = _File(_Files(ParsedFiles(tree, read)).entries(PATH))
    return evidence_of(islice(file.jobs(), _MOST_JOBS), evidence)


@dataclass(frozen=True)
class _Entry:
    """What stands at a key of a file, and where."""

    node: Node
    path: str
    line: int


@dataclass
class _Files:
    files: ParsedFiles
    taken: set[str] = field(default_factory=set)

    def entries(self, path: str) -> dict[str, _Entry]:
        """Those of the file at `path`, and of those of this repository that it takes in; its own count more."""
        if path in self.taken or len(self.taken) >= _MOST_FILES:
            return {}
        self.taken.add(path)
        root = self.files.root(path)
        found: dict[str, _Entry] = {}
        for other in _taken_in(root):
            found = _together(found, self.entries(other))
        own = merged(root).mapping if root else {}
        lines = root.key_lines if root else {}
        return _together(found, {key: _Entry(node, path, lines.get(key, node.line)) for key, node in own.items()})


class _File:
    def __init__(self, entries: Mapping[str, _Entry]) -> None:
        self._entries = entries
        self._known: dict[str, Node] = {}
        self._left = _MOST_REFERENCES
        self._characters = _MOST_CHARACTERS
        root = {key: entry.node for key, entry in entries.items()}
        self._shared = {**root, **entries_of(root.get("default"))}
        self._variables = _variables(root.get("variables"))

    def jobs(self) -> Iterator[ToldJob]:
        for name, entry in self._entries.items():
            job = self._extended(name) if name not in _NO_JOBS and not name.startswith(".") else None
            told = self._told(job, entry.line) if job and "script" in job.mapping else None
            if job and told:
                yield ToldJob(name, entry.path, entry.line, told, _is_seldom(job))

    def _extended(self, name: str, deep: int = _MOST_DEEP) -> Node:
        """https://docs.gitlab.com/ci/yaml/#extends"""
        if name not in self._known:
            own = self._known[name] = merged(self._entries[name].node)  # for one that extends itself
            extended = Node({}, own.line)
            for base in _texts(own.mapping.get("extends")) if deep else ():
                if base in self._entries:
                    extended = _over(extended, self._extended(base, deep - 1))
            self._known[name] = _over(extended, own)
        return self._known[name]

    def _at(self, job: Node, key: str) -> Node | None:
        """What the job says, or else what stands there for all."""
        node = job.mapping.get(key) or self._shared.get(key)
        return self._referenced(node) or node if node else None

    def _referenced(self, node: Node) -> Node | None:
        """What ``!reference [.job, key]`` stands for; None where `node` is none."""
        words = [text_of(word) for word in node.items[:_MOST_DEEP]]
        self._left -= 1
        if self._left < 0 or len(words) < 2 or words[0] not in self._entries:
            return None
        return node_at(self._extended(words[0]), *words[1:])

    def _told(self, job: Node, line: int) -> Node | None:
        """As the job of its matrix runs it that stands for all; None where it is not for Linux."""
        if _OTHER_SYSTEM.search(" ".join(_texts(job.mapping.get("tags")))):
            return None
        known = {**self._variables, **_variables(job.mapping.get("variables"))}
        rows = [{**known, **row} for row in _rows(job)]
        row = rows[likeliest(rows)]
        image = self._at(job, "image")
        images = [_put(_image(image), each) for each in rows]
        own = _put(_image(image), row)
        tags = dict.fromkeys(each.rpartition(":")[2] for each in images)
        set_for_all = {name: _put(value, row) for name, value in row.items() if not _OF_RUNNERS.fullmatch(name)}
        around = Surroundings(that_hold_here(set_for_all), dict(self._services(job, row)), own)
        return job_of(around, [installing(own, tags, line), self._step(job)], line)

    def _step(self, job: Node) -> Node | None:
        """One shell runs what comes before and the script: a ``cd`` in the first is in force in the second."""
        before, own = (list(self._lines(self._at(job, key))) for key in ("before_script", "script"))
        script = "\n".join((*before, *own))
        self._characters -= len(script)
        if self._characters < 0:
            return None
        node = job.mapping["script"]
        first = next(iter(node.items), node).line
        earlier = sum(text.count("\n") + 1 for text in before) + ("\n" in script)
        return step_of(script, max(first - earlier, 0), "", {})

    def _lines(self, node: Node | None, deep: int = _MOST_DEEP) -> Iterator[str]:
        for each in islice(node.items or (node,), _MOST_LINES) if node and deep else ():
            self._left -= 1
            if self._left < 0:
                return
            if each.items:
                yield from self._lines(self._referenced(each) or each, deep - 1)
            else:
                yield text_of(each)

    def _services(self, job: Node, row: Mapping[str, str]) -> Iterator[tuple[str, Node]]:
        """The variables of a job are its services', too: https://docs.gitlab.com/ci/services/"""
        node = self._at(job, "services")
        for each in node.items[:MOST_SERVICES] if node else ():
            image = _put(_image(each), row)
            if _DOCKER.fullmatch(image):
                continue
            alias = _put(text_of(each.mapping.get("alias")), row).split(" ")[0]
            name = alias or image.partition("@")[0].partition(":")[0].replace("/", "-")
            shared = {key: value for key, value in row.items() if _OF_SERVERS.fullmatch(key)}
            own = _variables(each.mapping.get("variables"))
            env = {key: _put(value, row) for key, value in (shared | own).items()}
            command = " ".join(_texts(each.mapping.get("command")))
            told = {**texts({"image": image, "command": command}, each.line).mapping, "env": texts(env, each.line)}
            yield name, Node(told, each.line)


def _taken_in(root: Node | None) -> list[str]:
    """https://docs.gitlab.com/ci/yaml/#includelocal"""
    node = root.mapping.get("include") if root else None
    each = (node, *node.items[:_MOST_FILES]) if node else ()
    named = [text_of(one) or text_of(one.mapping.get("local")) for one in each]
    return [name.lstrip("/") for name in named if name and "://" not in name]


def _together(base: Mapping[str, _Entry], own: Mapping[str, _Entry]) -> dict[str, _Entry]:
    both = {key: replace(entry, node=_over(base[key].node, entry.node)) for key, entry in own.items() if key in base}
    return {**base, **own, **both}


def _over(base: Node, own: Node, deep: int = _MOST_DEEP) -> Node:
    """Mappings are put together, at each depth; of all else that is taken which comes last."""
    ours, theirs = merged(own).mapping, merged(base).mapping
    if not ours or not theirs or not deep:
        return own
    both = {key: _over(theirs[key], node, deep - 1) for key, node in ours.items() if key in theirs}
    return replace(own, value={**theirs, **ours, **both}, key_lines={**base.key_lines, **own.key_lines})


def _rows(job: Node) -> Rows:
    """https://docs.gitlab.com/ci/yaml/#parallelmatrix"""
    found: Rows = []
    for each in items_at(job, "parallel", "matrix")[:_MOST_VALUES]:
        named = list(islice(each.mapping.items(), _MOST_DEEP))
        values = (_texts(node)[:_MOST_VALUES] for _, node in named)
        jobs = islice(product(*values), _MOST_VALUES - len(found))
        found += [dict(zip((name for name, _ in named), job, strict=True)) for job in jobs]
    return found or [{}]


def _variables(node: Node | None) -> dict[str, str]:
    entries = islice(merged(node).mapping.items(), _MOST_VARIABLES) if node else ()
    return {name: text_of(each.mapping.get("value")) or text_of(each) for name, each in entries}


def _put(text: str, known: Mapping[str, str]) -> str:
    """`text` with what is `known` in the place of variables; others stay as they are written."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        said = known.get(name, _GIVEN.get(name, found[0]))
        return said if len(said) <= _LONGEST_PUT else found[0]

    for _ in range(3):
        text = _NAME.sub(value, text, _MOST_PUT)
    return text


def _image(node: Node | None) -> str:
    return text_of(node) or text_of(node_at(node, "name"))


def _texts(node: Node | None) -> list[str]:
    return [text_of(each) for each in (node.items or (node,)) if text_of(each)] if node else []


def _is_seldom(job: Node) -> bool:
    """By the clock, when somebody asks for it, or at a release."""
    only = _texts(job.mapping.get("only")) or _texts(node_at(job, "only", "refs"))
    return text_of(job.mapping.get("when")) == "manual" or (bool(only) and _SELDOM.issuperset(only))
