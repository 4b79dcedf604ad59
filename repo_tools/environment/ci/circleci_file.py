"""What a file of CircleCI means by parameters and conditions, and which jobs its workflows run. Pure.

https://circleci.com/docs/reference/configuration-reference/
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product

from repo_tools.environment.ci.merges import entries_of, merged
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.yaml_text import Node

_MOST_CONDITIONS = 30
_MOST_EQUAL = 10
_MOST_JOBS = 60
_MOST_VALUES = 60
_MOST_NAMED = 50
"""Parameters in one text, each of at most so many characters:"""
_LONGEST = 4_000
_PARAMETER = re.compile(r"<<\s{0,9}((?:[\w-]+\.)+[\w-]+)\s{0,9}>>")
_NOT_KNOWN = "${{ circleci }}"
"""What the reader of a job takes for an expression that only a run would know."""
_FALSE = frozenset(("", "false", "0", "null"))
_NO_BRANCH = re.compile(r"/\^?\.\*\$?/")

Arguments = Mapping[str, Node]
"""``parameters.name``, or ``pipeline.parameters.name`` -> what is given."""


@dataclass(frozen=True)
class Use:
    """One place in which a workflow runs a job. `given`: each combination of the values of its matrix, with what is
    passed besides; `seldom`: by the clock, when somebody asks for it, or at a release."""

    given: tuple[Mapping[str, Node], ...] = ({},)
    requires: tuple[str, ...] = ()
    seldom: bool = False


def defaults_of(owner: Node | None, prefix: str = "parameters") -> dict[str, Node]:
    """Of the parameters that `owner` declares, as `Arguments`."""
    declared = entries_of(owner, "parameters").items()
    found = ((name, node_at(merged(each), "default")) for name, each in islice(declared, _MOST_VALUES))
    return {f"{prefix}.{name}": default for name, default in found if default is not None}


def given_to(given: Mapping[str, Node], arguments: Arguments) -> dict[str, Node]:
    """What is passed to a command, an executor or a job, as `Arguments`, where `arguments` are in force."""
    return {f"parameters.{name}": _passed(node, arguments) for name, node in islice(given.items(), _MOST_VALUES)}


def _passed(node: Node, arguments: Arguments) -> Node:
    whole = _PARAMETER.fullmatch(text_of(node).strip()[:_LONGEST])
    if whole and whole[1] in arguments:
        return arguments[whole[1]]
    return replace(node, value=said(node, arguments)) if text_of(node) else node


def said(node: Node | None, arguments: Arguments) -> str:
    """A text with the parameters that it names put in."""

    def value(found: re.Match[str]) -> str:
        known = arguments.get(found[1])
        return _NOT_KNOWN if known is None or len(text_of(known)) > _LONGEST else text_of(known)

    return _PARAMETER.sub(value, text_of(node), _MOST_NAMED)


def nodes_of(node: Node, arguments: Arguments) -> tuple[Node, ...]:
    """A list, or the one that is given for the parameter that stands there."""
    return _passed(node, arguments).items if text_of(node) else node.items


def holds(condition: Node | None, arguments: Arguments, left: Iterator[int] | None = None) -> bool:
    """`left`: what counts down how many conditions are still looked at; of all others nobody knows.
    https://circleci.com/docs/reference/configuration-reference/#logic-statements"""
    left = iter(range(_MOST_CONDITIONS)) if left is None else left
    if condition is None or next(left, None) is None:
        return True
    operator, node = next(iter(condition.mapping.items()), ("", condition))
    match operator:
        case "and":
            return all(holds(part, arguments, left) for part in node.items)
        case "or":
            return any(holds(part, arguments, left) for part in node.items)
        case "not":
            return not holds(node, arguments, left)
        case "equal":
            return len({said(part, arguments) for part in node.items[:_MOST_EQUAL]}) == 1
    return said(condition, arguments) not in _FALSE


def uses_of(root: Node) -> dict[str, list[Use]] | None:
    """Job -> where workflows run it; None where there are no workflows, and each job is for itself."""
    workflows = entries_of(root, "workflows")
    known = defaults_of(root, "pipeline.parameters")
    found: dict[str, list[Use]] = {}
    for workflow in map(merged, islice(workflows.values(), _MOST_JOBS)):
        seldom = _is_seldom(workflow, known)
        for item in islice(items_at(workflow, "jobs"), _MOST_JOBS):
            for name, given in islice(item.mapping.items(), 1) if item.mapping else ((text_of(item), item),):
                found.setdefault(name, []).append(_use(merged(given), seldom))
    return found if any("jobs" in merged(workflow).mapping for workflow in workflows.values()) else None


def _is_seldom(workflow: Node, known: Arguments) -> bool:
    triggers = items_at(workflow, "triggers")
    timed = bool(triggers) and all("schedule" in trigger.mapping for trigger in triggers)
    unless = workflow.mapping.get("unless")
    asked = holds(workflow.mapping.get("when"), known) and not (unless and holds(unless, known))
    return timed or not asked


def _use(given: Node, seldom: bool) -> Use:
    matrix = given.mapping.get("matrix")
    dimensions = entries_of(matrix, "parameters")
    values = [[(name, value) for value in node.items[:_MOST_VALUES]] for name, node in dimensions.items()]
    excluded = [_texts(each.mapping) for each in items_at(matrix, "exclude")[:_MOST_VALUES]]
    jobs = (dict(each) for each in islice(product(*values), _MOST_VALUES))
    requires = tuple(text_of(name) for name in items_at(given, "requires")[:_MOST_VALUES])
    ignored = node_at(given, "filters", "branches", "ignore")
    nowhere = (
        any(_NO_BRANCH.fullmatch(text_of(each)) for each in (ignored, *ignored.items) if each) if ignored else False
    )
    kept = (job for job in jobs if not any(_texts(job).items() >= each.items() for each in excluded))
    return Use(tuple({**given.mapping, **job} for job in kept), requires, seldom or nowhere)


def _texts(given: Mapping[str, Node]) -> dict[str, str]:
    return {name: text_of(node) for name, node in given.items()}


def each_given(uses: Iterable[Use], job: Node) -> Iterator[dict[str, Node]]:
    """The `Arguments` of each time that `job` is run, as far as it declares them."""
    defaults = defaults_of(job)
    declared = entries_of(job, "parameters").keys()
    for given in islice((given for use in uses for given in use.given), _MOST_VALUES):
        yield {**defaults, **given_to({name: given[name] for name in declared & given.keys()}, {})}
