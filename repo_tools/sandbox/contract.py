"""What every sandbox backend promises.

A box is a root file system that cannot be written, an empty `WORKSPACE`, `HOME`, `/tmp` and `/var/tmp` on size-capped
memory, `ENVIRONMENT` (read-only, from a `Layer`, or writable and size-capped while it is being made), one unprivileged
user, and no network at all. In the set-up phase the only way out is a tunnel through the box's own control channel to
an allow-listing proxy in this process; there is no interface to reach the host, loopback or metadata addresses with.

A command that fails is data (`ExecResult`); a box that fails is an exception (`SandboxError`).
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol, Self

from repo_tools.changes import FileMode, Tree
from repo_tools.sandbox.service import Service

WORKSPACE = "/workspace"
"""Where the repository stands in every box."""
ENVIRONMENT = "/env"
"""The one fixed path that set-up writes to; it becomes the layer."""
HOME = "/box"
"""Of the box's user. Not below the temporary folder, as nobody's is: test suites tell the two apart by their paths."""
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
SYSTEM_PROGRAMS = {"PATH": SYSTEM_PATH}
"""Variables of a command of ours that needs nothing of the environment: packages may bring a `tar` of their own."""
VAR_TMP_BYTES = 64 << 20
"""Of /var/tmp, which suites expect to be there and hardly use."""
SHARED_MEMORY_BYTES = 256 << 20
"""Of /dev/shm: four times a container engine's own default, which programs with several processes find too small."""
OWN_ADDRESS = "127.0.1.1"
"""What the box's own host name stands for, as on Debian: an address of the loopback interface."""


@dataclass(frozen=True)
class Limits:
    """Upper bounds of one box. All are enforced outside of the box's user's reach."""

    memory_bytes: int = 4 << 30
    processors: float = 2.0
    processes: int = 512
    open_files: int = 4096
    workspace_bytes: int = 1 << 30
    environment_bytes: int = 3 << 30
    temporary_bytes: int = 2 << 30  # suites of tools that make environments fill more than half of one
    home_bytes: int = 512 << 20


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Making:
    """How a layer was made: kept beside it, for the evidence of every run that finds it. `made_at` (Unix time) is the
    engine's to fill in."""

    seconds: float = 0.0
    refused_hosts: tuple[str, ...] = ()
    log: str = ""
    made_at: float = 0.0
    notes: tuple[str, ...] = ()


UNTOLD = Making()


@dataclass(frozen=True)
class Layer:
    """A prepared `ENVIRONMENT`, kept by the engine that made it. `reference` is the engine's own name for it
    (an image id, a folder)."""

    key: str
    reference: str
    making: Making = UNTOLD


@dataclass(frozen=True)
class BoxSpec:
    """What a box is started with.

    `allowed_hosts`: host names (``pypi.org``, ``*.example.org``) that the set-up phase may reach; empty: no network.
    `writable_environment`: set-up phase; `ENVIRONMENT` is an empty writable volume instead of `layer`.
    `services`: servers of the box's own, on its loopback interface; they answer when the box is ready, and end with it.
    """

    limits: Limits = Limits()
    layer: Layer | None = None
    writable_environment: bool = False
    allowed_hosts: tuple[str, ...] = ()
    services: tuple[Service, ...] = ()


@dataclass(frozen=True)
class ExecResult:
    """How a command ended. `output` is standard output and error as they came, cut in the middle at the limit."""

    exit_code: int  # 128 + signal number where a signal ended it; 124 where the time-out did
    output: bytes
    seconds: float
    timed_out: bool = False


class BoxProcess(Protocol):
    """One process that goes on between the other calls of its box (`Sandbox.open_process`), spoken to through its
    standard input and its one output, standard output and error as they come.

    It ends with its box, and all of its descendants end with it; those that are no longer its descendants (daemons)
    end with the next command of the box. Nothing of its output is lost and nothing is stored: it waits where nobody
    receives. It may end at any time, by itself or because it or the whole box passed a limit; a box that fails is a
    `SandboxError`, here too. While it lives, it can reach into the commands of its box as they run: nothing that such a
    box says proves anything. Not thread-safe; `close` is idempotent.
    """

    def send(self, data: bytes, *, timeout_seconds: float) -> None:
        """All of `data` to its standard input. TimeoutError where it did not take them in time (some may have been
        taken), BrokenPipeError where it has ended or closed its input."""
        ...

    def receive(self, *, timeout_seconds: float) -> bytes:
        """What it has written since, at least one byte and at most 64 KiB; empty once it has ended (or closed its
        output) and everything was received. TimeoutError where it writes nothing for so long; it goes on then."""
        ...

    def exit_code(self) -> int | None:
        """As in `ExecResult`; None while it runs."""
        ...

    def close(self) -> None:
        """Kill it and its descendants."""
        ...


class Sandbox(Protocol):
    """One running box. Every path argument is absolute and stands for a place inside the box; no method follows a
    symbolic link at any component of it. Not thread-safe. `close` is idempotent and leaves nothing behind."""

    def exec(
        self,
        argv: Sequence[str],
        *,
        timeout_seconds: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        max_output_bytes: int = 200_000,
    ) -> ExecResult:
        """Run one command to its end; whatever it leaves running is killed. Memory here stays flat however much it
        prints."""
        ...

    def open_process(
        self, argv: Sequence[str], *, cwd: str = WORKSPACE, environment: Mapping[str, str] | None = None
    ) -> BoxProcess:
        """Start one command that goes on; at most 8 at a time. OSError where it cannot be started, as of a program
        that is not there."""
        ...

    def read(self, path: str, *, max_bytes: int) -> bytes:
        """The first `max_bytes` of a regular file. FileNotFoundError, IsADirectoryError, or PermissionError where the
        path is, or leads through, anything but directories and a regular file."""
        ...

    def write(self, path: str, content: bytes, mode: FileMode = FileMode.REGULAR) -> None:
        """Create or replace a regular file (or, with mode SYMLINK, a link whose target is `content`), making parent
        directories. OSError with errno ENOSPC where the volume is full."""
        ...

    def delete(self, path: str) -> None:
        """Remove a file, a link or a whole directory; parents that become empty go too (never `WORKSPACE` itself)."""
        ...

    def upload(self, tar: BinaryIO, to: str) -> None:
        """Unpack an uncompressed tar stream below directory `to`."""
        ...

    def download(self, path: str, into: BinaryIO, under: str = "") -> None:
        """Write directory `path` as an uncompressed tar stream (names relative to it, with `under` before each) into a
        host file."""
        ...

    def tree(self, path: str = WORKSPACE) -> Tree:
        """Every file below `path` (except a top-level ``.git``) as git would see it: root-relative path, mode, blob
        id. Files whose status did not change since the last call are not read again."""
        ...

    def stamps(self, paths: Sequence[str]) -> tuple[bytes, ...]:
        """One for each of `paths`, which changes with whatever is done to the file, link or folder there: three
        numbers, the last two in nanoseconds. Which it is; when the kernel says that it was last altered, which no
        command can set; and when its content, of a folder its list of names, was. Empty where nothing stands, or what
        stands cannot be looked at."""
        ...

    def refused_hosts(self) -> tuple[str, ...]:
        """Hosts that the set-up phase asked for and did not get, in the order of asking, each once."""
        ...

    def service_notes(self) -> tuple[str, ...]:
        """Which services the box was started without, and what stands in for others, in sentences for people."""
        ...

    def silent_services(self) -> tuple[str, ...]:
        """Those that were there and do not answer any more, for people."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_error: object) -> None: ...


class SandboxEngine(Protocol):
    """Starts boxes and keeps layers."""

    name: str  # "docker" or "bubblewrap"

    def start(self, spec: BoxSpec) -> Sandbox:
        """A box that is ready for its first command. SandboxError where none can be had, `LayerGoneError` where the
        layer of `spec` was evicted since it was found."""
        ...

    def find_layer(self, key: str) -> Layer | None:
        """The layer of this key, unless it is too old; it counts as used now."""
        ...

    def forget_layer(self, layer: Layer) -> None:
        """Nobody finds `layer` any more; boxes that use it go on. Harmless where it has gone, or another one stands
        there."""
        ...

    def making(self, key: str, wait_seconds: float) -> AbstractContextManager[None]:
        """Of the workers on this machine only one at a time is within, for one key. Entered after `wait_seconds` at the
        latest: doing it twice is a waste, not a fault."""
        ...

    def save_layer(self, key: str, box: Sandbox, making: Making = UNTOLD) -> Layer:
        """Keep the `ENVIRONMENT` of a set-up box under `key` (hex digits). Made once; a second maker of the same key
        finds the first one's. Others that were not used for the longest time go, as far as the engine's bound wants."""
        ...

    def describe(self) -> str:
        """Engine, version and image, for the evidence: ``docker 20.10.24, runc 1.1.5, image sha256:…``."""
        ...

    def platform_key(self) -> str:
        """Names everything of the engine that a layer depends on (platform, base image digest, interpreter)."""
        ...
