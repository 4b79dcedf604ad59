"""Which lists of requirements are a repository's own for its tests is told by their names."""

import pytest

from repo_tools.environment.projects import project_folders
from repo_tools.environment.python.requirement_files import requirement_files
from tests.support.files_checkout import FilesCheckout


@pytest.mark.parametrize(
    ("there", "taken"),
    [
        ("requirements/base.txt requirements/local.txt requirements/production.txt", "base.txt local.txt"),
        ("requirements/base.txt requirements/local.txt requirements/test.txt", "base.txt test.txt"),
        ("requirements/default.txt requirements/docs.txt", "default.txt"),
        ("requirements/default.txt requirements/test.txt requirements/dev.txt", "default.txt test.txt"),
        ("requirements/local.in requirements/local.txt", "local.txt"),
        ("requirements/base.txt requirements/test-local.txt", "base.txt test-local.txt"),
        ("requirements/ci-release.txt requirements/tests-min.txt requirements/tests.txt", "tests.txt"),
        ("requirements/base.txt requirements/test-minimal.txt", "base.txt test-minimal.txt"),
        ("requirements/dev.txt requirements/test-oldest.txt", "dev.txt"),
        ("requirements/localization.txt local.txt default.txt docs/requirements/local.txt", ""),
    ],
)
def test_a_list_that_is_called_for_all_work_is_installed_but_beside_one_for_tests(there: str, taken: str) -> None:
    tree = FilesCheckout(dict.fromkeys(there.split(), "")).tree
    assert list(requirement_files(tree)) == [f"requirements/{name}" for name in taken.split()]


def test_a_list_may_say_what_it_is_for() -> None:
    names = ("requirements.txt", "requirements_for_test.txt", "requirements-for-dev.txt")
    tree = FilesCheckout(dict.fromkeys(names, "")).tree
    assert [*requirement_files(tree)] == ["requirements.txt", "requirements_for_test.txt"]


@pytest.mark.parametrize("folder", ["env", "ci", ".ci"])
def test_lists_may_stand_beside_what_conda_or_the_ci_is_told(folder: str) -> None:
    names = [f"{folder}/requirements-{name}.txt" for name in ("build", "docs", "test")]
    tree = FilesCheckout(dict.fromkeys((*names, f"{folder}/setup.txt", "web/requirements-test.txt"), "")).tree
    assert [*requirement_files(tree)] == [names[2]]


def test_people_of_systems_that_know_no_case_write_it_with_capitals() -> None:
    tree = FilesCheckout(dict.fromkeys(("Requirements.txt", "Test-Requirements.txt"), "")).tree
    assert list(requirement_files(tree)) == ["Requirements.txt", "Test-Requirements.txt"]
    assert project_folders(FilesCheckout({"app/Requirements.txt": ""}).tree, lambda _: b"") == {
        **{"": frozenset(), "app": frozenset({"python"})}
    }
