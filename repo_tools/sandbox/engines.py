"""Which engine this machine can use: what is asked for, proved by starting a box with it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from repo_tools.errors import ConfigError, SandboxError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, SandboxEngine
from repo_tools.sandbox.docker import DockerEngine

SETTING = "AGENT_FIX_SANDBOX"
PROBE_SECONDS = 30.0
REMEDY = (
    "Start a container engine and run `agent-fix sandbox build`, or allow unprivileged user namespaces "
    "(sysctl kernel.unprivileged_userns_clone=1; on Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0) "
    "for bubblewrap"
)
MakeEngine = Callable[[], SandboxEngine]


def open_engine(choice: str, data_dir: Path, image: str | None = None) -> SandboxEngine:
    """The engine of this name, or with ``auto`` the first one that works: docker, then bubblewrap. ConfigError, saying
    what failed in each, where none can start a box: nothing is ever executed bare."""
    return first_working(chosen(choice, engine_makers(data_dir, image)))


def engine_makers(data_dir: Path, image: str | None) -> Mapping[str, MakeEngine]:
    """In the order of preference."""
    return {"docker": lambda: DockerEngine(image), "bubblewrap": lambda: BubblewrapEngine(data_dir)}


def chosen(choice: str, makers: Mapping[str, MakeEngine]) -> Mapping[str, MakeEngine]:
    if choice == "auto":
        return makers
    if choice not in makers:
        raise ConfigError(SETTING, f"no engine has this name: {choice}", f"Use auto, {' or '.join(makers)}")
    return {choice: makers[choice]}


def first_working(makers: Mapping[str, MakeEngine]) -> SandboxEngine:
    problems = []
    for name, make in makers.items():
        try:
            return proved(make())
        except SandboxError as error:
            problems.append(f"{name}: {error}")
    raise ConfigError(SETTING, "; ".join(problems), REMEDY)


def proved(engine: SandboxEngine) -> SandboxEngine:
    """The same engine, after a command ran in one of its boxes."""
    with engine.start(BoxSpec()) as box:
        result = box.exec(["true"], timeout_seconds=PROBE_SECONDS)
    if result.exit_code != 0:
        raise SandboxError(f"a box cannot run `true`: {result.output.decode(errors='replace')[:500]}")
    return engine
