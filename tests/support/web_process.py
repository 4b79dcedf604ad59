"""`agent-fix web` as a process of its own."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from app.demo.ports import held_port
from tests.support.deliveries import SECRET
from tests.support.proc import memory_bytes
from tests.support.processes import end
from tests.support.web import request

NO_BROKER = "redis://:broker-password@127.0.0.1:1/0"
START_SECONDS = 120.0
STOP_SECONDS = 30.0
AGENT_FIX_WEB = ("app.cli", "web")


@dataclass(frozen=True)
class WebProcess:
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def memory_bytes(self) -> int:
        return memory_bytes(self.process.pid)


@contextmanager
def web_process(
    data_dir: Path, host: str = "127.0.0.1", program: tuple[str, ...] = AGENT_FIX_WEB, **settings: str
) -> Iterator[WebProcess]:
    """The process, answering. `settings` are AGENT_FIX_ variables; by default its broker is down."""
    with held_port() as held, _started(data_dir, held.getsockname()[1], host, program, settings) as process:
        yield process


@contextmanager
def _started(
    data_dir: Path, port: int, host: str, program: tuple[str, ...], settings: Mapping[str, str]
) -> Iterator[WebProcess]:
    log = data_dir / "web.log"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AGENT_FIX_")},
        "AGENT_FIX_DATA_DIR": str(data_dir),
        "AGENT_FIX_BROKER_URL": NO_BROKER,
        "AGENT_FIX_GITHUB_WEBHOOK_SECRET": SECRET,
        **{f"AGENT_FIX_{name.upper()}": value for name, value in settings.items()},
    }
    command = [sys.executable, "-m", *program, "--host", host, "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        _await_answer(process, port, log)
        yield WebProcess(port, process, log)
    finally:
        end(process, STOP_SECONDS)


def _await_answer(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError, http.client.HTTPException):
            if request(port, "GET", "/livez")[0] == 200:
                return
        time.sleep(0.05)
    raise AssertionError(f"the web process did not start: {log.read_text(errors='replace')}")
