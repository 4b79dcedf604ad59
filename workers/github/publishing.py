"""What the endings of a run become on GitHub."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from workers.github.branch import Place, find_own, place_change
from workers.github.client import PullRequest, RepositoryClient
from workers.github.comments import RunComments
from workers.github.errors import ForbiddenError, GitHubUnavailableError, GoneError, InvalidError, NotFoundError
from workers.github.markers import marker
from workers.github.patience import Patience
from workers.host import Evidence, RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.publish.draft import Draft, publishable, render_commit_message, render_draft
from workers.publish.escalation import render_escalation
from workers.publish.secrets import secret_in_change
from workers.publish.transcript_markdown import transcript_files

NO_DRAFTS = (
    "> [!NOTE]\n> This repository has no draft pull requests, so this is an ordinary one. Treat it as a draft.\n\n"
)


@dataclass(frozen=True)
class Publishing:
    """`author` gives the App's bot login, asked for only when something is written. `wait`: for what GitHub may not
    show yet."""

    server_url: str
    author: Callable[[], str]
    wait: Patience = field(default_factory=Patience)

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
        pull = place.pull_request or self._open(client, evidence, draft, place)
        outcome = Outcome(OutcomeKind.DRAFT_PULL_REQUEST, evidence.reason, evidence.detail, pull.url, pull.url)
        kinds = {f"transcript-{n}": page for n, page in enumerate(draft.comments, 1)}
        try:
            self._comments(client, run).publish(pull.number, kinds)
        except (ForbiddenError, NotFoundError, GoneError, InvalidError) as error:  # the draft stands all the same
            told = f"(The comments with its transcript could not be written: {error.message or error})"
            return replace(outcome, detail=f"{outcome.detail} {told}")
        return outcome

    def drafted(self, client: RepositoryClient, run: RunRequest) -> Outcome | None:
        """The draft that an earlier attempt was about to open, and did: the run has ended with it, whatever ended
        that attempt."""
        told = run.intents.intended("draft")
        if told is None:
            return None
        pull = self.wait.until(lambda: find_own(client, run, self.author()))
        if pull is None:
            return None
        return Outcome(OutcomeKind.DRAFT_PULL_REQUEST, Reason(told["reason"]), told["detail"], pull.url, pull.url)

    def remove_twins(self, client: RepositoryClient, run: RunRequest) -> None:
        """Comments that a worker wrote after it had lost the run, on the issue and on the run's pull request."""
        pull = find_own(client, run, self.author())
        for number in (run.issue_number, *([pull.number] if pull else [])):
            self._comments(client, run).remove_twins(number)

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
        return RunComments(client, self.author(), run.run_id, run.queued_at, run.intents, self.wait)

    def _open(self, client: RepositoryClient, evidence: Evidence, draft: Draft, place: Place) -> PullRequest:
        """As a draft; as an ordinary pull request where the plan has no drafts. A pull request that is there already,
        because an answer was lost, is ours: the branch is."""
        run = evidence.run
        before = run.intents.intend("draft", reason=str(evidence.reason), detail=evidence.detail)
        if before and (found := self.wait.until(lambda: client.pull_request_from(place.branch))):
            return found
        try:
            return self._create(client, run, draft, place, as_draft=True)
        except (InvalidError, GitHubUnavailableError) as error:
            if found := self._found_after(client, place, error):
                return found
            if isinstance(error, InvalidError) and "draft" in error.message.lower():
                plain = replace(draft, body=NO_DRAFTS + draft.body)
                return self._create(client, run, plain, place, as_draft=False)
            raise

    def _found_after(self, client: RepositoryClient, place: Place, error: Exception) -> PullRequest | None:
        """With patience where it may be there: no answer came, or GitHub says that there is one."""
        if isinstance(error, InvalidError) and "already exists" not in error.message:
            return client.pull_request_from(place.branch)
        return self.wait.until(lambda: client.pull_request_from(place.branch))

    def _create(
        self, client: RepositoryClient, run: RunRequest, draft: Draft, place: Place, *, as_draft: bool
    ) -> PullRequest:
        body = f"{marker(run.run_id, 'draft')}\n{draft.body}"
        base = client.repository.default_branch
        return client.create_pull_request(draft.title, body, place.branch, base, draft=as_draft)
