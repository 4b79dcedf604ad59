"""Old commits are set up with the packages of their day; a script that is called `uv` stands for the index."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from repo_tools.environment.contract import Environment, PreparedEnvironment, SetupCommand, TestCommand, Tool
from repo_tools.environment.dated import days_for
from repo_tools.environment.fitting import fitting_versions, loading_pytest
from repo_tools.environment.given_up import standing_in
from repo_tools.environment.prepare import prepare
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine

pytestmark = [pytest.mark.bubblewrap]

Repository = Callable[[Mapping[str, str]], GitCheckout]
YEARS_AGO = int(datetime(2019, 3, 4, tzinfo=UTC).timestamp())
UV = SetupCommand(("/bin/sh", "-c", "mkdir -p /env/bin && cp uv /env/bin/uv && chmod 755 /env/bin/uv"))
INSTALL = SetupCommand(("/env/bin/uv", "pip", "install", "x"), otherwise=(SetupCommand(("pip", "--version")),))


def made(engine: BubblewrapEngine, checkout: GitCheckout, committed: int, **changed: Any) -> PreparedEnvironment:
    checkout.committed_seconds = committed
    plan = Environment("test", (), (UV, INSTALL), (TestCommand("pytest", ("pytest",)),), ("uv",), **changed)
    return prepare(engine, checkout, plan, repository=str(checkout.git_dir), allowed_hosts=(), report=lambda _: None)


def script(condition: str) -> dict[str, str]:
    return {"uv": f'#!/bin/sh\necho "asked for ${{UV_EXCLUDE_NEWER:-today}}"\n{condition}\n'}


def test_an_old_commit_is_set_up_as_of_its_day_and_says_so_again_when_it_is_found(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    checkout = repository(script('grep -q numpy "$UV_CONFIG_FILE"'))
    first, second = (made(engine, checkout, YEARS_AGO, dated=True) for _ in range(2))
    assert "asked for 2019-03-05" in first.log
    assert f"$ {loading_pytest('uv')}" in first.log.splitlines()
    assert first.environment.evidence == second.environment.evidence == ("packages as of 2019-03-05",)
    assert second.seconds == 0.0


def test_what_cannot_be_installed_so_is_installed_as_of_when_packages_knew_the_interpreter(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    checkout = repository(script('expr "$UV_EXCLUDE_NEWER" ">" 2021-01-01'))
    prepared = made(engine, checkout, YEARS_AGO, dated=True, tools=(Tool("python", ">=3.11"),))
    assert len(re.findall(r"asked for 20\d\d-", prepared.log)) == 2
    python, told = prepared.environment.evidence
    assert python.startswith("the sandbox's Python is 3.")
    assert "the commit's own day, they do not fit the sandbox's Python" in told


def test_a_step_that_needs_later_packages_does_not_take_the_next_one_with_it(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    steps = tuple(SetupCommand(("/env/bin/uv", "pip", "install", name), required=False) for name in ("new", "old"))
    whole = SetupCommand(("/env/bin/uv", "pip", "install", "new", "old"), otherwise=steps)
    checkout = repository(
        script(
            'case "$*" in *"new old") exit 1;; *new) expr "$UV_EXCLUDE_NEWER" ">" 2021-01-01;;'
            ' *) expr "$UV_EXCLUDE_NEWER" "<" 2021-01-01;; esac'
        )
    )
    checkout.committed_seconds = YEARS_AGO
    plan = Environment("test", (), (UV, whole), (TestCommand("pytest", ("pytest",)),), ("uv",), dated=True)
    named = replace(plan, tools=(Tool("python", ">=3.11"),))
    log = prepare(engine, checkout, named, repository="x", allowed_hosts=(), report=lambda _: None).log
    assert re.findall(r"asked for (\d+).*?exit code (\d)", log, re.DOTALL) == [
        *[("2020", "1"), ("2023", "1")],
        *[("2020", "1"), ("2023", "0")],
        ("2020", "0"),
    ]


def test_one_that_fails_with_later_packages_too_does_not_date_all_that_was_installed_before(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    nowhere = SetupCommand(("/env/bin/uv", "pip", "install", "nowhere"), required=False)
    checkout = repository(script('case "$*" in *nowhere) exit 1;; esac'))
    checkout.committed_seconds = YEARS_AGO
    plan = Environment("test", (), (UV, INSTALL, nowhere), (TestCommand("pytest", ("pytest",)),), ("uv",), dated=True)
    named = replace(plan, tools=(Tool("python", ">=3.11"),))
    prepared = prepare(engine, checkout, named, repository="x", allowed_hosts=(), report=lambda _: None)
    assert len(re.findall(r"asked for 20\d\d-", prepared.log)) == 3
    assert "asked for 2023" in prepared.log
    assert prepared.environment.evidence[-1].startswith("packages as of 2020")


def test_an_interpreter_that_may_run_what_is_very_old_is_given_that_then_what_it_surely_runs_then_what_knows_it(
    engine: BubblewrapEngine, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each step anew, whatever the whole came to."""
    monkeypatch.setattr("repo_tools.environment.set_up.days_for", lambda asked, _: days_for(asked, "3.9.2"))
    steps = tuple(SetupCommand(("/env/bin/uv", "pip", "install", name), required=False) for name in ("b", "c", "a"))
    whole = SetupCommand(("/env/bin/uv", "pip", "install", "a", "b", "c"), otherwise=steps)
    least = 'b) least=2018;; *c) least=2021;; *) least=2016;; esac; expr "$UV_EXCLUDE_NEWER" ">=" $least'
    checkout = repository(script(f'case "$*" in *"a b c") exit 1;; *{least}'))
    checkout.committed_seconds = int(datetime(2016, 3, 4, tzinfo=UTC).timestamp())
    plan = Environment("test", (), (UV, whole), (TestCommand("pytest", ("pytest",)),), ("uv",), dated=True)
    log = prepare(engine, checkout, plan, repository="x", allowed_hosts=(), report=lambda _: None).log
    assert re.findall(r"asked for (\d+).*?exit code (\d)", log, re.DOTALL) == [
        *[("2016", "1"), ("2018", "1"), ("2021", "1")],
        *[("2016", "1"), ("2018", "0")],
        *[("2016", "1"), ("2018", "1"), ("2021", "0")],
        ("2016", "0"),
    ]


def test_what_cannot_be_built_is_not_built_again_with_packages_of_the_same_day(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    steps = tuple(SetupCommand(("/env/bin/uv", "pip", "install", name), required=False) for name in ("slow", "six"))
    less = SetupCommand(("/env/bin/uv", "pip", "install", "slow", "six"), otherwise=steps)
    whole = SetupCommand(("/env/bin/uv", "pip", "install", "slow", "six", "black"), otherwise=(less,))
    checkout = repository(
        script(
            'case "$*" in *" slow"*) ;; *) exit 0;; esac\n'
            'case "$*" in *--only-binary=slow*) echo "no wheel"; exit 1;; esac\n'
            "echo 'BUILDS'; echo '  × Failed to build `slow==1.0`'; exit 1"
        )
    )
    checkout.committed_seconds = YEARS_AGO
    plan = Environment("test", (), (UV, whole), (TestCommand("pytest", ("pytest",)),), ("uv",), dated=True)
    named = replace(plan, tools=(Tool("python", ">=3.11"),))
    log = prepare(engine, checkout, named, repository="x", allowed_hosts=(), report=lambda _: None).log
    tried = re.findall(r"asked for (20\d\d).*\n(BUILDS|no wheel)", log)
    assert [year for year, how in tried if how == "BUILDS"] == ["2020", "2023"]
    assert len(tried) == 5  # the whole; with packages of two days what is less, and the one that needs it


@pytest.mark.parametrize(
    ("said", "dated", "by_pip"), [("", True, False), ("is missing an upload date", True, True), ("", False, True)]
)
def test_pip_which_knows_no_days_is_not_asked_for_what_can_be_had_one_by_one(
    engine: BubblewrapEngine, repository: Repository, said: str, dated: bool, by_pip: bool
) -> None:
    one, two = (SetupCommand(("/env/bin/uv", "pip", "install", name), required=False) for name in ("one", "two"))
    pip = SetupCommand(("/bin/sh", "-c", "echo by pip; exit 1"), required=False, otherwise=(one, two))
    whole = SetupCommand(("/env/bin/uv", "pip", "install", "one", "two"), required=False, otherwise=(pip,))
    checkout = repository(script(f'echo "{said}"; case "$*" in *one) exit 0;; *) exit 1;; esac'))
    checkout.committed_seconds = YEARS_AGO
    plan = Environment("test", (), (UV, whole), (TestCommand("pytest", ("pytest",)),), ("uv",), dated=dated)
    log = prepare(engine, checkout, plan, repository="x", allowed_hosts=(), report=lambda _: None).log
    assert ("by pip\n" in log) is by_pip
    assert re.findall(r"install (one|two)\n.*?exit code (\d)", log, re.DOTALL)[:1] == [("one", "0")]


def test_what_the_interpreter_cannot_import_of_that_day_is_looked_for_and_of_no_other(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    checkout = repository(script('expr "$UV_EXCLUDE_NEWER" ">" 2021-01-01'))
    named: Any = {"tools": (Tool("python", ">=3.11"),)}
    looked = {f"$ {standing_in()}", f"$ {fitting_versions('uv')}"}
    assert looked <= {*made(engine, checkout, YEARS_AGO, dated=True, **named).log.splitlines()}
    assert looked.isdisjoint(made(engine, checkout, YEARS_AGO, dated=False, **named).log.splitlines())


@pytest.mark.long(short="test_what_the_interpreter_cannot_import_of_that_day_is_looked_for_and_of_no_other")
def test_where_the_time_does_not_last_to_look_for_it_the_set_up_stands(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    endless = SetupCommand(("/bin/sh", "-c", "cp endless /env/bin/python3 && chmod 755 /env/bin/python3"))
    checkout = repository({**script(""), "endless": "#!/bin/sh\ncase $3 in *unittest2*) ;; *) sleep 100;; esac\n"})
    checkout.committed_seconds = YEARS_AGO
    tools = (Tool("python", ">=3.11"),)
    plan = Environment("test", (), (UV, endless), (TestCommand("pytest", ("pytest",)),), (), dated=True, tools=tools)
    prepared = prepare(
        engine, checkout, plan, repository="x", allowed_hosts=(), timeout_seconds=15, report=lambda _: None
    )
    assert f"Set-up ran out of time: {fitting_versions('uv')}." in prepared.log


def test_a_young_commit_and_one_that_says_itself_how_it_is_set_up_get_packages_of_today(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    now = int(datetime.now(UTC).timestamp())
    for committed, dated in ((now, True), (YEARS_AGO, False)):
        prepared = made(engine, repository(script(f": {committed}")), committed, dated=dated)
        assert "asked for today" in prepared.log
        assert prepared.environment.evidence == ()
