"""Comments of a run: written once each, whatever happens in between.

A comment has no fence: two workers, or one whose answer was lost, may write it twice. So the own ones are listed before
and after; the oldest stays and a later twin goes. Somebody else's comment with our marker in it counts for nothing.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from workers.github.client import Comment, RepositoryClient
from workers.github.errors import GitHubUnavailableError, NotFoundError
from workers.github.markers import marker

CLOCK_SLACK = timedelta(hours=1)
"""GitHub's clock and the database's may differ by less than this."""


class RunComments:
    """The comments of one run, by kind, on issue or pull request `number`. `author` is the App's bot login."""

    def __init__(self, client: RepositoryClient, author: str, run_id: str, queued_at: datetime) -> None:
        self._client = client
        self._author = author
        self._run_id = run_id
        self._since = queued_at.astimezone(UTC) - CLOCK_SLACK

    def publish(self, number: int, bodies: Mapping[str, str]) -> dict[str, str]:
        """kind -> address of its one comment. The marker is put in front of each body."""
        there = self._find(number, bodies)
        missing = [kind for kind in bodies if kind not in there]
        for kind in missing:
            there[kind] = self._create(number, kind, bodies[kind])
        return self._without_twins(number, bodies) if missing else there

    def _create(self, number: int, kind: str, body: str) -> str:
        try:
            return self._client.create_comment(number, f"{marker(self._run_id, kind)}\n{body}").url
        except GitHubUnavailableError:  # it may stand there all the same
            found = self._find(number, (kind,))
            if kind not in found:
                raise
            return found[kind]

    def _find(self, number: int, kinds: Mapping[str, str] | tuple[str, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        for kind, comment in self._own(number, kinds):
            found.setdefault(kind, comment.url)
        return found

    def _without_twins(self, number: int, kinds: Mapping[str, str]) -> dict[str, str]:
        kept: dict[str, str] = {}
        for kind, comment in list(self._own(number, kinds)):
            if kept.setdefault(kind, comment.url) != comment.url:
                self._delete(comment)
        return kept

    def _delete(self, comment: Comment) -> None:
        try:
            self._client.delete_comment(comment.id)
        except NotFoundError:
            return  # another worker was quicker

    def _own(self, number: int, kinds: Mapping[str, str] | tuple[str, ...]) -> Iterator[tuple[str, Comment]]:
        """Oldest first: GitHub lists by id."""
        for comment in self._client.comments(number, self._since):
            for kind in kinds:
                if comment.author == self._author and comment.body.startswith(marker(self._run_id, kind)):
                    yield kind, comment
