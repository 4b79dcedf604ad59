"""The values of a matrix are taken from one of its jobs, not from several."""

import pytest

from repo_tools.environment.ci.matrix import matrix_of
from repo_tools.environment.ci.values import Scope
from repo_tools.yaml_text import parse_yaml

NAMES = ("python", "db", "port", "os", "target", "tool")


def values_of(matrix: str) -> dict[str, str | None]:
    job = parse_yaml(f"strategy:\n  matrix:\n{matrix}").root
    assert job is not None
    scope = Scope(matrix_of(job))
    known = {name: scope.resolve(f"${{{{ matrix.{name} }}}}") for name in NAMES}
    return {name: value for name, value in known.items() if value is not None}


@pytest.mark.parametrize(
    ("include", "values"),
    [
        # the newest version's own database
        ("{python: '3.9', db: mysql, port: p1}, {python: '3.13', db: pg, port: p2}", ("3.13", "pg", "p2")),
        # without what only another one sets
        ("{python: '3.13', db: pg}, {python: '3.9', db: my, port: p1}", ("3.13", "pg", "")),
        # of two that are as new the first
        ("{python: '3.13', db: a, port: p1}, {python: '3.13', db: b, port: p2}", ("3.13", "a", "p1")),
        # the newer one is for another system
        ("{python: '3.13', os: windows-11, db: a}, {python: '3.12', os: ubuntu-24.04, db: b}", ("3.12", "b")),
    ],
)
def test_entries_that_are_all_there_is_give_the_values_of_one_of_them(include: str, values: tuple[str, ...]) -> None:
    found = values_of(f"    include: [{include}]\n")
    assert tuple(found[name] for name in ("python", "db", "port") if name in found) == values


def test_what_entries_add_is_of_the_one_that_goes_with_the_values_that_are_taken() -> None:
    matrix = """\
    target: [x86_64, aarch64]
    include:
      - {target: aarch64, tool: cross, os: arm}
      - {target: x86_64, tool: cargo}
      - {target: x86_64, os: ubuntu-latest}
"""
    assert values_of(matrix) == {"target": "x86_64", "tool": "cargo", "os": "ubuntu-latest"}


def test_of_rust_s_channels_the_stable_one_stands_for_all() -> None:
    assert values_of("    tool: ['1.63.0', stable, beta]\n") == {"tool": "stable"}
    assert values_of("    tool: [nightly, stable]\n    db: ['8', stable]\n") == {"tool": "stable", "db": "8"}


def test_a_line_of_versions_stands_for_its_newest() -> None:
    assert values_of("    tool: ['2']\n    db: ['1.39', '1', '0.9']\n    include: [{tool: '2.4'}]\n") == {
        "tool": "2",
        "db": "1",
    }


@pytest.mark.parametrize(
    "least",
    ["lowest", "oldest", "minimum", "test-minimum", "min-deps", "lowest-direct", "ci/envs/36-minimal.yaml", "py38-min"],
)
def test_the_least_that_a_project_works_with_does_not_stand_for_all(least: str) -> None:
    assert values_of(f"    tool: [{least}, highest]\n    db: [{least}]\n") == {"tool": "highest", "db": least}


def test_what_only_an_added_job_has_is_none_of_the_others() -> None:
    assert values_of("    python: ['3.12', '3.13']\n    include: [{python: '3.9', db: old}]\n") == {
        "python": "3.13",
        "db": "",
    }


def test_entries_for_other_systems_alone_are_taken_all_the_same() -> None:
    assert values_of("    include: [{os: macos-14, db: a}, {os: windows-11, db: b}]\n") == {"os": "macos-14", "db": "a"}


@pytest.mark.parametrize(
    "matrix", ["    include: x\n", "    include: [a, [b], {c: {d: e}}]\n", "    include: {a: b}\n"]
)
def test_odd_entries_say_nothing(matrix: str) -> None:
    assert values_of(f"{matrix}    python: ['3.9', '3.13']\n") == {"python": "3.13"}


def test_elements_of_lists_are_known_by_their_places() -> None:
    job = parse_yaml("strategy: {matrix: {suite: [[Unit, pytest a, 3], [All, pytest b]]}}").root
    assert job is not None
    scope = Scope(matrix_of(job))
    assert scope.resolve("${{ matrix.suite[0] }}: ${{ matrix.suite[1] }}") == "Unit: pytest a"
    assert scope.resolve("${{ matrix.suite[2] }}") is None
