"""What the demo prints of GitHub's pages."""

from app.demo.show import unfolded


def test_what_is_folded_on_github_stands_open_under_its_name() -> None:
    body = "A\n\n<details><summary>Turn 1 · <code>a&amp;b_c</code></summary>\n\n```\n<details>\n```\n\n</details>\n\nB"
    assert unfolded(body) == "A\n\n**Turn 1 · a&b_c**\n\n```\n<details>\n```\n\n\n\nB"
