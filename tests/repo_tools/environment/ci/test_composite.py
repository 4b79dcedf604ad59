"""Actions of the repository's own in place of the steps that use them, within bounds."""

from repo_tools.environment.ci.composite import inlining
from repo_tools.environment.ci.values import text_of
from repo_tools.yaml_text import Node, parse_yaml
from tests.support.files_checkout import FilesCheckout


def steps(text: str) -> tuple[Node, ...]:
    root = parse_yaml(text).root
    assert root is not None
    return root.items


def run_by(used: str, **actions: str) -> list[str]:
    checkout = FilesCheckout({"a.py": "", **actions})
    inline = inlining(checkout.tree, checkout.read)
    return [text_of(step.mapping.get("run")) for step in steps(used) for _, step in inline("ci.yml", step)]


def test_an_action_is_entered_a_hundred_times_at_most() -> None:
    action = "runs:\n  steps:\n    - run: a\n"
    assert run_by("- run: b\n" + "- uses: ./own\n" * 150, **{"own/action.yml": action}) == ["b", *["a"] * 100]
    for_ever = "runs:\n  steps:\n    - uses: ./own\n    - uses: ./own\n    - run: a\n"
    assert run_by("- uses: ./own\n" * 150, **{"own/action.yml": for_ever}).count("a") <= 100


def test_what_steps_run_is_read_up_to_a_length() -> None:
    assert len(run_by(f"- run: {'x' * 1_000}\n" * 400)) == 300
