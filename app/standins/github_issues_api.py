"""Issues, comments, reactions and permissions (https://docs.github.com/en/rest/issues)."""

from itertools import islice

from starlette.requests import Request
from starlette.routing import Route

from app.standins.github_access import GitHubRefusalError, invalid, not_found, require_repository
from app.standins.github_json import Json, Shapes
from app.standins.github_routes import Answer, page_of, route
from app.standins.github_state import Comment, Issue, Repository

MAX_BODY_CHARACTERS = 65_536
REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
REPOSITORY = "/repos/{owner}/{name}"
ROLES = {"maintain": "write", "triage": "read"}


class IssuesApi:
    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._state = shapes.state

    def routes(self) -> list[Route]:
        issue = f"{REPOSITORY}/issues/{{number:int}}"
        return [
            route(self._state, "GET", f"{REPOSITORY}/issues", self.list_issues),
            route(self._state, "GET", issue, self.issue),
            route(self._state, "GET", f"{issue}/comments", self.comments),
            route(self._state, "POST", f"{issue}/comments", self.create_comment),
            route(self._state, "DELETE", f"{REPOSITORY}/issues/comments/{{comment:int}}", self.delete_comment),
            route(self._state, "POST", f"{issue}/reactions", self.react),
            route(self._state, "GET", f"{issue}/events", self.events),
            route(self._state, "GET", f"{REPOSITORY}/collaborators/{{login}}/permission", self.permission),
        ]

    def list_issues(self, request: Request, _: Json) -> Answer:
        """By age, newest first unless asked otherwise; pull requests are issues here."""
        repository = require_repository(self._state, request, issues="read")
        if not repository.has_issues:
            raise GitHubRefusalError(410, "Issues are disabled for this repo")
        query = request.query_params
        state, label, since = query.get("state", "open"), query.get("labels", "").casefold(), query.get("since", "")
        found = [
            issue
            for _, issue in sorted(repository.issues.items(), reverse=query.get("direction") != "asc")
            if state in (issue.state, "all")
            and (not label or label in (name.casefold() for name in issue.labels))
            and issue.updated_at >= since
        ]
        return Answer([self._shapes.issue(repository, issue) for issue in found[page_of(request)]])

    def issue(self, request: Request, _: Json) -> Answer:
        repository = require_repository(self._state, request, issues="read")
        number = request.path_params["number"]
        if (issue := repository.issues.get(number)) and issue.moved_to:  # as one that follows the redirect is answered
            other, number = issue.moved_to
            if other.private:  # which the token, of the one repository, does not reach
                raise not_found()
            return Answer(self._shapes.issue(other, other.issues[number]))
        return Answer(self._shapes.issue(repository, self._issue(request, repository)))

    def comments(self, request: Request, _: Json) -> Answer:
        repository = require_repository(self._state, request, issues="read")
        issue = self._issue(request, repository)
        since = request.query_params.get("since", "")
        size = min(int(request.query_params.get("per_page", "30")), 100)
        start = (int(request.query_params.get("page", "1")) - 1) * size
        found = (c for c in issue.comments if c.created_at >= since and self._state.is_listed(c.made))
        return Answer([self._shapes.comment(repository, issue, c) for c in islice(found, start, start + size)])

    def create_comment(self, request: Request, body: Json) -> Answer:
        repository = require_repository(self._state, request, issues="write")
        issue = self._issue(request, repository)
        if issue.locked:
            raise GitHubRefusalError(403, "Unable to create comment because issue is locked.")
        text = checked_body(body.get("body"))
        comment = Comment(self._state.new_id(), self._state.bot, text)
        issue.comments.append(comment)
        return Answer(self._shapes.comment(repository, issue, comment), 201)

    def delete_comment(self, request: Request, _: Json) -> Answer:
        repository = require_repository(self._state, request, issues="write")
        number = request.path_params["comment"]
        for issue in repository.issues.values():
            left = [comment for comment in issue.comments if comment.id != number]
            if len(left) < len(issue.comments):
                issue.comments = left
                return Answer(None)
        raise not_found()

    def react(self, request: Request, body: Json) -> Answer:
        repository = require_repository(self._state, request, issues="write")
        issue = self._issue(request, repository)
        if body.get("content") not in REACTIONS:
            raise invalid("Reaction", "content")
        key = (self._state.bot.login, body["content"])
        known = key in issue.reactions
        number = issue.reactions.setdefault(key, issue.reactions.get(key) or self._state.new_id())
        shape = self._shapes.reaction(number, self._state.bot, body["content"], issue.created_at)
        return Answer(shape, 200 if known else 201)

    def events(self, request: Request, _: Json) -> Answer:
        repository = require_repository(self._state, request, issues="read")
        issue = self._issue(request, repository)
        size = min(int(request.query_params.get("per_page", "30")), 100)
        start = (int(request.query_params.get("page", "1")) - 1) * size
        return Answer([self._shapes.event(repository, e) for e in issue.events[start : start + size]])

    def permission(self, request: Request, _: Json) -> Answer:
        """Roles beyond the old three are folded into them (`permission`) and named in `role_name`."""
        repository = require_repository(self._state, request, metadata="read")
        account = self._state.accounts.get(request.path_params["login"])
        if account is None:
            raise GitHubRefusalError(404, f"{request.path_params['login']} is not a user")
        role = repository.collaborators.get(account.login, "none" if repository.private else "read")
        user = {**self._shapes.user(account), "role_name": role}
        return Answer({"permission": ROLES.get(role, role), "role_name": role, "user": user})

    def _issue(self, request: Request, repository: Repository) -> Issue:
        number = request.path_params["number"]
        issue = repository.issues.get(number)
        if issue is None or issue.moved_to:  # what is below a transferred issue redirects to nowhere
            raise not_found()
        if issue.state == "deleted":
            raise GitHubRefusalError(410, "This issue was deleted")
        if not repository.has_issues and issue.pull is None:
            raise GitHubRefusalError(410, "Issues are disabled for this repo")
        return issue


def checked_body(body: object) -> str:
    """A text for people within GitHub's limit."""
    if not isinstance(body, str) or not body.strip():
        raise invalid("IssueComment", "body", "missing_field")
    if len(body) > MAX_BODY_CHARACTERS:
        text = f"body is too long (maximum is {MAX_BODY_CHARACTERS} characters)"
        raise invalid("IssueComment", "body", "custom", text)
    return body
