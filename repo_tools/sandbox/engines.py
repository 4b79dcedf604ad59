"""Which engine this machine can use: what is asked for, proved by starting a box with it."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from repo_tools.errors import ConfigError, SandboxError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import GVISOR, RUNC
from repo_tools.sandbox.layers import LayerLimits
from repo_tools.sandbox.owner import installation_id
from repo_tools.sandbox.proof import proved
from repo_tools.sandbox.service import ServiceSources

SETTING = "AGENT_FIX_SANDBOX"
_REMEDIES = {
    "docker": "start a container engine and run `agent-fix sandbox build`",
    "bubblewrap": "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu also "
    "kernel.apparmor_restrict_unprivileged_userns=0) for bubblewrap",
}
RUNTIMES = (GVISOR, RUNC)
"""In the order of preference: gVisor, which has a kernel of its own between a box and the machine's, comes first."""
LAYERS = LayerLimits()
NO_SOURCES = ServiceSources()
MakeEngine = Callable[[], SandboxEngine]


def open_engine(
    choice: str,
    data_dir: Path,
    image: str | None = None,
    *,
    runtime: str = "auto",
    accepted_runc: str | None = None,
    layers: LayerLimits = LAYERS,
    services: ServiceSources = NO_SOURCES,
    passed_over: Callable[[str], object] = lambda _why: None,
) -> SandboxEngine:
    """The engine of this name, or with ``auto`` the first one that works: docker, with gVisor before runc, then
    bubblewrap. ConfigError, saying what failed in each, where none can start a box: nothing is ever executed bare.

    `accepted_runc`: an older runc that the operator vouches for. `layers`: how much of them is kept. `services`:
    where servers beside boxes come from. `passed_over` is told of each engine that would have been taken before the one
    that is, and why it was not.
    """
    makers = engine_makers(data_dir, image, runtime, accepted_runc, layers, services)
    return first_working(chosen(choice, makers), passed_over)


def engine_makers(
    data_dir: Path,
    image: str | None,
    runtime: str = "auto",
    accepted_runc: str | None = None,
    layers: LayerLimits = LAYERS,
    services: ServiceSources = NO_SOURCES,
) -> Mapping[str, MakeEngine]:
    """In the order of preference. Each makes an engine that has run a command in a box, or raises SandboxError."""
    runtimes = RUNTIMES if runtime == "auto" else (runtime,)
    return {
        **{
            f"docker with {name}": partial(
                docker_engine,
                data_dir,
                image,
                name,
                accepted_runc,
                layers,
                services.images,
                automatic=runtime == "auto",
            )
            for name in runtimes
        },
        "bubblewrap": lambda: proved(
            BubblewrapEngine(data_dir, layer_limits=layers, service_programs=services.programs)
        ),
    }


def docker_engine(
    data_dir: Path,
    image: str | None,
    runtime: str,
    accepted_runc: str | None,
    layers: LayerLimits,
    service_images: Mapping[str, str],
    *,
    automatic: bool,
) -> SandboxEngine:
    """`automatic`: nobody asked for this runtime, so that boxes whose services it cannot have may take another."""
    installation, locks = installation_id(data_dir), data_dir.absolute() / "docker" / "locks"
    engine = DockerEngine(
        image,
        runtime=runtime,
        layer_limits=layers,
        locks=locks,
        installation=installation,
        service_images=service_images,
    )
    try:
        engine.check_versions(accepted_runc)
        proved(engine)
        if automatic and runtime == GVISOR:
            engine.serve_under(RUNC, accepted_runc)
    except SandboxError:
        engine.close()
        raise
    return engine


def chosen(choice: str, makers: Mapping[str, MakeEngine]) -> Mapping[str, MakeEngine]:
    if choice == "auto":
        return makers
    named = {name: make for name, make in makers.items() if name.split()[0] == choice}
    if not named:
        kinds = dict.fromkeys(name.split()[0] for name in makers)
        raise ConfigError(SETTING, f"no engine has this name: {choice}", f"Use auto, {' or '.join(kinds)}")
    return named


def first_working(
    makers: Mapping[str, MakeEngine], passed_over: Callable[[str], object] = lambda _why: None
) -> SandboxEngine:
    problems: dict[str, str] = {}  # what several have in common is told once
    for name, make in makers.items():
        try:
            engine = make()
        except SandboxError as error:
            problems[str(error)] = f"{problems[str(error)]}, {name}" if str(error) in problems else name
        else:
            for problem, names in problems.items():
                passed_over(f"{names}: {problem}")
            return engine
    told = "; ".join(f"{names}: {problem}" for problem, names in problems.items())
    kinds = {name.split()[0] for name in makers}
    remedy = ", or ".join(words for kind, words in _REMEDIES.items() if kind in kinds)
    raise ConfigError(SETTING, told, remedy[:1].upper() + remedy[1:])
