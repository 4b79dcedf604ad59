"""What no command line of a bubblewrap box may say. Pure; checked before each start, as docker's inspection is.

It is a list of what may be there, not of what may not: an option that it does not know, a folder of this machine that
is not one of the box's own sources, a volume without its size is refused, whoever put it into the command.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from repo_tools.sandbox.box_root import BOX_USER, ETC_FILES, HOSTNAME, ROOT_LINKS, host_files
from repo_tools.sandbox.contract import ENVIRONMENT, HOME, SHARED_MEMORY_BYTES, VAR_TMP_BYTES, WORKSPACE, BoxSpec
from repo_tools.sandbox.source import box_argv

STAGE = "/tmp"  # noqa: S108 - in a mount namespace of its own
ARGUMENTS = {
    **dict.fromkeys((f"--unshare-{name}" for name in ("user", "ipc", "pid", "net", "uts", "cgroup-try")), 0),
    **dict.fromkeys(("--disable-userns", "--new-session", "--as-pid-1", "--clearenv"), 0),
    **dict.fromkeys(("--cap-drop", "--hostname", "--uid", "--gid", "--chdir", "--perms", "--size"), 1),
    **dict.fromkeys(("--dir", "--tmpfs", "--proc", "--dev", "--remount-ro"), 1),
    **dict.fromkeys(("--ro-bind", "--bind", "--symlink"), 2),
}
"""Every option that a box is made with, and how many arguments it takes (bwrap(1))."""
FLAGS = frozenset(name for name, count in ARGUMENTS.items() if count == 0)
STAGE_ARGUMENTS = {"--dev-bind": 2, "--tmpfs": 1, "--ro-bind": 2, "--bind": 2}
LAST = [("--remount-ro", "/")]

Option = tuple[str, ...]


@dataclass(frozen=True)
class Allowed:
    """What this box is to be made of. Places are those of this machine; `environment` is shown as `ENVIRONMENT`;
    `programs` are what bwrap itself needs in the stage, by the names that they have there."""

    spec: BoxSpec
    etc: str
    python: str
    python_prefix: str | None = None
    environment: str | None = None
    writable: bool = False
    programs: Mapping[str, str] = field(default_factory=dict)
    user: int | None = None
    """Whom the box runs as outside; None: as this process, which then must not be root."""


class UnknownOptionError(Exception):
    """An option that no box is made with."""


def violations(argv: Sequence[str], allowed: Allowed, own_user: int) -> tuple[str, ...]:
    """The rules that `argv` breaks; empty for a good one. `own_user`: this process's own (geteuid)."""
    try:
        demands = rules(argv, allowed, own_user)
    except UnknownOptionError as error:
        return (f"unknown option {error}",)
    return tuple(name for name, holds in demands.items() if not holds)


def rules(argv: Sequence[str], allowed: Allowed, own_user: int) -> dict[str, bool]:
    """Each rule's name, and whether it is kept. UnknownOptionError."""
    stage, become, box, program = split(argv)
    return {
        **_stage_rules(stage, become, allowed, own_user),
        **_isolation_rules(box),
        **_root_rules(box, allowed, "" if become is None else STAGE),
        "another program": program == box_argv(allowed.python),
    }


def split(argv: Sequence[str]) -> tuple[list[Option], list[str] | None, list[Option], list[str]]:
    """(options of the stage, how its user is left, options of the box, the box's program); without a stage the first
    is empty and the second None."""
    if "setpriv" not in argv:
        options, program = _options(argv[1:], ARGUMENTS)
        return [], None, options, program
    stage, rest = _options(argv[1:], STAGE_ARGUMENTS)
    options, program = _options(rest[7:], ARGUMENTS)
    return stage, rest[:6], options, program


def _options(words: Sequence[str], known: Mapping[str, int]) -> tuple[list[Option], list[str]]:
    """(options with their arguments, what comes after them)."""
    options: list[Option] = []
    rest = list(words)
    while rest and rest[0].startswith("--"):
        if rest[0] == "--":
            return options, rest[1:]
        if rest[0] not in known:
            raise UnknownOptionError(rest[0])
        count = known[rest[0]] + 1
        options.append(tuple(rest[:count]))
        rest = rest[count:]
    return options, rest


def _stage_rules(stage: list[Option], become: list[str] | None, allowed: Allowed, own_user: int) -> dict[str, bool]:
    """A worker that is root leaves root before anything of the box exists."""
    if become is None:
        return {"root outside": own_user != 0 and allowed.user is None}
    user = str(allowed.user)
    sources = _sources(allowed) | dict(allowed.programs)
    binds = {option[2]: option[1] for option in stage[2:]}
    writable = {option[2] for option in stage[2:] if option[0] != "--ro-bind"}
    return {
        "root outside": become == ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"] and user != "0",
        "stage": stage[:2] == [("--dev-bind", "/", "/"), ("--tmpfs", STAGE)]
        and binds == {f"{STAGE}/{name}": source for name, source in sources.items()},
        "stage writable": writable <= ({f"{STAGE}/environment"} if allowed.writable else set()),
    }


def _isolation_rules(box: list[Option]) -> dict[str, bool]:
    given = [option for option in box if len(option) == 1]
    return {
        "namespaces": {name for (name,) in given} >= {flag for flag in FLAGS if flag.startswith("--unshare")},
        "namespaces within": ("--disable-userns",) in given,
        "capabilities": ("--cap-drop", "ALL") in box,
        "terminal": ("--new-session",) in given,
        "process 1": ("--as-pid-1",) in given,
        "environment": ("--clearenv",) in given,
        "root user": _values(box, "--uid") == _values(box, "--gid") == [str(BOX_USER)],
        "host name": _values(box, "--hostname") == [HOSTNAME],
    }


def _root_rules(box: list[Option], allowed: Allowed, stage: str) -> dict[str, bool]:
    binds = {(option[2], option[1]) for option in box if option[0] in ("--ro-bind", "--bind")}
    writable = [option[2] for option in box if option[0] == "--bind"]
    return {
        "folder of the host": binds <= set(_permitted(allowed, stage)),
        "writable folder": writable == ([ENVIRONMENT] if allowed.writable else []),
        "writable root": [option for option in box if option[0] not in ("--chdir",)][-1:] == LAST,
        "writable devices": ("--remount-ro", "/dev") in box and _values(box, "--dev") == ["/dev"],
        "processes": _values(box, "--proc") == ["/proc"],
        "volumes without their size": sorted(_volumes(box)) == sorted(_sizes(allowed).items()),
        "links": all(option[2][1:] in ROOT_LINKS for option in box if option[0] == "--symlink"),
    }


def _values(box: list[Option], name: str) -> list[str]:
    return [option[1] for option in box if option[0] == name]


def _sources(allowed: Allowed) -> dict[str, str]:
    """Folders of this machine that are shown, by their names in the stage."""
    parts = {"etc": allowed.etc, "python": allowed.python_prefix, "environment": allowed.environment}
    return {name: place for name, place in parts.items() if place}


def _permitted(allowed: Allowed, stage: str) -> Iterator[tuple[str, str]]:
    """(where in the box, which folder or file of this machine)."""
    yield from (("/usr", "/usr"), *((f"/{name}", f"/{name}") for name in ROOT_LINKS))
    yield from ((path, os.path.realpath(path)) for path in host_files())
    shown = {name: f"{stage}/{name}" if stage else place for name, place in _sources(allowed).items()}
    yield from ((f"/etc/{name}", f"{shown['etc']}/{name}") for name in ETC_FILES)
    if allowed.python_prefix:
        yield allowed.python_prefix, shown["python"]
    if allowed.environment:
        yield ENVIRONMENT, shown["environment"]


def _volumes(box: list[Option]) -> Iterator[tuple[str, int | None]]:
    """(path, size); None where the option just before does not set one."""
    for before, option in pairwise([("",), *box]):
        if option[0] == "--tmpfs":
            yield option[1], int(before[1]) if before[0] == "--size" else None


def _sizes(allowed: Allowed) -> dict[str, int]:
    limits = allowed.spec.limits
    sizes = {
        WORKSPACE: limits.workspace_bytes,
        "/tmp": limits.temporary_bytes,  # noqa: S108 - inside of the box
        "/var/tmp": VAR_TMP_BYTES,  # noqa: S108
        HOME: limits.home_bytes,
        "/dev/shm": SHARED_MEMORY_BYTES,  # noqa: S108 - inside of the box
    }
    if allowed.spec.writable_environment and allowed.environment is None:
        sizes[ENVIRONMENT] = limits.environment_bytes
    return sizes
