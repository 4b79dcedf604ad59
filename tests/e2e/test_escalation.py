"""What cannot be proved is handed over, once, with the reason and what is left."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from agent.scripted import text, tool_use
from app.standins.github import GitHubStandIn
from app.standins.messages import Fault
from tests.support import calc
from tests.support.stage import Stage, Turn, expect_one_escalation

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

READ = [tool_use("read_file", path="calc.py")]
RUN_TESTS = [tool_use("run_tests")]


def test_a_model_that_gives_up_is_quoted(stage: Stage) -> None:
    played = stage.play(calc.FILES, [[*calc.PLAN, tool_use("give_up", reason="The issue names no expected result.")]])
    expect_one_escalation(played, "gave_up", "The issue names no expected result.")


def test_a_model_that_only_talks_is_nudged_twice_and_then_ended(stage: Stage) -> None:
    played = stage.play(calc.FILES, [[text("I think that it is a rounding problem.")]])
    expect_one_escalation(played, "no_tool_calls")
    assert played.run["spend"]["turns"]["used"] == 3


SKIP = "import pytest\n\npytest.skip(allow_module_level=True)\n"
LONG = pytest.mark.long
EMPTY_TEST = "def test_nothing():\n    pass\n"
FORCED = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    "    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"
)
DROPPED = "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if 'sum' not in i.name]\n"
RED = {**calc.FILES, "test_sum.py": b"from calc import total\n\n\ndef test_sum():\n    assert total([1, 2]) == 3\n"}
GREEN = {**calc.FILES, "test_sum.py": b"from calc import total\n\n\ndef test_sum():\n    assert total([1, 2]) == 2\n"}


@pytest.mark.parametrize(
    ("files", "calls"),
    [
        pytest.param(RED, [tool_use("delete_file", path="test_sum.py")], id="V01 the failing test deleted"),
        pytest.param(
            RED, [tool_use("move_file", **{"from": "test_sum.py", "to": "sum.py"})], id="V01 and renamed", marks=LONG
        ),
        pytest.param(RED, [tool_use("write_file", path="test_sum.py", content=SKIP)], id="V02 skipped", marks=LONG),
        pytest.param(
            RED,
            [tool_use("edit_file", path="test_sum.py", old="assert total([1, 2]) == 3", new="assert total([1, 2])")],
            id="V03 weakened",
        ),
        pytest.param(RED, [tool_use("write_file", path="conftest.py", content=FORCED)], id="V04 forced to pass"),
        pytest.param(
            RED,
            [
                tool_use(
                    "write_file",
                    path="conftest.py",
                    content=DROPPED,
                )
            ],
            id="V05 dropped from the collection",
            marks=LONG,
        ),
        pytest.param(
            calc.FILES,
            [tool_use("write_file", path="test_new.py", content=EMPTY_TEST)],
            id="V14 a test green before",
            marks=LONG,
        ),
        pytest.param(GREEN, [calc.mend()], id="a base test broken and left so"),
        pytest.param(calc.FILES, [], id="V16 nothing changed"),
        pytest.param(
            calc.FILES,
            [tool_use("edit_file", path="calc.py", old="prices[1:])\n", new="prices[1:])\n\n\n")],
            id="V16 white space",
            marks=LONG,
        ),
        pytest.param(
            calc.FILES,
            [calc.write_test(), tool_use("edit_file", path="calc.py", old="def total", new="# sums\ndef total")],
            id="a change that does nothing beside a red test",
            marks=LONG,
        ),
        pytest.param(calc.FILES, calc.add_a_name(), id="something new, and a test of that alone"),
    ],
)
def test_what_is_not_a_fix_is_not_proved(stage: Stage, files: dict[str, bytes], calls: list[dict[str, Any]]) -> None:
    played = stage.play(files, [[*calc.PLAN, *calls], [calc.finish()]])
    expect_one_escalation(played, "not_proved")


@pytest.mark.long(short="test_what_is_not_a_fix_is_not_proved")
@pytest.mark.docker
def test_tampering_proves_nothing_on_docker_either(docker_stage: Stage) -> None:
    """V04."""
    calls = [tool_use("write_file", path="conftest.py", content=FORCED)]
    played = docker_stage.play(RED, [[*calc.PLAN, *calls], [calc.finish()]])
    expect_one_escalation(played, "not_proved")


def test_the_comment_helps_the_next_person(stage: Stage) -> None:
    turns = [[*calc.PLAN, calc.write_test(), tool_use("run_tests")], [tool_use("give_up", reason="Out of ideas.")]]
    (comment,) = stage.play(calc.FILES, turns).comments
    for part in (
        "Out of ideas.",
        "test_first_price.py::test_the_first_price_counts",  # the closest test
        "assert 5 == 6",  # and its output
        "+def test_the_first_price_counts():",  # the partial diff
        "15",  # test runs allowed
        "/blob/",  # the transcript
    ):
        assert part in comment.body


@pytest.mark.parametrize(
    ("files", "words"),
    [
        pytest.param({"README.md": b"# prose\n"}, "test", id="no tests at all"),
        pytest.param({"calc.py": b"", "test_calc.py": b"# none yet\n"}, "", id="V18 nothing collected"),
        pytest.param({"calc.py": b"", "test_calc.py": b"import os\nos._exit(0)\n"}, "", id="a suite without a result"),
    ],
)
def test_a_repository_whose_tests_say_nothing_is_handed_over_before_any_model_call(
    stage: Stage, files: dict[str, bytes], words: str
) -> None:
    played = stage.play(files, [])
    expect_one_escalation(played, "no_tests", words)
    assert played.run["spend"]["turns"]["used"] == 0


def test_a_repository_that_cannot_be_installed_is_handed_over_with_the_failing_command(stage: Stage) -> None:
    files = {**calc.FILES, "requirements.txt": b"a-package-that-nobody-has-published==99\n"}
    played = stage.play(files, [])
    expect_one_escalation(played, "setup_failed", "a-package-that-nobody-has-published")


def test_faults_that_pass_are_waited_out(stage: Stage) -> None:
    """Q21: limited, overloaded, cut off: each call is tried again within its deadline."""
    faults: Iterator[Turn] = iter(
        [Fault(status=429, retry_after_seconds=0.1), Fault(status=529), Fault(cut_after_events=3)]
    )
    first, last = calc.mended()
    played = stage.play(calc.FILES, [lambda: next(faults, first), last])
    assert played.ending == ("draft_pull_request", "proved")


def test_a_labeller_who_may_not_write_is_refused_with_one_comment(stage: Stage) -> None:
    played = stage.play(calc.FILES, [], sender="passer-by", permission="triage")
    assert played.ending == ("refused", "permission")
    (comment,) = played.comments
    assert "write" in comment.body
    assert played.run["spend"] in ({}, None)


def test_an_empty_repository_is_refused(stage: Stage) -> None:
    played = stage.play({}, [])
    assert played.ending == ("refused", "repository")
    assert len(played.comments) == 1


def test_an_issue_that_is_closed_meanwhile_gets_no_pull_request_and_one_comment_on_what_was_spent(stage: Stage) -> None:
    closing: list[Callable[[], object]] = []

    def hand_in() -> Sequence[dict[str, Any]]:
        closing[0]()
        return [calc.finish()]

    played = stage.play(
        calc.FILES,
        [calc.mended()[0], hand_in],
        prepare=lambda github, repository, number: closing.append(lambda: github.close_issue(repository, number)),
    )
    assert played.ending == ("cancelled", "unwanted")
    assert played.pull_requests == []
    (comment,) = played.comments
    assert "**Stopped.** The issue was closed." in comment.body
    assert "US dollars" in comment.body


def test_a_base_branch_that_is_deleted_meanwhile_leaves_the_proved_change_in_the_comment(stage: Stage) -> None:
    """G07: no pull request can be opened, and no work is lost."""
    deleting: list[Callable[[], object]] = []

    def hand_in() -> Sequence[dict[str, Any]]:
        deleting[0]()
        return [calc.finish()]

    def prepare(github: GitHubStandIn, repository: str, number: int) -> None:
        git = github.state.repository(repository).git
        git.git("update-ref", "refs/heads/other", "refs/heads/main")
        deleting.append(lambda: git.git("update-ref", "-d", "refs/heads/main"))

    played = stage.play(calc.FILES, [calc.mended()[0], hand_in], prepare=prepare)
    expect_one_escalation(played, "repository", "proved", "+    return sum(prices)")
