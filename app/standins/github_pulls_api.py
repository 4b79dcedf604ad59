"""Pull requests (https://docs.github.com/en/rest/pulls)."""

from starlette.requests import Request
from starlette.routing import Route

from app.standins.github_access import GitHubRefusalError, invalid, not_found, require_repository
from app.standins.github_issues_api import MAX_BODY_CHARACTERS, REPOSITORY
from app.standins.github_json import Json, Shapes
from app.standins.github_routes import Answer, page_of, route
from app.standins.github_state import PullRequest, Repository


class PullsApi:
    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._state = shapes.state

    def routes(self) -> list[Route]:
        return [
            route(self._state, "GET", f"{REPOSITORY}/pulls", self.list),
            route(self._state, "POST", f"{REPOSITORY}/pulls", self.create),
            route(self._state, "PATCH", f"{REPOSITORY}/pulls/{{number:int}}", self.update),
        ]

    def list(self, request: Request, _: Json) -> Answer:
        repository = require_repository(self._state, request, pull_requests="read")
        state = request.query_params.get("state", "open")
        owner, _colon, branch = request.query_params.get("head", "").partition(":")
        found = [
            (issue, issue.pull)
            for issue in repository.issues.values()
            if issue.pull
            and self._state.is_listed(issue.made)
            and state in ("all", issue.state)
            and (not branch or (branch, owner) == (issue.pull.head, repository.owner.login))
        ]
        return Answer([self._shapes.pull(repository, issue, pull) for issue, pull in found[page_of(request)]])

    def create(self, request: Request, body: Json) -> Answer:
        repository = require_repository(self._state, request, pull_requests="write")
        if not repository.has_pull_requests:
            raise GitHubRefusalError(404, "Not Found")
        pull = self._checked(repository, body)
        issue = self._state.add_issue(repository, str(body["title"]), body.get("body") or "", self._state.bot)
        issue.pull = pull
        return Answer(self._shapes.pull(repository, issue, pull), 201)

    def update(self, request: Request, body: Json) -> Answer:
        """Open or closed; nothing else of it is known here."""
        repository = require_repository(self._state, request, pull_requests="write")
        issue = repository.issues.get(request.path_params["number"])
        if issue is None or issue.pull is None:
            raise not_found()
        if body.get("state", issue.state) not in ("open", "closed"):
            raise invalid("PullRequest", "state")
        issue.state = body.get("state", issue.state)
        return Answer(self._shapes.pull(repository, issue, issue.pull))

    def _checked(self, repository: Repository, body: Json) -> PullRequest:
        head, base = str(body.get("head", "")), str(body.get("base", ""))
        head = head.removeprefix(f"{repository.owner.login}:")
        head_sha, base_sha = (repository.git.ref(f"refs/heads/{branch}") for branch in (head, base))
        if not body.get("title"):
            raise invalid("PullRequest", "title", "missing_field")
        if base_sha is None:
            raise invalid("PullRequest", "base")
        if head_sha is None:
            raise invalid("PullRequest", "head")
        if len(body.get("body") or "") > MAX_BODY_CHARACTERS:
            text = f"body is too long (maximum is {MAX_BODY_CHARACTERS} characters)"
            raise invalid("PullRequest", "body", "custom", text)
        self._refuse_by_history(repository, (head, head_sha), (base, base_sha))
        if body.get("draft") and not repository.drafts_allowed:
            raise GitHubRefusalError(422, "Draft pull requests are not supported in this repository.")
        return PullRequest(head, base, head_sha, base_sha, bool(body.get("draft")))

    def _refuse_by_history(self, repository: Repository, head: tuple[str, str], base: tuple[str, str]) -> None:
        problem = None
        if any(
            i.pull and i.state == "open" and (i.pull.head, i.pull.base) == (head[0], base[0])
            for i in repository.issues.values()
        ):
            problem = f"A pull request already exists for {repository.owner.login}:{head[0]}."
        elif not repository.git.related(head[1], base[1]):
            problem = f"The {head[0]} branch has no history in common with {base[0]}"
        elif repository.git.contains(base[1], head[1]):
            problem = f"No commits between {base[0]} and {head[0]}"
        if problem:
            raise GitHubRefusalError(
                422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": problem}]
            )
