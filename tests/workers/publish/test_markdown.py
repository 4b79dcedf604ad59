"""Strangers' text in Markdown: shown, and without any power."""

import re

import pytest
from markdown_it import MarkdownIt

from workers.publish.markdown import (
    clean,
    code,
    cut,
    fence,
    fit_lines,
    folded,
    html_code,
    inert,
    plain,
    quote,
    size,
    table,
)

GITHUB_LIKE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
AUTOLINK = re.compile(r"(?i)https?://|ftp://|www\.|mailto:|[\w.]@\w")  # GFM makes links of bare addresses
TOKEN = "ghs_31337_" + "aB3.d-E_" * 60

HOSTILE = [
    "![x](https://evil.example/?q=secret)",
    "![x][ref]\n\n[ref]: https://evil.example",
    "[click](https://evil.example)",
    "[click]\n\n[click]: https://evil.example",
    "<https://evil.example>",
    "https://evil.example/path",
    "www.evil.example",
    "_www.evil.example",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<!-- agent-fix:run=r1k4:draft -->",
    "&lt;img src=x&gt; &#60;b&#62;",
    "mail me at a@evil.example",
    "[x](javascript:alert(1))",
    "<details><summary>fold everything that follows",
    "Fixes #1, closes acme/calc#2, resolves GH-3, fixes https://github.com/acme/calc/issues/4",
    "Ping @octocat and @acme/team",
    "- [x] a task that is done",
    "-\t[x] another",
    "[!CAUTION]",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_quoted_text_has_no_power(text: str) -> None:
    html = GITHUB_LIKE.render(quote(text))
    assert set(re.findall(r"<(\w+)", html)) <= {"blockquote", "p", "code", "ul", "li"}
    assert not re.search(r"\[!|\[x\] ", html)
    assert "href" not in html
    assert "<!--" not in html
    assert not AUTOLINK.search(html)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_without_its_zero_width_spaces_is_as_it_was(text: str) -> None:
    assert inert(text).replace("\u200b", "") == text


def test_names_in_a_sentence_stay_as_they_are() -> None:
    html = GITHUB_LIKE.render(plain("left out: pkg/__init__.py, *.cfg and `a_b`; @boss\n# x", 200))
    assert "pkg/__init__.py, *.cfg and <code>a_b</code>" in html
    assert "<em>" not in html
    assert "<h1>" not in html
    assert not AUTOLINK.search(html)


def test_a_sentence_in_a_list_is_no_task() -> None:
    assert "\u200b" in plain("[x] done", 200)


def test_mentions_and_closing_words_are_split() -> None:
    shown = inert("Fixes #12, closes a/b#3, GH-4, _GH-5_, @octocat")
    assert not re.search(r"#\d|GH-\d|@\w", shown)


def test_a_fence_left_open_ends_with_its_quote() -> None:
    html = GITHUB_LIKE.render(f"{quote('```mermaid' + chr(10) + 'graph TD')}\n\nFixes #1.")
    assert "<p>Fixes #1.</p>" in html
    assert "mermaid" not in html


def test_code_between_three_backticks_on_one_line_is_no_fence() -> None:
    html = GITHUB_LIKE.render(quote("```x = 1``` is wrong\n\nand **more**"))
    assert "<code>x = 1</code> is wrong" in html
    assert "<strong>more</strong>" in html


def test_formatting_stays() -> None:
    html = GITHUB_LIKE.render(quote("**bold** and `code`\n\n- one\n- two"))
    assert "<strong>bold</strong>" in html
    assert "<code>code</code>" in html
    assert "<li>one</li>" in html


@pytest.mark.parametrize("text", ["```\nout\n```", "````\n```", "~~~", "`" * 50, "a\r\nb", ""])
def test_a_code_block_holds_whatever_is_in_it(text: str) -> None:
    html = GITHUB_LIKE.render(f"{fence(text)}\n\nafter")
    assert html.count("<pre>") == 1
    assert html.endswith("<p>after</p>\n")


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a | b", "", "one\ntwo", "<b>", "a\\|b", "x" * 999])
def test_a_code_span_holds_whatever_is_in_it(text: str) -> None:
    html = GITHUB_LIKE.render(table(("a",), [(code(text),)]))
    assert html.count("<code>") == 1
    assert html.count("<td>") == 1


def test_code_and_names_with_a_bar_are_shown_as_they_are() -> None:
    assert "<code>a|b</code>" in GITHUB_LIKE.render(code("a|b"))
    html = GITHUB_LIKE.render(table(("figure", "value"), [(plain("P(A|B)", 200), code("1|2"))]))
    assert "<td>P(A|B)</td>" in html
    assert "<code>1|2</code>" in html


def test_code_in_a_summary_is_escaped() -> None:
    assert html_code("</code><img src=x>") == "<code>&lt;\u200b/code&gt;&lt;\u200bimg src=x&gt;</code>"


def test_a_folded_part_ends_where_it_should() -> None:
    html = GITHUB_LIKE.render(folded("more", fence("</details>")) + "\n\nafter")
    assert html.count("</details>") == 1
    assert html.endswith("<p>after</p>\n")


def test_what_cannot_be_seen_is_taken_out() -> None:
    assert clean("a\x1b[31mred\x1b[0m\u202eb\u200bc\x00\r\nd\ud800\U000e0041") == "aredbc\nd\\ud800"


@pytest.mark.parametrize("show", [quote, fence, code, html_code])
def test_secrets_are_redacted_in_every_form(show: object) -> None:
    assert callable(show)
    assert TOKEN[12:40] not in show(f"the token is {TOKEN} here")


@pytest.mark.parametrize("show", [quote, fence, code, html_code])
@pytest.mark.parametrize("hidden", ["\u200b", "\x1b[0m", "\U000e0101", "\ufe0f"])
def test_hidden_characters_do_not_save_a_secret(show: object, hidden: str) -> None:
    assert callable(show)
    shown = show(f"the token is {TOKEN[:15]}{hidden}{TOKEN[15:]} here")
    assert "redacted: github token" in shown
    assert TOKEN[15:40] not in shown


def test_a_secret_is_not_cut_in_half() -> None:
    shown = cut("x" * 90 + TOKEN + "y" * 90, 200)
    assert "aB3.d" not in shown
    assert "redacted" in shown


def test_a_cut_says_how_much_is_left_out() -> None:
    assert cut("ä" * 100, 20, "; in full: there") == "äääää\n[… 180 bytes left out; in full: there …]\näääää"
    assert cut("short", 20) == "short"


def test_lines_that_do_not_fit_give_way_in_the_middle() -> None:
    shown = fit_lines([f"- {n}" for n in range(1000)], 200, "turns")
    assert (shown[0], shown[-1]) == ("- 0", "- 999")
    assert size("\n".join(shown)) <= 250
    assert any("turns left out" in line for line in shown)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["\n", ">\n", "- "])
def test_text_of_little_but_lines_and_marks_is_soon_inert(piece: str) -> None:
    assert inert(piece * (60_000 // len(piece))).split() in ([], [">"] * 30_000, ["-"] * 30_000)
