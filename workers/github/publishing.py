"""What the endings of a run become on GitHub."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from workers.github.branch import names_taken, numbered, place_change
from workers.github.client import RepositoryClient
from workers.github.comments import RunComments
from workers.github.errors import REFUSED
from workers.github.late import remove_late
from workers.github.opening import Opening
from workers.github.patience import Patience
from workers.github.told import COMMENTS, may_be_told, told
from workers.host import Evidence, RunRequest
from workers.outcomes import Outcome, OutcomeKind
from workers.publish.draft import publishable, render_commit_message, render_draft
from workers.publish.escalation import render_escalation
from workers.publish.secrets import secret_in_change
from workers.publish.transcript_markdown import transcript_files

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Publishing:
    """`author` gives the App's bot login, asked for only when something is written. `wait`: for what GitHub may not
    show yet."""

    server_url: str
    author: Callable[[], str]
    wait: Patience

    def obstacle(self, evidence: Evidence) -> str | None:
        """Why the change must not be published, as a sentence."""
        change = publishable(evidence)
        if not change:
            return "There is no change to publish."
        path = secret_in_change(evidence.patch, change)
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
        pull = place.pull_request or Opening(client, evidence, draft, place, self.author(), self.wait).pull_request()
        outcome = Outcome(OutcomeKind.DRAFT_PULL_REQUEST, evidence.reason, evidence.detail, pull.url, pull.url)
        kinds = {f"transcript-{n}": page for n, page in enumerate(draft.comments, 1)}
        try:
            self._comments(client, run).publish(pull.number, kinds)
        except REFUSED as error:  # the draft stands all the same
            told = f"(The comments with its transcript could not be written: {error.message or error})"
            return replace(outcome, detail=f"{outcome.detail} {told}")
        return outcome

    def told(self, client: RepositoryClient, run: RunRequest, but: OutcomeKind) -> Outcome | None:
        """The other ending than `but` that an earlier attempt was about to tell, and did."""
        comments = self._comments(client, run)
        found = (told(client, run, kind, self.author(), comments) for kind in may_be_told(run, but))
        return next(filter(None, found), None)

    def remove_late(self, client: RepositoryClient, run: RunRequest, ended: Outcome) -> None:
        """What a worker wrote that had lost the run."""
        remove_late(client, run, ended, self.author(), self._comments(client, run))

    def escalation(self, client: RepositoryClient, evidence: Evidence) -> str:
        """The address of the one comment."""
        body = render_escalation(evidence, self.transcript(client, evidence), self.commit_url(client, evidence))
        outcome = Outcome(OutcomeKind.ESCALATION, evidence.reason, evidence.detail)
        return self.comment(client, evidence.run, outcome, body)

    def comment(self, client: RepositoryClient, run: RunRequest, outcome: Outcome, body: str) -> str:
        """The address of the one comment on the issue that tells `outcome`."""
        kind, words = COMMENTS[outcome.kind], {"reason": str(outcome.reason), "detail": outcome.detail}
        return self._comments(client, run).publish(run.issue_number, {kind: body}, **words)[kind]

    def commit_url(self, client: RepositoryClient, evidence: Evidence) -> str | None:
        """The page of the base commit."""
        if evidence.base_commit is None:
            return None
        return f"{self.server_url}/{client.repository.full_name}/commit/{evidence.base_commit}"

    def transcript(self, client: RepositoryClient, evidence: Evidence) -> str | None:
        """Keep the whole transcript in a commit that is on no branch; its address. None where nothing was said, and
        where GitHub refuses it: people are told all the same."""
        files = transcript_files(evidence)
        try:
            return self._keep(client, evidence.run, files) if files else None
        except REFUSED as error:
            log.warning("run %s: its transcript could not be kept: %s", evidence.run.run_id, error)
            return None

    def _keep(self, client: RepositoryClient, run: RunRequest, files: dict[str, bytes]) -> str:
        git = client.git
        run.intents.intend("transcript")
        tree = git.create_orphan_tree(files)
        for name in numbered(f"agent-fix/transcripts/{run.run_id}"):
            sha = git.place(name, tree, (), f"Transcript of run {run.run_id}\n")
            if sha:
                return f"{self.server_url}/{client.repository.full_name}/blob/{sha}/transcript.md"
        raise names_taken(f"ref {name}")

    def _comments(self, client: RepositoryClient, run: RunRequest) -> RunComments:
        return RunComments(client, self.author(), run, self.wait)
