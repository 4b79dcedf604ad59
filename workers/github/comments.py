"""Comments of a run: written once each, whatever happens in between.

A comment has no fence: two workers, or one whose answer was lost, may write it twice. So the own ones are listed before
and after; the oldest stays and a later twin goes. Somebody else's comment with our marker in it counts for nothing.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
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
        own = self._own(number, bodies)
        there = {kind for kind, _ in own}
        made = {kind: self._create(number, kind, body) for kind, body in bodies.items() if kind not in there}
        if made:
            own = self._own(number, bodies)
        return made | self._without_twins(own)

    def _create(self, number: int, kind: str, body: str) -> str:
        try:
            return self._client.create_comment(number, f"{marker(self._run_id, kind)}\n{body}").url
        except GitHubUnavailableError:  # it may stand there all the same
            own = self._own(number, {kind: body})
            if not own:
                raise
            return own[0][1].url

    def _own(self, number: int, kinds: Iterable[str]) -> list[tuple[str, Comment]]:
        """Oldest first: GitHub lists by id."""
        beginnings = {kind: marker(self._run_id, kind) for kind in kinds}
        comments = (c for c in self._client.comments(number, self._since) if c.author == self._author)
        return [(kind, c) for c in comments for kind, begin in beginnings.items() if c.body.startswith(begin)]

    def _without_twins(self, own: list[tuple[str, Comment]]) -> dict[str, str]:
        kept: dict[str, str] = {}
        for kind, comment in own:
            if kept.setdefault(kind, comment.url) != comment.url:
                self._delete(comment)
        return kept

    def _delete(self, comment: Comment) -> None:
        with suppress(NotFoundError):  # another worker was quicker
            self._client.delete_comment(comment.id)
