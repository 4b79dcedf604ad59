"""Opening the one pull request of a run: found again rather than opened twice."""

from dataclasses import dataclass

from workers.github.branch import Place, own_pull_from
from workers.github.client import PullRequest, RepositoryClient
from workers.github.comments import NOT_KNOWN_YET
from workers.github.errors import GitHubUnavailableError, InvalidError
from workers.github.markers import marker
from workers.github.patience import Patience
from workers.github.told import DRAFT
from workers.host import Evidence
from workers.publish.draft import Draft

NO_DRAFTS = (
    "> [!NOTE]\n> This repository has no draft pull requests, so this is an ordinary one. Treat it as a draft.\n\n"
)


@dataclass(frozen=True)
class Opening:
    """Of `draft`, from the branch at `place`; `author` is the App's own login."""

    client: RepositoryClient
    evidence: Evidence
    draft: Draft
    place: Place
    author: str
    wait: Patience

    def pull_request(self) -> PullRequest:
        """As a draft; as an ordinary pull request where the plan has no drafts. One that is there already, because an
        answer was lost, is found by author and marker. InvalidError where somebody else opened one from the branch."""
        if self._intend() and (found := self.wait.until(self._look)):
            return found
        try:
            return self._create(as_draft=True)
        except GitHubUnavailableError:  # no answer came: it may be there
            if found := self.wait.until(self._look):
                return found
            raise
        except NOT_KNOWN_YET as error:
            if "already exists" in error.message:
                return self._existing(error)
            if isinstance(error, InvalidError) and "draft" in error.message.lower():
                return self._create(as_draft=False)
            # The branch was made a moment ago, and is not known everywhere on GitHub at once.
            if made := self.wait.until(self._look_or_create, NOT_KNOWN_YET):
                return made
            raise

    def _intend(self) -> bool:
        """True where it was intended before, and may be there."""
        words = {"reason": str(self.evidence.reason), "detail": self.evidence.detail}
        return self.evidence.run.intents.intend(DRAFT, **words)

    def _look(self) -> PullRequest | None:
        return own_pull_from(self.client, self.evidence.run, self.place.branch, self.author)

    def _create(self, *, as_draft: bool) -> PullRequest:
        note = "" if as_draft else NO_DRAFTS
        body = f"{marker(self.evidence.run.run_id, 'draft')}\n{note}{self.draft.body}"
        base = self.client.repository.default_branch
        return self.client.create_pull_request(self.draft.title, body, self.place.branch, base, draft=as_draft)

    def _look_or_create(self) -> PullRequest:
        if found := self._look():
            return found
        self._intend()  # fenced, since time has passed
        return self._create(as_draft=True)

    def _existing(self, error: Exception) -> PullRequest:
        """Our own, which GitHub may not list yet; InvalidError where somebody else's takes its place."""
        if found := self.wait.until(self._look):
            return found
        theirs = next((pull for pull in self.client.pull_requests_from(self.place.branch) if pull.is_open), None)
        by_whom = f"{theirs.author} opened one from {self.place.branch} first, {theirs.url}" if theirs else ""
        raise InvalidError("POST pulls", 422, f"{by_whom or 'there is one already'}.") from error
