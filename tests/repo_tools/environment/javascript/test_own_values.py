"""What a manifest says, where its scripts use it by npm's variables."""

import pytest

from tests.repo_tools.environment.javascript.trees import commands, package


@pytest.mark.parametrize("use", ["$npm_package_options_mocha", "${npm_package_options_mocha}"])
def test_what_the_manifest_says_stands_in_the_place_of_npms_variable(use: str) -> None:
    manifest = package(
        f"PORT=$npm_package_config_a_b mocha {use}",
        options={"mocha": "--require boot src/**/*-test.js", "list": ["x"], "on": True},
        config={"a-b": 80},
    )
    assert commands(manifest) == [("mocha", "env PORT=80 mocha --require boot src/**/*-test.js")]


def test_what_it_does_not_say_is_left_to_npm() -> None:
    asked = "mocha $npm_package_options_list $npm_package_options_on ${npm_package_main%.js} $npm_package_none"
    assert commands(package(asked, main="x.js", options={"list": ["x"], "on": True})) == [("mocha", asked)]
    deep = {"a": {"b": {"c": {"d": "e"}}}}
    assert commands(package("mocha $npm_package_a_b_c_d", **deep)) == [("mocha", "mocha e")]
    assert commands(package("mocha $npm_package_o_a_b_c_d", o=deep)) == [("mocha", "mocha $npm_package_o_a_b_c_d")]
