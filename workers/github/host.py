"""The place a run works for, when that is GitHub."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from githubkit import TokenAuthStrategy

from repo_tools.checkout import Checkout
from repo_tools.errors import RepoError
from repo_tools.mirror import Mirror
from repo_tools.mirror_room import make_room
from repo_tools.repo_map.history import Change
from repo_tools.server_history import ServerHistory
from workers.github.admission import RECEIPT, check_labeller, check_repository, check_wanted
from workers.github.app_auth import AppCredentials, InstallationTokens, load_credentials
from workers.github.client import RepositoryClient
from workers.github.errors import (
    REFUSED,
    ForbiddenError,
    GitHubError,
    GitHubUnavailableError,
    GoneError,
    InvalidError,
    NotFoundError,
    SuspendedError,
    UnauthorizedError,
)
from workers.github.git_data import EmptyRepositoryError
from workers.github.labellings import is_of, last_labelling
from workers.github.patience import Patience
from workers.github.publishing import Publishing
from workers.github.rest import Connection
from workers.github.told import may_be_told
from workers.host import Evidence, RunCancelledError, RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.publish.markdown import clean
from workers.publish.short_comments import render_cancellation, render_refusal
from workers.settings import WorkerSettings

log = logging.getLogger(__name__)
T = TypeVar("T")
WANTED_FOR_SECONDS = 60.0
"""How long the answer that a run is wanted holds. Twenty runs of an installation ask 2,400 times an hour then, and
GitHub takes 5,000 requests of all kinds."""


@dataclass(frozen=True)
class GitHubPlace:
    """Where GitHub is and where its mirrors are kept. `server_url` has no trailing slash."""

    connection: Connection
    server_url: str
    label: str
    mirrors: Path
    allowed_bots: frozenset[str] = frozenset()
    ca_bundle: Path | None = None
    wait: Patience = field(default_factory=Patience)
    mirror_bytes: int = 10 << 30
    """Room for all mirrors together."""

    @property
    def server_host(self) -> str:
        return urlsplit(self.server_url).hostname or ""


class GitHubHost:
    """Implements `workers.host.Host`. Holds tokens and what was asked lately, nothing that must outlive the process."""

    def __init__(
        self, place: GitHubPlace, credentials: AppCredentials, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._place = place
        self._credentials = credentials
        self._tokens = InstallationTokens(place.connection, credentials)
        self._clock = clock
        self._wanted_until: dict[str, float] = {}
        self._bot_login: str | None = None

    def labelling(self, run: RunRequest) -> int | None:
        """None while GitHub does not list the event yet."""
        with _refusals():
            events = self._do(run, lambda client: list(client.label_events(run.issue_number)))
        event = last_labelling(events, self._place.label)
        return event.id if event and is_of(event, run.labelled_at) else None

    def admit(self, run: RunRequest) -> None:
        """Checks the repository, reacts to the issue, checks the labeller. RunRefusedError; RunCancelledError where the
        label is gone again."""
        with _refusals():
            self._do(run, lambda client: self._admit(client, run))

    def checkout(self, run: RunRequest) -> Checkout:
        """The default branch's head, or the commit that an earlier attempt settled. RunRefusedError where there is
        none."""
        with _refusals():
            url, head = self._do(run, self._source)
        place = self._place
        directory = place.mirrors / str(run.repository_id)
        mirror = Mirror(directory, plain_http_hosts=(place.server_host,), ca_bundle=place.ca_bundle)
        token = self._tokens.token(run.installation_id, run.repository_id)
        commit = mirror.fetch(url, run.base_commit or head, token=token)
        make_room(place.mirrors, place.mirror_bytes)
        return mirror.checkout(commit)

    def recent_changes(self, run: RunRequest, checkout: Checkout) -> Sequence[Change]:
        """Those of the year before the commit."""
        place = self._place
        file = place.mirrors / f"{run.repository_id}.changes"
        history = ServerHistory(file, plain_http_hosts=(place.server_host,), ca_bundle=place.ca_bundle)
        try:
            kept = history.kept(checkout.commit)
            if kept is not None:
                return kept
            url = self._do(run, self._address)
            token = self._tokens.token(run.installation_id, run.repository_id)
            return history.fetch(url, checkout, token=token)
        except (GitHubError, RepoError, OSError) as error:
            log.warning("run %s: its files are ranked without history: %s", run.run_id, error)
            return ()

    def repository_key(self, run: RunRequest) -> str:
        """By id: a repository that was renamed keeps what was made for it, and no other one gets it."""
        return f"{self._place.server_url} {run.repository_id}"

    def folder(self, run: RunRequest) -> str:
        """An issue is of the whole repository."""
        return ""

    def check_wanted(self, run: RunRequest, *, at_once: bool = False) -> None:
        """RunCancelledError where the issue is closed, locked or transferred, the label off, App or repository gone, or
        the repository renamed; RunRefusedError where the App's permissions were taken away. While GitHub cannot be
        asked, a run is wanted."""
        if not at_once and self._clock() < self._wanted_until.get(run.run_id, float("-inf")):
            return
        with suppress(GitHubUnavailableError), _refusals():
            self._do(run, lambda client: check_wanted(client, run, self._place.label))
        self._wanted_until = {run.run_id: self._clock() + WANTED_FOR_SECONDS}

    def publish_draft(self, evidence: Evidence) -> Outcome:
        """The draft pull request, or the escalation where GitHub does not take it or the change holds a secret. Another
        ending that an earlier attempt told of stands."""
        if before := self._told(evidence.run, OutcomeKind.DRAFT_PULL_REQUEST):
            return before
        problem = self._publishing.obstacle(evidence)
        if problem is None:
            try:
                return self._do(evidence.run, lambda client: self._publishing.draft(client, evidence))
            except REFUSED as error:
                problem = f"The change is proved, but GitHub did not take it: {error.message or error}"
        return self._escalate(replace(evidence, reason=Reason.REPOSITORY, detail=clean(problem)))

    def publish_escalation(self, evidence: Evidence) -> Outcome:
        """Unless an earlier attempt told of another ending, and died before it could say so: that is then the
        outcome."""
        return self._told(evidence.run, OutcomeKind.ESCALATION) or self._escalate(evidence)

    def publish_cancellation(self, evidence: Evidence) -> Outcome:
        """One short comment, or none where the App or the issue is gone."""
        outcome = Outcome(OutcomeKind.CANCELLED, evidence.reason, evidence.detail)
        run, body = evidence.run, render_cancellation(evidence)
        return self._told(run, outcome.kind) or self._comment(run, outcome, body)

    def remove_late(self, run: RunRequest, ended: Outcome) -> None:
        """What a worker wrote after it had lost the run, which `ended` so: twins of comments, another ending.
        GitHubError."""
        self._do(run, lambda client: self._publishing.remove_late(client, run, ended))

    def _told(self, run: RunRequest, but: OutcomeKind) -> Outcome | None:
        if not may_be_told(run, but):
            return None
        with suppress(*REFUSED):
            return self._do(run, lambda client: self._publishing.told(client, run, but))
        return None

    def _escalate(self, evidence: Evidence) -> Outcome:
        outcome = Outcome(OutcomeKind.ESCALATION, evidence.reason, evidence.detail)
        return self._said(outcome, lambda: self._do(evidence.run, lambda c: self._publishing.escalation(c, evidence)))

    def publish_refusal(self, run: RunRequest, refusal: RunRefusedError) -> Outcome:
        outcome = Outcome(OutcomeKind.REFUSED, refusal.reason, str(refusal))
        body = render_refusal(run, refusal, self._place.label)
        return self._told(run, outcome.kind) or self._comment(run, outcome, body)

    def _comment(self, run: RunRequest, outcome: Outcome, body: str) -> Outcome:
        return self._said(outcome, lambda: self._do(run, lambda c: self._publishing.comment(c, run, outcome, body)))

    def bot_login(self) -> str:
        """The author of everything the App writes."""
        if self._bot_login is None:
            with self._place.connection.open(self._credentials.strategy) as rest:
                self._bot_login = f"{rest.get('/app')['slug']}[bot]"
        return self._bot_login

    @property
    def _publishing(self) -> Publishing:
        return Publishing(self._place.server_url, self.bot_login, self._place.wait)

    def _admit(self, client: RepositoryClient, run: RunRequest) -> None:
        check_repository(client)
        check_wanted(client, run, self._place.label)
        run.intents.intend(RECEIPT, repository=client.repository.full_name)
        with suppress(ForbiddenError, InvalidError):  # the run goes on without; twice is once, says GitHub
            client.react(run.issue_number)
        check_labeller(client, run, self._place.allowed_bots)

    def _source(self, client: RepositoryClient) -> tuple[str, str]:
        """Clone address and commit."""
        try:
            head = client.git.ref(f"heads/{client.repository.default_branch}")
        except EmptyRepositoryError:
            head = None
        if head is None:
            raise RunRefusedError(Reason.REPOSITORY, "The repository is empty: there is no commit to work from.")
        return self._address(client), head

    def _address(self, client: RepositoryClient) -> str:
        """The address is made of settings and GitHub's answer, never of a payload."""
        return f"{self._place.server_url}/{client.repository.full_name}.git"

    def _said(self, outcome: Outcome, say: Callable[[], str]) -> Outcome:
        """`outcome` with the address of its comment; without one where GitHub takes no comment there."""
        try:
            return replace(outcome, url=say())
        except REFUSED as error:
            return replace(outcome, detail=f"{outcome.detail} (No comment could be written: {error.message or error})")

    def _do(self, run: RunRequest, action: Callable[[RepositoryClient], T]) -> T:
        """Once more with a new token where GitHub no longer takes the kept one."""
        try:
            return self._once(run, action)
        except UnauthorizedError:
            self._tokens.forget(run.installation_id, run.repository_id)
            return self._once(run, action)

    def _once(self, run: RunRequest, action: Callable[[RepositoryClient], T]) -> T:
        token = self._tokens.token(run.installation_id, run.repository_id)
        with self._place.connection.open(TokenAuthStrategy(token)) as rest:
            return action(RepositoryClient(rest, run.repository_id))


@contextmanager
def _refusals() -> Iterator[None]:
    """Before anything is spent: what is gone cancels the run; what the people of the repository can put right refuses
    it."""
    try:
        yield
    except (NotFoundError, GoneError, SuspendedError) as error:
        raise RunCancelledError(f"The issue can no longer be reached: {error.message or 'not found'}.") from error
    except (ForbiddenError, InvalidError) as error:
        raise RunRefusedError(Reason.REPOSITORY, f"GitHub refuses: {error.message}. {error.remedy}") from error


def make_github_host(
    settings: WorkerSettings, *, timeout_seconds: float = 20.0, wait: Patience | None = None
) -> GitHubHost:
    """From the worker's settings. ConfigError where the App's id or key is missing or wrong."""
    place = GitHubPlace(
        Connection(settings.github_api_url, timeout_seconds),
        settings.github_server_url,
        settings.label,
        settings.data_dir / "mirrors",
        settings.allowed_bots,
        settings.ca_bundle or settings.ssl_cert_file,
        wait or Patience(),
        settings.mirror_cache_bytes,
    )
    return GitHubHost(place, load_credentials(settings))
