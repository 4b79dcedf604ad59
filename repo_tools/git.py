"""The one place that runs git, and never by anybody's rules but ours.

Whatever stands in the configuration of the machine, the user or the repository, no hook, monitor, filter, helper,
signing or transport program runs: git gets a bare environment and our configuration on top (`GIT_CONFIG_COUNT`,
git-config(1)). Every call has a time-out; every failure leaves as a `RepoError`, and as a `RepoUnavailableError` where
trying again may help.
"""

import errno
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

from repo_tools.errors import RepoError, RepoTooLargeError, RepoUnavailableError

_KEPT_VARIABLES = frozenset(
    {"PATH", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"}
    | {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}
)

_ENVIRONMENT = {
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "HOME": "/nonexistent",  # no ~/.netrc, no per-user attributes
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
}

OWN_IDENTITY = {
    "GIT_AUTHOR_NAME": "agent-fix",
    "GIT_AUTHOR_EMAIL": "noreply@agent-fix.invalid",
    "GIT_COMMITTER_NAME": "agent-fix",
    "GIT_COMMITTER_EMAIL": "noreply@agent-fix.invalid",
}
"""Who commits, where a commit is made here."""

_CONFIG = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.splitIndex": "false",
    "core.sparseCheckout": "false",
    "index.sparse": "false",
    "core.ignoreCase": "false",
    "core.untrackedCache": "false",
    "core.symlinks": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.attributesFile": "/dev/null",
    "core.askPass": "",
    "credential.helper": "",  # an empty value forgets every helper named before
    "gpg.program": "/bin/false",
    "gpg.ssh.program": "/bin/false",
    "gpg.x509.program": "/bin/false",
    "log.showSignature": "false",
    "i18n.commitEncoding": "UTF-8",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "120",
    # Ownership is checked because configuration may run programs; here it cannot.
    "safe.directory": "*",
}

_FILTERED = (
    "The clone was made with a filter (git clone --filter) and lacks some of this commit; "
    "`git fetch --refetch --no-filter` in it brings the rest."
)
_TRANSIENT = (
    "could not resolve host",
    "failed to connect",
    "couldn't connect",
    "could not connect",
    "connection refused",
    "connection reset",
    "connection timed out",
    "connection was reset",
    "timed out",
    "operation too slow",
    "empty reply from server",
    "transfer closed",
    "early eof",
    "rpc failed",
    "unexpected disconnect",
    "hung up unexpectedly",
    "expected flush",
    "gnutls recv error",
    "returned error: 429",
    "returned error: 5",
    "no space left on device",
)

_CHUNK_BYTES = 1 << 16
_NOT_FOUND = 127  # env(1), sh(1)
_LIMITED = 'trap "" XFSZ && ulimit -f "$1" && { [ -z "$2" ] || ulimit -v "$2"; } && shift 2 && exec "$@"'
_TOO_LARGE = os.strerror(errno.EFBIG)
_BLOCK_BYTES = 512  # of ulimit(1p)

LOCAL_SECONDS = 60.0
"""Time-out of a call that needs no network."""


class GitLimits(NamedTuple):
    """Of each process of one git, which gives up where a file is to grow further (`RepoTooLargeError`) or memory
    ends."""

    file_bytes: int
    memory_bytes: int | None = 1 << 30
    """Address space. A commit of a few hundred KB, as it is sent, may be half a GB."""

    def argv(self) -> list[str]:
        memory = "" if self.memory_bytes is None else str(self.memory_bytes >> 10)
        return ["sh", "-c", _LIMITED, "sh", str(self.file_bytes // _BLOCK_BYTES), memory]


class Git:
    """git by GitPython, on one git directory, or, with `discover`, in a folder that has one. `environment` and `config`
    are added to every call; transports are off unless `allowed_protocols` (``https``, ``https:http``) names them."""

    def __init__(
        self,
        folder: Path,
        *,
        discover: bool = False,
        environment: Mapping[str, str] | None = None,
        config: Mapping[str, str] | None = None,
        allowed_protocols: str = "none",
        limits: GitLimits | None = None,
    ) -> None:
        self._folder = folder
        self._limits = limits.argv() if limits else []
        self._environment = {
            **_ENVIRONMENT,
            **({} if discover else {"GIT_DIR": str(folder)}),
            "GIT_ALLOW_PROTOCOL": allowed_protocols,
            **_as_environment({**_CONFIG, **(config or {})}),
            **(environment or {}),
        }

    def run(self, *arguments: str, stdin: bytes = b"", timeout_seconds: float = LOCAL_SECONDS) -> bytes:
        """Standard output. RepoError where git fails; RepoUnavailableError where it may succeed later."""
        running = self.start(*arguments)
        try:
            output, problems = running.process.communicate(stdin, timeout=timeout_seconds)
        except subprocess.TimeoutExpired as error:
            raise RepoUnavailableError(f"git {arguments[0]} took longer than {timeout_seconds:g} seconds.") from error
        finally:
            running.stop()
        _check(arguments[0], running.process.returncode, problems)
        return output

    def listing(self, *arguments: str, most_bytes: int) -> bytes:
        """The same for an output that may be many times as large as what git reads: RepoError where it is more than
        `most_bytes`, of which git is ended."""
        deadline, parts, left = time.monotonic() + LOCAL_SECONDS, list[bytes](), most_bytes
        running = self.start(*arguments)
        try:
            while part := _read_some(running, deadline):
                parts.append(part)
                left -= len(part)
                if left < 0:
                    raise RepoError(f"git {arguments[0]} lists more than {most_bytes >> 20} MiB.")
            problems, code = running.stderr.read(), running.process.wait(max(0.1, deadline - time.monotonic()))
        except (TimeoutError, subprocess.TimeoutExpired) as error:
            raise RepoUnavailableError(f"git {arguments[0]} took longer than {LOCAL_SECONDS:g} seconds.") from error
        finally:
            running.stop()
        _check(arguments[0], code, problems)
        return b"".join(parts)

    def start(self, *arguments: str) -> "RunningGit":
        """A running git; end it with `stop`."""
        return RunningGit(self._process([*self._limits, "git", *arguments], self._environment))

    def _process(self, words: list[str], environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        # GitPython looks for git while it is imported, and would end a program that only wants to say that it is not
        # there.
        os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
        import git  # noqa: PLC0415 - see `ReadingGit`

        try:
            started = git.Git(self._folder).execute(
                ["env", *_unset(environment), *words],
                istream=subprocess.PIPE,
                as_process=True,
                env=environment,
                start_new_session=True,
            )
        except git.GitCommandNotFound as error:
            raise RepoError("git is not installed.") from error
        process = cast("subprocess.Popen[bytes]", started.proc)
        started.proc = None  # GitPython's own clean-up knows neither groups nor time-outs
        return process


class ReadingGit(Git):
    """The same without GitPython, whose import takes half as long as the map of a repository that was seen before."""

    def _process(self, words: list[str], environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        kept = {name: value for name, value in os.environ.items() if name in _KEPT_VARIABLES}
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                words,
                cwd=self._folder,
                env={**kept, **environment},
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,
            )
        except OSError as error:
            is_there = not isinstance(error, FileNotFoundError) or error.filename == self._folder
            raise RepoError(f"git cannot start: {error}" if is_there else "git is not installed.") from error


class RunningGit:
    """A git process in a group of its own, with pipes on its three streams."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.stdin = cast(IO[bytes], process.stdin)
        self.stdout = cast(IO[bytes], process.stdout)
        self.stderr = cast(IO[bytes], process.stderr)

    def stop(self) -> None:
        """Kill the process with its children if it still runs, and close its pipes. Idempotent."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for stream in (self.stdin, self.stdout, self.stderr):
            with suppress(BrokenPipeError):
                stream.close()


def _read_some(running: RunningGit, deadline: float) -> bytes:
    """What it has written, empty at its end. TimeoutError."""
    poll = select.poll()
    poll.register(running.stdout, select.POLLIN)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError
    return os.read(running.stdout.fileno(), _CHUNK_BYTES)


def _check(command: str, exit_code: int, problems: bytes) -> None:
    """RepoError where git failed, or is not there."""
    if exit_code == _NOT_FOUND:
        raise RepoError("git is not installed.")
    if exit_code != 0:
        raise failure(command, exit_code, problems)


def failure(command: str, exit_code: int, problems: bytes) -> RepoError:
    """The error for a git that ended with `exit_code` and said `problems` on standard error."""
    text = problems.decode(errors="replace").strip()
    lines = [line for line in text.splitlines() if line.startswith(("fatal:", "error:"))] or text.splitlines()
    said = " ".join(lines[:2]) or f"exit code {exit_code}"
    if _TOO_LARGE in text:
        return RepoTooLargeError(f"git {command} was ended: it wrote more than it may.")
    if "promisor remote" in text:
        return RepoError(f"git {command} failed: {said[:500]}. {_FILTERED}")
    kind = RepoUnavailableError if any(sign in text.lower() for sign in _TRANSIENT) else RepoError
    return kind(f"git {command} failed: {said[:500]}")


def _unset(environment: Mapping[str, str]) -> list[str]:
    """Options that make env(1) forget this process's variables: GitPython can only add to them."""
    unwanted = os.environ.keys() - _KEPT_VARIABLES - environment.keys()
    return [word for name in sorted(unwanted) for word in ("-u", name)]


def _as_environment(config: Mapping[str, str]) -> dict[str, str]:
    variables = {"GIT_CONFIG_COUNT": str(len(config))}
    for number, (key, value) in enumerate(config.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables
