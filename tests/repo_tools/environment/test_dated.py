import tomllib
from datetime import UTC, date, datetime

import pytest

from repo_tools.environment.contract import Tool
from repo_tools.environment.dated import Days, commit_day, days_for, for_builds, of_the_day

NOW = datetime(2026, 11, 22, tzinfo=UTC).timestamp()


def seconds(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, 12, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("committed", "wanted"),
    [
        (seconds(2021, 3, 4), date(2021, 3, 5)),
        (seconds(2026, 8, 24), date(2026, 8, 25)),
        (seconds(2026, 8, 25), None),
        (seconds(2030, 1, 1), None),
        (None, None),
    ],
)
def test_an_old_commit_gets_the_packages_of_its_day(committed: int | None, wanted: date | None) -> None:
    assert commit_day(committed, NOW) == wanted


@pytest.mark.parametrize(
    ("python", "usable", "sure", "tested", "at_once", "caught_up"),
    [
        ("3.8.10", *[date(2016, 3, 5)] * 5),
        ("3.9.2", date(2016, 3, 5), date(2018, 10, 1), date(2018, 10, 1), date(2020, 11, 5), date(2021, 2, 1)),
        ("3.11.2", date(2020, 10, 1), date(2020, 10, 1), date(2022, 10, 1), date(2022, 11, 5), date(2023, 2, 1)),
        ("", *[date(2016, 3, 5)] * 5),
    ],
)
def test_packages_are_no_older_than_what_the_interpreter_can_use(
    python: str, usable: date, sure: date, tested: date, at_once: date, caught_up: date
) -> None:
    assert days_for(date(2016, 3, 5), python) == Days(date(2016, 3, 5), usable, sure, tested, at_once, caught_up)
    assert days_for(date(2026, 1, 1), python) == Days(*[date(2026, 1, 1)] * 6)


@pytest.mark.parametrize(
    ("asked", "python", "in_turn"),
    [
        (date(2016, 3, 5), "3.9.2", ["2016-03-05", "2018-10-01", "2021-02-01"]),
        (date(2019, 3, 5), "3.9.2", ["2019-03-05", "2021-02-01"]),
        (date(2019, 3, 5), "3.11.2", ["2020-10-01", "2023-02-01"]),
        (date(2022, 3, 5), "3.9.2", ["2022-03-05", "2022-03-05"]),
    ],
)
def test_what_cannot_be_installed_is_tried_as_of_later_days(asked: date, python: str, in_turn: list[str]) -> None:
    assert [str(day) for day in days_for(asked, python).in_turn()] == in_turn


@pytest.mark.parametrize(
    ("day", "newest"),
    [
        (date(2010, 3, 5), 0),
        (date(2017, 3, 5), 5),
        (date(2019, 11, 1), 8),
        (date(2022, 6, 1), 10),
        (date(2024, 10, 2), 13),
    ],
)
def test_a_commit_that_names_no_python_prefers_one_that_was_there(day: date, newest: int) -> None:
    named, node = Tool("python", preferred="==3.8.*"), Tool("node")
    preferred = Tool("python", ">=3.6", preferred=f"<=3.{newest}.999")
    assert of_the_day((Tool("python", ">=3.6"), named, node), day) == (preferred, named, node)


def test_what_is_tied_to_the_interpreter_has_a_day_of_its_own() -> None:
    days = tomllib.loads(days_for(date(2019, 3, 5), "3.11").configuration())["exclude-newer-package"]
    assert days["pandas"] == days["gmpy2"] == "2023-02-01"
    assert days["six"] == "2023-02-01"  # 1.15 finds modules in a way that Python 3.10 warns of and 3.12 lacks
    assert days["apipkg"] == days["execnet"] == "2023-02-01"  # older ones cannot be imported again
    assert days["numpy"] == "2022-11-05"  # 1.24 took away `numpy.float`
    assert days["pytest"] == "2022-10-01"  # newer ones call the plugins of the day deprecated
    assert "requests" not in days


@pytest.mark.parametrize(
    ("asked", "python", "expected"),
    [
        (date(2019, 3, 5), "3.11.2", "2020-10-01"),
        (date(2021, 6, 5), "3.11.2", "2021-06-05"),
        (date(2016, 3, 5), "3.9.2", "2020-09-01"),  # the first that every Python has builds of, on ARM too
    ],
)
def test_what_is_compiled_for_every_later_python_is_of_the_day_and_so_is_what_calls_it(
    asked: date, python: str, expected: str
) -> None:
    days = tomllib.loads(days_for(asked, python).configuration())["exclude-newer-package"]
    assert days["cryptography"] == days["pyopenssl"] == days["trustme"] == expected


@pytest.mark.parametrize(
    ("asked", "python", "expected"),
    [
        (date(2019, 3, 5), "3.11.2", "2020-02-05"),
        (date(2020, 3, 5), "3.11.2", None),  # as everything else
        (date(2018, 3, 5), "3.9.2", None),
    ],
)
def test_code_of_before_werkzeug_took_names_away_has_them(asked: date, python: str, expected: str | None) -> None:
    days = tomllib.loads(days_for(asked, python).configuration())["exclude-newer-package"]
    assert days.get("werkzeug") == expected


@pytest.mark.parametrize(
    ("asked", "python", "expected"),
    [
        (date(2019, 3, 5), "3.11.2", "2021-01-18"),
        (date(2019, 3, 5), "3.13.1", "2021-01-18"),
        (date(2021, 6, 5), "3.11.2", "2023-02-01"),
        (date(2019, 3, 5), "3.9.2", "2021-02-01"),  # of 5.4.1 it has wheels
    ],
)
def test_code_of_before_yaml_wanted_a_loader_has_one_that_does_not(asked: date, python: str, expected: str) -> None:
    days = tomllib.loads(days_for(asked, python).configuration())["exclude-newer-package"]
    assert days["pyyaml"] == expected


def test_python_39_has_the_pytest_of_the_day_and_a_numpy_that_need_not_be_built() -> None:
    """Plug-ins, and tests that yield others, ask for a pytest of their time; numpy had wheels 28 days after Python."""
    days = tomllib.loads(days_for(date(2017, 3, 5), "3.9.2").configuration())["exclude-newer-package"]
    assert (days["pytest"], days["pluggy"], days["numpy"]) == ("2018-10-01", "2018-10-01", "2020-11-05")
    assert days["attrs"] == days["more-itertools"] == "2018-02-01"  # older ones do not go with that pytest
    assert days["hypothesis"] == "2019-05-10"  # 4.23.4: older ones make functions as before 3.8
    assert days["markupsafe"] == "2019-03-01"  # 1.0 cannot be built, and all that renders templates needs it
    assert days["parso"] == "2020-01-01"  # 0.5.1 has no grammar of Python 3.9
    assert days["importlib-metadata"] == "2020-02-01"  # 0.19 fails when it is imported
    assert days["atomicwrites"] == "2022-07-10"  # which that pytest needs: all releases were put up again then


@pytest.mark.parametrize(("asked", "expected"), [(date(2019, 6, 1), "2021-03-01"), (date(2024, 6, 1), "2024-06-01")])
def test_what_had_only_archives_that_uv_does_not_take_is_as_of_its_first_wheel(asked: date, expected: str) -> None:
    assert tomllib.loads(days_for(asked, "3.11").configuration())["exclude-newer-package"]["twisted"] == expected


@pytest.mark.parametrize(
    ("name", "asked", "expected"),
    [
        *(("werkzeug", date(2019, 3, 19), None), ("werkzeug", date(2019, 6, 1), "2019-07-18")),
        *(("werkzeug", date(2019, 7, 18), None), ("pytest", date(2018, 11, 13), "2018-11-13")),
        *(("pytest", date(2019, 2, 3), "2019-02-18"), ("pytest", date(2019, 2, 19), "2019-02-19")),
        *(("pytest", date(2020, 1, 20), "2020-01-31"), ("pytest", date(2020, 2, 1), "2020-02-01")),
    ],
)
def test_releases_that_run_nothing_here_give_way_to_the_first_that_does(
    name: str, asked: date, expected: str | None
) -> None:
    days = tomllib.loads(days_for(asked, "3.9.2").configuration())["exclude-newer-package"]
    assert days.get(name) == expected


@pytest.mark.parametrize(("asked", "expected"), [(date(2021, 6, 1), "2022-03-01"), (date(2024, 6, 1), "2024-06-01")])
def test_what_builds_packages_can_build_editable_ones(asked: date, expected: str) -> None:
    days = tomllib.loads(days_for(asked, "3.11").configuration())["exclude-newer-package"]
    assert (days["poetry-core"], days["flit-core"]) == (expected, expected)


@pytest.mark.parametrize(
    ("asked", "python", "expected"),
    [
        (date(2020, 11, 25), "3.11.2", "2023-01-12"),
        (date(2020, 11, 25), "3.12.1", "2023-01-27"),
        (date(2020, 11, 25), "3.9.2", "2023-01-12"),
        (date(2020, 11, 25), "3.14.0", "2023-10-01"),
        (date(2024, 6, 1), "3.11.2", "2024-06-01"),
    ],
)
def test_old_code_is_built_by_a_setuptools_that_takes_its_words(asked: date, python: str, expected: str) -> None:
    """66 refuses ``1.0-trunk`` and tags twice (https://setuptools.pypa.io/en/stable/history.html#v66-0-0), 67 refuses
    ``>=0.4.*``, 63 makes nothing editable, and 65 does not start on Python 3.12."""
    days = tomllib.loads(days_for(asked, python).configuration())["exclude-newer-package"]
    assert days["setuptools"] == expected


def test_the_evidence_says_which_packages_it_was() -> None:
    new, old = days_for(date(2024, 3, 5), "3.11"), days_for(date(2021, 3, 5), "3.11")
    assert new.note("2024-03-05", "") == "packages as of 2024-03-05"
    assert old.note("2021-03-05", "") == "packages as of 2021-03-05, compiled ones as of 2023-02-01"
    assert old.note("2023-02-01", "").startswith("packages as of 2023-02-01 (as of 2021-03-05, the commit's own day, ")
    silent = "warning: six-1.16.0.whl is missing an upload date, but user provided: 2021-03-05"
    assert old.note("2023-02-01", silent).startswith("packages of today: the index gives no upload times")


@pytest.mark.parametrize(
    ("asked", "python", "is_pythons_own"),
    [
        (date(2017, 6, 1), "3.9.2", True),
        (date(2017, 6, 1), "3.11.2", False),
        (date(2017, 6, 1), "", False),
        (date(2022, 6, 1), "3.9.2", False),
    ],
)
def test_sources_of_python_2_are_translated_as_they_were_then(asked: date, python: str, is_pythons_own: bool) -> None:
    assert for_builds(asked, python) == ({"SETUPTOOLS_USE_DISTUTILS": "stdlib"} if is_pythons_own else {})
