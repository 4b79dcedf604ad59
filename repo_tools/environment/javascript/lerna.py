"""A workspace that lerna alone knows: before release 7 ``lerna bootstrap`` installs its members' packages and links the
members to one another, and the manifest says nothing of them (https://lerna.js.org/docs/legacy-package-management).

It is installed as a workspace of the package manager's own, which does both.
"""

import json
import shlex
from dataclasses import replace

from repo_tools.environment.contract import SetupCommand
from repo_tools.sandbox.contract import ENVIRONMENT

_KEPT = f"{ENVIRONMENT}/package.json.without-members"
_NAME_MEMBERS = """
import json, os, sys
with open("package.json", encoding="utf-8-sig") as file:
    manifest = json.load(file)
day = os.stat("package.json").st_mtime
with open("package.json", "w") as file:
    json.dump({**manifest, "private": True, "workspaces": json.loads(sys.argv[1])}, file)
os.utime("package.json", (day, day))
"""
"""yarn knows none of a manifest that is not private, and an old commit's day is the manifest's."""


def with_members(command: SetupCommand, patterns: tuple[str, ...]) -> SetupCommand:
    """`command`, a shell's that installs, with a manifest that names the members; it is as before afterwards."""
    name_members = shlex.join(("python3", "-I", "-S", "-c", _NAME_MEMBERS, json.dumps(patterns)))
    text = f"cp -p package.json {_KEPT} && {name_members} && {{ {command.argv[-1]}; }}"
    return replace(command, argv=(*command.argv[:-1], f"{text}; code=$?; mv {_KEPT} package.json; (exit $code)"))
