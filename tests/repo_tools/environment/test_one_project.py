"""How the plan of a project is put back into the whole repository."""

from repo_tools.environment.contract import Environment, SetupCommand, TestCommand
from repo_tools.environment.one_project import narrowed, rebased


def test_a_plan_with_suites_in_several_folders_is_narrowed_to_those_that_are_named() -> None:
    commands = tuple(TestCommand("exit_code", ("make",), folder) for folder in ("", "p/a", "p/b"))
    environment = Environment("d", (), (), commands, ())
    assert [c.directory for c in narrowed(environment, ("p/b/x.js",)).tests] == ["p/b"]
    assert len(narrowed(environment, ("elsewhere.js",)).tests) == 3


def test_a_plan_of_the_root_stays_as_it_is() -> None:
    environment = Environment("d", (), (), (TestCommand("exit_code", ("make",)),), ("Makefile",))
    assert rebased(environment, "") is environment
    assert rebased(environment, "x").manifests == ("x/Makefile",)


def test_what_is_done_before_the_tests_is_done_in_the_projects_folder() -> None:
    before = (SetupCommand(("alembic", "upgrade", "head")), SetupCommand(("make", "tables"), directory="db"))
    environment = Environment("d", (), (), (TestCommand("pytest", ("pytest",)),), (), before_tests=before)
    assert [each.directory for each in rebased(environment, "backend").before_tests] == ["backend", "backend/db"]
