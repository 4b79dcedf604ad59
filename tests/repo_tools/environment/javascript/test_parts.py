"""Which tests there are where no script runs all of them."""

from tests.repo_tools.environment.javascript.trees import commands, package, plan, planned, scripts


def test_without_a_script_of_all_tests_those_that_run_parts_are_run() -> None:
    manifest = scripts(
        build="tsc",
        test__core="TZ=UTC node -r esm --test core/*.test.js",
        test__more="mocha more",
        test__watch="mocha --watch",
        test__coverage="c8 mocha all",
        test__types="tsc --noEmit",
    )
    assert commands(manifest, test__a__js="") == [
        ("node_test", "env TZ=UTC node -r esm --test core/*.test.js"),
        ("mocha", "mocha more"),
    ]


def test_the_part_that_is_called_all_stands_for_the_others() -> None:
    manifest = scripts(test__core="mocha core", test__all="mocha core more", test__more="mocha more")
    assert commands(manifest) == [("mocha", "mocha core more")]


def test_where_no_runner_of_a_part_is_known_what_is_installed_is_taken() -> None:
    manifest = package(scripts={"test:size": "check-size"}, devDependencies={"mocha": "10"})
    environment = planned({"package.json": manifest, "test/a.js": ""})
    assert [command.argv for command in environment.tests] == [("mocha",)]
    assert plan({"package.json": scripts(test__size="check-size"), "a.js": ""}) is None


def test_parts_of_a_workspaces_root_are_run_where_its_members_tell_of_no_tests() -> None:
    root = package(scripts={"test:core": "mocha core"}, workspaces=["packages/*"])
    silent = planned({"package.json": root, "packages/a/package.json": package()})
    tested = planned({"package.json": root, "packages/a/package.json": package("jest")})
    assert [(c.runner, c.directory) for c in silent.tests] == [("mocha", "")]
    assert [(c.runner, c.directory) for c in tested.tests] == [("jest", "packages/a")]
