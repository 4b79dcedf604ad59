"""Blobs, trees, commits and refs on real repositories (https://docs.github.com/en/rest/git)."""

import base64
import re
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from app.standins.github_access import GitHubRefusalError, invalid, not_found, require_repository
from app.standins.github_json import Json, Shapes
from app.standins.github_routes import Answer, route
from app.standins.github_state import Repository

GIT = "/repos/{owner}/{name}/git"
MODES = ("100644", "100755", "040000", "160000", "120000")
FORBIDDEN_PART = re.compile(r"(?i)^(|\.|\.\.|\.git)$")


class GitApi:
    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._state = shapes.state

    def routes(self) -> list[Route]:
        return [
            route(self._state, "GET", f"{GIT}/ref/{{ref:path}}", self.ref),
            route(self._state, "POST", f"{GIT}/refs", self.create_ref),
            route(self._state, "DELETE", f"{GIT}/refs/{{ref:path}}", self.delete_ref),
            route(self._state, "GET", f"{GIT}/commits/{{sha}}", self.commit),
            route(self._state, "POST", f"{GIT}/commits", self.create_commit),
            route(self._state, "POST", f"{GIT}/trees", self.create_tree),
            route(self._state, "POST", f"{GIT}/blobs", self.create_blob),
        ]

    def ref(self, request: Request, _: Json) -> Answer:
        repository = self._with_commits(request, "read")
        name = f"refs/{request.path_params['ref']}"
        sha = repository.git.ref(name)
        if sha is None:
            raise not_found()
        return Answer(self._shapes.ref(repository, name, sha, repository.git.kind(sha) or "commit"))

    def create_ref(self, request: Request, body: Json) -> Answer:
        repository = self._with_commits(request, "write")
        name, sha = str(body.get("ref", "")), str(body.get("sha", ""))
        if not name.startswith("refs/") or name.count("/") < 2:
            raise GitHubRefusalError(422, "Reference name must start with 'refs/' and contain at least two slashes.")
        if repository.git.kind(sha) is None:
            raise GitHubRefusalError(422, "Object does not exist")
        if repository.git.ref(name):
            raise GitHubRefusalError(422, "Reference already exists")
        repository.git.create_ref(name, sha)
        return Answer(self._shapes.ref(repository, name, sha, repository.git.kind(sha) or "commit"), 201)

    def delete_ref(self, request: Request, _: Json) -> Answer:
        """Pull requests from a branch that goes are closed."""
        repository = self._with_commits(request, "write")
        name = f"refs/{request.path_params['ref']}"
        if repository.git.ref(name) is None:
            raise GitHubRefusalError(422, "Reference does not exist")
        repository.git.git("update-ref", "-d", name)
        for issue in repository.issues.values():
            if issue.pull and f"refs/heads/{issue.pull.head}" == name:
                issue.state = "closed"
        return Answer(None)

    def commit(self, request: Request, _: Json) -> Answer:
        repository = self._with_commits(request, "read")
        sha = request.path_params["sha"]
        if repository.git.kind(sha) != "commit":
            raise not_found()
        return Answer(self._shapes.commit(repository, repository.git.commit(sha)))

    def create_commit(self, request: Request, body: Json) -> Answer:
        repository = self._with_commits(request, "write")
        message, tree, parents = body.get("message"), str(body.get("tree", "")), body.get("parents", [])
        if not isinstance(message, str):
            raise invalid("Commit", "message", "missing_field")
        if repository.git.kind(tree) != "tree":
            raise GitHubRefusalError(422, "Tree SHA does not exist")
        if any(repository.git.kind(str(parent)) != "commit" for parent in parents):
            raise GitHubRefusalError(422, "Parent SHA does not exist or is not a commit object")
        bot = self._state.bot
        person = (bot.login, f"{bot.id}+{bot.login}@users.noreply.example.org")
        sha = repository.git.write_commit(message, tree, parents, person)
        return Answer(self._shapes.commit(repository, repository.git.commit(sha)), 201)

    def create_tree(self, request: Request, body: Json) -> Answer:
        repository = self._with_commits(request, "write")
        base = body.get("base_tree")
        if base is not None and repository.git.kind(base) not in ("tree", "commit"):
            raise GitHubRefusalError(404, "Not Found")
        entries = body.get("tree")
        if not isinstance(entries, list) or not entries:
            raise GitHubRefusalError(422, "Invalid tree info")
        sha = repository.git.write_tree(base, [self._entry(repository, entry) for entry in entries])
        url = f"{self._shapes.api}/repos/{repository.full_name}/git/trees/{sha}"
        listed = [{"mode": m, "type": k, "sha": s, "path": p} for m, k, s, p in repository.git.tree(sha)[:100]]
        return Answer({"sha": sha, "url": url, "tree": listed, "truncated": False}, 201)

    def create_blob(self, request: Request, body: Json) -> Answer:
        repository = self._with_commits(request, "write")
        content = _decoded(body.get("content"), body.get("encoding", "utf-8"))
        sha = repository.git.write_blob(content)
        return Answer({"sha": sha, "url": f"{self._shapes.api}/repos/{repository.full_name}/git/blobs/{sha}"}, 201)

    def _entry(self, repository: Repository, entry: dict[str, Any]) -> tuple[str, str, str | None]:
        path, mode, sha = str(entry.get("path", "")), str(entry.get("mode", "")), entry.get("sha")
        if any(FORBIDDEN_PART.match(part) for part in path.split("/")):
            raise GitHubRefusalError(422, "tree.path contains a malformed path component")
        if mode not in MODES:
            raise GitHubRefusalError(422, "Must supply a valid tree.mode")
        if sha is None and "content" in entry:
            sha = repository.git.write_blob(str(entry["content"]).encode())
        if sha is not None and repository.git.kind(str(sha)) is None:
            raise GitHubRefusalError(422, f"tree.sha {sha} is not a valid blob")
        return path, mode, sha

    def _with_commits(self, request: Request, level: str) -> Repository:
        repository = require_repository(self._state, request, contents=level)
        if repository.git.is_empty():
            raise GitHubRefusalError(409, "Git Repository is empty.")
        return repository


def _decoded(content: object, encoding: object) -> bytes:
    if not isinstance(content, str):
        raise invalid("Blob", "content", "missing_field")
    if encoding != "base64":
        return content.encode("utf-8")
    try:
        return base64.b64decode(content)
    except ValueError:  # binascii.Error, or not ASCII
        raise GitHubRefusalError(422, "content is not valid Base64") from None
