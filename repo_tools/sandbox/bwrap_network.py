"""The network namespace of a bubblewrap box: made around the box as it would be alone, so that a program outside of the
box (`network_program`) can give it addresses, and that services can share it."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from repo_tools.sandbox.bwrap_command import BoxCommand, EnvironmentFolder
from repo_tools.sandbox.bwrap_policy import STAGE
from repo_tools.sandbox.contract import BoxSpec

NETWORK = "--unshare-net"
ADMINISTERING = ("--cap-add", "CAP_NET_ADMIN")
"""Over that namespace alone: a user namespace owns it. A worker that is root needs no more than it has."""
READ_ONLY = ("--remount-ro", "/")
"""The last option of a box."""
USER_WORDS = 6
"""``setpriv`` and how it leaves root, see `BoxCommand`."""


@dataclass(frozen=True)
class Split:
    """A box's command line: the stage, how root is left (both empty for a worker that is not root), the box."""

    stage: list[str]
    become: list[str]
    box: list[str]


def split(argv: list[str]) -> Split:
    if "setpriv" not in argv:
        return Split([], [], argv)
    at = argv.index("setpriv")
    return Split(argv[:at], argv[at : at + USER_WORDS], argv[at + USER_WORDS :])


def shared(argv: list[str], added: Sequence[str] = ()) -> list[str]:
    """Without a network of its own, and with more options, before the root is made read-only."""
    end = argv.index("--") - len(READ_ONLY)
    return [*(word for word in argv[:end] if word != NETWORK), *added, *argv[end:]]


def networked(command: BoxCommand, spec: BoxSpec, environment: EnvironmentFolder | None, user: int | None) -> list[str]:
    """The command line of a box, as `BoxCommand.argv` makes and checks it, in such a namespace. SandboxError."""
    box = split(command.argv(spec, environment, user))
    return [*network_stage(command, box, user), *box.become, *shared(box.box)]


def network_stage(command: BoxCommand, box: Split, user: int | None, binds: Sequence[str] = ()) -> list[str]:
    """What runs whatever follows it in a network namespace that is ready. `binds`: more options of the stage."""
    outside = [str(command.bwrap.executable), "--unshare-user", NETWORK, *ADMINISTERING, "--dev-bind", "/", "/"]
    stage = outside if user is None else [*box.stage, *binds, NETWORK]
    program = files(__package__).joinpath("network_program.py").read_text("utf-8")
    return [*stage, staged_python(command, user), "-I", "-S", "-c", program]


def staged_python(command: BoxCommand, user: int | None) -> str:
    interpreter = command.interpreter
    if user is None or interpreter.prefix is None:
        return interpreter.executable
    return interpreter.executable.replace(interpreter.prefix, f"{STAGE}/python", 1)
