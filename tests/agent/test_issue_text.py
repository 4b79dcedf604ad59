"""The text of an issue, as a maintainer sees it."""

import time

import pytest

from agent.issue_text import LIMIT_BYTES, names_in, visible_text, visible_title


def test_ordinary_markdown_keeps_its_words_and_shape() -> None:
    source = (
        "# Crash\n\nCalling `add(1, 2)` gives **4**.\n\n1. install\n2. run\n   - with `-x`\n\n"
        "```python\nadd(1, 2)  # <!-- a comment in code -->\n```\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    assert visible_text(source) == (
        "# Crash\n\nCalling `add(1, 2)` gives **4**.\n\n1. install\n2. run\n  - with `-x`\n\n"
        "```python\nadd(1, 2)  # <!-- a comment in code -->\n```\n\n> quoted\n\na | b\n1 | 2"
    )


@pytest.mark.parametrize(
    "source",
    [
        "<!-- SECRET -->",
        "<!--\n```\nSECRET\n```\n-->",
        "text <!-- SECRET --> text",
        "text\n\n<!-- never closed SECRET",
        "- item\n  <!-- SECRET -->",
        "![SECRET](https://example.org/a.png)",
        "![a](https://example.org/a.png 'SECRET')",
        "[a](https://example.org 'SECRET')",
        "[a][r]\n\n[r]: https://example.org 'SECRET'",
        "[//]: # (SECRET)",
        '<img alt="SECRET" src="x">',
        '<div data-x="SECRET">shown</div>',
        '<a title="SECRET" href="x">shown</a>',
        "<script>SECRET</script>",
        "<style>\nSECRET\n</style>",
        "<?php SECRET ?>",
    ],
)
def test_what_a_maintainer_does_not_see_is_not_there(source: str) -> None:
    """P01, P05."""
    assert "SECRET" not in visible_text(f"Before.\n\n{source}\n")


def test_folded_details_stand_open_and_entities_are_decoded() -> None:
    source = "<details><summary>Log</summary>\n\nit **failed**\n\n</details>\n\n&#105;gnore &lt;b&gt;"
    assert visible_text(source) == "Log\n\nit **failed**\n\nignore <b>"


def test_comparisons_beside_html_are_no_tags() -> None:
    """As a browser has it: a tag begins with a letter."""
    assert visible_text("<details>\nif a < b and c > d: x <- 1 <= 2 -> y\n</details>") == (
        "if a < b and c > d: x <- 1 <= 2 -> y"
    )
    assert visible_text("<p>\n1 <2> 3 <b>4</b> 5 <!DOCTYPE x> 6 </p\n>") == "1 <2> 3 4 5  6"


def test_a_link_shows_where_it_leads() -> None:
    assert visible_text("[docs](https://example.org/x)") == "docs (https://example.org/x)"


@pytest.mark.parametrize(
    "invisible",
    ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\x00", "\x1b", "\x7f", "\U000e0041",
     "\ufe0f",
     "\u3164", "&#8203;", "&#x202e;", "&shy;"],
)  # fmt: skip
def test_invisible_characters_go_also_when_written_as_entities(invisible: str) -> None:
    """P04."""
    assert visible_text(f"ig{invisible}nore") == "ignore"


def test_other_scripts_and_emoji_stay() -> None:
    assert visible_text("Grüße, 世界 👍 — ok\tthere") == "Grüße, 世界 👍 — ok\tthere"


def test_a_huge_text_is_bounded_with_a_note() -> None:
    """P18; comments are never read."""
    shown = visible_text("ä" * 1_000_000)
    assert shown.endswith(f"[{2_000_000 - LIMIT_BYTES} more bytes of this text were left out]")
    assert len(shown.encode()) < LIMIT_BYTES + 100


@pytest.mark.parametrize(
    "seed", ["<!--", "<", "[", "![", "> ", "- ", "`", "*a", "&#", "<a ", "|", "<details>\n", "[a]: b\n"]
)
def test_hostile_text_takes_no_time(seed: str) -> None:
    started = time.process_time()
    visible_text(seed * 250_000)
    assert time.process_time() - started < 5.0


def test_names_with_underscores_stay_whole() -> None:
    assert visible_text("call __init__ of _Base_ and *args") == "call __init__ of _Base_ and *args"
    assert visible_title(" __init__\u200b of\n`A` <b> is # wrong ") == "__init__ of `A` <b> is # wrong"


def test_nothing_is_nothing() -> None:
    assert visible_text("") == ""
    assert visible_text("\ud800 lone") == "lone"


def test_names_are_found_in_prose_and_code_whole_and_in_parts() -> None:
    names = names_in("Add `calc.grand_total()` to pkg/sums.py, or *clamp*: `x.y-2`, 3d, Größe")
    assert names >= {"calc.grand_total", "calc", "grand_total", "pkg", "sums.py", "sums", "clamp", "x.y", "Größe"}
    assert not names & {"3d", "2", "", "."}
