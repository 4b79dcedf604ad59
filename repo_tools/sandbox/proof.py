"""What an engine has to show before a worker rests on it: a box in which a command runs, and none reaches process 1."""

from importlib.resources import files

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine

PROBE_SECONDS = 30.0
ORDINARY = ("ls", "-d", "/")  # in gVisor before 2023 it fails: AT_NO_AUTOMOUNT is unknown to that
_PROGRAM = files("repo_tools.sandbox") / "reach_program.py"


def proved(engine: SandboxEngine) -> SandboxEngine:
    """The same engine. SandboxError where a box cannot run a command, or where commands get at the memory of process 1,
    in which the key of its channel is: with that one, results could be forged."""
    with engine.start(BoxSpec()) as box:
        ran = box.exec(ORDINARY, timeout_seconds=PROBE_SECONDS)
        if ran.exit_code != 0:
            said = ran.output.decode(errors="replace")[:500]
            raise SandboxError(f"a box cannot run `{' '.join(ORDINARY)}`: {said}: is its runtime a current release?")
        if ways := ways_into(box, 1):
            raise SandboxError(
                f"commands in a box get at the memory of its process 1 (by {', '.join(ways)}) and could forge results:"
                " this runtime does not keep processes from each other, take a current release"
            )
    return engine


def ways_into(box: Sandbox, pid: int) -> tuple[str, ...]:
    """How a command gets at the memory of process `pid` of its box; empty where it does not. SandboxError where that
    cannot be tried."""
    argv = ["python3", "-I", "-S", "-c", _PROGRAM.read_text("utf-8"), str(pid)]
    tried = box.exec(argv, timeout_seconds=PROBE_SECONDS)
    said = tried.output.decode(errors="replace")
    if tried.exit_code != 0:
        raise SandboxError(f"a box cannot try whether its process 1 is safe: {said[-500:]}")
    return tuple(said.splitlines())
