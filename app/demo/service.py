"""`agent-fix serve` as a child process, beside a stand-in for GitHub: the same program that an operator runs."""

import os
import ssl
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import httpx

from app.demo.ports import held_port
from app.standins.github import GitHubStandIn
from workers.leash import leashed

READY_SECONDS = 240.0  # machines may be busy; a process that ends is noticed at once
STOP_SECONDS = 30.0
POLL_SECONDS = 0.2
NO_STEPS = 10**7
"""After so many there are none: to be asked whether a run has ended costs the web process little without them."""

_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For plain HTTP on loopback: to load this machine's takes longer than all the rest of a request."""

Json = dict[str, Any]
SERVE = (sys.executable, "-m", "app.cli", "serve")


class Service:
    """Started on entry, ready when the block begins, ended with it. What it says goes to `log`."""

    def __init__(
        self,
        github: GitHubStandIn,
        folder: Path,
        settings: Mapping[str, str],
        log: Path,
        program: Sequence[str] = SERVE,
        ready: str = "/readyz",
    ) -> None:
        """`program` is given the port that it listens on; `ready` is the path that answers once it is up."""
        self._program = program
        self._ready = ready
        self._github = github
        self._folder = folder
        self._settings = settings
        self._log = log
        self._held = held_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._held.getsockname()[1]}"

    def __enter__(self) -> Self:
        command = (*self._program, "--port", str(self._held.getsockname()[1]))
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(leashed(command), env=self._environment(), stdout=log, stderr=log)
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise
        self._github.webhook_url = f"{self.url}/webhooks/github"
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        self._held.close()
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    @property
    def pid(self) -> int:
        """Of the supervisor; the service must be running."""
        if self._process is None:
            raise RuntimeError("the service is not running")
        return self._process.pid

    def get(self, path: str) -> Json:
        """What the API answers to GET `path`."""
        answer = httpx.get(self.url + path, timeout=10, verify=_NO_CERTIFICATES)
        answer.raise_for_status()
        found: Json = answer.json()
        return found

    def run(self, run_id: str) -> Json:
        return self.get(f"/api/runs/{run_id}")

    def look(self, run_id: str) -> Json | None:
        """The run; None where nobody answers just now: busy, or a web process that starts again."""
        with suppress(httpx.TransportError):
            return self.run(run_id)
        return None

    def wait_until_ended(self, run_id: str, timeout_seconds: float = 600) -> Json:
        """The run, when it has ended. TimeoutError; RuntimeError where the service ended first."""
        deadline = time.monotonic() + timeout_seconds
        while time.monotonic() < deadline:
            known = self.look(f"{run_id}?after={NO_STEPS}")
            if known and known["status"] == "ended" and (run := self.look(run_id)):
                return run
            if self._has_ended():
                raise RuntimeError(f"the service ended while run {run_id} did not:\n{_tail(self._log)}")
            time.sleep(POLL_SECONDS)
        raise TimeoutError(f"run {run_id} did not end within {timeout_seconds:g} s; see {self._log}")

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "AGENT_FIX_DATA_DIR": str(self._folder),
            "AGENT_FIX_GITHUB_API_URL": self._github.api_url,
            "AGENT_FIX_GITHUB_SERVER_URL": self._github.server_url,
            "AGENT_FIX_GITHUB_APP_ID": self._github.app_id,
            "AGENT_FIX_GITHUB_PRIVATE_KEY": self._github.private_key_pem,
            "AGENT_FIX_GITHUB_WEBHOOK_SECRET": self._github.webhook_secret,
            **self._settings,
        }

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self._answers(self._ready):
            if self._has_ended() or time.monotonic() > deadline:
                raise RuntimeError(f"the service did not start:\n{_tail(self._log)}")
            time.sleep(POLL_SECONDS)

    def _has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def _answers(self, path: str) -> bool:
        try:
            return httpx.get(self.url + path, timeout=5, verify=_NO_CERTIFICATES).is_success
        except httpx.TransportError:
            return False


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-20:])
