"""The service as a child process."""

import sys
from pathlib import Path

import pytest

from app.demo.service import NO_STEPS, Service
from app.runs_api import MAX_STEPS
from app.standins.github import GitHubStandIn

WEB = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Web(BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self):
        if "/runs/" in self.path:
            Web.asked += 1
            if Web.asked == 1:
                AT_FIRST
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"status": "ended", "asked": Web.asked}).encode())

HTTPServer(("127.0.0.1", int(sys.argv[2])), Web).serve_forever()
"""


def service(github: GitHubStandIn, folder: Path, at_first: str) -> Service:
    """A web process of a few lines, that does `at_first` where it is asked for a run for the first time."""
    program = (sys.executable, "-c", WEB.replace("AT_FIRST", at_first))
    return Service(github, folder, {}, folder / "log", program)


def test_a_look_that_was_not_answered_is_no_end(tmp_path: Path) -> None:
    with GitHubStandIn() as github, service(github, tmp_path, "return") as running:
        assert running.wait_until_ended("r", 60) == {"status": "ended", "asked": 3}  # whether, and then how


def test_whether_a_run_has_ended_is_asked_for_without_its_steps(tmp_path: Path) -> None:
    at_first = f"'?after={NO_STEPS}' in self.path or os._exit(1)"
    with GitHubStandIn() as github, service(github, tmp_path, at_first) as running:
        assert running.wait_until_ended("r", 60)["asked"] == 2
    assert NO_STEPS in range(MAX_STEPS)


def test_who_looks_while_nobody_answers_is_told_nothing(tmp_path: Path) -> None:
    with GitHubStandIn() as github, service(github, tmp_path, "return") as running:
        assert running.look("r") is None
        assert running.look("r") == {"status": "ended", "asked": 2}


def test_a_service_that_ended_is_noticed_at_once(tmp_path: Path) -> None:
    with (
        GitHubStandIn() as github,
        service(github, tmp_path, "os._exit(1)") as running,
        pytest.raises(RuntimeError, match="the service ended"),
    ):
        running.wait_until_ended("r", 10**6)
