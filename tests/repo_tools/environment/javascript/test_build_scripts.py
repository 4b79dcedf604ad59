"""Which script makes what a package's entry points name."""

import pytest

from tests.repo_tools.environment.javascript.trees import package, planned


@pytest.mark.parametrize("idle", ["husky", "husky install", "is-ci || husky install", "npm run lint", "tsc --noEmit"])
def test_a_script_that_makes_nothing_is_no_build(idle: str) -> None:
    named = {"prepare": idle, "compile": "tsc", "lint": "eslint .", "test": "mocha"}
    assert (
        planned({"package.json": package(main="out/x.js", scripts=named)}).tests[0].shown()
        == "npm run compile && mocha"
    )
    del named["compile"]
    assert planned({"package.json": package(main="out/x.js", scripts=named)}).tests[0].argv == ("mocha",)


@pytest.mark.parametrize("build", ["turbo run build", "wireit", "npm run build --workspaces", "lerna run build", "tsc"])
def test_a_script_that_builds_in_the_members_is_a_build(build: str) -> None:
    named = {"build": build, "compile": "tsc", "test": "mocha"}
    assert (
        planned({"package.json": package(main="out/x.js", scripts=named)}).tests[0].shown() == "npm run build && mocha"
    )


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("node scripts/copy.js", "npm run build && node scripts/copy.js && mocha out"),
        ("rm -rf test/tmp && mkdir test/tmp", "npm run build && rm -rf test/tmp && mkdir test/tmp && mocha out"),
        ("node_modules/.bin/tsc -p test", "node_modules/.bin/tsc -p test && mocha out"),
        ("(cd lib && babel . -d ../out)", "(cd lib && babel . -d ../out) && mocha out"),
        ("node make.js", "node make.js && mocha out"),
        ("npm run compile", "npm run compile && mocha out"),
        ("run-s compile", "run-s compile && mocha out"),
        ("npm run fetch", "npm run build && npm run fetch && mocha out"),
        ("npm run all", "npm run all && mocha out"),
        ("npm run dist", "npm run dist && mocha out"),
        ("npm run elsewhere", "npm run elsewhere && mocha out"),
    ],
)
def test_what_comes_before_the_tests_and_builds_nothing_comes_after_the_build(before: str, shown: str) -> None:
    build = "node make.js" if before == "node make.js" else "tsc"
    named = {"build": build, "compile": "tsc -p x", "fetch": "node data.js", "all": "yarn fetch && npm run compile"}
    named["dist"] = "node bundle.js"
    scripts = {**named, "pretest": before, "test": "mocha out"}
    assert planned({"package.json": package(main="out/x.js", scripts=scripts)}).tests[0].shown() == shown


@pytest.mark.parametrize("build", ["npm run compile", "tsc -p src", "npm run -s build", "run-s build"])
def test_a_build_before_the_tests_may_fail_as_the_packages_own_did(build: str) -> None:
    named = {"build": "tsc", "compile": "tsc -p x", "clean": "rimraf out", "pretest": f"npm run clean && {build}"}
    (command,) = planned({"package.json": package(main="out/x.js", scripts={**named, "test": "mocha out"})}).tests
    assert f'npm run clean && {{ {build} || test -e /env/not-built/+; }} && exec "$@"' in command.argv[2]
    assert command.shown() == f"npm run clean && {build} && mocha out"
    (command,) = planned(
        {"package.json": package(main="x.js", scripts={**named, "test": "mocha out"}), "x.js": ""}
    ).tests
    assert "not-built" not in command.argv[2]


@pytest.mark.parametrize(
    ("test", "shown"),
    [
        ("node run.js", "npm run build && {} node run.js"),
        ("npm run build && node run.js", "{} npm run build && node run.js"),
        ("make test", "{} make test"),
    ],
)
def test_tests_of_which_only_the_exit_code_is_known_are_built_before_each_run_too(test: str, shown: str) -> None:
    files = {"package.json": package(main="out/x.js", scripts={"build": "tsc", "test": test}), "run.js": ""}
    (command,) = planned(files).tests
    assert command.runner == "exit_code"
    assert command.shown() == shown.format("PATH=$PWD/node_modules/.bin:$PATH;")


@pytest.mark.parametrize(
    ("main", "ignored", "is_built"),
    [
        ("index.js", "node_modules\ndist\n", False),
        ("./index.js", "node_modules\n", False),
        ("index.js", "/index.js\n", True),
        ("index.js", "*.js\n!webpack.config.js\n", True),
        ("index.js", "", True),
        ("lib/index.js", "node_modules\n", True),
    ],
)
def test_the_entry_that_npm_names_by_itself_and_no_build_makes_asks_for_none(
    main: str, ignored: str, is_built: bool
) -> None:
    scripts = {"build": "webpack", "test": "mocha"}
    files = {"package.json": package(main=main, scripts=scripts), ".gitignore": ignored}
    shown = planned(files).tests[0].shown()
    assert shown == ("npm run build && mocha" if is_built else "mocha")


@pytest.mark.parametrize("build", ["npm run compile", "tsc -p src"])
@pytest.mark.parametrize("lets_it_fail", ["{} || true &&", "{};", "{} || echo 'types are wrong' &&"])
def test_a_build_may_fail_only_where_set_up_has_left_nothing_of_it(build: str, lets_it_fail: str) -> None:
    named = {"build": "tsc", "compile": "tsc -p x", "test": f"{lets_it_fail.format(build)} mocha out"}
    (command,) = planned({"package.json": package(main="out/x.js", scripts=named)}).tests
    assert command.argv[2] == f'{{ {build} || test -e /env/not-built/+; }} && exec "$@"'
