"""Scripts that go to other folders of the repository."""

import json

import pytest

from repo_tools.environment.detect import detect
from repo_tools.environment.javascript.elsewhere import gone_to_test
from tests.repo_tools.environment.javascript.trees import commands, package, planned, scripts
from tests.repo_tools.environment.javascript.trees import plan as plan_of
from tests.support.files_checkout import FilesCheckout

HERE = "sh -c PATH=$PWD/node_modules/.bin:$PATH; "
BOTH = "cd a && npm test && cd b && npm test"


@pytest.mark.parametrize(
    ("chain", "told"),
    [
        (["cd a", "npm test", "cd ../b", "npm test"], (BOTH, 4)),
        (["cd a", "npm test", "cd ..", "cd b", "npm ci", "npm test", "cd .."], (BOTH, 7)),
        (["cd a/b", "yarn test:unit -- --x", "cd ../..", "mocha"], ("cd a/b && yarn test:unit -- --x", 3)),
        (["cd 'a'", "yarn", "yarn test", 'cd ../"b"', "npm ci --x", "npm test"], ("", 0)),
        (
            ["cd 'a'", "yarn", "yarn test", 'cd "../b"', "npm ci --no-x", "npm test"],
            ("cd a && yarn test && cd b && npm test", 6),
        ),
        (["cd a", "npm test", "mocha"], ("", 0)),  # in a
        (["cd ../a", "npm test"], ("", 0)),
        (["cd a", "npm test", "cd ../../b", "npm test"], ("", 0)),
        (["cd /a", "npm test"], ("", 0)),
        (["cd $A", "npm test"], ("", 0)),
        (["cd a", "mocha"], ("", 0)),
        (["cd a"], ("", 0)),
        (["npm test"], ("", 0)),
        ([], ("", 0)),
    ],
)
def test_tests_of_several_projects_one_after_the_other(chain: list[str], told: tuple[str, int]) -> None:
    assert gone_to_test(chain) == told


@pytest.mark.parametrize(
    "script",
    ["cd a && npm test && cd ../b && npm test && cd ..", "(cd a && npm test) && (cd b && npm test)"],
)
def test_projects_that_the_root_only_goes_to_are_tested_by_themselves(script: str) -> None:
    files = {
        "package.json": package(script),
        "a/package.json": package("mocha"),
        "a/test/a.js": "",
        "b/package.json": package("jest"),
        "b/test/b.js": "",
    }
    checkout = FilesCheckout(files)
    found = detect(checkout.tree, checkout.read, issue="b/test/b.js fails")
    assert [(command.runner, command.directory) for command in found.tests] == [("jest", "b")]


def test_members_that_the_root_goes_to_are_the_ones_that_are_tested() -> None:
    plan = planned(
        {
            "package.json": package("cd x/a && npm test && cd ../b && npm test", workspaces=["x/*"]),
            **{f"x/{name}/package.json": package("mocha") for name in "abc"},
        }
    )
    assert [command.directory for command in plan.tests] == ["x/a", "x/b"]


def test_a_runner_that_the_root_has_installed_is_that_of_the_projects_that_it_goes_to() -> None:
    script = "cd a && npm test && cd ../b && npm test && cd .."
    root = package(script, devDependencies={"mocha": "5"})
    files = {
        "package.json": root,
        "a/test/a.ts": "",
        "b/test/b.js": "",
        **{f"{name}/package.json": package("jest") for name in "ab"},
    }
    assert plan_of(files) is None
    checkout = FilesCheckout(files)
    found = detect(checkout.tree, checkout.read, issue="b/test/b.js fails")
    assert [(command.runner, command.directory) for command in found.tests] == [("jest", "b")]


def test_tests_of_other_projects_beside_the_root_s_own_are_named() -> None:
    plan = planned({"package.json": package("mocha && cd a && npm test"), "a/package.json": package("jest")})
    assert [command.runner for command in plan.tests] == ["mocha"]
    assert plan.left_out == ("package.json scripts.test, tests of other projects of the repository: a",)


@pytest.mark.parametrize("script", ["cd ../a && npm test", "cd a && npm run own && cd ../../b && npm test"])
def test_a_script_of_another_folder_is_not_taken_for_the_package_s_own(script: str) -> None:
    assert commands(scripts(test=script, own="mocha")) == [("exit_code", f"{HERE}{script}")]


def test_each_script_begins_in_the_package_s_folder() -> None:
    found = commands(scripts(test="npm run a && npm run b", a="cd a && tsc && mocha", b="cd b && mocha"))
    assert found == [
        ("mocha", 'sh -c cd a && tsc && exec "$@" sh mocha'),
        ("mocha", 'sh -c (cd a && tsc) && cd b && exec "$@" sh mocha'),
    ]


@pytest.mark.parametrize("folder", ["$A", "$(dirname x)", "../a", "'a'"])
def test_a_script_that_starts_itself_does_so_elsewhere(folder: str) -> None:
    found = commands(package(f"cd {folder} && npm test; mocha"))
    assert found == [("mocha", f'sh -c cd {folder} && exec "$@" sh mocha')]


def test_tests_of_another_folder_build_nothing_for_the_next_ones() -> None:
    found = commands(scripts(test="npm run a && mocha", a="cd x && tsc && node test/b.js && mocha"))
    assert found == [
        ("mocha", 'sh -c cd x && tsc && exec "$@" sh mocha'),
        ("mocha", 'sh -c (cd x && tsc) && exec "$@" sh mocha'),
        ("exit_code", f"{HERE}cd x && tsc && node test/b.js"),
    ]


def test_what_comes_before_tests_and_is_one_of_another_folder_builds_nothing() -> None:
    plan = planned({"package.json": scripts(pretest="cd x && node test/b.js", test="mocha"), "test.js": ""})
    assert [" ".join(command.argv) for command in plan.tests] == ["mocha", f"{HERE}cd x && node test/b.js"]
    assert plan.left_out == ()


@pytest.mark.parametrize("script", ["(cd a && tsc)", "(cd a && npm i && npm run build)", "(cd a; yarn; yarn build)"])
def test_what_a_shell_of_its_own_builds_is_no_suite(script: str) -> None:
    assert commands(package(script)) == []
    plan = planned({"package.json": package(f"mocha; {script}")})
    assert (len(plan.tests), plan.left_out) == (1, ())


@pytest.mark.parametrize("script", ["(cd a && npm run e2e)", "(cd a && make)", "(cd a && (cd b && tsc))"])
def test_what_a_shell_of_its_own_may_test_is_known_by_its_exit_code(script: str) -> None:
    assert commands(package(script)) == [("exit_code", f"{HERE}{script}")]


def test_a_program_of_tests_in_a_shell_of_its_own_builds_nothing() -> None:
    plan = planned({"package.json": package("(cd x && node test/b.js) && mocha")})
    assert [" ".join(command.argv) for command in plan.tests] == ["mocha", f"{HERE}cd x && node test/b.js"]
    assert plan.left_out == ()


def test_tests_begin_in_the_package_s_folder_wherever_those_before_them_went() -> None:
    found = commands(scripts(pretest="cd a && tsc && mocha", test="tape b.js"))
    assert found == [
        ("mocha", 'sh -c cd a && tsc && exec "$@" sh mocha'),
        ("tap", 'sh -c (cd a && tsc) && exec "$@" sh tape b.js'),
    ]


def test_what_is_set_for_a_script_keeps_its_commands_in_their_order() -> None:
    found = commands(scripts(test="cd a && tsc && cd .. && A=1 npm run b", b="./x && cd a && ./y && mocha"))
    before = "cd a && tsc && cd .. && export A=1 && ./x && cd a && ./y"
    assert found == [("mocha", f'sh -c {before} && exec "$@" sh env A=1 mocha')]


def test_the_same_build_in_two_folders_is_two() -> None:
    script = "cd a && tsc && cd .. && cd b && tsc && cd .."
    assert commands(package(f"{script} && mocha")) == [("mocha", f'sh -c {script} && exec "$@" sh mocha')]


def test_a_script_is_followed_once_the_chain_is_back() -> None:
    found = commands(scripts(test="cd x && npm i && cd .. && npm run own", own="mocha"))
    assert found == [("mocha", 'sh -c cd x && npm i && cd .. && exec "$@" sh mocha')]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("(cd a && mocha) && tape b.js", [("mocha", 'sh -c cd a && exec "$@" sh mocha'), ("tap", "tape b.js")]),
        ("(cd a && tsc) && mocha", [("mocha", 'sh -c (cd a && tsc) && exec "$@" sh mocha')]),
        ("(cd a && eslint .) && mocha", [("mocha", "mocha")]),
        ("(cd a && ./run; ./more) && ./other", [("exit_code", f"{HERE}(cd a && ./run ; ./more) && ./other")]),
        ("(cd a && (cd b && tsc)) && mocha", [("mocha", 'sh -c (cd a && (cd b && tsc)) && exec "$@" sh mocha')]),
        ("echo '(cd a' && mocha", [("mocha", "mocha")]),
    ],
)
def test_what_a_shell_of_its_own_does_elsewhere_is_one_command(script: str, expected: list[tuple[str, str]]) -> None:
    assert commands(package(script)) == expected


def test_shells_in_shells_have_an_end() -> None:
    assert commands(package("(cd a && " * 300 + "mocha" + ")" * 300))[0][0] == "exit_code"


INSTALLED = {"test/x/package.json": "{}", "test/a.js": ""}


@pytest.mark.parametrize(
    "script", ["(cd test/x && npm ci)", "cd test/x && npm ci && cd ../..", "npm -C test/x i", "./a && npm -C test/x i"]
)
def test_a_script_that_ends_with_installations_proves_nothing_by_doing_nothing(script: str) -> None:
    plan = plan_of({"package.json": package(script), **INSTALLED})
    assert not plan or [command.argv[-1] for command in plan.tests] == [f"{HERE.removeprefix('sh -c ')}{script}"]


@pytest.mark.parametrize(
    ("test", "build", "expected"),
    [
        ("npm run build && mocha", "lerna run build", 'sh -c npm run build && exec "$@" sh mocha'),
        ("npm run build && mocha", "npm run build --workspaces", 'sh -c npm run build && exec "$@" sh mocha'),
        ("turbo run lint typecheck && mocha", "", "mocha"),
        ("lerna run clean && mocha", "", "mocha"),
        ("nx run-many --target=build,lint && mocha", "", 'sh -c nx run-many --target=build,lint && exec "$@" sh mocha'),
        ("pnpm -r build && mocha", "", 'sh -c pnpm -r build && exec "$@" sh mocha'),
        *(
            (f"{built} && mocha", "", f'sh -c {built} && exec "$@" sh mocha')
            for built in (
                "lerna run --scope a build",
                "lerna run --stream build --since main",
                "nx build a",
                "yarn workspace a build",
                "nx run-many -t build lint",
                "turbo run build --filter=a",
                "rush build",
            )
        ),
    ],
)
def test_builds_and_checks_of_all_members_are_no_tests_of_theirs(test: str, build: str, expected: str) -> None:
    named = {"test": test, **({"build": build} if build else {})}
    manifest = json.dumps({"name": "x", "workspaces": ["p/*"], "scripts": named})
    plan = planned({"package.json": manifest, "p/a/package.json": package("jest"), "p/a/a.test.js": ""})
    assert [(command.directory, " ".join(command.argv)) for command in plan.tests] == [("", expected)]


NAME_OTHERS = [
    "lerna run ci",
    "turbo build ci",
    "nx run-many -t build,e2e",
    "nx run-many --targets=build,e2e",
    "lerna run --scope=build check",
    "lerna run --scope build check",
]


@pytest.mark.parametrize("script", ["rush build", "bun run --filter '*' build", "turbo lint"])
def test_a_script_that_only_builds_the_members_is_no_suite(script: str) -> None:
    assert commands(package(script)) == []


@pytest.mark.parametrize("test", ["lerna run build && lerna run test", "nx run-many -t build,test", *NAME_OTHERS])
def test_what_starts_the_members_tests_beside_their_builds_does(test: str) -> None:
    manifest = package(test, workspaces=["p/*"])
    plan = planned({"package.json": manifest, "p/a/package.json": package("jest"), "p/a/a.test.js": ""})
    assert [(command.runner, command.directory) for command in plan.tests] == [("jest", "p/a")]
