"""The oldest git that may read a repository on the host."""

import pytest

from repo_tools.errors import ConfigError
from repo_tools.git_version import check_git, git_problem
from repo_tools.versions import FINAL, has_fixes, parse_version


@pytest.mark.parametrize(
    "version", ["2.39.4", "2.39.5", "2.40.2", "2.43.4", "2.45.1", "2.45.2.windows.1", "2.51.0", "3.0"]
)
def test_a_git_that_runs_nothing_of_a_repository_is_taken(version: str) -> None:
    assert git_problem(f"git version {version}\n") == ""


@pytest.mark.parametrize("version", ["2.30.2", "2.38.9", "2.39.3 (Apple Git-146)", "2.40.1", "2.44.0", "2.45.0", "1.9"])
def test_an_older_one_is_refused(version: str) -> None:
    assert "may run code" in git_problem(f"git version {version}\n")


def test_what_is_no_git_is_refused() -> None:
    assert git_problem("") != ""


def test_this_machines_own_is_named() -> None:
    assert check_git().startswith("git version ")


def test_without_any_git_the_operator_reads_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ConfigError, match=r"2\.39\.4"):
        check_git()


def test_versions_are_read_however_they_are_written() -> None:
    assert parse_version("runc version 1.4.0-rc.3") == (1, 4, 0, 3)
    assert parse_version("1.4.0-rc3+dev") == (1, 4, 0, 3)
    assert parse_version("v20.10") == (20, 10, 0, FINAL)
    assert parse_version("none") is None


def test_a_series_between_two_that_were_mended_has_nothing() -> None:
    assert has_fixes("1.3.9", ("1.2.8", "1.4.1")) is False
    assert has_fixes("1.5.0", ("1.2.8", "1.4.1")) is True
