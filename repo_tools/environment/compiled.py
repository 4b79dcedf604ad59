"""What a Python project compiles in place: at set-up, of the base commit, and again where a change touches its
sources."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from repo_tools.changes import Tree
from repo_tools.environment.compiled_program import ALTERS, BUILD, KEPT, SOURCE
from repo_tools.environment.contract import ACTIVATE, SetupCommand
from repo_tools.environment.runners.ctest import not_built
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE, ExecResult, Sandbox

_START = ("python3", "-I", "-S", "-c", (files("repo_tools.environment") / "compiled_program.py").read_text("utf-8"))
_ALTERS = re.compile(f"^{ALTERS}.*", re.MULTILINE)
_PYTHON = f"{ENVIRONMENT}/venv/bin/python"
_LONGEST = 500
_MOST_NAMED = 5


@dataclass(frozen=True)
class Recompiled:
    """`changed`: root-relative paths of what was compiled again; `stale`: of what was not, because the build itself was
    changed. `problem`: why that failed, for a person, with what was said."""

    changed: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    seconds: float = 0.0
    problem: str | None = None
    output: str = ""
    timed_out: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.stale:
            return ()
        more = f" and {len(self.stale) - _MOST_NAMED} more" if len(self.stale) > _MOST_NAMED else ""
        named = ", ".join(path[:_LONGEST] for path in self.stale[:_MOST_NAMED])
        return (f"Tests saw the base commit's compiled code, because {' or '.join(BUILD)} changed too: {named}{more}.",)


def is_compiled(tree: Tree) -> bool:
    return any(map(SOURCE.fullmatch, tree))


def before_installs() -> SetupCommand:
    """In the project's folder."""
    return SetupCommand((*_START, "begin"), required=False, typed="note the sources that are compiled")


def after_installs(requirements: Iterable[str], installer: Iterable[str], made: Iterable[str]) -> SetupCommand:
    """`requirements`: what the build needs; `installer`: the words of a command that installs such; `made`: sources
    that Cython makes before it. Never fatal: where that cannot be had, or takes too long (a build of the project's own
    kind may compile everything once more), tests see what was compiled of the base commit."""
    argv = (*_START, "keep", _PYTHON, *requirements, "--", *installer, "--", *made)
    return SetupCommand(argv, required=False, spare=True, typed="keep what the project is compiled with")


def compile_again(box: Sandbox, variables: Mapping[str, str], timeout_seconds: float) -> Recompiled:
    """Before tests are run: what changed since set-up, or since the last time in this box."""
    try:
        box.read(KEPT, max_bytes=1)
    except FileNotFoundError:
        return Recompiled()
    argv = (*ACTIVATE, *_START, "again", _PYTHON)
    result = box.exec(argv, timeout_seconds=timeout_seconds, cwd=WORKSPACE, environment=variables)
    output = result.output.decode("utf-8", "replace")
    if result.timed_out:
        told = f"What the change has compiled again was not compiled within {timeout_seconds:.0f} seconds."
        return Recompiled(seconds=result.seconds, problem=told, output=output, timed_out=True)
    altered = _ALTERS.search(output)
    problem = (altered[0][:_LONGEST] if altered else not_built(result.output)) if result.exit_code else None
    return Recompiled(*_named(result), result.seconds, problem, output)


def _named(result: ExecResult) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(changed, stale), of the last line. What the repository's build prints may look like it, and then names what it
    likes."""
    try:
        changed, stale = json.loads(result.output.rstrip().rpartition(b"\n")[2])
        return tuple(map(str, changed)), tuple(map(str, stale))
    except (ValueError, TypeError, RecursionError):
        return (), ()
