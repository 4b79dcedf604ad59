"""What the endings of a run become on GitHub."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from workers.github.branch import Place, place_change
from workers.github.client import PullRequest, RepositoryClient
from workers.github.comments import RunComments
from workers.github.errors import GitHubUnavailableError, InvalidError
from workers.github.markers import marker
from workers.host import Evidence, RunRequest
from workers.outcomes import Outcome, OutcomeKind
from workers.publish.draft import Draft, publishable, render_commit_message, render_draft
from workers.publish.escalation import render_escalation
from workers.publish.secrets import secret_in_change
from workers.publish.transcript_markdown import transcript_files

NO_DRAFTS = (
    "> [!NOTE]\n> This repository has no draft pull requests, so this is an ordinary one. Treat it as a draft.\n\n"
)


@dataclass(frozen=True)
class Publishing:
    """`author` gives the App's bot login, asked for only when something is written."""

    server_url: str
    author: Callable[[], str]

    def obstacle(self, evidence: Evidence) -> str | None:
        """Why the change must not be published, as a sentence."""
        if not publishable(evidence):
            return "There is no change to publish."
        path = secret_in_change(evidence.patch)
        if path:
            return f"The change is proved, but it adds what looks like a secret to {path}; it was not published."
        return None

    def draft(self, client: RepositoryClient, evidence: Evidence) -> Outcome:
        """Branch, commit, draft pull request, transcript; each found again rather than made twice."""
        run = evidence.run
        place = place_change(client, run, publishable(evidence), render_commit_message(evidence), self.author())
        base = self.commit_url(client, evidence)
        draft = render_draft(evidence, None, base)
        if not draft.complete:
            draft = render_draft(evidence, self.transcript(client, evidence), base)
        pull = place.pull_request or self._open(client, run, draft, place)
        kinds = {f"transcript-{n}": page for n, page in enumerate(draft.comments, 1)}
        self._comments(client, run).publish(pull.number, kinds)
        return Outcome(OutcomeKind.DRAFT_PULL_REQUEST, evidence.reason, evidence.detail, pull.url, pull.url)

    def escalation(self, client: RepositoryClient, evidence: Evidence) -> str:
        """The address of the one comment."""
        body = render_escalation(evidence, self.transcript(client, evidence), self.commit_url(client, evidence))
        return self.comment(client, evidence.run, "escalation", body)

    def comment(self, client: RepositoryClient, run: RunRequest, kind: str, body: str) -> str:
        return self._comments(client, run).publish(run.issue_number, {kind: body})[kind]

    def commit_url(self, client: RepositoryClient, evidence: Evidence) -> str | None:
        """The page of the base commit."""
        if evidence.base_commit is None:
            return None
        return f"{self.server_url}/{client.repository.full_name}/commit/{evidence.base_commit}"

    def transcript(self, client: RepositoryClient, evidence: Evidence) -> str | None:
        """Keep the whole transcript in a commit that is on no branch; its address. None where nothing was said."""
        files = transcript_files(evidence)
        if not files:
            return None
        git, name = client.git, f"agent-fix/transcripts/{evidence.run.run_id}"
        sha = git.ref(name)
        if sha is None:
            commit = git.create_commit(f"Transcript of run {evidence.run.run_id}\n", git.create_orphan_tree(files), [])
            sha = commit.sha if git.create_ref(name, commit.sha) else git.ref(name)
        return f"{self.server_url}/{client.repository.full_name}/blob/{sha}/transcript.md"

    def _comments(self, client: RepositoryClient, run: RunRequest) -> RunComments:
        return RunComments(client, self.author(), run.run_id, run.queued_at)

    def _open(self, client: RepositoryClient, run: RunRequest, draft: Draft, place: Place) -> PullRequest:
        """As a draft; as an ordinary pull request where the plan has no drafts. A pull request that is there already,
        because an answer was lost, is ours: the branch is."""
        try:
            return self._create(client, run, draft, place, as_draft=True)
        except (InvalidError, GitHubUnavailableError) as error:
            found = client.pull_request_from(place.branch)
            if found:
                return found
            if isinstance(error, InvalidError) and "draft" in error.message.lower():
                plain = replace(draft, body=NO_DRAFTS + draft.body)
                return self._create(client, run, plain, place, as_draft=False)
            raise

    def _create(
        self, client: RepositoryClient, run: RunRequest, draft: Draft, place: Place, *, as_draft: bool
    ) -> PullRequest:
        body = f"{marker(run.run_id, 'draft')}\n{draft.body}"
        base = client.repository.default_branch
        return client.create_pull_request(draft.title, body, place.branch, base, draft=as_draft)
