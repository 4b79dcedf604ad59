"""The mirror: what is fetched, from where, and where the token goes."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_tools.errors import RepoError, RepoUnavailableError
from repo_tools.git import GitLimits
from repo_tools.mirror import Mirror
from tests.support.certificates import make_certificate
from tests.support.git_http import GitServer, basic, serve_git
from tests.support.repositories import commit_files, git, head, make_repository

TOKEN = "ghs_" + "a1B2-c3_d4.e5" * 40


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    repository = make_repository(tmp_path / "served" / "owner" / "name", {"a.py": "x = 1\n"})
    commit_files(repository, {"a.py": "x = 2\n"})
    return repository


@pytest.fixture
def server(tmp_path: Path, repository: Path) -> Iterator[GitServer]:
    with serve_git(tmp_path / "served") as server:
        yield server


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    return Mirror(tmp_path / "mirrors" / "42")


def url_of(server: GitServer) -> str:
    return f"{server.url}/owner/name/.git"


def stored(directory: Path) -> bytes:
    """Everything that stands in any file below `directory`."""
    return b"\n".join(file.read_bytes() for file in directory.rglob("*") if file.is_file())


def test_a_branch_gives_its_newest_commit(server: GitServer, repository: Path, mirror: Mirror) -> None:
    commit = mirror.fetch(url_of(server), "main", token=None)
    assert commit == head(repository)
    assert mirror.checkout(commit).read("a.py") == b"x = 2\n"


def test_a_later_fetch_gives_what_came_since(server: GitServer, repository: Path, mirror: Mirror) -> None:
    first = mirror.fetch(url_of(server), "main", token=None)
    second = commit_files(repository, {"b.py": "y = 1\n"})
    assert mirror.fetch(url_of(server), "main", token=None) == second
    assert mirror.checkout(second).read("b.py") == b"y = 1\n"
    assert mirror.checkout(first).read("a.py") == b"x = 2\n"


def test_a_commit_that_is_here_costs_no_network(server: GitServer, mirror: Mirror) -> None:
    commit = mirror.fetch(url_of(server), "main", token=None)
    asked = len(server.authorizations)
    assert mirror.fetch(url_of(server), commit, token=None) == commit
    assert len(server.authorizations) == asked


def test_an_older_commit_is_fetched_by_its_id(server: GitServer, repository: Path, mirror: Mirror) -> None:
    mirror.fetch(url_of(server), "main", token=None)
    older = head(repository, "HEAD~1")
    assert mirror.fetch(url_of(server), older, token=None) == older
    assert mirror.checkout(older).read("a.py") == b"x = 1\n"


def test_no_history_and_no_other_ref_is_in_the_mirror(server: GitServer, repository: Path, mirror: Mirror) -> None:
    """T22: a fix that stands on another branch or tag is not to be seen."""
    git(repository, "checkout", "-q", "-b", "fix")
    fix = commit_files(repository, {"a.py": "fixed\n"})
    git(repository, "tag", "v9", fix)
    commit = mirror.fetch(url_of(server), "main", token=None)
    refs = git(mirror.directory, "for-each-ref", "--format=%(objectname)").decode().split()
    assert refs == [commit]
    assert git(mirror.directory, "rev-list", "--all").decode().split() == [commit]
    assert fix not in git(mirror.directory, "cat-file", "--batch-all-objects", "--batch-check").decode()


def test_annotated_tags_are_peeled(server: GitServer, repository: Path, mirror: Mirror) -> None:
    git(repository, "tag", "-a", "-m", "one", "v1", "HEAD~1")
    assert mirror.fetch(url_of(server), "refs/tags/v1", token=None) == head(repository, "HEAD~1")


def test_many_fetches_leave_few_packs_and_one_shallow_line(server: GitServer, repository: Path, mirror: Mirror) -> None:
    """The cost of a run must not grow with the runs before it."""
    commits = []
    for number in range(25):
        commits.append(commit_files(repository, {f"f{number}.py": f"{number}\n"}))
        mirror.fetch(url_of(server), "main", token=None)
    assert len(list((mirror.directory / "objects" / "pack").glob("*.pack"))) <= 21
    assert len((mirror.directory / "shallow").read_text().splitlines()) == 1
    assert not list((mirror.directory / "objects").glob("[0-9a-f][0-9a-f]"))
    assert all(mirror.checkout(commit).tree for commit in commits)


def test_a_force_push_back_to_an_old_commit_is_followed(server: GitServer, repository: Path, mirror: Mirror) -> None:
    mirror.fetch(url_of(server), "main", token=None)
    newer = commit_files(repository, {"b.py": "y = 1\n"})
    mirror.fetch(url_of(server), "main", token=None)
    git(repository, "reset", "-q", "--hard", "HEAD~2")
    assert mirror.fetch(url_of(server), "main", token=None) == head(repository)
    assert mirror.fetch(url_of(server), newer, token=None) == newer


@pytest.mark.parametrize("what", ["HEAD", "shallow", "packs", "config", "everything"])
def test_a_damaged_mirror_is_made_again(server: GitServer, repository: Path, mirror: Mirror, what: str) -> None:
    mirror.fetch(url_of(server), "main", token=None)
    commit = commit_files(repository, {"b.py": "y = 1\n"})
    damage(mirror.directory, what)
    assert mirror.fetch(url_of(server), "main", token=None) == commit
    assert mirror.checkout(commit).read("a.py") == b"x = 2\n"


def damage(directory: Path, what: str) -> None:
    for file in [file for file in directory.rglob("*") if file.is_file()]:
        if what in ("everything", file.name) or (what == "packs" and file.suffix in (".pack", ".idx")):
            file.chmod(0o644)
            file.write_bytes(b"nonsense")


def test_a_commit_whose_files_are_lost_is_fetched_again(server: GitServer, repository: Path, mirror: Mirror) -> None:
    commit = mirror.fetch(url_of(server), "main", token=None)
    for pack in (mirror.directory / "objects" / "pack").iterdir():
        pack.unlink()
    assert mirror.fetch(url_of(server), commit, token=None) == commit
    assert mirror.checkout(commit).read("a.py") == b"x = 2\n"


@pytest.mark.parametrize("by_id", [True, False])
def test_a_commit_of_which_one_file_is_damaged_is_fetched_again(server: GitServer, mirror: Mirror, by_id: bool) -> None:
    """Its server sends nothing of a commit that seems to be here."""
    commit = mirror.fetch(url_of(server), "main", token=None)
    damaged = mirror.checkout(commit).tree["a.py"].blob_id
    for pack in [*(mirror.directory / "objects" / "pack").glob("*.pack")]:
        content = pack.rename(mirror.directory / "taken").read_bytes()
        git(mirror.directory, "unpack-objects", "-q", stdin=content)
    loose = mirror.directory / "objects" / damaged[:2] / damaged[2:]
    loose.chmod(0o644)
    loose.write_bytes(b"nonsense")
    assert mirror.fetch(url_of(server), commit if by_id else "main", token=None) == commit
    assert mirror.checkout(commit).read("a.py") == b"x = 2\n"


def test_what_killed_fetches_left_is_swept_away(server: GitServer, repository: Path, mirror: Mirror) -> None:
    mirror.fetch(url_of(server), "main", token=None)
    half_made = mirror.directory.with_name(".42-abc") / "new"
    half_made.mkdir(parents=True)
    half_pack = mirror.directory / "objects" / "pack" / "tmp_pack_x"
    half_pack.write_bytes(b"half")
    (mirror.directory / "shallow.lock").touch()
    assert mirror.fetch(url_of(server), "main", token=None) == head(repository)
    assert not half_made.exists()
    assert not half_pack.exists()


def test_nothing_is_left_of_a_first_fetch_that_failed(server: GitServer, mirror: Mirror) -> None:
    with pytest.raises(RepoError):
        mirror.fetch(url_of(server), "no-such-branch", token=None)
    assert [path.name for path in mirror.directory.parent.iterdir()] == ["42.lock"]


def test_a_commit_that_would_fill_the_disk_is_refused_for_good_and_fetched_once(
    server: GitServer, repository: Path, tmp_path: Path
) -> None:
    commit_files(repository, {"large.bin": os.urandom(1 << 20).hex()})
    narrow = Mirror(tmp_path / "mirrors" / "42", fetched=GitLimits(512 << 10, memory_bytes=None))
    with pytest.raises(RepoError, match=r"more than 0\.5 MiB, packed") as refused:
        narrow.fetch(url_of(server), "main", token=None)
    assert not isinstance(refused.value, RepoUnavailableError)
    assert [path.name for path in (tmp_path / "mirrors").iterdir()] == ["42.lock"]
    older = narrow.fetch(url_of(server), head(repository, "HEAD~1"), token=None)
    asked = len(server.authorizations)
    with pytest.raises(RepoError, match="packed"):
        narrow.fetch(url_of(server), "main", token=None)
    assert len(server.authorizations) - asked <= 3  # one fetch: its refs, what is wanted, the pack
    assert narrow.checkout(older).read("a.py") == b"x = 2\n"
    assert not list((narrow.directory / "objects" / "pack").glob("tmp_*"))


def test_a_branch_that_is_not_there_is_for_people(server: GitServer, mirror: Mirror) -> None:
    mirror.fetch(url_of(server), "main", token=None)
    with pytest.raises(RepoError, match="no-such-branch") as caught:
        mirror.fetch(url_of(server), "no-such-branch", token=None)
    assert not isinstance(caught.value, RepoUnavailableError)
    assert mirror.directory.is_dir()


def test_a_repository_that_is_not_there_is_for_people(server: GitServer, mirror: Mirror) -> None:
    with pytest.raises(RepoError) as caught:
        mirror.fetch(f"{server.url}/owner/other/.git", "main", token=None)
    assert not isinstance(caught.value, RepoUnavailableError)


def test_a_server_that_fails_may_answer_later(server: GitServer, mirror: Mirror) -> None:
    server.failing = True
    with pytest.raises(RepoUnavailableError):
        mirror.fetch(url_of(server), "main", token=None)


def test_a_server_that_is_away_may_come_back(mirror: Mirror) -> None:
    with pytest.raises(RepoUnavailableError):
        mirror.fetch("http://127.0.0.1:9/owner/name.git", "main", token=None)


def test_a_wrong_token_is_for_people(server: GitServer, mirror: Mirror) -> None:
    server.token = TOKEN
    with pytest.raises(RepoError) as caught:
        mirror.fetch(url_of(server), "main", token="wrong")
    assert not isinstance(caught.value, RepoUnavailableError)


def test_concurrent_fetches_make_one_mirror(server: GitServer, repository: Path, mirror: Mirror) -> None:
    results: list[str] = []
    threads = [
        threading.Thread(target=lambda: results.append(mirror.fetch(url_of(server), "main", token=None)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [head(repository)] * 4
    assert sorted(path.name for path in mirror.directory.parent.iterdir()) == ["42", "42.lock"]


def test_the_token_is_sent_and_stands_nowhere(server: GitServer, mirror: Mirror) -> None:
    """T23: not in config, reflog, FETCH_HEAD or any other file."""
    server.token = TOKEN
    mirror.fetch(url_of(server), "main", token=TOKEN)
    assert basic(TOKEN) in server.authorizations
    kept = stored(mirror.directory.parent)
    assert TOKEN.encode() not in kept
    assert basic(TOKEN).encode() not in kept
    assert b"127.0.0.1" not in kept


def test_the_token_is_in_no_command_line_while_a_fetch_runs(server: GitServer, mirror: Mirror) -> None:
    """T23, seen in /proc while the server keeps git waiting."""
    server.token = TOKEN
    server.gate.clear()
    fetching = threading.Thread(target=lambda: mirror.fetch(url_of(server), "main", token=TOKEN))
    fetching.start()
    assert server.waiting.wait(60)
    lines = [command_line(pid) for pid in git_processes()]  # others' may hold what they like
    server.gate.set()
    fetching.join()
    assert any(b"git\0fetch" in line for line in lines)
    assert not any(TOKEN.encode() in line or basic(TOKEN).encode() in line for line in lines)
    assert not any(b"Authorization" in line for line in lines)


def command_line(pid: str) -> bytes:
    try:
        return Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return b""


def test_the_token_does_not_follow_a_redirect(
    server: GitServer, mirror: Mirror, tmp_path: Path, repository: Path
) -> None:
    with serve_git(tmp_path / "served") as elsewhere:
        server.redirect_to = elsewhere.url
        with pytest.raises(RepoError):
            mirror.fetch(url_of(server), "main", token=TOKEN)
        assert elsewhere.authorizations == []


def test_errors_do_not_hold_the_token(server: GitServer, mirror: Mirror) -> None:
    server.token = "other"
    with pytest.raises(RepoError) as caught:
        mirror.fetch(url_of(server), "main", token=TOKEN)
    assert TOKEN not in str(caught.value)
    assert basic(TOKEN) not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"


def test_a_server_with_its_own_authority_needs_the_bundle(tmp_path: Path, repository: Path) -> None:
    certificate, bundle = make_certificate(tmp_path)
    with serve_git(tmp_path / "served", TOKEN, certificate) as server:
        knowing = Mirror(tmp_path / "mirrors" / "1", ca_bundle=bundle)
        assert knowing.fetch(url_of(server), "main", token=TOKEN) == head(repository)
        with pytest.raises(RepoError, match="certificate") as caught:
            Mirror(tmp_path / "mirrors" / "2").fetch(url_of(server), "main", token=TOKEN)
        assert not isinstance(caught.value, RepoUnavailableError)


@pytest.mark.parametrize(
    "url",
    [
        "--upload-pack=touch /tmp/pwned",
        "-oProxyCommand=x",
        "ext::sh -c 'touch pwned'",
        "https://example.org/a::b",
        "file:///etc",
        "/etc",
        "git@github.com:a/b",
        "ssh://git@example.org/a/b",
        "git://example.org/a/b",
        "http://example.org/a/b",
        "http://localhost.example.org/a/b",
        "https://user:password@example.org/a/b",
        "https://token@example.org/a/b",
        "https:///a/b",
        "https://-oops/a/b",
        "https://example.org/a?x=1",
        "https://example.org/a#x",
        "https://example.org/a\nb",
        "https://[::1/a",
        "",
    ],
)
def test_an_address_that_is_none_of_ours_is_refused(mirror: Mirror, url: str) -> None:
    """T18: refused before git is started."""
    with pytest.raises(RepoError):
        mirror.fetch(url, "main", token=TOKEN)
    assert not mirror.directory.parent.exists()


def test_plain_http_is_for_a_configured_server(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirrors" / "42", plain_http_hosts=["git.invalid"])
    with pytest.raises(RepoUnavailableError, match="resolve host"):
        mirror.fetch("http://git.invalid/a/b", "main", token=None)


@pytest.mark.parametrize(
    "ref", ["--upload-pack=x", "-x", "a..b", "a@{1}", "x.lock", "a\nb", "a b", "a:b", "", "x" * 300, "HEAD"]
)
def test_a_ref_that_is_none_is_refused(server: GitServer, mirror: Mirror, ref: str) -> None:
    """T18."""
    with pytest.raises(RepoError):
        mirror.fetch(url_of(server), ref, token=None)
    assert server.authorizations == []


def test_a_plus_sign_is_part_of_the_name_and_no_order(server: GitServer, repository: Path, mirror: Mirror) -> None:
    git(repository, "branch", "+main", "HEAD~1")
    assert mirror.fetch(url_of(server), "+main", token=None) == head(repository, "HEAD~1")


def test_submodules_are_listed_and_never_fetched(
    server: GitServer, repository: Path, mirror: Mirror, tmp_path: Path
) -> None:
    """T12: whatever .gitmodules says."""
    modules = (
        f'[submodule "../x"]\n\tpath = sub\n\turl = ext::sh -c "touch {tmp_path}/pwned"\n\tupdate = !touch pwned\n'
    )
    commit_files(repository, {".gitmodules": modules})
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head(repository)},sub")
    git(repository, "commit", "-q", "-m", "submodule")
    commit = mirror.fetch(url_of(server), "main", token=None)
    assert str(mirror.checkout(commit).tree["sub"].mode) == "160000"
    assert not (tmp_path / "pwned").exists()
    assert not (mirror.directory / "modules").exists()


def test_large_file_storage_is_left_alone(server: GitServer, repository: Path, mirror: Mirror) -> None:
    """T16: a pointer is a file like any other."""
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
    commit_files(
        repository,
        {".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:9/\n", ".gitattributes": attributes, "a.bin": pointer},
    )
    commit = mirror.fetch(url_of(server), "main", token=None)
    assert mirror.checkout(commit).read("a.bin") == pointer


def test_settings_in_the_environment_are_not_heard(
    server: GitServer, mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever starts the worker may have any GIT_ variable set."""
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_TRACE_CURL", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.hooksPath=/tmp'")
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file")
    commit = mirror.fetch(url_of(server), "main", token=TOKEN)
    assert mirror.checkout(commit).tree
    assert not (tmp_path / "trace").exists()


def test_nothing_of_this_process_reaches_git_but_what_it_needs(
    server: GitServer, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K04: the other secrets of a worker are no business of git's."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    server.gate.clear()
    fetching = threading.Thread(target=lambda: mirror.fetch(url_of(server), "main", token=None))
    fetching.start()
    assert server.waiting.wait(60)
    seen = [read_environment(pid) for pid in git_processes()]
    server.gate.set()
    fetching.join()
    assert any(b"GIT_CONFIG_COUNT" in environment for environment in seen)
    assert not any(b"sk-ant-secret" in environment for environment in seen)


def git_processes() -> list[str]:
    """Running git processes that this one started, directly or not."""
    ours = str(os.getpid())
    parents = {}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                parents[process.name] = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[1]
            except OSError:
                continue
    return [pid for pid in parents if is_below(pid, ours, parents) and pid != ours]


def is_below(pid: str, ancestor: str, parents: dict[str, str]) -> bool:
    while pid in parents and pid != ancestor:
        pid = parents[pid]
    return pid == ancestor


def read_environment(pid: str) -> bytes:
    try:
        return Path("/proc", pid, "environ").read_bytes()
    except OSError:
        return b""
