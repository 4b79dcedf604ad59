"""What a repository declares stands in the place of what was detected; the rest stays."""

from dataclasses import replace

import pytest

from repo_tools.environment.contract import Environment, NoTestsError, Service, SetupCommand, TestCommand
from repo_tools.environment.declared import Declared, declared_environment, merged_services
from repo_tools.environment.python.install import MAKE_VENV, in_place
from tests.support.files_checkout import FilesCheckout

SOURCE = ".github/agent-fix.yml"
DETECTED = Environment(
    "python/2",
    ("pyproject.toml",),
    (SetupCommand(("pip", "install", ".")),),
    (TestCommand("pytest", ("pytest",)),),
    ("pyproject.toml",),
    variables={"A": "detected", "B": "detected"},
    test_variables={"T": "detected", "U": "detected"},
    services=(Service("redis"), Service("postgresql", "14", name="db")),
)
SETUP = (SetupCommand(("pip", "install", "-r", "deps/ci.txt")), SetupCommand(("sh", "-c", "cd x && ./make.sh # go")))
TESTS = (TestCommand("exit_code", ("./run",)),)
TREE = FilesCheckout(
    dict.fromkeys(["deps/ci.txt", "x/make.sh", "make.sh", "pyproject.toml", "web/package-lock.json", "a.py"], "")
).tree


def found(declared: Declared) -> Environment:
    return declared_environment(declared, TREE, lambda: DETECTED)


def nothing() -> Environment:
    raise NoTestsError("no tests")


def test_what_is_not_declared_is_as_it_was_detected() -> None:
    assert found(Declared(SOURCE)) == DETECTED


def test_declared_setup_replaces_the_detected_and_finds_a_virtual_environment() -> None:
    environment = found(Declared(SOURCE, setup=SETUP))
    assert environment.setup == (*MAKE_VENV, *SETUP, in_place())
    assert environment.tests == DETECTED.tests
    assert environment.detector != DETECTED.detector
    assert f"{SOURCE}: set-up commands" in environment.evidence


def test_the_layer_depends_on_what_the_commands_name_and_on_every_list_of_dependencies() -> None:
    environment = found(Declared(SOURCE, setup=SETUP))
    assert environment.manifests == ("deps/ci.txt", "make.sh", "pyproject.toml", "web/package-lock.json")


def test_a_path_that_a_command_names_is_looked_up_where_it_runs() -> None:
    environment = found(Declared(SOURCE, setup=(SetupCommand(("./make.sh",), directory="x"),)))
    assert "x/make.sh" in environment.manifests


def test_before_declared_tests_nothing_is_done_that_was_detected_to_be() -> None:
    detected = replace(DETECTED, before_tests=SETUP[:1])
    assert declared_environment(Declared(SOURCE, tests=TESTS), TREE, lambda: detected).before_tests == ()
    assert declared_environment(Declared(SOURCE, setup=SETUP), TREE, lambda: detected).before_tests == SETUP[:1]


def test_declared_tests_leave_nothing_out_that_was_detected_to_be() -> None:
    with_less = replace(DETECTED, left_out=("features/, which cucumber runs",))
    assert declared_environment(Declared(SOURCE, tests=TESTS), TREE, lambda: with_less).left_out == ()
    assert declared_environment(Declared(SOURCE, setup=SETUP), TREE, lambda: with_less).left_out == with_less.left_out


def test_declared_tests_are_set_up_by_what_is_there_for_others() -> None:
    def others() -> Environment:
        raise NoTestsError("none of lib/a.ex", DETECTED)

    assert declared_environment(Declared(SOURCE, tests=TESTS), TREE, others).setup == DETECTED.setup
    with pytest.raises(NoTestsError):
        declared_environment(Declared(SOURCE), TREE, others)


def test_declared_tests_alone_leave_the_layer_as_it_is() -> None:
    environment = found(Declared(SOURCE, tests=TESTS))
    assert environment.tests == TESTS
    assert (environment.detector, environment.setup) == (DETECTED.detector, DETECTED.setup)


def test_declared_variables_win() -> None:
    environment = found(Declared(SOURCE, variables={"B": "ours", "T": "ours"}))
    assert environment.variables == {"A": "detected", "B": "ours", "T": "ours"}
    assert environment.test_variables == {"U": "detected"}


def test_declared_tests_are_enough_where_nothing_is_detected() -> None:
    assert declared_environment(Declared(SOURCE, tests=TESTS), TREE, nothing).tests == TESTS
    with pytest.raises(NoTestsError):
        declared_environment(Declared(SOURCE, setup=SETUP), TREE, nothing)


def test_a_declared_service_takes_the_place_of_one_of_its_kind_or_its_name() -> None:
    redis, db, own = Service("redis", "7"), Service("mariadb", "11", name="db"), Service("mysql", name="other")
    assert merged_services(DETECTED.services, [redis]) == (DETECTED.services[1], redis)
    assert merged_services(DETECTED.services, [db]) == (DETECTED.services[0], db)
    assert merged_services(DETECTED.services, [own]) == (*DETECTED.services, own)
    assert merged_services(DETECTED.services, [Service("postgresql")]) == (
        DETECTED.services[0],
        Service("postgresql"),
    )
