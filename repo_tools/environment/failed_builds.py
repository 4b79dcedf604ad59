"""Sources that cannot be built: set-up asks for a project's packages in several ways, and each would build them again,
for minutes perhaps, to fail as before. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from repo_tools.environment.dated import VARIABLE
from repo_tools.environment.python.requirement import name_of

_FAILED = re.compile(r"Failed to (?:download and )?build `(?P<name>[A-Za-z0-9][\w.-]{0,200})==")
_OTHER = re.compile(r"[^;]*(?:!=|>(?!=))")
"""A requirement that leaves releases out, and not the way a project mostly says what it needs at least."""
_INSTALL = ("pip", "install")
_MOST = 50


@dataclass(frozen=True)
class FailedBuilds:
    """What uv could not build in one set-up, by the day of its packages: those of another day are other ones."""

    names: dict[str, dict[str, None]] = field(default_factory=dict)

    def note(self, variables: Mapping[str, str], output: str) -> None:
        """What a command with these variables, which failed, said in `output`."""
        known = self.names.setdefault(variables.get(VARIABLE, ""), {})
        for found in _FAILED.finditer(output):
            if len(known) < _MOST:
                known[found["name"]] = None

    def spared(self, argv: tuple[str, ...], variables: Mapping[str, str]) -> tuple[str, ...]:
        """The same command, where it is uv's without what was built in vain: only ready-made ones of these are taken
        (https://docs.astral.sh/uv/reference/cli/#uv-pip-install--only-binary), but for what is asked for in any other
        version (``name!=1.0``, ``name>1.0``). pip, another program, may try."""
        known = self.names.get(variables.get(VARIABLE, ""))
        if not known or not argv[0].endswith("/uv") or argv[1:3] != _INSTALL:
            return argv
        others = {name_of(word) for word in argv if _OTHER.match(word)}
        return (*argv[:3], *(f"--only-binary={name}" for name in known if name not in others), *argv[3:])
