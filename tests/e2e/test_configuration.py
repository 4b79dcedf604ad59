"""What a repository says in `.github/agent-fix.yml` holds; what it says wrongly is told before anything is spent."""

import pytest

from agent.scripted import tool_use
from app.standins.github import GitHubStandIn
from repo_tools.sandbox.image import TAG
from tests.e2e.conftest import OTHER_MODEL
from tests.support import calc
from tests.support.stage import Played, Stage

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

PATH = ".github/agent-fix.yml"
MISSPELT = b"tests:\n  - pytest\nbugdets:\n  turns: 3\nmodel: another\n"
SOUND = """\
tests:
  - pytest checks
environment:
  GREETING: "hello"
scope: ["/calc.py", "/checks/**"]
protected: ["checks/old_*"]
budgets:
  turns: 5
"""
TEST = "from calc import total\n\n\ndef test_first():\n    assert total([1, 2, 3]) == 6\n"
OF_THE_VARIABLE = b"import os\n\n\ndef test_greeting():\n    assert os.environ['GREETING'] == 'hello'\n"
FILES = {
    "calc.py": calc.FILES["calc.py"],
    "checks/test_greeting.py": OF_THE_VARIABLE,
    "checks/old_notes.txt": b"old\n",
    "broken/test_broken.py": b"import os\nos._exit(3)\n",  # the whole suite has no result: only `checks` has
    PATH: SOUND.encode(),
}


@pytest.fixture(scope="module")
def refused(stage: Stage) -> Played:
    return stage.play({**calc.FILES, PATH: MISSPELT}, [])


def test_a_misspelt_key_is_refused_with_one_comment_that_tells_line_and_suggestion(refused: Played) -> None:
    assert refused.ending == ("refused", "configuration")
    (comment,) = refused.comments
    assert "- line 3: unknown key `bugdets`; did you mean `budgets`?" in comment.body
    assert "- line 5: `model` is `another`, which is not on the operator's list" in comment.body
    assert "Nothing was spent" in comment.body
    assert refused.pull_requests == []


def test_nothing_is_set_up_and_no_model_is_asked_for_it(refused: Played, stage: Stage) -> None:
    stages = [step["data"]["name"] for step in refused.run["steps"] if step["kind"] == "stage"]
    assert stages == ["admit", "checkout"]
    assert not refused.run["spend"]
    assert not any(f"case {refused.run['title'][-4:]}" in str(request) for request in stage.requests)


def test_once_it_is_put_right_the_label_works_again(stage: Stage) -> None:
    played = stage.play(
        FILES,
        [
            [*calc.PLAN, calc.mend(), tool_use("write_file", path="README.md", content="# no\n")],
            [tool_use("delete_file", path="checks/old_notes.txt"), tool_use("write_file", path=PATH, content="")],
            [tool_use("write_file", path="checks/test_first.py", content=TEST)],
            [calc.finish()],
        ],
    )
    assert played.ending == ("draft_pull_request", "proved"), played.run["detail"]
    results = [tool for turn in played.run["transcript"]["turns"] for tool in turn["tools"]]
    refusals = [tool["result"] for tool in results if tool["is_error"]]
    assert "outside of the paths that the repository's configuration has in scope" in refusals[0]
    assert "is protected by the repository's configuration" in refusals[1]
    assert "begins with a dot" in refusals[2]
    assert set(played.listing()) == {*FILES, "checks/test_first.py"}
    assert played.run["spend"]["turns"]["limit"] == 5
    assert "pytest checks" in played.pull_requests[0].body


def test_a_model_of_the_operators_list_works_on_the_issue(stage: Stage) -> None:
    before = len(stage.requests)
    played = stage.play({**calc.FILES, PATH: f"model: {OTHER_MODEL}\n".encode()}, calc.mended())
    assert {request["model"] for request in stage.requests[before:]} == {OTHER_MODEL}
    assert played.ending == ("draft_pull_request", "proved")
    assert OTHER_MODEL in played.pull_requests[0].body


@pytest.mark.docker
def test_an_image_of_the_operators_list_is_the_sandbox(docker_stage: Stage) -> None:
    played = docker_stage.play({**calc.FILES, PATH: f"image: {TAG}\n".encode()}, calc.mended())
    other = docker_stage.play({**calc.FILES, PATH: b"image: python:3\n"}, [])
    assert played.ending == ("draft_pull_request", "proved")
    assert other.ending == ("refused", "configuration")
    assert f"`image` is `python:3`, which is not on the operator's list (`{TAG}`)" in other.comments[0].body


def test_an_image_is_refused_where_the_sandbox_has_none(stage: Stage) -> None:
    played = stage.play({**calc.FILES, PATH: b"image: python:3\n"}, [])
    assert played.ending == ("refused", "configuration")
    assert "the sandbox here is bubblewrap, which has no images" in played.comments[0].body


def test_a_file_that_only_another_branch_has_is_not_read(stage: Stage) -> None:
    def add_branch(github: GitHubStandIn, repository: str, number: int) -> None:
        github.state.repository(repository).git.commit_files("other", {PATH: MISSPELT}, "ours")

    played = stage.play(calc.FILES, calc.mended(), prepare=add_branch)
    assert played.ending == ("draft_pull_request", "proved")
