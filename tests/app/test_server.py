"""The web process as a whole: what it says, what it keeps to itself, how it starts and ends."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from app.server import run_web
from repo_tools.errors import ConfigError
from tests.support.deliveries import SECRET, encoded, headers, labeled
from tests.support.processes import eventually
from tests.support.web import raw_answer, request, web_settings
from tests.support.web_process import web_process
from workers.store import open_store

OF_THE_WORKERS = {"alembic", "anthropic", "celery", "docker", "git", "githubkit", "kombu", "psycopg", "redis"}
NEEDLESS = OF_THE_WORKERS | {
    "jinja2",
    "pathspec",
    "repo_tools.environment.prepare",
    "markdown_it",
    "pydantic.v1",
    "rich",
    "sqlalchemy.dialects.postgresql",
}
TOKEN = "canary-token-of-the-read-api"


def test_no_secret_reaches_the_log(tmp_path: Path) -> None:
    """K04, whether in a header, an address, a body, a setting or a broker's URL."""
    with web_process(tmp_path, api_token=TOKEN) as web:
        good, bad = encoded(labeled(body="canary-of-the-issue")), b'{"action": "canary-of-a-bad-body"'
        for body in (good, bad):
            request(web.port, "POST", "/webhooks/github", body, headers(body))
        request(
            web.port, "POST", "/webhooks/github", good, {**headers(good), "X-Hub-Signature-256": "canary-signature"}
        )
        for path in ("/api/runs?token=canary-in-the-query", "/canary-in-the-path", "/api/runs?limit=canary"):
            request(web.port, "GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
        raw_answer(web.port, b"canary-instead-of-http\r\n\r\n")
        eventually(lambda: "waits for the reconciler" in web.log.read_text(), what="a ring to no broker that failed")
        log = web.log.read_text()
    assert "run " in log
    for secret in ("canary", SECRET, TOKEN, "broker-password"):
        assert secret not in log


def test_a_delivery_is_taken_while_the_broker_is_down_and_readyz_says_so(tmp_path: Path) -> None:
    with web_process(tmp_path) as web:
        body = encoded(labeled())
        status, answer = request(web.port, "POST", "/webhooks/github", body, headers(body))
        assert (status, json.loads(answer)["created"]) == (202, True)
        assert json.loads(request(web.port, "GET", "/readyz")[1]) == {"missing": ["worker", "broker"]}
        assert f"listening on http://127.0.0.1:{web.port}" in web.log.read_text()


def test_it_loads_nothing_that_others_need(tmp_path: Path) -> None:
    """Each of these would be megabytes in every web process."""
    program = """
import sys
import app.cli.commands, app.cli.web
from app.main import create_app
from app.settings import WebSettings
from workers.bell import open_bell
from workers.store import open_store

bell = open_bell("redis+socket:///tmp/broker.sock")
store = open_store(sys.argv[1])
create_app(WebSettings(github_webhook_secret="x" * 32), store, bell.ring, bell.answers, bound_to_loopback=True)
print(*sys.modules)
"""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    open_store(url).close()
    loaded = subprocess.run([sys.executable, "-c", program, url], check=True, capture_output=True, text=True)
    assert NEEDLESS & set(loaded.stdout.split()) == set()


def test_the_server_does_not_say_what_it_is(tmp_path: Path) -> None:
    with web_process(tmp_path) as web:
        answer = raw_answer(web.port, b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b"\r\nserver:" not in answer.lower()
        for path in ("/docs", "/redoc", "/openapi.json"):
            assert request(web.port, "GET", path)[0] == 404


def test_it_ends_when_told(tmp_path: Path) -> None:
    with web_process(tmp_path) as web:
        web.process.send_signal(signal.SIGTERM)
        web.process.wait(timeout=60)
        assert "Traceback" not in web.log.read_text()


def test_a_port_that_is_taken_is_said_plainly(tmp_path: Path) -> None:
    settings = web_settings(tmp_path, broker_url="redis://127.0.0.1:1/0")
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ConfigError, match="cannot be bound"):
        run_web(settings, "127.0.0.1", taken.getsockname()[1])


def test_without_a_broker_it_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="AGENT_FIX_BROKER_URL"):
        run_web(web_settings(tmp_path), "127.0.0.1", 0)


def test_a_bad_setting_ends_the_start_with_its_name_and_no_traceback(tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "AGENT_FIX_GITHUB_WEBHOOK_SECRET": "canary"}
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", "web", "--port", "0"],
        check=False,
        env=environment,
        capture_output=True,
        timeout=60,
        text=True,
    )
    assert ended.returncode == 2
    assert "AGENT_FIX_GITHUB_WEBHOOK_SECRET" in ended.stderr
    assert "canary" not in ended.stderr
    assert "Traceback" not in ended.stderr
