"""The commands that come before the tests in one shell: builds, most of the time."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

WORKSPACE = "/workspace"
ROOM = 0.8  # of what is free, for packages in the work tree
BLOCK_BYTES = 4096
NOT_TAKEN_OVER = re.compile(rb"PATH|NODE_OPTIONS|NODE_PATH|NODE_REPL\w*|LD_\w+|ENV|BASH_ENV|AGENT_FIX_\w+")
"""What decides which program runs, or what is in it before our reporter: a change may have written what sets it."""
KEEP_STATE = '\ncode=$?; [ $code != 0 ] || { pwd; env -0; } >"$1"; exit $code'


def carried_out_twice(command: str, place: str, installed: str) -> int:
    """Once more where it fails and packages could be `brought_back`."""
    code = carried_out(command, place)
    return carried_out(command, place) if code and brought_back(installed) else code


def carried_out(command: str, place: str) -> int:
    """The exit code of a command that comes before others in one shell: what it exported and where it went holds for
    them."""
    code = subprocess.call(["/bin/sh", "-c", command + KEEP_STATE, "sh", place], stdin=subprocess.DEVNULL)
    if os.path.exists(place):
        with open(place, "rb") as file:
            folder, _, variables = file.read().partition(b"\n")
        os.remove(place)
        os.chdir(folder)
        for line in filter(None, variables.split(b"\0")):
            name, _, value = line.partition(b"=")
            if not NOT_TAKEN_OVER.fullmatch(name):
                os.environb[name] = value
    return code


def brought_back(installed: str) -> bool:
    """Whether packages stand in the work tree itself now, in the place of links to where they are `installed`: builds
    may write beside them, or bundle only what lies below ``node_modules``. Not where there is no room."""
    linked = [place for place in own_modules() if leads_to(place, installed)]
    copies = {place: os.path.join(installed, os.path.relpath(place, WORKSPACE)) for place in linked}
    if not linked or sum(map(bytes_of, copies.values())) > shutil.disk_usage(WORKSPACE).free * ROOM:
        return False
    try:
        for place, source in copies.items():
            shutil.rmtree(place)
            shutil.copytree(source, place, symlinks=True)
    except OSError:
        return False
    sys.stderr.write("agent-fix: a command before the tests failed; once more, with packages in the work tree itself\n")
    return True


def own_modules() -> list[str]:
    """``node_modules`` of the folder where it runs, and of those above it."""
    above = [folder.removesuffix("/.bin") for folder in programs(os.getcwd())]
    return [place for place in above if place.startswith(f"{WORKSPACE}/") and os.path.isdir(place)]


def leads_to(place: str, installed: str) -> bool:
    links = (entry.path for entry in os.scandir(place) if entry.is_symlink())
    return not os.path.islink(place) and any(os.readlink(link).startswith(f"{installed}/") for link in links)


def bytes_of(folder: str) -> int:
    """What files of it take, in whole blocks."""
    paths = (os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    return sum((os.lstat(path).st_size + BLOCK_BYTES) // BLOCK_BYTES * BLOCK_BYTES for path in paths)


def programs(folder: str) -> list[str]:
    """Where installed commands stand, the nearest first."""
    parts = folder.split("/")
    above = ["/".join(parts[:end]) for end in range(len(parts), 1, -1)]
    return [f"{place}/node_modules/.bin" for place in above]
