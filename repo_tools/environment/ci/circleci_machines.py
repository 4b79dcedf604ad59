"""Where a job of CircleCI runs: its images, an executor's, or a whole machine. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from repo_tools.environment.ci.circleci_file import Arguments, defaults_of, given_to, merged, said
from repo_tools.environment.ci.circleci_steps import variables_at, variables_in
from repo_tools.environment.ci.services import MOST_SERVICES, kind_of
from repo_tools.environment.ci.values import items_at
from repo_tools.yaml_text import Node

_OTHER_SYSTEM = re.compile(r"\bwin(?:dows)?\b|macos", re.IGNORECASE)
_OWN_IMAGE = re.compile(r"(?:docker\.io/)?(?:circleci|cimg)/.*", re.DOTALL)
_MADE: Mapping[str | None, Mapping[str, str]] = {
    "postgresql": {"POSTGRES_USER": "postgres", "POSTGRES_DB": "circle_test"},
    "mysql": {"MYSQL_DATABASE": "circle_test"},
    "mariadb": {"MYSQL_DATABASE": "circle_test"},
}
"""By CircleCI's own images, where nobody says anything else:
https://circleci.com/docs/guides/server/orchestrate/databases/"""


@dataclass(frozen=True)
class Machine:
    """`image`: where the steps run, in `directory` (empty: nobody says), with these `variables`; `services`: name ->
    what is started beside them, as a job of GitHub's has it. `is_another`: it is no Linux."""

    image: str = ""
    services: Mapping[str, Node] = field(default_factory=dict)
    directory: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    is_another: bool = False


def machine_of(
    job: Node, arguments: Arguments, executors: Mapping[str, Node], orbs: Mapping[str, str], known: Arguments
) -> Machine:
    """What `job` says itself comes before what its executor says. `known`: what is in force in the whole file."""
    own = _machine(job, arguments)
    asked = merged(job.mapping.get("executor") or Node(None, job.line))
    name = said(asked, arguments) or said(asked.mapping.get("name"), arguments)
    executor = merged(executors.get(name) or Node({}, job.line))
    given = {**known, **defaults_of(executor), **given_to(asked.mapping, arguments)}
    shared = _machine(executor, given)
    if not executor.mapping and (tag := said(asked.mapping.get("tag"), arguments)):
        shared = Machine(f"{orbs.get(name.partition('/')[0], '')}:{tag}")
    return Machine(
        own.image or shared.image,
        own.services if own.image else shared.services,
        own.directory or shared.directory,
        {**shared.variables, **own.variables},
        own.is_another or shared.is_another or bool(_OTHER_SYSTEM.search(name)),
    )


def _machine(owner: Node, arguments: Arguments) -> Machine:
    containers = [merged(item) for item in items_at(owner, "docker")[:MOST_SERVICES]]
    images = [said(container.mapping.get("image"), arguments) for container in containers]
    system = said(merged(owner.mapping.get("machine") or owner).mapping.get("image"), arguments)
    of_first = variables_in(containers[0], arguments) if containers else {}
    return Machine(
        images[0] if images else "",
        dict(_services(islice(zip(images, containers, strict=True), 1, None), arguments)),
        said(owner.mapping.get("working_directory"), arguments),
        of_first | variables_in(owner, arguments),
        "macos" in owner.mapping or bool(_OTHER_SYSTEM.search(system)),
    )


def _services(beside: Iterator[tuple[str, Node]], arguments: Arguments) -> Iterator[tuple[str, Node]]:
    """All of them answer on ``localhost``, at their own ports."""
    for image, container in beside:
        name = said(container.mapping.get("name"), arguments) or image.rpartition("/")[2].partition(":")[0]
        made = _MADE.get(kind_of(image), {}) if _OWN_IMAGE.fullmatch(image) else {}
        variables = {**made, **variables_at(container, arguments)}
        env = Node({key: Node(value, container.line) for key, value in variables.items()}, container.line)
        command = container.mapping.get("command") or Node("", container.line)
        words = " ".join(said(word, arguments) for word in (command, *command.items))
        told = {"image": replace(container, value=image), "env": env, "command": Node(words, container.line)}
        yield name, Node(told, container.line)
