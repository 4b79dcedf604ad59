"""Which layer fits a commit."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from repo_tools.checkout import Checkout
from repo_tools.environment.commands import named_files
from repo_tools.environment.contract import Environment, SetupCommand
from repo_tools.environment.python.manifests import followed


@dataclass(frozen=True)
class LayerKeys:
    """`of_manifests`: of any commit whose manifests are these; `of_commit`: of this commit alone, where set-up left
    something that other files may have gone into."""

    of_manifests: str
    of_commit: str


def layer_keys(
    platform: str,
    checkout: Checkout,
    environment: Environment,
    repository: str,
    allowed_hosts: tuple[str, ...],
    packages: date | None = None,
) -> LayerKeys:
    """Everything that decides what a layer holds, as hex digits. `platform`: `SandboxEngine.platform_key`;
    `repository`: whose it is, because no repository gets what another one's set-up made; `packages`: of which day they
    are, if not of today."""
    parts = {
        "repository": repository,
        "platform": platform,
        "detector": environment.detector,
        "setup": [_said(command) for command in environment.setup],
        "tools": sorted([tool.program, tool.versions, tool.preferred] for tool in environment.tools),
        "variables": dict(sorted(environment.variables.items())),
        "hosts": sorted(allowed_hosts),
        "packages": packages.isoformat() if packages else "",
        "manifests": {
            path: checkout.tree[path].blob_id for path in (*environment.manifests, *_named(environment, checkout))
        },
    }
    of_manifests = _digest(parts)
    return LayerKeys(of_manifests, _digest([of_manifests, checkout.commit]))


def _named(environment: Environment, checkout: Checkout) -> Iterator[str]:
    """Files that set-up's own words name, wherever a detector found them (``-r tests/requirements/py3.txt``), and what
    these and the manifests name in turn: those of a project in a folder name others that stand outside of it."""
    paths = {*environment.manifests, *_worded(environment, checkout)}
    yield from sorted(followed(paths, checkout.tree, checkout.read) - set(environment.manifests))


def _worded(environment: Environment, checkout: Checkout) -> Iterator[str]:
    for command in environment.setup:
        for each in (command, *command.otherwise):
            yield from named_files(each.argv, each.directory, checkout.tree)


def _said(command: SetupCommand) -> list[object]:
    return [command.argv, command.directory, command.required, [_said(other) for other in command.otherwise]]


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
