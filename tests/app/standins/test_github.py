"""The GitHub stand-in beside its API: access, git over HTTP, pages, deliveries."""

import hashlib
import hmac
import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest

from app.standins.github import GitHubStandIn
from app.standins.markdown_page import render_markdown
from tests.support.github import FILES, REPOSITORY, settings_for
from workers.github.app_auth import InstallationTokens, load_credentials
from workers.github.rest import Connection


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    with GitHubStandIn() as standin:
        standin.create_repository(REPOSITORY, FILES, private=True)
        standin.open_issue(
            REPOSITORY, "<b>Wrong</b> sum", "See ![x](https://evil.example/x.png) <script>alert(1)</script>"
        )
        yield standin


@pytest.fixture
def token(github: GitHubStandIn, tmp_path: Path) -> str:
    credentials = load_credentials(settings_for(github, tmp_path))
    tokens = InstallationTokens(Connection(github.api_url), credentials)
    return tokens.token(github.state.installation_id, github.state.repository(REPOSITORY).id)


def ask(github: GitHubStandIn, path: str, credential: str | None = None, method: str = "GET") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {credential}"} if credential else {}
    answer = httpx.request(method, github.api_url + path, headers=headers, json={} if method == "POST" else None)
    return answer.status_code, answer.json()["message"] if answer.is_error else ""


def test_nothing_is_told_without_a_good_credential(github: GitHubStandIn, token: str) -> None:
    path = f"/repos/{REPOSITORY}/issues/1"
    assert ask(github, path) == (401, "Requires authentication")
    assert ask(github, path, "ghs_wrong") == (401, "Bad credentials")
    assert ask(github, "/app", token) == (401, "A JSON web token could not be decoded")
    assert ask(github, path, token) == (200, "")


def test_each_state_of_a_repository_has_its_refusal(github: GitHubStandIn, token: str) -> None:
    repository = github.state.repository(REPOSITORY)
    comments = f"/repos/{REPOSITORY}/issues/1/comments"
    repository.archived = True
    assert ask(github, comments, token, "POST") == (403, "Repository was archived so is read-only.")
    repository.archived, repository.has_issues = False, False
    assert ask(github, comments, token, "POST") == (410, "Issues are disabled for this repo")
    github.state.permissions["issues"] = "read"
    assert ask(github, comments, token, "POST") == (403, "Resource not accessible by integration")


def test_a_real_token_is_as_long_as_githubs(token: str) -> None:
    assert token.startswith("ghs_")
    assert len(token) > 500


def clone(github: GitHubStandIn, to: Path, credential: str | None) -> int:
    header = ["-c", f"http.extraHeader=Authorization: {credential}"] if credential else []
    argv = ["git", *header, "clone", "--quiet", "--depth=1", f"{github.server_url}/{REPOSITORY}.git", str(to)]
    environment = {"PATH": "/usr/bin:/bin", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_GLOBAL": "/dev/null"}
    return subprocess.run(argv, env=environment, capture_output=True, check=False).returncode


def test_a_private_repository_is_cloned_with_a_token_only(github: GitHubStandIn, token: str, tmp_path: Path) -> None:
    basic = httpx.BasicAuth("x-access-token", token)._auth_header
    assert clone(github, tmp_path / "none", None) != 0
    assert clone(github, tmp_path / "wrong", "Bearer ghs_wrong") != 0
    assert clone(github, tmp_path / "basic", basic) == 0
    assert {p.name: p.read_bytes() for p in (tmp_path / "basic").iterdir() if p.is_file()} == FILES
    github.state.repository(REPOSITORY).private = False
    assert clone(github, tmp_path / "open", None) == 0


def test_nothing_is_pushed_over_http(github: GitHubStandIn, token: str) -> None:
    url = f"{github.server_url}/{REPOSITORY}.git/info/refs?service=git-receive-pack"
    assert httpx.get(url, headers={"Authorization": f"Bearer {token}"}).status_code == 403


def test_a_page_shows_an_issue_and_runs_nothing(github: GitHubStandIn) -> None:
    page = httpx.get(github.page_url(REPOSITORY, 1))
    assert page.status_code == 200
    assert "&lt;b&gt;Wrong&lt;/b&gt; sum" in page.text
    assert "<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert httpx.get(f"{github.server_url}/{REPOSITORY}/issues/99").status_code == 404


def test_folded_parts_and_comments_look_as_on_github() -> None:
    html = render_markdown(
        "<!-- hidden -->\n<details><summary>Turn 1 · <code>a&lt;b</code> <img src=x></summary>\n\n"
        "```\n<details>\n```\n\n</details>\n"
    )
    assert "hidden" not in html
    assert html.count("<details>") == html.count("</details>") == 1
    assert "<summary>Turn 1 · <code>a&lt;b</code> &lt;img src=x&gt;</summary>" in html
    assert "&lt;details&gt;" in html


class Receiver(BaseHTTPRequestHandler):
    deliveries: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.deliveries.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(202)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def deliveries(github: GitHubStandIn) -> Iterator[list[tuple[dict[str, str], bytes]]]:
    Receiver.deliveries = []
    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        github.webhook_url = f"http://127.0.0.1:{server.server_port}/"
        yield Receiver.deliveries
        server.shutdown()
        thread.join()


def test_a_label_is_delivered_signed(github: GitHubStandIn, deliveries: list[tuple[dict[str, str], bytes]]) -> None:
    sent = github.label_issue(REPOSITORY, 1, "agent-fix", "maintainer")
    ((headers, body),) = deliveries
    digest = hmac.new(github.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={digest}"
    assert headers["x-github-event"] == "issues"
    payload = json.loads(body)
    assert (payload["action"], payload["label"]["name"], payload["sender"]["login"]) == (
        "labeled",
        "agent-fix",
        "maintainer",
    )
    assert payload["repository"]["full_name"] == REPOSITORY
    assert payload["installation"]["id"] == github.state.installation_id
    assert "agent-fix" in [label["name"] for label in payload["issue"]["labels"]]
    assert sent
    assert sent.response
    assert sent.response.status_code == 202


def test_a_receiver_that_is_down_gets_no_second_try(github: GitHubStandIn) -> None:
    github.webhook_url = "http://127.0.0.1:9/"
    sent = github.label_issue(REPOSITORY, 1, "agent-fix", "maintainer")
    assert sent
    assert sent.response is None


def test_code_on_a_line_is_shown_as_code_and_no_other_tag() -> None:
    shown = render_markdown("Turn 1 · <code>a&lt;b&#42;c</code> <b>bold</b> `<code>`")
    assert shown == ("<p>Turn 1 · <code>a&lt;b*c</code> &lt;b&gt;bold&lt;/b&gt; <code>&lt;code&gt;</code></p>\n")
