"""A container engine for the tests: `python -m scripts.engine ensure|stop|status`.

`ensure` uses the engine that answers at DOCKER_HOST or at the default socket. Where none does and this is
root on Debian or Ubuntu, it installs one and starts a daemon of its own below `.cache/engine`, with neither a
bridge nor packet filter rules: the sandbox containers have no network, so it needs no kernel modules and
changes nothing of the host. Elsewhere it says what is missing. Standard output is the DOCKER_HOST alone.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import docker
from docker.errors import DockerException

from scripts import debian

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".cache" / "engine"
DEFAULT_SOCKET = Path("/var/run/docker.sock")
PACKAGES = {"dockerd": "docker.io", "mmdebstrap": "mmdebstrap"}  # program: Debian package
GVISOR_SUITE = "trixie"  # the first of Debian's whose runsc has the fast platform (systrap) and runs `ls` and `stat`
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")  # on Ubuntu a package: the image is Debian's
LONGEST_DIRECTORY = 60  # a socket's path holds 107 bytes, and containerd adds some 40 to the directory
START_SECONDS = 180  # machines may be busy; a daemon that ends is noticed at once
STOP_SECONDS = 120


class EngineMissingError(Exception):
    """No engine answers and none can be started here; the text says why and what would help."""


class EngineStaysError(Exception):
    """The daemon did not end when it was told to."""


def runtime_directory() -> Path:
    """Where sockets and the process id stand: a short path, and always the same one for this checkout."""
    if len(str(STATE)) <= LONGEST_DIRECTORY:
        return STATE
    return Path("/run") / f"agent-fix-engine-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]}"


def own_host() -> str:
    return f"unix://{runtime_directory() / 'engine.sock'}"


def pid_file() -> Path:
    return runtime_directory() / "pid"


def answers(host: str | None) -> bool:
    """Whether an engine answers at `host`; None for what DOCKER_HOST and the SDK's default say."""
    environment = {**os.environ, "DOCKER_HOST": host} if host else None
    try:
        client = docker.DockerClient.from_env(timeout=10, environment=environment)
    except DockerException:
        return False
    try:
        return bool(client.ping())
    except (DockerException, OSError):
        return False
    finally:
        client.close()


def running_host() -> str | None:
    """DOCKER_HOST of the engine that answers now: the one of the environment, the default one, or our own."""
    if named := os.environ.get("DOCKER_HOST"):
        return named if answers(None) else None
    for host in (f"unix://{DEFAULT_SOCKET}", own_host()):
        if Path(host.removeprefix("unix://")).exists() and answers(host):
            return host
    return None


def ensure() -> tuple[str, bool]:
    """(DOCKER_HOST, whether this call started it). EngineMissingError where there can be none."""
    if host := running_host():
        say(f"using the container engine at {host}")
        return host, False
    if named := os.environ.get("DOCKER_HOST"):
        raise EngineMissingError(
            f"DOCKER_HOST is {named}, but nothing answers there: start that engine or unset the variable"
        )
    install_missing()
    if host := installed_service():
        return host, False
    return start(), True


def install_missing() -> None:
    """Install the packages that are not here yet. EngineMissingError where that is not for us to do."""
    if os.geteuid() != 0:
        raise EngineMissingError(
            "no container engine answers, and only root can start one: start it, or set DOCKER_HOST"
        )
    STATE.mkdir(parents=True, exist_ok=True)
    keyring = {} if KEYRING.exists() else {str(KEYRING): "debian-archive-keyring"}
    try:
        debian.install_missing({**PACKAGES, **keyring})
    except debian.ProgramsMissingError as error:
        if shutil.which("dockerd") is None:
            raise EngineMissingError(f"no container engine answers, and {error}") from error
    try:
        extract_gvisor()
    except debian.ProgramsMissingError as error:
        say(f"{error}: the tests of gVisor will say so")


def extract_gvisor() -> None:
    """One static program below our own directory, so that nothing of the machine changes.

    ProgramsMissingError where it cannot be had."""
    if gvisor().exists():
        return
    with tempfile.TemporaryDirectory(dir=STATE) as name:
        debian.extract("runsc", GVISOR_SUITE, Path(name))
        Path(name, "usr/bin/runsc").rename(gvisor())


def gvisor() -> Path:
    return STATE / "runsc"


def installed_service() -> str | None:
    """The package's own service, where the machine has an init system that started it just now."""
    host = f"unix://{DEFAULT_SOCKET}"
    deadline = time.monotonic() + 15
    while Path("/run/docker.pid").exists() and DEFAULT_SOCKET.exists() and time.monotonic() < deadline:
        if answers(host):
            say(f"using the container engine at {host}")
            return host
        time.sleep(0.3)
    return None


def start() -> str:
    """Start a daemon of our own and wait until it answers."""
    directory = runtime_directory()
    for needed in (STATE, directory):
        needed.mkdir(parents=True, exist_ok=True)
    configuration().write_text(json.dumps({"runtimes": runtimes()}))
    log = STATE / "log"
    with log.open("wb") as output:
        daemon = subprocess.Popen(
            daemon_command(directory),
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    deadline = time.monotonic() + START_SECONDS
    while not answers(own_host()):
        if daemon.poll() is not None or time.monotonic() > deadline:
            daemon.terminate()
            raise EngineMissingError(f"dockerd did not start; the end of {log}:\n{last_lines(log)}")
        time.sleep(0.2)
    say(f"started a container engine, DOCKER_HOST={own_host()}, log {log}")
    return own_host()


def daemon_command(directory: Path) -> list[str]:
    return [
        "dockerd", "--config-file", str(configuration()), "--host", own_host(), "--pidfile", str(pid_file()),
        "--data-root", str(STATE / "data"), "--exec-root", str(directory / "exec"),
        "--bridge=none", "--iptables=false", "--ip-forward=false", "--log-level=warn",
    ]  # fmt: skip


def configuration() -> Path:
    return STATE / "daemon.json"


def runtimes() -> dict[str, dict[str, object]]:
    """Besides the daemon's own: gVisor, where it could be had."""
    return {"runsc": {"path": str(gvisor()), "runtimeArgs": ["--network=none"]}} if gvisor().exists() else {}


def last_lines(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:])


def stop() -> None:
    """Stop the daemon that `ensure` started, by its process id, and wait for its end. EngineStaysError."""
    pid = own_pid()
    if pid is None:
        say("no engine of ours is running")
        return
    with suppress(ProcessLookupError):  # it ended by itself
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while own_pid() == pid:
        if time.monotonic() > deadline:
            raise EngineStaysError(f"dockerd (process {pid}) did not end within {STOP_SECONDS} seconds")
        time.sleep(0.2)
    say("stopped the container engine")


def kill() -> None:
    """End the daemon that would not stop."""
    if (pid := own_pid()) is not None:
        with suppress(ProcessLookupError):  # it ended after all
            os.kill(pid, signal.SIGKILL)


def own_pid() -> int | None:
    """Process id of our daemon; None where the file is stale (another program may have the number by now)."""
    try:
        pid = int(pid_file().read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    return pid if str(pid_file()).encode() in command else None


def say(text: str) -> None:
    print(f"engine: {text}", file=sys.stderr, flush=True)


def main(verb: str) -> int:
    if verb == "stop":
        try:
            stop()
        except EngineStaysError as problem:
            sys.exit(f"engine: {problem}")
        return 0
    if verb == "status":
        host = running_host()
        print(host or "no container engine answers")
        return 0 if host else 1
    try:
        print(ensure()[0])
    except EngineMissingError as problem:
        say(f"MISSING: {problem}")
        say("the tests that need a container engine will not run")
        return 1 if os.environ.get("CI") else 0
    return 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["ensure"], ["stop"], ["status"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
