"""Suites that vitest runs in a browser are told, not run."""

import time

import pytest

from repo_tools.environment.contract import NoTestsError
from repo_tools.environment.detect import detect
from tests.repo_tools.environment.javascript.trees import commands, package, planned, scripts
from tests.support.files_checkout import FilesCheckout

IN_A_BROWSER = "browser: { provider: playwright({ a: 1 }), enabled: true, instances: [{ browser: 'chromium' }] }"
IN_NODE = "environment: 'node'"


def settings(test: str) -> str:
    return f"export default defineConfig({{ plugins: [], test: {{ {test} }} }})"


def projects(*tests: str) -> str:
    return settings(f"projects: [{', '.join(f'{{ extends: true, test: {{ {test} }} }}' for test in tests)}]")


def test_only_what_needs_no_browser_is_run_and_the_rest_is_told() -> None:
    manifest = scripts(test="run-s test:*", test__web="vitest --config web/vitest.config.mjs", test__unit="vitest run")
    files = {"web/vitest.config.mjs": settings(IN_A_BROWSER), "vitest.config.ts": settings(IN_NODE)}
    environment = planned({"package.json": manifest, **files})
    assert [command.shown() for command in environment.tests] == ["vitest run"]
    why = "vitest --config web/vitest.config.mjs (web/vitest.config.mjs), which needs a browser"
    assert environment.left_out == (f"package.json scripts.test:web: {why}",)


@pytest.mark.parametrize("file", ["vitest.config.js", "vite.config.ts"])
@pytest.mark.parametrize("text", [settings(IN_A_BROWSER), projects(IN_A_BROWSER, f"name: 'b', {IN_A_BROWSER}")])
def test_where_all_tests_need_one_none_is_run(file: str, text: str) -> None:
    assert commands(package("vitest run", devDependencies={"vitest": "3"}), **{file: text, "test__a.js": ""}) == []


@pytest.mark.parametrize(
    "text",
    [
        settings(IN_NODE),
        settings(IN_A_BROWSER.replace("true", "false")),
        settings(f"/* {IN_A_BROWSER} */ {IN_NODE}"),
        f"// {settings(IN_A_BROWSER)}\n{settings(IN_NODE)}",
        projects(IN_NODE, IN_NODE),
        settings(f"include: ['a/*', 'b/*/c.ts'], {IN_NODE}") + f" // it's {IN_A_BROWSER}",
        settings(f"projects: ['a/*/b.ts', {{ test: {{ {IN_A_BROWSER} }} }}], exclude: ['**/c/*/']"),
        f"{projects(IN_NODE, IN_A_BROWSER)[:-6]}, 'packages/*'] }} }})",
        "throw 1",
    ],
)
def test_what_may_run_in_node_is_run(text: str) -> None:
    assert commands(package("vitest run"), **{"vitest.config.ts": text}) == [("vitest", "vitest run")]


@pytest.mark.parametrize("text", ["'" + "\\'" * 49_000, "`" + "\\`" * 49_000, "/* " * 33_000])
def test_settings_in_which_nothing_ends_take_no_time(text: str) -> None:
    started = time.process_time()
    assert commands(package("vitest run"), **{"vitest.config.ts": text}) == [("vitest", "vitest run")]
    assert time.process_time() - started < 3  # the square of such a length would be a minute


@pytest.mark.parametrize(("option", "count"), [("=chrome", 0), (".enabled", 0), ("=false", 1)])
def test_an_option_may_ask_for_one(option: str, count: int) -> None:
    assert len(commands(package(f"vitest run --browser{option}"))) == count


NAMED = projects(f"include: ['*.{{js,ts}}'], {IN_NODE}, name: 'unit'", f"name: 'web', {IN_A_BROWSER}")


@pytest.mark.parametrize(
    ("text", "test", "command", "left_out"),
    [
        (NAMED, "vitest run", "vitest run --project=unit", "project web (vitest.config.ts), which needs a browser"),
        (
            projects(IN_A_BROWSER, IN_NODE),
            "vitest",
            "vitest '--project=1*'",
            "project 0 (vitest.config.ts), which needs",
        ),
        (NAMED, "vitest --project unit", "vitest --project unit", ""),
        (
            NAMED,
            "vitest --project web --project=unit",
            "vitest --project=unit",
            "project web (vitest.config.ts), which",
        ),
    ],
)
def test_of_several_projects_those_that_need_no_browser_are_run(
    text: str, test: str, command: str, left_out: str
) -> None:
    environment = planned({"package.json": package(test), "vitest.config.ts": text})
    assert [each.shown() for each in environment.tests] == [command]
    assert left_out in "".join(environment.left_out)
    assert bool(left_out) is bool(environment.left_out)


def test_a_project_that_a_script_asks_for_may_need_one() -> None:
    manifest = scripts(test="run-s test:*", test__unit="vitest --project unit", test__web="vitest --project web")
    assert commands(manifest, **{"vitest.config.ts": NAMED}) == [("vitest", "vitest --project unit")]


@pytest.mark.parametrize("start", ["export default [", "export default defineWorkspace(["])
def test_projects_may_stand_in_a_file_of_their_own(start: str) -> None:
    text = f"{start}{{ test: {{ name: 'a', {IN_NODE} }} }}, {{ test: {{ name: 'b', {IN_A_BROWSER} }} }}])"
    files = {"vitest.workspace.ts": text, "vite.config.ts": "export default {}"}
    assert commands(package("vitest run"), **files) == [("vitest", "vitest run --project=a")]


def test_that_a_workflow_starts_it_makes_no_difference() -> None:
    steps = "jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npx vitest run --project=a\n"
    manifest = package("vitest", devDependencies={"vitest": "3", "@vitest/browser-playwright": "4"})
    found = FilesCheckout(
        {
            "package.json": manifest,
            "vitest.config.js": settings(IN_A_BROWSER),
            ".github/workflows/ci.yml": steps,
            "test/a.test.js": "it('draws')",
        }
    )
    with pytest.raises(NoTestsError, match=r"devDependencies \(`@vitest/browser-playwright`\) need a browser"):
        detect(found.tree, found.read)
