"""What of a change counts where given tests decide."""

import os
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.solve_requirements import REQUIREMENTS
from repo_tools.environment.solving import readers_of, solving_environment
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import Layer
from repo_tools.verification.trial import in_force, try_out
from tests.support.folder_box import FolderEngine
from tests.support.laboratory import checkout_of

GIVEN = {"test_x.py": "def test_x(): ...\n", "conftest.py": "", "data/numbers.csv": "1\n"}
PREPARED = PreparedEnvironment(solving_environment(REQUIREMENTS), Layer("0" * 8, "none"), 0.0)


def changed(checkout: GitCheckout, *paths: str, content: bytes = b"x = 1\n") -> ChangeSet:
    return ChangeSet(checkout.commit, {path: FileChange(FileMode.REGULAR, content) for path in paths})


def test_given_files_keep_their_content_and_only_they_configure_the_tests(tmp_path: Path) -> None:
    with checkout_of(tmp_path, GIVEN) as checkout:
        change = changed(
            checkout, "x.py", "package/y.py", "ab_test_stats.py", "plot.png", *GIVEN, "package/conftest.py",
            "pytest.ini", "tox.ini", "pyproject.toml", "setup.cfg", "sitecustomize.py", "a.pth",
        )  # fmt: skip
        gone = ChangeSet(checkout.commit, {"test_x.py": None})
        assert set(in_force(change, checkout)) == {"x.py", "package/y.py", "ab_test_stats.py", "plot.png"}
        assert not in_force(gone, checkout)


def test_code_that_has_a_say_in_its_own_tests_is_refused_before_it_is_run(tmp_path: Path) -> None:
    engine = FolderEngine()
    with checkout_of(tmp_path, GIVEN) as checkout:
        change = changed(checkout, "x.py", content=b"import pytest\npytest.Item.runtest = lambda self: None\n")
        report = try_out(engine, checkout, PREPARED, change, ("test_x.py",), timeout_seconds=1)
    assert report.problem is not None
    assert "x.py" in report.problem
    assert engine.boxes == []


def test_a_module_of_an_installed_ones_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given tests may compare by it."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho '[\"numpy\"]'\n")
    python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with checkout_of(tmp_path / "given", GIVEN) as checkout:
        change = changed(checkout, "numpy.py", "x.py")
        report = try_out(FolderEngine(), checkout, PREPARED, change, ("test_x.py",), timeout_seconds=1)
    assert report.problem == "Modules of these names are installed; give yours another name: numpy."


def test_the_environment_is_the_same_for_every_task_but_for_the_names_of_its_tests() -> None:
    plain, named = solving_environment(REQUIREMENTS), solving_environment(REQUIREMENTS, ("check.py",))
    assert plain.setup == named.setup
    assert plain.manifests == named.manifests == ()
    install = plain.setup[-1].argv
    assert {"numpy", "pandas", "matplotlib", "scikit-learn", "pytest"} <= set(install)
    assert "check.py" in named.shown_command


def test_what_pandas_needs_for_the_given_data_is_installed_where_pandas_is() -> None:
    data = ("data/a.XLSX", "data/b.parquet", "data/c.feather", "data/d.csv")
    plain = solving_environment(REQUIREMENTS)
    added = solving_environment(REQUIREMENTS, beside=readers_of(REQUIREMENTS, data)).setup[len(plain.setup) :]
    assert [(command.argv[-1], command.required) for command in added] == [("openpyxl", False), ("pyarrow", False)]
    assert readers_of(REQUIREMENTS, ("data/d.csv",)) == readers_of(("pandas-stubs",), data) == ()
