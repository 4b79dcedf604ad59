"""What the stand-in answers, in GitHub's shapes (https://github.com/github/rest-api-description)."""

import base64
from dataclasses import dataclass
from typing import Any

from app.standins.github_repository import CommitInfo
from app.standins.github_state import Account, Comment, Event, Issue, PullRequest, Repository, State

Json = dict[str, Any]

USER_URLS = (
    "followers", "following", "gists", "starred", "subscriptions", "organizations", "repos", "events",
    "received_events",
)  # fmt: skip
REPOSITORY_URLS = (
    "archive", "assignees", "blobs", "branches", "collaborators", "comments", "commits", "compare", "contents",
    "contributors", "deployments", "downloads", "events", "forks", "git_commits", "git_refs", "git_tags", "hooks",
    "issue_comment", "issue_events", "issues", "keys", "labels", "languages", "merges", "milestones", "notifications",
    "pulls", "releases", "stargazers", "statuses", "subscribers", "subscription", "tags", "teams", "trees",
)  # fmt: skip


def node_id(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}{number}".encode()).decode()


@dataclass(frozen=True)
class Shapes:
    """`api` and `server` are addresses without a trailing slash."""

    state: State
    api: str
    server: str

    def user(self, account: Account) -> Json:
        url = f"{self.api}/users/{account.login}"
        return {
            "login": account.login,
            "id": account.id,
            "node_id": node_id("User", account.id),
            "avatar_url": f"{self.server}/avatar/{account.id}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.server}/{account.login}",
            "type": account.kind,
            "site_admin": False,
            **{f"{name}_url": f"{url}/{name}" for name in USER_URLS},
        }

    def app(self) -> Json:
        owner = self.state.account("agent-fix-owner")
        return {
            "id": int(self.state.app_id),
            "slug": self.state.slug,
            "node_id": node_id("App", int(self.state.app_id)),
            "owner": self.user(owner),
            "name": self.state.slug,
            "description": None,
            "external_url": self.server,
            "html_url": f"{self.server}/apps/{self.state.slug}",
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
            "permissions": self.state.permissions,
            "events": self.state.events,
        }

    def installation(self) -> Json:
        number = self.state.installation_id
        moments = dict.fromkeys(("created_at", "updated_at"), "2026-01-01T00:00:00Z")
        account = self.user(self.state.account("agent-fix-owner"))
        return {
            "id": number,
            # An account is a user's or an enterprise's; what both have satisfies every reader of the description.
            "account": account | {"name": account["login"], "slug": account["login"], **moments},
            "repository_selection": "all",
            "access_tokens_url": f"{self.api}/app/installations/{number}/access_tokens",
            "repositories_url": f"{self.api}/installation/repositories",
            "html_url": f"{self.server}/settings/installations/{number}",
            "app_id": int(self.state.app_id),
            "app_slug": self.state.slug,
            "target_id": account["id"],
            "target_type": "Organization",
            "permissions": self.state.permissions,
            "events": self.state.events,
            "single_file_name": None,
            **moments,
            "suspended_by": account if self.state.suspended else None,
            "suspended_at": "2026-01-02T00:00:00Z" if self.state.suspended else None,
        }

    def repository(self, repository: Repository) -> Json:
        url = f"{self.api}/repos/{repository.full_name}"
        page = f"{self.server}/{repository.full_name}"
        zeros = (
            "forks",
            "forks_count",
            "open_issues",
            "open_issues_count",
            "size",
            "stargazers_count",
            "watchers",
            "watchers_count",
        )
        return {
            "id": repository.id,
            "node_id": node_id("Repository", repository.id),
            "name": repository.name,
            "full_name": repository.full_name,
            "owner": self.user(repository.owner),
            "private": repository.private,
            "visibility": "private" if repository.private else "public",
            "fork": False,
            "archived": repository.archived,
            "disabled": repository.disabled,
            "has_issues": repository.has_issues,
            "has_pull_requests": repository.has_pull_requests,
            "default_branch": repository.default_branch,
            "url": url,
            "html_url": page,
            "clone_url": f"{page}.git",
            "git_url": f"{page}.git",
            "ssh_url": f"{page}.git",
            "svn_url": page,
            **dict.fromkeys(("description", "homepage", "language", "license", "mirror_url")),
            **dict.fromkeys(("has_downloads", "has_projects", "has_wiki", "has_pages"), False),
            **dict.fromkeys(zeros, 0),
            **dict.fromkeys(("pushed_at", "created_at", "updated_at"), "2026-01-01T00:00:00Z"),
            **{f"{name}_url": f"{url}/{name}" for name in REPOSITORY_URLS},
        }

    def label(self, repository: Repository, name: str) -> Json:
        number = sum(name.encode()) + repository.id
        url = f"{self.api}/repos/{repository.full_name}/labels/{name}"
        return {
            "id": number, "node_id": node_id("Label", number), "url": url,
            "name": name, "description": "", "color": "ededed", "default": False,
        }  # fmt: skip

    def issue(self, repository: Repository, issue: Issue) -> Json:
        url = f"{self.api}/repos/{repository.full_name}/issues/{issue.number}"
        pull = {"pull_request": self._pull_links(repository, issue)} if issue.pull else {}
        return {
            **self._issue_base(repository, issue, url),
            **pull,
            "comments": len(issue.comments),
            "html_url": self.page(repository, issue),
            "labels_url": f"{url}/labels",
            "events_url": f"{url}/events",
            "repository_url": f"{self.api}/repos/{repository.full_name}",
            "author_association": "NONE",
        }

    def comment(self, repository: Repository, issue: Issue, comment: Comment) -> Json:
        base = f"{self.api}/repos/{repository.full_name}/issues"
        return {
            "id": comment.id,
            "node_id": node_id("IssueComment", comment.id),
            "url": f"{base}/comments/{comment.id}",
            "html_url": f"{self.page(repository, issue)}#issuecomment-{comment.id}",
            "issue_url": f"{base}/{issue.number}",
            "user": self.user(comment.author),
            "author_association": "NONE",
            "body": comment.body,
            "created_at": comment.created_at,
            "updated_at": comment.created_at,
        }

    def reaction(self, number: int, account: Account, content: str, created_at: str) -> Json:
        return {
            "id": number,
            "node_id": node_id("Reaction", number),
            "user": self.user(account),
            "content": content,
            "created_at": created_at,
        }

    def event(self, repository: Repository, event: Event) -> Json:
        label = {"label": {"name": event.label, "color": "ededed"}} if event.label else {}
        return {
            "id": event.id,
            "node_id": node_id("IssueEvent", event.id),
            "url": f"{self.api}/repos/{repository.full_name}/issues/events/{event.id}",
            "actor": self.user(event.actor),
            "event": event.kind,
            "commit_id": None,
            "commit_url": None,
            "created_at": event.created_at,
            "performed_via_github_app": None,
            **label,
        }

    def pull(self, repository: Repository, issue: Issue, pull: PullRequest) -> Json:
        url = f"{self.api}/repos/{repository.full_name}/pulls/{issue.number}"
        page = self.page(repository, issue)
        return {
            **self._issue_base(repository, issue, url),
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "issue_url": f"{self.api}/repos/{repository.full_name}/issues/{issue.number}",
            **{f"{name}_url": f"{url}/{name}" for name in ("commits", "review_comments", "review_comment", "statuses")},
            "draft": pull.draft,
            "head": self._side(repository, pull.head, self._head_sha(repository, issue, pull)),
            "base": self._side(repository, pull.base, pull.base_sha),
            "_links": {name: {"href": f"{url}/{name}"} for name in (
                "comments", "commits", "statuses", "html", "issue", "review_comments", "review_comment", "self",
            )},
            "author_association": "NONE",
            **dict.fromkeys(("merged_at", "merge_commit_sha", "auto_merge", "merged_by", "mergeable")),
            **dict.fromkeys(("additions", "changed_files", "commits", "deletions", "review_comments"), 0),
            "comments": len(issue.comments),
            "mergeable_state": "unknown",
            "merged": False,
            "maintainer_can_modify": False,
        }  # fmt: skip

    def commit(self, repository: Repository, commit: CommitInfo) -> Json:
        base = f"{self.api}/repos/{repository.full_name}/git"
        page = f"{self.server}/{repository.full_name}/commit"
        person = {"name": self.state.bot.login, "email": "bot@example.org", "date": "2026-01-01T00:00:00Z"}
        return {
            "sha": commit.sha,
            "node_id": node_id("Commit", repository.id),
            "url": f"{base}/commits/{commit.sha}",
            "html_url": f"{page}/{commit.sha}",
            "author": person,
            "committer": person,
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": f"{base}/trees/{commit.tree}"},
            "parents": [{"sha": p, "url": f"{base}/commits/{p}", "html_url": f"{page}/{p}"} for p in commit.parents],
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        }

    def ref(self, repository: Repository, name: str, sha: str, kind: str) -> Json:
        base = f"{self.api}/repos/{repository.full_name}/git"
        return {
            "ref": name,
            "node_id": node_id("Ref", repository.id),
            "url": f"{base}/{name}",
            "object": {"type": kind, "sha": sha, "url": f"{base}/{kind}s/{sha}"},
        }

    def page(self, repository: Repository, issue: Issue) -> str:
        return f"{self.server}/{repository.full_name}/{'pull' if issue.pull else 'issues'}/{issue.number}"

    def _issue_base(self, repository: Repository, issue: Issue, url: str) -> Json:
        return {
            "id": issue.id,
            "node_id": node_id("Issue", issue.id),
            "number": issue.number,
            "url": url,
            "comments_url": f"{url}/comments",
            "title": issue.title,
            "body": issue.body,
            "user": self.user(issue.author),
            "labels": [self.label(repository, name) for name in issue.labels],
            "state": issue.state,
            "locked": issue.locked,
            **dict.fromkeys(("assignee", "milestone", "closed_at")),
            "assignees": [],
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
        }

    def _pull_links(self, repository: Repository, issue: Issue) -> Json:
        page = self.page(repository, issue)
        return {
            "url": f"{self.api}/repos/{repository.full_name}/pulls/{issue.number}",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
        }

    def _head_sha(self, repository: Repository, issue: Issue, pull: PullRequest) -> str:
        """What is pushed to the branch moves an open one along."""
        if issue.state == "open":
            pull.head_sha = repository.git.ref(f"refs/heads/{pull.head}") or pull.head_sha
        return pull.head_sha

    def _side(self, repository: Repository, branch: str, sha: str) -> Json:
        return {
            "label": f"{repository.owner.login}:{branch}",
            "ref": branch,
            "sha": sha,
            "user": self.user(repository.owner),
            "repo": self.repository(repository),
        }
