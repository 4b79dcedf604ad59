"""A bare mocha, whose tests are not where it looks."""

import pytest

from tests.repo_tools.environment.javascript.trees import package, planned

IT = "describe('cart', () => it('adds', () => {}));"
ELSEWHERE = {
    "tests/lib/cart.js": IT,
    "tests/lib/rules/prices.js": IT,
    "tests/tools/made.js": IT,
    "tests/top.js": IT,
    "tests/_utils/index.js": "module.exports = 1;",
    "tests/fixtures/broken.js": IT,
    "tests/typed.ts": IT,
    "lib/cart.js": "",
}


def told(files: dict[str, str], script: str = "mocha", **more: object) -> tuple[str, ...]:
    (command,) = planned({"package.json": package(script, **more), **files}).tests
    return command.argv


def test_the_folders_that_hold_tests_are_named() -> None:
    js = "*.{js,cjs,mjs}"
    assert told(ELSEWHERE) == ("mocha", f"tests/{js}", f"tests/lib/**/{js}", f"tests/tools/**/{js}")


def test_of_many_folders_the_whole_is_named_and_none_is_left_out() -> None:
    assert told({f"tests/a{number}/cart.js": IT for number in range(21)}) == ("mocha", "tests/**/*.{js,cjs,mjs}")


def test_of_a_member_they_are_its_own() -> None:
    files = {"a/package.json": package("mocha"), "a/spec/cart.js": IT, "tests/b.js": IT}
    (command,) = planned({"package.json": package(workspaces=["a"]), **files}).tests
    assert (command.directory, command.argv) == ("a", ("mocha", "spec/*.{js,cjs,mjs}"))


@pytest.mark.parametrize(
    ("script", "files"),
    [
        ("mocha lib", {}),
        ("mocha --spec lib", {}),
        ("mocha --opts x", {}),
        ("mocha", {"test/cart.js": IT}),
        ("mocha", {"test.js": IT}),
        ("mocha", {".mocharc.yml": "spec: tests"}),
    ],
)
def test_where_mocha_is_told_or_finds_them_nothing_is_added(script: str, files: dict[str, str]) -> None:
    assert told({**ELSEWHERE, **files}, script) == tuple(script.split())


def test_a_manifest_that_configures_mocha_tells_it() -> None:
    assert told(ELSEWHERE, mocha={"spec": "tests"}) == ("mocha",)
