"""Builds that read what git describes get the base commit's tag in a form that they know."""

from collections.abc import Callable, Mapping

import pytest

from repo_tools.environment.base_tag import asks_git
from repo_tools.environment.contract import Environment, SetupCommand, SetupFailedError, TestCommand
from repo_tools.environment.prepare import prepare
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine

pytestmark = [pytest.mark.bubblewrap]

Repository = Callable[[Mapping[str, str]], GitCheckout]
VARIABLES = {"PDM_BUILD_SCM_VERSION": "1.2", "SETUPTOOLS_SCM_PRETEND_VERSION": "1.2"}
REFUSED = "  Package metadata version `1.2` does not match given version `0.3.12`"
OF_UV = "hint: `x` (v0.3.12) was included because `shop` (v1.2) depends on `x`"
REFUSED_BY_PIP = "x-0.3.12.tar.gz has inconsistent version: expected '0.3.12', but metadata has '1.2'"


def log_of(engine: BubblewrapEngine, checkout: GitCheckout, script: str) -> str:
    setup = SetupCommand(("/bin/sh", "-c", script))
    plan = Environment("test", (), (setup,), (TestCommand("pytest", ("pytest",)),), (), variables=VARIABLES)
    return prepare(engine, checkout, plan, repository=script, allowed_hosts=(), report=lambda _: None).log


@pytest.mark.parametrize("wanted", ["v1.2-0-g*", "1.2-0-g*"])
def test_a_build_that_names_the_tag_as_it_fails_gets_it_without_its_letter(
    engine: BubblewrapEngine, repository: Repository, wanted: str
) -> None:
    script = f"said=$(git describe --tags --long); case $said in {wanted}) ;; *) echo unknown: $said; exit 1 ;; esac"
    assert log_of(engine, repository({"a": ""}), script).count("unknown: v1.2-") == (not wanted.startswith("v"))


def test_it_is_tried_so_once(engine: BubblewrapEngine, repository: Repository) -> None:
    with pytest.raises(SetupFailedError, match="exit code 1"):
        log_of(engine, repository({"a": ""}), "echo neither v1.2 nor 1.2; exit 1")


@pytest.mark.parametrize("said", ["v1.20", "v1.2.3", "dev1.2", "1.2", OF_UV])
def test_versions_of_others_are_not_taken_for_it(engine: BubblewrapEngine, repository: Repository, said: str) -> None:
    script = f"git tag | grep -qx v1.2 || exit 0; echo '{said}'; exit 1"
    with pytest.raises(SetupFailedError, match="exit code 1"):
        log_of(engine, repository({"a": ""}), script)


def test_where_a_dependency_is_built_with_the_projects_version_builds_ask_git(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    script = f"test -z $SETUPTOOLS_SCM_PRETEND_VERSION || {{ echo '{REFUSED}'; exit 1; }}; git describe --tags"
    assert log_of(engine, repository({"a": ""}), script).count("v1.2\n") == 1


@pytest.mark.parametrize(
    ("variables", "output", "is_so"),
    [
        ({"PBR_VERSION": "1.2"}, REFUSED, True),
        ({"PBR_VERSION": "1.3"}, REFUSED, False),
        ({"PDM_BUILD_SCM_VERSION": "1.2", "POETRY_DYNAMIC_VERSIONING_BYPASS": "1.2"}, REFUSED, True),
        ({"PBR_VERSION": "1.2"}, REFUSED_BY_PIP, True),
        ({"PBR_VERSION": "0.3.12"}, REFUSED_BY_PIP, False),
        ({"OTHER": "1.2"}, REFUSED, False),
        ({"PBR_VERSION": "1.2"}, "version `1.2`", False),
    ],
)
def test_only_the_projects_own_version_is_taken_back(variables: dict[str, str], output: str, is_so: bool) -> None:
    assert asks_git(variables, output) is is_so
    assert bool(variables) is not is_so
