"""How a repository was tested by CircleCI until 2018: `circle.yml`, told as a job of GitHub's that does the same. Pure.

https://circleci.com/docs/1.0/configuration/
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from repo_tools.environment.ci.circleci_machines import Machine
from repo_tools.environment.ci.circleci_steps import variables_in
from repo_tools.environment.ci.merges import entries_of, merged
from repo_tools.environment.ci.servers import KINDS_OF_SERVERS
from repo_tools.environment.ci.services import MOST_SERVICES
from repo_tools.environment.ci.steps import MOST_STEPS
from repo_tools.environment.ci.told_jobs import installing, step_of
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.yaml_text import Node

OLD_PATH = "circle.yml"

_PHASES = ("machine", "checkout", "dependencies", "database", "test")
_PARTS = ("pre", "override", "post")
_LANGUAGES = ("python", "node", "ruby", "go", "java")


def machine_of_old(root: Node) -> Machine:
    """With the servers that it names; the folder is that of the work tree."""
    named = items_at(root, "machine", "services")[:MOST_SERVICES]
    kinds = {KINDS_OF_SERVERS[text_of(item)]: item for item in named if text_of(item) in KINDS_OF_SERVERS}
    services = {kind: Node({"image": Node(kind, item.line)}, item.line) for kind, item in kinds.items()}
    variables = variables_in(root.mapping.get("machine"), {})
    return Machine("", services, text_of(node_at(root, "general", "build_dir")), variables)


def steps_of_old(root: Node) -> list[Node]:
    """What it installs, and then what is run; what it does by itself where it is told nothing, nobody knows."""
    machine = entries_of(root, "machine")
    versions = ((name, node_at(merged(machine[name]), "version")) for name in _LANGUAGES if name in machine)
    brought = [installing(name, [text_of(node)], node.line) for name, node in versions if node]
    return [step for step in (*brought, *islice(_runs(root), MOST_STEPS)) if step]


def _runs(root: Node) -> Iterator[Node]:
    for phase in _PHASES:
        parts: Mapping[str, Node] = entries_of(root, phase)
        for item in (item for part in _PARTS if part in parts for item in parts[part].items):
            script, told = next(iter(item.mapping.items()), (text_of(item), item))
            folder = text_of(told.mapping.get("pwd"))
            yield step_of(script, item.line, folder, variables_in(told, {}))
