"""mocha that is started without files."""

import pytest

from tests.repo_tools.environment.javascript.trees import package, planned

TEST = "describe('a', () => it('b', () => {}))"
TESTS = {"tests/lib/a.js": TEST, "tests/lib/rules/b.mjs": TEST, "tests/fixtures/lib/c.js": TEST, "tests/d.js": TEST}


def shown(files: dict[str, str], manifest: str = "") -> list[str]:
    found = planned({"package.json": manifest or package("mocha"), **files})
    return [command.shown() for command in found.tests]


def test_mocha_is_given_the_folders_of_tests_that_it_would_not_look_into() -> None:
    given = "mocha 'tests/*.js' 'tests/lib/**/*.js' 'tests/lib/**/*.mjs'"
    assert shown(TESTS) == [given]
    own = package(devDependencies={"mocha": "10"})
    assert shown(TESTS, own) == [given]


@pytest.mark.parametrize("found", ["test/a.js", "test/a.ts", "test.js", ".mocharc.yml"])
def test_mocha_that_finds_tests_or_settings_by_itself_is_given_nothing(found: str) -> None:
    assert shown({**TESTS, found: TEST}) == ["mocha"]
    assert shown({"src/a.test.js": TEST}) == ["mocha"]


def test_mocha_that_is_told_where_to_look_is_given_nothing_else() -> None:
    assert shown(TESTS, package("mocha tests/lib")) == ["mocha tests/lib"]
    assert shown(TESTS, package("mocha", mocha={"spec": "tests/lib"})) == ["mocha"]
