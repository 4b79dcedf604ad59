"""A label becomes a draft pull request."""

import pytest

from agent.scripted import tool_use
from tests.support import calc
from tests.support.stage import Played, Stage

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def draft(stage: Stage) -> Played:
    return stage.play(calc.FILES, calc.mended())


def test_the_run_ends_proved_with_the_address_of_its_draft(draft: Played) -> None:
    assert draft.ending == ("draft_pull_request", "proved")
    assert draft.run["status"] == "ended"
    assert draft.run["pull_request_url"] == draft.github.page_url(draft.repository, draft.pull_requests[0].number)


def test_one_draft_stands_on_a_branch_of_its_own(draft: Played) -> None:
    (pull,) = draft.pull_requests
    assert pull.pull is not None
    assert pull.pull.draft
    assert pull.pull.head == f"agent-fix/issue-{draft.number}-{draft.run['id']}"


def test_the_commit_holds_the_fix_and_its_test_and_nothing_else(draft: Played) -> None:
    assert draft.committed("calc.py") == calc.FILES["calc.py"].replace(b"prices[1:]", b"prices")
    assert draft.committed("test_first_price.py") == calc.NEW_TEST.encode()
    assert set(draft.listing()) == {*calc.FILES, "test_first_price.py"}


def test_the_body_gives_the_verdict_first_then_the_story_and_the_whole_transcript(draft: Played) -> None:
    body = draft.pull_requests[0].body
    places = [
        body.index(words)
        for words in (
            "**Proved.**",
            "test_first_price.py::test_the_first_price_counts",
            "The first price was left out of the sum.",
            f"Fixes #{draft.number}",
            "Success criterion: the first price counts.",
            "edit_file",
        )
    ]
    assert places == sorted(places)


def test_the_label_is_answered_with_a_reaction_and_the_issue_with_no_comment(draft: Played) -> None:
    assert draft.github.reactions(draft.repository, draft.number) == ["eyes"]
    assert draft.comments == []


def test_the_api_tells_the_whole_run(draft: Played) -> None:
    assert draft.run["spend"]["turns"] == {"used": 2, "limit": 40.0}
    assert [turn["number"] for turn in draft.run["transcript"]["turns"]] == [1, 2]
    assert {step["name"] for step in (s["data"] for s in draft.run["steps"]) if "name" in step} >= {
        "baseline",
        "verify",
    }


def test_each_turn_rereads_what_came_before_from_the_cache(draft: Played) -> None:
    second = draft.run["transcript"]["turns"][1]["usage"]
    assert second["cache_read_tokens"] > second["input_tokens"] + second["cache_write_tokens"]


@pytest.mark.docker
def test_the_same_on_docker(docker_stage: Stage) -> None:
    played = docker_stage.play(calc.FILES, calc.mended())
    assert played.ending == ("draft_pull_request", "proved")
    assert "docker" in played.pull_requests[0].body


def test_a_changed_contract_is_a_draft_that_says_so_and_is_never_called_proved(stage: Stage) -> None:
    files = {
        **calc.FILES,
        "test_calc.py": b"from calc import total\n\n\ndef test_sum():\n    assert total([1, 2]) == 2\n",
    }
    turns = [
        [
            *calc.PLAN,
            tool_use("edit_file", path="test_calc.py", old="total([1, 2]) == 2", new="total([1, 2]) == 3"),
            calc.mend(),
        ],
        [calc.finish()],
    ]
    played = stage.play(files, turns)
    assert played.ending == ("draft_pull_request", "contract_changed")
    (pull,) = played.pull_requests
    assert "**Proved.**" not in pull.body
    assert pull.body.index("total([1, 2]) == 2") < pull.body.index("total([1, 2]) == 3") < pull.body.index("Fixes #")


def test_what_the_issue_asks_for_by_name_is_a_draft_that_says_that_no_test_was_seen_to_fail(stage: Stage) -> None:
    turns = [[*calc.PLAN, *calc.add_a_name()], [calc.finish()]]
    played = stage.play(calc.FILES, turns, body="There is `total`; please add `calc.grand_total`, which counts all.")
    assert played.ending == ("draft_pull_request", "proved")
    (pull,) = played.pull_requests
    assert pull.title.startswith(f"Add what #{played.number} asks for: ")
    assert "**Proved, but no test was seen to fail.**" in pull.body
    assert "which the issue asks for by name" in pull.body
