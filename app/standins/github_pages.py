"""Pages for people: issues, pull requests, kept transcripts."""

import html
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from app.standins.github_repository import GitRefusedError
from app.standins.github_state import Issue, Repository, State
from app.standins.markdown_page import render_markdown

POLICY = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
STYLE = Path(__file__).with_name("github_pages.css")


class Pages:
    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> list[Route]:
        base = "/{owner}/{name}"
        return [
            Route(f"{base}/issues/{{number:int}}", self.issue),
            Route(f"{base}/pull/{{number:int}}", self.issue),
            Route(f"{base}/blob/{{sha}}/{{path:path}}", self.file),
        ]

    def issue(self, request: Request) -> HTMLResponse:
        with self._state.lock:
            repository = self._repository(request)
            issue = repository.issues.get(request.path_params["number"]) if repository else None
            if repository is None or issue is None:
                return _page("Not found", "<p>There is nothing here.</p>", 404)
            return _page(f"{issue.title} · {repository.full_name}", _issue_html(repository, issue))

    def file(self, request: Request) -> HTMLResponse:
        path = request.path_params["path"]
        with self._state.lock:
            repository = self._repository(request)
            try:
                content = repository.git.read(request.path_params["sha"], path) if repository else None
            except GitRefusedError:
                content = None
        if content is None:
            return _page("Not found", "<p>There is nothing here.</p>", 404)
        text = content.decode("utf-8", "replace")
        shown = render_markdown(text) if path.endswith(".md") else f"<pre>{html.escape(text)}</pre>"
        return _page(path, shown)

    def _repository(self, request: Request) -> Repository | None:
        try:
            return self._state.repository(f"{request.path_params['owner']}/{request.path_params['name']}")
        except KeyError:
            return None


def _issue_html(repository: Repository, issue: Issue) -> str:
    labels = " ".join(f'<span class="label">{html.escape(name)}</span>' for name in issue.labels)
    reactions = " ".join(f'<span class="label">{html.escape(content)}</span>' for _, content in issue.reactions)
    state = "Draft" if issue.pull and issue.pull.draft else issue.state.capitalize()
    parts = [
        f"<h1>{html.escape(issue.title)} <small>#{issue.number}</small></h1>",
        f'<p><span class="state">{state}</span> {html.escape(repository.full_name)} {labels} {reactions}</p>',
        _box(issue.author.login, issue.body),
        *(_box(comment.author.login, comment.body) for comment in issue.comments),
        _diff(repository, issue),
    ]
    return "\n".join(parts)


def _diff(repository: Repository, issue: Issue) -> str:
    if issue.pull is None:
        return ""
    diff = repository.git.diff(issue.pull.base_sha, issue.pull.head_sha)
    return f"<h2>Files changed</h2><pre>{html.escape(diff)}</pre>"


def _box(author: str, markdown: str) -> str:
    return f'<div class="box"><header>{html.escape(author)}</header><div>{render_markdown(markdown)}</div></div>'


def _page(title: str, body: str, status: int = 200) -> HTMLResponse:
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
    return HTMLResponse(f"{head}<style>{STYLE.read_text()}</style>{body}", status, POLICY)
