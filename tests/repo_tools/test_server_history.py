"""The year before a commit on a server: what is kept of it, and that nothing is worse where it cannot be had."""

import fcntl
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from repo_tools import remote
from repo_tools.errors import RepoError, RepoUnavailableError
from repo_tools.git import GitLimits
from repo_tools.git_checkout import GitCheckout
from repo_tools.repo_map.history import Change, recent_changes, write_log
from repo_tools.server_history import ServerHistory
from tests.support.git_http import GitServer, basic, serve_git
from tests.support.repositories import git, head, make_repository

TOKEN = "ghs_" + "a1B2-c3_d4.e5" * 40
NOW = 1_700_000_000
DAY = 86_400
NOISE = random.Random(1).randbytes(200_000)
"""No packing makes it smaller."""


def push(
    repository: Path, days_ago: int, message: str, files: Mapping[str, bytes], *, onto: str = "main", merge: str = ""
) -> str:
    """A commit of that age on `onto`, and on `merge`; its id. `files` are put beside those that are there."""
    who = f"A Person <person@example.org> {NOW - days_ago * DAY} +0000"
    stream = [f"commit refs/heads/{onto}\ncommitter {who}\ndata {len(message.encode())}\n{message}\n".encode()]
    if git(repository, "for-each-ref", f"refs/heads/{onto}"):
        stream.append(f"from refs/heads/{onto}^0\n".encode())
    if merge:
        stream.append(f"merge refs/heads/{merge}^0\n".encode())
    for path, content in files.items():
        stream.append(f"M 644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n")
    git(repository, "fast-import", "--quiet", "--force", stdin=b"".join(stream))
    return head(repository, onto)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A commit of two years ago, then three of this year; the newest holds much that nothing makes smaller."""
    repository = make_repository(tmp_path / "served" / "owner" / "name")
    push(repository, 700, "Begin", {"a.py": b"0", "b.py": b"0", "c.py": b"0"})
    push(repository, 400, "Mend the cart", {"a.py": b"1"})
    push(repository, 300, "Round to cents", {"b.py": b"1"})
    push(repository, 200, "Send letters", {"c.py": b"1"})
    push(repository, 100, "Log in", {"a.py": b"2", "noise": NOISE})
    return repository


@pytest.fixture
def server(tmp_path: Path, repository: Path) -> Iterator[GitServer]:
    with serve_git(tmp_path / "served") as server:
        yield server


@pytest.fixture
def history(tmp_path: Path) -> ServerHistory:
    return ServerHistory(tmp_path / "mirrors" / "42.changes", fetched=GitLimits(100_000))


def at(repository: Path, revision: str = "main") -> GitCheckout:
    return GitCheckout(repository / ".git", head(repository, revision))


def url_of(server: GitServer) -> str:
    return f"{server.url}/owner/name/.git"


def said(changes: tuple[Change, ...] | None) -> list[str]:
    return [change.message.decode() for change in changes or ()]


def left_beside(history: ServerHistory) -> list[str]:
    return sorted(file.name for file in history.file.parent.iterdir())


def test_the_changes_of_a_year_are_fetched_without_the_contents(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    """The commit at which the year begins says nothing: it would seem to have added every file."""
    changes = history.fetch(url_of(server), at(repository), token=None)
    assert [(change.message, change.paths) for change in changes] == [
        (b"Log in", ("a.py", "noise")),
        (b"Send letters", ("c.py",)),
        (b"Round to cents", ("b.py",)),
    ]
    assert left_beside(history) == ["42.changes", "42.changes.lock"]


def test_a_year_that_holds_the_first_commit_is_what_a_whole_clone_has(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    older = at(repository, "main~3")
    changes = history.fetch(url_of(server), older, token=None)
    assert changes == recent_changes(repository / ".git", older.commit)
    assert said(changes) == ["Mend the cart", "Begin"]


def test_merges_at_which_the_year_begins_hide_nothing_that_came_later(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    """Two neighbours have a parent that is too old: git then lists one that it does not have."""
    git(repository, "branch", "side", "main~4")
    git(repository, "branch", "merged", "main~4")
    push(repository, 390, "On the side", {"s.py": b"1"}, onto="side")
    push(repository, 380, "Merge", {"s.py": b"1"}, onto="merged", merge="side")
    push(repository, 90, "Later", {"s.py": b"2"}, onto="merged")
    push(repository, 80, "Last", {"s.py": b"3"}, onto="merged")
    changes = history.fetch(url_of(server), at(repository, "merged"), token=None)
    assert said(changes) == ["Last", "Later"]


def test_what_is_kept_costs_no_network_and_is_of_one_commit(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    changes = history.fetch(url_of(server), at(repository), token=None)
    asked = len(server.authorizations)
    assert history.kept(head(repository, "main")) == changes
    assert history.fetch(url_of(server), at(repository), token=None) == changes
    assert len(server.authorizations) == asked
    assert history.kept(head(repository, "main~1")) is None


def test_a_branch_that_moved_or_was_forced_elsewhere_is_asked_for_anew(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    history.fetch(url_of(server), at(repository), token=None)
    push(repository, 10, "Log out", {"b.py": b"3"})
    moved = history.fetch(url_of(server), at(repository), token=None)
    assert said(moved) == ["Log out", "Log in", "Send letters"]
    push(repository, 5, "Other beginning", {"z.py": b"0"}, onto="other")
    push(repository, 4, "Other end", {"z.py": b"1"}, onto="other")
    git(repository, "update-ref", "refs/heads/main", "other")
    forced = history.fetch(url_of(server), at(repository), token=None)
    assert said(forced) == ["Other end", "Other beginning"]
    assert said(history.fetch(url_of(server), at(repository), token=None)) == said(forced)


def test_the_same_commit_has_the_same_changes_whatever_was_fetched_before(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    newer = at(repository)
    first = history.fetch(url_of(server), newer, token=None)
    history.fetch(url_of(server), at(repository, "main~2"), token=None)
    assert history.fetch(url_of(server), newer, token=None) == first


@pytest.mark.parametrize("revision", ["main~5", "main"], ids=["the first", "after years"])
def test_a_commit_without_a_year_before_it_has_no_changes_and_is_not_asked_for_twice(
    server: GitServer, repository: Path, history: ServerHistory, revision: str
) -> None:
    push(repository, -1_000, "Wake up", {"a.py": b"3"})
    assert history.fetch(url_of(server), at(repository, revision), token=None) == ()
    assert history.kept(head(repository, revision)) == ()


def test_a_server_without_filters_serves_while_it_sends_little(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    server.filters = False
    assert said(history.fetch(url_of(server), at(repository, "main~1"), token=None)) == [
        "Send letters",
        "Round to cents",
    ]


def test_a_server_that_sends_too_much_is_stopped(server: GitServer, repository: Path, history: ServerHistory) -> None:
    server.filters = False
    with pytest.raises(RepoError):
        history.fetch(url_of(server), at(repository), token=None)
    assert left_beside(history) == ["42.changes.lock", "42.changes.missed"]


@pytest.mark.long(short="test_a_server_that_sends_too_much_is_stopped")
def test_a_commit_that_is_small_only_as_it_is_sent_takes_no_memory(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    push(repository, 50, "A" * 150_000_000, {"b.py": b"2"})
    frugal = ServerHistory(history.file, fetched=GitLimits(1_000_000, 140_000_000))
    with pytest.raises(RepoError, match="git fetch"):
        frugal.fetch(url_of(server), at(repository), token=None)
    git(repository, "update-ref", "refs/heads/main", "main~1")
    make_older(history)
    assert said(frugal.fetch(url_of(server), at(repository), token=None))


def test_a_log_that_is_too_long_is_not_read(repository: Path, tmp_path: Path) -> None:
    push(repository, 1, "A long story. " * 1_000, {"a.py": b"9"})
    with pytest.raises(RepoError):
        write_log(repository / ".git", "main", tmp_path / "log", limits=GitLimits(10_000), timeout_seconds=60)


def test_a_server_that_does_not_answer_in_time_is_left(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    server.gate.clear()
    hasty = ServerHistory(history.file, work_seconds=0.2)
    with pytest.raises(RepoUnavailableError):
        hasty.fetch(url_of(server), at(repository), token=None)
    assert left_beside(history) == ["42.changes.lock", "42.changes.missed"]


@pytest.mark.parametrize("failing", [True, False], ids=["fails", "refuses"])
def test_a_server_that_fails_or_refuses_leaves_what_is_kept(
    server: GitServer, repository: Path, history: ServerHistory, failing: bool
) -> None:
    older = at(repository, "main~1")
    changes = history.fetch(url_of(server), older, token=None)
    server.failing, server.token = failing, TOKEN
    with pytest.raises(RepoUnavailableError if failing else RepoError):
        history.fetch(url_of(server), at(repository), token="wrong")
    assert history.kept(older.commit) == changes


def test_what_could_not_be_had_is_not_asked_for_again_within_the_hour(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    """Whatever the commit: a year that is too much stays so."""
    server.filters = False
    with pytest.raises(RepoError) as first:
        history.fetch(url_of(server), at(repository), token=None)
    asked, server.filters = len(server.authorizations), True
    push(repository, 10, "Log out", {"b.py": b"3"})
    with pytest.raises(RepoError) as second:
        history.fetch(url_of(server), at(repository), token=None)
    assert str(first.value) in str(second.value)
    assert len(server.authorizations) == asked
    make_older(history)
    assert said(history.fetch(url_of(server), at(repository), token=None)) == ["Log out", "Log in", "Send letters"]
    assert left_beside(history) == ["42.changes", "42.changes.lock"]


def make_older(history: ServerHistory) -> None:
    for file in history.file.parent.glob("*.missed"):
        os.utime(file, (0, file.stat().st_mtime - 3_600))


FETCH = """
import sys
from pathlib import Path
from repo_tools.git_checkout import GitCheckout
from repo_tools.server_history import ServerHistory
file, url, repository, commit = sys.argv[1:]
ServerHistory(Path(file), work_seconds=600).fetch(url, GitCheckout(Path(repository), commit), token=None)
"""


def test_a_worker_that_was_killed_under_way_has_missed_it(
    server: GitServer, repository: Path, history: ServerHistory
) -> None:
    """Where the fetch is what takes too much of its memory, the run that is tried again goes on without."""
    server.gate.clear()
    arguments = [str(history.file), url_of(server), str(repository / ".git"), head(repository)]
    with subprocess.Popen([sys.executable, "-c", FETCH, *arguments]) as worker:
        assert server.waiting.wait(60)
        worker.kill()
    server.gate.set()
    with pytest.raises(RepoError, match="did not end"):
        history.fetch(url_of(server), at(repository), token=None)


def test_nobody_waits_for_long_for_another_worker(server: GitServer, repository: Path, history: ServerHistory) -> None:
    """It is no failure of the fetch."""
    history.file.parent.mkdir()
    hasty = ServerHistory(history.file, wait_seconds=0.1)
    with (history.file.parent / "42.changes.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RepoUnavailableError):
            hasty.fetch(url_of(server), at(repository), token=None)
    assert hasty.fetch(url_of(server), at(repository), token=None)


def test_only_servers_that_repositories_come_from_are_asked(repository: Path, history: ServerHistory) -> None:
    with pytest.raises(RepoError, match="not a server"):
        history.fetch(f"file://{repository}", at(repository), token=None)


@pytest.mark.parametrize("damaged", [b"", b"nonsense", b"\0" * 5_000])
def test_what_is_damaged_is_made_anew(
    server: GitServer, repository: Path, history: ServerHistory, damaged: bytes
) -> None:
    changes = history.fetch(url_of(server), at(repository), token=None)
    history.file.write_bytes(damaged)
    assert history.fetch(url_of(server), at(repository), token=None) == changes


def test_what_killed_fetches_left_is_swept_away(server: GitServer, repository: Path, history: ServerHistory) -> None:
    half_made = history.file.parent / ".42.changes-abc" / "git"
    half_made.mkdir(parents=True)
    assert history.fetch(url_of(server), at(repository), token=None)
    assert not half_made.parent.exists()


def test_several_workers_ask_once(server: GitServer, repository: Path, history: ServerHistory, tmp_path: Path) -> None:
    alone = ServerHistory(tmp_path / "alone").fetch(url_of(server), at(repository), token=None)
    asked = len(server.authorizations)
    found: list[tuple[Change, ...]] = []
    threads = [
        threading.Thread(target=lambda: found.append(history.fetch(url_of(server), at(repository), token=None)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 4
    assert len(server.authorizations) == 2 * asked


def test_the_token_is_sent_and_stands_nowhere(server: GitServer, repository: Path, history: ServerHistory) -> None:
    """T23."""
    server.token = TOKEN
    assert history.fetch(url_of(server), at(repository), token=TOKEN)
    assert basic(TOKEN) in server.authorizations
    kept = b"".join(file.read_bytes() for file in history.file.parent.rglob("*") if file.is_file())
    assert TOKEN.encode() not in kept
    assert b"127.0.0.1" not in kept


def test_a_log_never_asks_a_server_for_what_is_missing(server: GitServer, repository: Path, tmp_path: Path) -> None:
    """A partial clone has git ask for what it lacks: a log has no transport."""
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=tree:0", url_of(server), "partial")
    asked = len(server.authorizations)
    with pytest.raises(RepoError, match="not allowed"):
        write_log(tmp_path / "partial", "main", tmp_path / "log", limits=GitLimits(10_000), timeout_seconds=60)
    assert len(server.authorizations) == asked


def test_what_is_fetched_without_contents_is_no_partial_clone(
    server: GitServer, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "fetched")
    fetched, commit = tmp_path / "fetched", at(repository)
    since, limits = NOW - 300 * DAY, GitLimits(100_000)
    remote.fetch_history(fetched, url_of(server), commit.commit, since, token=None, limits=limits, timeout_seconds=60)
    asked = len(server.authorizations)
    noise = commit.tree["noise"].blob_id
    assert b"missing" in git(fetched, "cat-file", "--batch-check", stdin=f"{noise}\n".encode())
    assert len(server.authorizations) == asked
