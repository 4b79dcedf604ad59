"""Each live box is somebody else outside."""

from contextlib import ExitStack
from pathlib import Path

from repo_tools.sandbox.box_users import FIRST_HOST_USER, BoxUsers


def test_nobody_is_taken_twice_until_he_is_let_go_whoever_takes_him(tmp_path: Path) -> None:
    ours, another_workers = (BoxUsers(tmp_path / "users", 3, effective_user=0) for _ in range(2))
    with ExitStack() as first, ExitStack() as rest:
        taken = [ours.take(first), *(another_workers.take(rest) for _ in range(2))]
        assert sorted(map(str, taken)) == [str(FIRST_HOST_USER + n) for n in range(3)]
        first.close()
        assert ours.take(rest) == taken[0]


def test_where_all_are_taken_a_box_shares_one(tmp_path: Path) -> None:
    users = BoxUsers(tmp_path / "users", 2, effective_user=0)
    with ExitStack() as held:
        assert {users.take(held), users.take(held)} == {FIRST_HOST_USER, FIRST_HOST_USER + 1}
        assert users.take(held) in range(FIRST_HOST_USER, FIRST_HOST_USER + 2)


def test_who_is_not_root_stays_himself_and_leaves_nothing(tmp_path: Path) -> None:
    with ExitStack() as held:
        assert BoxUsers(tmp_path / "users", effective_user=1000).take(held) is None
    assert not (tmp_path / "users").exists()


def test_whom_a_dead_worker_had_is_free(tmp_path: Path) -> None:
    (tmp_path / str(FIRST_HOST_USER)).touch()
    with ExitStack() as held:
        assert BoxUsers(tmp_path, 1, effective_user=0).take(held) == FIRST_HOST_USER
    assert Path("/proc/locks").read_text().count(f":{(tmp_path / str(FIRST_HOST_USER)).stat().st_ino} ") == 0
