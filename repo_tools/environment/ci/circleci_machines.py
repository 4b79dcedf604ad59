"""Where a job of CircleCI runs: its images, an executor's, or a whole machine. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from repo_tools.environment.ci.circleci_file import Arguments, defaults_of, given_to, said
from repo_tools.environment.ci.circleci_steps import variables_at, variables_in
from repo_tools.environment.ci.merges import merged
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


@dataclass(frozen=True)
class Machines:
    """`executors` of the file, and `known` in all of it; `orbs`: what they are called there -> whose they are."""

    executors: Mapping[str, Node]
    orbs: Mapping[str, str]
    known: Arguments

    def machine(self, job: Node, arguments: Arguments) -> Machine:
        """What `job` says itself comes before what its executor says."""
        own, (name, executor, given) = _machine(job, arguments), self._executor(job, arguments)
        shared = _machine(executor, given)
        return Machine(
            self.image(job, arguments),
            own.services if own.image else shared.services,
            own.directory or shared.directory,
            {**shared.variables, **own.variables},
            own.is_another or shared.is_another or bool(_OTHER_SYSTEM.search(name)),
        )

    def image(self, job: Node, arguments: Arguments) -> str:
        """In which its steps run; that of an orb has the orb's name. Empty where nobody knows."""
        name, executor, given = self._executor(job, arguments)
        of_orb, tag = self.orbs.get(name.partition("/")[0], ""), said(given.get("parameters.tag"), {})
        return _image(job, arguments) or _image(executor, given) or (f"{of_orb}:{tag}" if of_orb and tag else "")

    def _executor(self, job: Node, arguments: Arguments) -> tuple[str, Node, dict[str, Node]]:
        """Its name, what it says, and what is in force there."""
        asked = merged(job.mapping.get("executor") or Node(None, job.line))
        name = said(asked, arguments) or said(asked.mapping.get("name"), arguments)
        executor = merged(self.executors.get(name) or Node({}, job.line))
        return name, executor, {**self.known, **defaults_of(executor), **given_to(asked.mapping, arguments)}


def _image(owner: Node, arguments: Arguments) -> str:
    first = next(iter(items_at(owner, "docker")), None)
    return said(merged(first).mapping.get("image"), arguments) if first else ""


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
