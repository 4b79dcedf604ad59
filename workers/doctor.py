"""What an operator may have got wrong, each with its remedy. Every check is one function; none stops the others."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from packaging.version import Version

from agent.errors import ModelError
from agent.model import Request
from agent.pricing import price_of
from repo_tools.counted import counted
from repo_tools.environment.contract import Tool
from repo_tools.environment.tools import PYTHON, offered
from repo_tools.errors import ConfigError, RepoError, SandboxError
from repo_tools.git_version import check_git
from repo_tools.sandbox.contract import BoxSpec, SandboxEngine
from repo_tools.sandbox.pythons import FURTHER
from repo_tools.sandbox.service import ServiceSources
from repo_tools.sandbox.service_survey import services_at_hand
from workers.build_workshop import open_model
from workers.github.checks import Check, check_app
from workers.load_settings import make_data_dir
from workers.message import BrokerUnavailableError
from workers.queue import make_celery, waiting_messages
from workers.sandbox import open_sandbox
from workers.settings import WorkerSettings
from workers.store import StoreUnavailableError, open_store

PROBE_TOKENS = 16
_ADD_PYTHONS = {
    "bubblewrap": "`agent-fix sandbox pythons` (root on Debian or Ubuntu) puts them beside this machine's own",
    "docker": "`agent-fix sandbox build` makes an image that has them, or says why one is left out",
}


def examine(settings: WorkerSettings) -> Iterator[Check]:
    """All checks, in the order in which an operator would mend them."""
    for what, look, remedy in LOOKS:
        try:
            yield Check(what, True, look(settings))
        except ConfigError as error:
            yield Check(what, False, f"{error.setting}: {error.problem}", error.remedy)
        except (RepoError, SandboxError, ModelError, StoreUnavailableError, BrokerUnavailableError, OSError) as error:
            yield Check(what, False, str(error), remedy)
    yield from _equipment(settings)
    yield from check_app(settings)


def _equipment(settings: WorkerSettings) -> Iterator[Check]:
    """Nothing is wrong where something is lacking, until a repository needs it. Without a sandbox there is no line."""
    with suppress(SandboxError, ConfigError):
        engine = open_sandbox(settings, passed_over=lambda _: None)
        found = services_at_hand(engine.name, ServiceSources(settings.service_images, settings.service_programs))
        yield Check("services", True, found.shown, found.remedy)
        yield _pythons(engine)


def _pythons(engine: SandboxEngine) -> Check:
    with engine.start(BoxSpec()) as box:
        return told_pythons([program.version for program in offered(box, (Tool(PYTHON),))[PYTHON]], engine.name)


def told_pythons(there: Sequence[str], engine: str) -> Check:
    """The line for a sandbox of this name that has these versions."""
    lacking = [p.version for p in FURTHER if not any(f"{version}.".startswith(f"{p.version}.") for version in there)]
    remedy = f"Repositories of other years run on {' or '.join(lacking)}: {_ADD_PYTHONS[engine]}."
    return Check("Pythons", True, f"at hand: {', '.join(sorted(there, key=Version))}", remedy if lacking else "")


def _data_directory(settings: WorkerSettings) -> str:
    make_data_dir(settings)
    return str(settings.data_dir)


def _git(_: WorkerSettings) -> str:
    return check_git()


def _database(settings: WorkerSettings) -> str:
    store = open_store(settings.effective_database_url)
    depth = store.queue_depth()
    store.close()
    return f"{settings.effective_database_url.split(':', 1)[0]}, {counted(depth, 'run')} waiting"


def _broker(settings: WorkerSettings) -> str:
    if settings.broker_url is None:
        return "embedded, started by `agent-fix serve`"
    waiting = waiting_messages(make_celery(settings.broker_url))
    return f"{settings.broker_url.split(':', 1)[0]}, {counted(waiting, 'message')} waiting"


def _sandbox(settings: WorkerSettings) -> str:
    passed_over: list[str] = []
    engine = open_sandbox(settings, passed_over=passed_over.append)
    return "; ".join([engine.describe(), *(f"not taken: {why}" for why in passed_over)])


def _model(settings: WorkerSettings) -> str:
    reply = open_model(settings).query(
        Request(
            "Answer with one word.",
            [{"role": "user", "content": [{"type": "text", "text": "Ready?"}]}],
            (),
            PROBE_TOKENS,
            30,
        )
    )
    _, known = price_of(settings.model, settings.price.price() if settings.price else None)
    return f"{reply.model} answers" + (
        "" if known else "; its price is not known, so it counts at the dearest known one"
    )


LOOKS: tuple[tuple[str, Callable[[WorkerSettings], str], str], ...] = (
    ("data directory", _data_directory, "Give AGENT_FIX_DATA_DIR a directory that this user may write."),
    ("git", _git, "Install git."),
    ("database", _database, "Check AGENT_FIX_DATABASE_URL and that the database runs."),
    ("broker", _broker, "Check AGENT_FIX_BROKER_URL and that the broker runs."),
    (
        "sandbox",
        _sandbox,
        "Start a container engine and run `agent-fix sandbox build`, or allow user namespaces for bubblewrap.",
    ),
    ("model", _model, "Check ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL and AGENT_FIX_MODEL."),
)
"""What is looked at, how, and the remedy where it does not say one itself."""
