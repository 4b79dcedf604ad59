"""Which options of a CMake build keep its tests from being built."""

import pytest

from repo_tools.environment.cmake_switches import test_switches as switches

HEAD = "project(parse C)\n"


@pytest.mark.parametrize(
    "option",
    ["PARSE_BUILD_TESTS", "PARSE_RUN_TESTS", "parse_build_tests", "BUILD_UNIT_TESTS", "BUILD_TESTING", "TESTS"],
)
def test_an_option_that_is_called_like_one_for_the_tests_is_switched_on(option: str) -> None:
    assert switches({"CMakeLists.txt": f'{HEAD}option({option}\n  "build (all) #1"\n  OFF)\n'}) == (f"{option}=ON",)


@pytest.mark.parametrize("option", ["DISABLE_TESTS", "PARSE_SKIP_TESTS", "NO_TESTS", "WITHOUT_TESTS"])
def test_an_option_that_takes_the_tests_away_stays_off(option: str) -> None:
    text = f'{HEAD}option({option} "" OFF)\nif(NOT {option})\n  enable_testing()\nendif()\n'
    assert switches({"CMakeLists.txt": text}) == ()


@pytest.mark.parametrize(
    "gated",
    [
        "if(DEVELOPER_MODE)\n  include(CTest)\nendif()\n",
        "if(TOP AND ${DEVELOPER_MODE})\n  add_subdirectory(tests)\nendif()\n",
        "if(NOT DEVELOPER_MODE)\n  message(off)\nelse()\n  enable_testing()\nendif()\n",
        "if(NOT DEVELOPER_MODE)\n  return()\nendif()\nenable_testing()\n",
    ],
    ids=["around", "one of two", "else", "return"],
)
def test_an_option_that_a_condition_around_the_tests_asks_for_is_switched_on(gated: str) -> None:
    options = 'option(DEVELOPER_MODE "" OFF)\noption(FUZZ "" OFF)\n'
    assert switches({"CMakeLists.txt": HEAD + options + gated}) == ("DEVELOPER_MODE=ON",)


def test_an_option_that_is_on_and_keeps_the_tests_away_is_switched_off() -> None:
    text = f'{HEAD}option(JUST_LIBRARY "" ON)\nif(JUST_LIBRARY)\nelse(JUST_LIBRARY)\n  enable_testing()\nendif()\n'
    assert switches({"CMakeLists.txt": text}) == ("JUST_LIBRARY=OFF",)


@pytest.mark.parametrize(
    "around",
    ["if(FUZZ)\n  add_test(fuzz fuzz)\nendif()", "if(FUZZ OR TOP)\n  enable_testing()\nendif()", "# if(FUZZ)\n"],
)
def test_what_only_some_tests_or_nobody_asks_for_is_left_alone(around: str) -> None:
    assert switches({"CMakeLists.txt": f'{HEAD}option(FUZZ "" OFF)\n{around}\nenable_testing()\n'}) == ()


@pytest.mark.parametrize(
    "text",
    [
        "function(tidy)\n  if(NOT TIDY_UP)\n    return()\n  endif()\nendfunction()\nenable_testing()\n",
        "if(TIDY_UP)\n  add_subdirectory(test)\nelse()\n  add_subdirectory(tests)\nendif()\n",
        "if(NOT (WIN32 AND TIDY_UP))\n  enable_testing()\nendif()\n",
        "if(DEFINED TIDY_UP)\n  enable_testing()\nendif()\n",
        'if(NOT TIDY_UP STREQUAL "x")\n  enable_testing()\nendif()\n',
    ],
    ids=["return of a function", "either way", "not both", "defined", "compared"],
)
@pytest.mark.parametrize("known", ["ON", "OFF"])
def test_a_condition_that_does_not_tell_what_the_tests_need_switches_nothing(text: str, known: str) -> None:
    assert switches({"CMakeLists.txt": f'{HEAD}option(TIDY_UP "" {known})\n{text}'}) == ()


@pytest.mark.parametrize("option", ["BUILD_FUZZERS", "PARSE_BENCHMARKS", "ENABLE_SANITIZER", "WARNINGS_AS_ERRORS"])
def test_what_only_tests_beside_the_usual_ones_need_stays_off(option: str) -> None:
    gated = f'option({option} "" OFF)\nif({option})\n  enable_testing()\nendif()\n'
    assert switches({"CMakeLists.txt": f"{HEAD}enable_testing()\n", "more/CMakeLists.txt": gated}) == ()


def test_an_option_that_depends_on_another_one_takes_that_with_it() -> None:
    text = (
        f'{HEAD}option(DEVELOPMENT "" OFF)\ncmake_dependent_option(PARSE_BUILD_TESTS "" OFF "DEVELOPMENT;IS_TOP" OFF)\n'
    )
    assert switches({"CMakeLists.txt": text}) == ("DEVELOPMENT=ON", "PARSE_BUILD_TESTS=ON")


def test_an_option_that_another_one_excludes_is_switched_off() -> None:
    text = (
        f'{HEAD}option(LITE "" OFF)\noption(SMALL "" ON)\ncmake_dependent_option(TESTS "" OFF "NOT LITE;NOT SMALL" OFF)'
    )
    assert switches({"CMakeLists.txt": text}) == ("SMALL=OFF", "TESTS=ON")


def test_an_escaped_quote_hides_nothing() -> None:
    text = f'{HEAD}add_definitions(-DNAME=\\"x\\")\noption(BUILD_TESTS "build :) tests" OFF)\noption(MORE "" OFF)\n'
    assert switches({"CMakeLists.txt": text}) == ("BUILD_TESTS=ON",)


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\"' * 50_000,
        "if(" + '\\"' * 50_000 + ")",
        "if(A)\n" * 30_000 + "enable_testing()\n" * 20_000,
    ],
    ids=["string", "words", "depth"],
)
def test_a_text_without_an_end_keeps_nobody_waiting(text: str) -> None:
    assert switches({"CMakeLists.txt": text}) == ()


def test_projects_below_count_where_the_root_knows_of_no_tests_itself() -> None:
    part = {"part/CMakeLists.txt": 'project(part)\noption(part_build_tests "" OFF)\n'}
    assert switches({"CMakeLists.txt": f"{HEAD}add_subdirectory(part)\n", **part}) == ("part_build_tests=ON",)
    assert switches({"CMakeLists.txt": f"{HEAD}add_test(a a)\nadd_subdirectory(part)\n", **part}) == ()
    assert switches({"CMakeLists.txt": HEAD, "tests/CMakeLists.txt": "add_test(a a)", **part}) == ()


def test_comments_that_never_end_keep_nobody_waiting() -> None:
    """Each looked for its end through the whole file: half an hour for this one."""
    assert switches({"CMakeLists.txt": "#[[\n" * 250_000}) == ()
