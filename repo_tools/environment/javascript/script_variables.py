"""Variables that a script sets where it starts another one. Pure."""

import shlex
from collections.abc import Mapping
from dataclasses import replace

from repo_tools.environment.runners.javascript_command import ScriptCommand


def with_variables(command: ScriptCommand, variables: Mapping[str, str], earlier: list[str]) -> ScriptCommand:
    """What is set where a script is started holds for what that builds too, and not for what came `earlier`."""
    rest = iter(earlier)  # taken off from its front: the commands before are those, in their order
    known = next((index for index, text in enumerate(command.before) if text not in rest), len(command.before))
    own = command.before[known:]
    told = [f"export {name}={shlex.quote(value)}" for name, value in variables.items() if own]
    before = (*command.before[:known], *told, *own)
    return replace(command, before=before, variables={**variables, **command.variables})
