"""Comments of a run: written once each, whatever happens in between.

A comment has no fence: two workers, or one whose answer was lost, may write it twice. So the own ones are listed before
and after; the oldest stays and a later twin goes. Somebody else's comment with our marker in it counts for nothing.

A list may lag behind what was written. So where a comment may stand already it is looked for with patience, and after
each write until the list shows it: what an older one's twin must be told by is then there too.

What was made a moment ago, a pull request above all, is not known everywhere on GitHub at once: a refusal that says so
is asked about again, for a while.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, timedelta

from workers.github.client import Comment, RepositoryClient
from workers.github.errors import GitHubUnavailableError, InvalidError, NotFoundError
from workers.github.markers import kind_in, marker
from workers.github.patience import Patience
from workers.host import RunRequest

CLOCK_SLACK = timedelta(hours=1)
"""GitHub's clock and the database's may differ by less than this."""
NOT_KNOWN_YET = (NotFoundError, InvalidError)
"""What GitHub answers of something new: 404, or 422 "Could not resolve to a node"."""


class RunComments:
    """The comments of one run, by kind, on issue or pull request `number`. `author` is the App's bot login."""

    def __init__(self, client: RepositoryClient, author: str, run: RunRequest, wait: Patience) -> None:
        self._client = client
        self._author = author
        self._run_id = run.run_id
        self._since = run.queued_at.astimezone(UTC) - CLOCK_SLACK
        self._intents = run.intents
        self.wait = wait

    def publish(self, number: int, bodies: Mapping[str, str], **words: str) -> dict[str, str]:
        """kind -> address of its one comment. The marker is put in front of each body; `words` are written down with
        the intent."""
        own = self.wait.until(lambda: self._own(number, bodies), NOT_KNOWN_YET) or []
        there = {kind for kind, _ in own}
        made = [self._write(number, kind, body, words) for kind, body in bodies.items() if kind not in there]
        if made:
            own = self._own_with(number, bodies, made)
        kept = {kind: comment.url for kind, comment in zip((k for k in bodies if k not in there), made, strict=True)}
        return kept | self._without_twins(own)

    def remove_twins(self, number: int, unwanted: Collection[str] = ()) -> None:
        """What another worker wrote too late: the later ones of each kind, and all of the `unwanted` kinds."""
        comments = (c for c in self._client.comments(number, self._since) if c.author == self._author)
        kinds = ((kind_in(c.body, self._run_id), c) for c in comments)
        own = [(kind, c) for kind, c in kinds if kind is not None]
        self._without_twins([(kind, c) for kind, c in own if kind not in unwanted])
        for kind, comment in own:
            if kind in unwanted:
                self._delete(comment)

    def look_for(self, number: int, kind: str) -> Comment | None:
        """The oldest of this kind, with patience."""
        return self.wait.until(lambda: self._first(number, kind), NOT_KNOWN_YET)

    def _write(self, number: int, kind: str, body: str, words: Mapping[str, str]) -> Comment:
        """Once, as far as anybody can tell before GitHub shows it."""
        before = self._intents.intend(comment_effect(kind, number), **words)
        if before and (found := self.look_for(number, kind)):
            return found
        try:
            return self._send(number, kind, body)
        except NOT_KNOWN_YET:
            sent = self.wait.until(lambda: self._send_again(number, kind, body, words), NOT_KNOWN_YET)
            if sent is None:
                raise
            return sent

    def _send_again(self, number: int, kind: str, body: str, words: Mapping[str, str]) -> Comment:
        """Unless it is there by now; fenced, since time has passed."""
        found = self._first(number, kind)
        if found is not None:
            return found
        self._intents.intend(comment_effect(kind, number), **words)
        return self._send(number, kind, body)

    def _send(self, number: int, kind: str, body: str) -> Comment:
        try:
            return self._client.create_comment(number, f"{marker(self._run_id, kind)}\n{body}")
        except GitHubUnavailableError:  # it may stand there all the same
            found = self.look_for(number, kind)
            if found is None:
                raise
            return found

    def _own_with(self, number: int, kinds: Iterable[str], made: Sequence[Comment]) -> list[tuple[str, Comment]]:
        """The own ones, once the list shows those just `made`; what it shows, where it never does."""
        wanted = {comment.id for comment in made}

        def complete() -> list[tuple[str, Comment]] | None:
            own = self._own(number, kinds)
            return own if wanted <= {comment.id for _, comment in own} else None

        return self.wait.until(complete, NOT_KNOWN_YET) or self._own(number, kinds)

    def _own(self, number: int, kinds: Iterable[str]) -> list[tuple[str, Comment]]:
        """Oldest first: GitHub lists by id."""
        beginnings = {kind: marker(self._run_id, kind) for kind in kinds}
        comments = (c for c in self._client.comments(number, self._since) if c.author == self._author)
        return [(kind, c) for c in comments for kind, begin in beginnings.items() if c.body.startswith(begin)]

    def _first(self, number: int, kind: str) -> Comment | None:
        return next((comment for _, comment in self._own(number, (kind,))), None)

    def _without_twins(self, own: Sequence[tuple[str, Comment]]) -> dict[str, str]:
        kept: dict[str, str] = {}
        for kind, comment in own:
            if kept.setdefault(kind, comment.url) != comment.url:
                self._delete(comment)
        return kept

    def _delete(self, comment: Comment) -> None:
        self._intents.intend(f"delete comment {comment.id}")
        with suppress(NotFoundError):  # another worker was quicker
            self._client.delete_comment(comment.id)


def comment_effect(kind: str, number: int) -> str:
    """The name of the intent."""
    return f"comment {kind} on {number}"
