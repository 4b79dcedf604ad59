"""Reading repositories over git's smart HTTP, through ``git http-backend`` (git-http-backend(1))."""

import subprocess
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from app.standins.github_access import GitHubRefusalError, authorization
from app.standins.github_repository import ENVIRONMENT
from app.standins.github_state import Repository, State

SERVICE = "git-upload-pack"
LOGIN = {"WWW-Authenticate": 'Basic realm="GitHub"'}


class GitHttp:
    """Public repositories are open to everybody, private ones to tokens that reach them and may read contents. Nothing
    is pushed this way."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def answer(self, request: Request) -> Response:
        return await run_in_threadpool(self._answer, request, await request.body())

    def _answer(self, request: Request, body: bytes) -> Response:
        rest = request.path_params["rest"]
        wanted = request.query_params.get("service") if rest == "info/refs" else rest
        if wanted != SERVICE:
            return Response("Only fetching is offered here.", 403)
        try:
            repository = self._repository(request)
        except GitHubRefusalError as refusal:
            return Response(refusal.message, refusal.status, LOGIN if refusal.status == 401 else {})
        return _backend(request, repository.git.path, rest, body)

    def _repository(self, request: Request) -> Repository:
        """As GitHub does, a private repository that may not be read looks like none."""
        with self._state.lock:
            token = self._state.tokens.get(authorization(request))
            if authorization(request) and (token is None or self._state.suspended or self._state.uninstalled):
                raise GitHubRefusalError(401, "Bad credentials")
            try:
                repository = self._state.repository(f"{request.path_params['owner']}/{request.path_params['name']}")
            except KeyError:
                raise GitHubRefusalError(404, "Not Found") from None
            if repository.private and not (
                token and repository.id in token.repository_ids and "contents" in token.permissions
            ):
                raise GitHubRefusalError(404 if token else 401, "Not Found")
            return repository


def _backend(request: Request, path: Path, rest: str, body: bytes) -> Response:
    environment = ENVIRONMENT | {
        "GIT_PROJECT_ROOT": str(path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{path.name}/{rest}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.url.query,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=environment, check=False)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line)
    status = int(headers.pop("Status", "200" if done.returncode == 0 else "500").split()[0])
    return Response(content, status, headers)
