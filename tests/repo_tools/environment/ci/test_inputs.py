"""What actions and workflows of the repository are given stands for the inputs that they name."""

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.inputs import with_inputs
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.yaml_text import Node
from tests.support.files_checkout import FilesCheckout

ACTION = """
inputs:
  node: {default: "20"}
runs:
  using: composite
  steps:
    - uses: actions/setup-node@v4
      with: {node-version: "${{ inputs.node }}"}
"""
CALLED = """
on:
  workflow_call:
    inputs:
      python: {type: string, default: "3.11"}
      goal: {type: string}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/setup-python@v5
        with: {python-version: "${{ inputs.python }}"}
      - run: tox -e ${{inputs.goal}}
"""


def evidence_of(**workflows: str) -> tuple[WorkflowEvidence, ...]:
    files = {f".github/workflows/{name}.yml": text for name, text in workflows.items()}
    checkout = FilesCheckout({**files, ".github/actions/node/action.yml": ACTION})
    return read_workflows(checkout.tree, checkout.read)


def calling(given: str, more: str = "") -> str:
    return f"on: push\njobs:\n  a:\n    uses: ./.github/workflows/called.yml\n    with: {{{given}}}\n{more}"


@pytest.mark.parametrize(
    ("given", "versions"),
    [("with: {node: 22}", ("22",)), ("", ("20",)), ('with: {node: "${{ matrix.n }}"}', ("24", "18"))],
)
def test_a_step_gives_an_action_its_inputs_or_else_these_have_their_defaults(
    given: str, versions: tuple[str, ...]
) -> None:
    steps = f"    steps:\n      - uses: ./.github/actions/node\n        {given}\n      - run: npm test\n"
    matrix = "    strategy: {matrix: {n: [18, 24]}}\n"
    (found,) = evidence_of(ci=f"on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n{matrix}{steps}")
    assert found.versions["node"] == versions


def test_a_job_gives_a_workflow_its_inputs() -> None:
    (found,) = evidence_of(ci=calling('python: "3.13", goal: py'), called=CALLED)
    assert found.versions["python"] == ("3.13",)
    assert [command.argv for command in found.tests] == [("tox", "-e", "py")]
    assert found.source.startswith(".github/workflows/called.yml:")


def test_each_job_that_gives_it_others_tests_by_itself() -> None:
    others = calling("goal: b").replace("push", "pull_request")
    found = evidence_of(ci=calling("goal: a"), more=others, again=others, called=CALLED)
    assert sorted(job.tests[0].argv for job in found) == [("tox", "-e", "a"), ("tox", "-e", "b")]


def test_the_matrix_of_the_job_that_calls_it_is_the_workflows() -> None:
    matrix = '    strategy: {matrix: {python: ["3.9", "3.12"]}}\n'
    (found,) = evidence_of(ci=calling('goal: a, python: "${{ matrix.python }}"', matrix), called=CALLED)
    assert found.versions["python"] == ("3.12", "3.9")


def test_a_workflow_that_nobody_calls_has_the_defaults() -> None:
    (found,) = evidence_of(called=CALLED.replace(" -e ${{inputs.goal}}", ""))
    assert found.versions["python"] == ("3.11",)


@pytest.mark.parametrize("given", ['goal: "${{ needs.b.outputs.c }}"', 'python: "3.9"'])
def test_what_nobody_knows_stays_an_expression(given: str) -> None:
    (found,) = evidence_of(ci=calling(given), called=CALLED)
    assert found.tests[0].in_part


def test_values_in_which_others_stand_without_end_are_left_as_they_are() -> None:
    items: list[Node] = []
    node = Node(items, 1)
    items += [node] * 9
    assert with_inputs(node, {"a": "b"})
