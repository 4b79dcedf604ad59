"""What actions and workflows of the repository's own are given by the steps and jobs that use them. Pure.

https://docs.github.com/en/actions/how-tos/reuse-automations/reuse-workflows
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from posixpath import normpath

from repo_tools.environment.ci.matrix import matrix_of
from repo_tools.environment.ci.values import Scope, node_at, text_of
from repo_tools.yaml_text import Node

_INPUT = re.compile(r"\$\{\{\s{0,9}inputs\.([\w-]{1,99})\s{0,9}\}\}")
_MOST_CALLS, _MOST_INPUTS = 4, 100
_MOST_NODES, _MOST_DEEP = 3_000, 8
_MOST_CHARACTERS = 300


def given_to(user: Node, declared: Node | None) -> dict[str, str]:
    """Input -> what a step or a job gives for it, maybe an expression of its own, or else its default. `declared`: the
    inputs of what is used."""
    named = declared.mapping if declared else {}
    given = node_at(user, "with")
    texts = {name: text_of(node.mapping["default"]) for name, node in named.items() if "default" in node.mapping}
    texts |= {name: text_of(node) for name, node in (given.mapping if given else {}).items()}
    return {name: text for name, text in islice(texts.items(), _MOST_INPUTS) if len(text) <= _MOST_CHARACTERS}


def with_inputs(node: Node, given: Mapping[str, str]) -> Node:
    """`node` with what is given in the place of each expression that names nothing but an input, as far as anybody's
    workflows go: with aliases, a list may stand within itself."""
    left = _MOST_NODES

    def put(node: Node, deep: int = 0) -> Node:
        nonlocal left
        left -= 1
        if left < 0 or deep > _MOST_DEEP:
            return node
        if isinstance(node.value, str):
            return replace(node, value=_INPUT.sub(lambda found: given.get(found[1], found[0]), node.value))
        if isinstance(node.value, list):
            return replace(node, value=[put(item, deep + 1) for item in node.value])
        if isinstance(node.value, dict):
            return replace(node, value={key: put(item, deep + 1) for key, item in node.value.items()})
        return node

    return put(node) if given else node


def callers(workflows: Iterable[Node | None]) -> dict[str, list[Node]]:
    """Path of a workflow of the repository's own -> the jobs that call it."""
    found: dict[str, list[Node]] = {}
    for root in workflows:
        jobs = node_at(root, "jobs")
        for job in jobs.mapping.values() if jobs else ():
            uses = text_of(job.mapping.get("uses"))
            if uses.startswith("./"):
                found.setdefault(normpath(uses), []).append(job)
    return found


def as_called(job: Node, workflow: Node, calls: Sequence[Node]) -> Iterator[Node]:
    """`job` once for each of `calls` that gives its workflow something else; with its defaults where there is none."""
    declared = node_at(workflow, "on", "workflow_call", "inputs")
    told = [given_to(call, declared) for call in calls[:_MOST_CALLS]]
    for at, (call, given) in enumerate(zip(calls, told, strict=False)):
        if given not in told[:at]:
            yield with_inputs(*_within(job, call, given))
    if not calls:
        yield with_inputs(job, given_to(Node(None, 0), declared))


def _within(job: Node, call: Node, given: dict[str, str]) -> tuple[Node, dict[str, str]]:
    """With the caller's matrix where the job has none of its own, and else with the values that stand for all."""
    strategy = call.mapping.get("strategy")
    if strategy and "strategy" not in job.mapping:
        return replace(job, value={**job.mapping, "strategy": strategy}), given
    scope = Scope(matrix_of(call))
    known = {name: scope.resolve(text) for name, text in given.items()}
    return job, {name: text for name, text in known.items() if text is not None}
