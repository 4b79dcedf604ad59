"""The command line that makes a box: where its parts stand, who runs it, how it is cut off."""

import os
from dataclasses import dataclass
from pathlib import Path

from repo_tools.errors import SandboxError
from repo_tools.sandbox.box_root import BOX_USER, HOSTNAME, Interpreter, root_arguments
from repo_tools.sandbox.bwrap_policy import STAGE, Allowed, violations
from repo_tools.sandbox.bwrap_program import Bwrap
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.source import box_argv

ISOLATION = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--disable-userns", "--cap-drop", "ALL", "--new-session", "--as-pid-1", "--clearenv", "--hostname", HOSTNAME),
    *("--uid", str(BOX_USER), "--gid", str(BOX_USER), "--chdir", "/"),
)
"""No ``--die-with-parent``: it would end the box with the thread that made it. A box ends with its channel."""


@dataclass(frozen=True)
class EnvironmentFolder:
    """A folder of this machine to show as `ENVIRONMENT`."""

    path: Path
    writable: bool = False


@dataclass(frozen=True)
class BoxCommand:
    """`etc` is the folder of `box_root.write_etc`."""

    bwrap: Bwrap
    interpreter: Interpreter
    etc: Path

    def argv(self, spec: BoxSpec, environment: EnvironmentFolder | None, user: int | None) -> list[str]:
        """`user`: the one to become first, where this process is root; None: this process's own. SandboxError where
        the command would make a box that no box may be."""
        made = self._argv(spec, environment, user)
        if found := violations(made, self._allowed(spec, environment, user), os.geteuid()):
            raise SandboxError(f"the command would make a box that no box may be: {', '.join(found)}")
        return made

    def _allowed(self, spec: BoxSpec, environment: EnvironmentFolder | None, user: int | None) -> Allowed:
        return Allowed(
            spec,
            etc=str(self.etc),
            python=self.interpreter.executable,
            python_prefix=self.interpreter.prefix,
            environment=str(environment.path) if environment else None,
            writable=bool(environment and environment.writable),
            programs={name: str(folder) for name, folder in self.bwrap.folders.items()},
            user=user,
        )

    def _argv(self, spec: BoxSpec, environment: EnvironmentFolder | None, user: int | None) -> list[str]:
        sources = {"etc": self.etc}
        if self.interpreter.prefix:
            sources["python"] = Path(self.interpreter.prefix)
        if environment:
            sources["environment"] = environment.path
        if user is None:
            places = {name: str(path) for name, path in sources.items()}
            return self._box(str(self.bwrap.executable), places, spec, environment)
        return self._staged(sources, spec, environment, user)

    def _staged(
        self, sources: dict[str, Path], spec: BoxSpec, environment: EnvironmentFolder | None, user: int
    ) -> list[str]:
        """First put what the box needs where any user may reach it (below /root nobody else could), in a mount
        namespace of its own; then become that user; then make the box."""
        sources = {**sources, **self.bwrap.folders}
        places = {name: f"{STAGE}/{name}" for name in sources}
        writable = {"environment"} if environment and environment.writable else set()
        stage = [str(self.bwrap.executable), "--dev-bind", "/", "/", "--tmpfs", STAGE]
        for name, path in sources.items():
            stage += ["--bind" if name in writable else "--ro-bind", str(path), places[name]]
        become = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups"]
        return [*stage, *become, *self._box(self.bwrap.below(STAGE), places, spec, environment)]

    def _box(
        self, bwrap: str, places: dict[str, str], spec: BoxSpec, environment: EnvironmentFolder | None
    ) -> list[str]:
        binds = []
        if self.interpreter.prefix:
            binds += ["--ro-bind", places["python"], self.interpreter.prefix]
        shown = (places["environment"], environment.writable) if environment else None
        root = root_arguments(spec, places["etc"], binds, shown)
        return [bwrap, *ISOLATION, *root, "--", *box_argv(self.interpreter.executable)]
