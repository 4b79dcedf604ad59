"""A layer fits whatever has the same manifests, of the same repository, set up in the same way; and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from repo_tools.environment.contract import Environment, SetupCommand, TestCommand, Tool
from repo_tools.environment.layer_key import LayerKeys, layer_keys
from repo_tools.git_checkout import GitCheckout

Repository = Callable[[Mapping[str, str]], GitCheckout]
ENVIRONMENT = Environment(
    "python/1", (), (SetupCommand(("pip", "install", ".")),), (TestCommand("pytest", ("pytest",)),), ("setup.py",)
)
SAME: dict[str, Any] = {
    "platform": "docker-linux-amd64-sha256:1", "environment": ENVIRONMENT, "repository": "github.com/1",
    "allowed_hosts": ("pypi.org", "files.pythonhosted.org"),
}  # fmt: skip


def keys(checkout: GitCheckout, **other: Any) -> LayerKeys:
    return layer_keys(checkout=checkout, **{**SAME, **other})


@pytest.fixture
def checkout(repository: Repository) -> GitCheckout:
    return repository({"setup.py": "1", "a.py": "x = 1"})


def test_another_commit_with_the_same_manifests_has_the_same_layer_unless_its_sources_went_in(
    checkout: GitCheckout, repository: Repository
) -> None:
    later = repository({"a.py": "x = 2"})
    assert keys(later).of_manifests == keys(checkout).of_manifests
    assert keys(later).of_commit != keys(checkout).of_commit


def test_other_manifests_make_another_layer(checkout: GitCheckout, repository: Repository) -> None:
    assert keys(repository({"setup.py": "2"})).of_manifests != keys(checkout).of_manifests


def test_a_file_that_set_up_names_makes_another_layer_although_no_detector_lists_it(repository: Repository) -> None:
    named = replace(ENVIRONMENT, setup=(SetupCommand(("pip", "-r", "deps/a.in"), directory="x"),))
    instead = replace(ENVIRONMENT, setup=(SetupCommand(("true",), otherwise=named.setup),))
    old, new = repository({"setup.py": "1", "x/deps/a.in": "six"}), repository({"x/deps/a.in": "six<1"})
    for environment in (named, instead):
        assert keys(old, environment=environment).of_manifests != keys(new, environment=environment).of_manifests


def test_what_builds_a_folder_that_set_up_installs_makes_another_layer(repository: Repository) -> None:
    named = replace(ENVIRONMENT, setup=(SetupCommand(("pip", "-e", "plugins/a"), directory="x"),))
    old, new = repository({"setup.py": "1", "x/plugins/a/setup.py": "1"}), repository({"x/plugins/a/setup.py": "2"})
    assert keys(old, environment=named).of_manifests != keys(new, environment=named).of_manifests


def test_a_list_that_a_file_named_by_set_up_includes_makes_another_layer(repository: Repository) -> None:
    named = replace(ENVIRONMENT, setup=(SetupCommand(("pip", "-r", "ci/a.list")),))
    first = {"setup.py": "1", "ci/a.list": "-r b.list", "ci/b.list": "six"}
    old, new = repository(first), repository({"ci/b.list": "attrs"})
    assert keys(old, environment=named).of_manifests != keys(new, environment=named).of_manifests


@pytest.mark.parametrize(
    ("manifest", "outside"),
    [
        ({"back/requirements.txt": "-r ../common.txt"}, "common.txt"),
        ({"back/pyproject.toml": "[tool.uv.sources]\ncore = {path = '../core'}"}, "core/pyproject.toml"),
        ({"web/package.json": '{"dependencies": {"lib": "file:../lib"}}'}, "lib/package.json"),
        ({"web/package.json": '{"dependencies": {"lib": "file:../lib-1.0.tgz"}}'}, "lib-1.0.tgz"),
        ({"web/package.json": '{"dependencies": {"lib": "link:./../lib"}}'}, "lib/package.json"),
        ({"app/Cargo.toml": '[dependencies]\nlib = { version = "1", path = "../lib" }'}, "lib/Cargo.toml"),
        ({"app/go.mod": "module app\n\nreplace lib v1.0.0 => ../lib"}, "lib/go.mod"),
        ({"app/pom.xml": "<parent><relativePath>../pom.xml</relativePath></parent>"}, "pom.xml"),
        ({"app/pom.xml": "<parent><relativePath>../parent</relativePath></parent>"}, "parent/pom.xml"),
        ({"app/Gemfile": "gem 'core', path: '../core'"}, "core/core.gemspec"),
        ({"app/Gemfile": "gemspec :path => '../'"}, "shop.gemspec"),
    ],
)
def test_what_a_manifest_names_outside_of_its_projects_folder_makes_another_layer(
    repository: Repository, manifest: dict[str, str], outside: str
) -> None:
    project = replace(ENVIRONMENT, manifests=tuple(manifest))
    old, new = repository({**manifest, outside: "six"}), repository({outside: "attrs"})
    assert keys(old, environment=project).of_manifests != keys(new, environment=project).of_manifests


def test_what_a_package_takes_by_its_path_is_followed_from_there_to_its_end(repository: Repository) -> None:
    files = {
        "web/package.json": '{"dependencies": {"a": "file:../a"}}',
        "a/package.json": '{"dependencies": {"b": "file:../b", "web": "file:../web", "none": "file:../../../none"}}',
        "b/package.json": "{}",
    }
    project = replace(ENVIRONMENT, manifests=("web/package.json",))
    old, new = repository(files), repository({"b/package.json": '{"dependencies": {"six": "1"}}'})
    assert keys(old, environment=project).of_manifests != keys(new, environment=project).of_manifests


def test_the_order_of_hosts_means_nothing(checkout: GitCheckout) -> None:
    assert keys(checkout, allowed_hosts=SAME["allowed_hosts"][::-1]) == keys(checkout)


def test_what_tests_alone_are_told_does_not_make_another_layer(checkout: GitCheckout) -> None:
    other = replace(ENVIRONMENT, tests=(), test_variables={"A": "1"}, evidence=("x",), test_paths=("tests",))
    assert keys(checkout, environment=other) == keys(checkout)


@pytest.mark.parametrize(
    "other",
    [
        {"repository": "github.com/2"},
        {"platform": "docker-linux-amd64-sha256:2"},
        {"allowed_hosts": ("pypi.org",)},
        {"environment": replace(ENVIRONMENT, detector="python/2")},
        {"environment": replace(ENVIRONMENT, setup=())},
        {"environment": replace(ENVIRONMENT, setup=(SetupCommand(("pip", "install", "."), directory="sub"),))},
        {"environment": replace(ENVIRONMENT, setup=(SetupCommand(("pip", "install", "."), required=False),))},
        {"environment": replace(ENVIRONMENT, variables={"A": "1"})},
        {"environment": replace(ENVIRONMENT, tools=(Tool("python", ">=3.12"),))},
        {"environment": replace(ENVIRONMENT, manifests=("setup.py", "a.py"))},
    ],
    ids=lambda other: next(iter(other)),
)
def test_whatever_else_decides_what_set_up_leaves_makes_another_layer(
    checkout: GitCheckout, other: dict[str, Any]
) -> None:
    assert keys(checkout, **other).of_manifests != keys(checkout).of_manifests


def test_packages_of_another_day_make_another_layer(checkout: GitCheckout) -> None:
    days = [keys(checkout, packages=day).of_manifests for day in (None, date(2021, 3, 4), date(2021, 3, 5))]
    assert len(set(days)) == len(days)
