"""How the plan of a project is put back into the whole repository."""

from repo_tools.environment.contract import Environment, TestCommand
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
