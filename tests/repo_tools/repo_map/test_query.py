"""What is read out of an issue."""

import time
from string import ascii_letters, ascii_lowercase

import pytest

from repo_tools.repo_map.query import MANY_WORDS, MAX_MODULES, PLAIN_NAME, read_query
from tests.support.long import first_of


@pytest.mark.parametrize(
    "title",
    first_of(
        [
            *("(" * 100_000, " " * 99_000 + "x", "a-" * 50_000, "a " * 50_000 + ":", "x." * 50_000),
            *("x" + "\n" * 99_000, "(/a " * 25_000, " in /x" * 16_000, "at a.c:1 " * 11_000, 'File "' * 16_000),
            *(
                "a/" * 50_000,
                "@/a" * 33_000,
                "[a]" * 33_000,
                "(a)/" * 25_000,
                "https://a/b/c/blob/" * 5_000,
                "a\\" * 50_000,
            ),
            *("fixes " * 16_000, "x@y." * 25_000, "\n." * 50_000),
            *("\n<!--" * 20_000, "a" * 100_000, "\n<!--" + "x" * 90_000, "0x" * 50_000, "12345678-1234-" * 7_000),
        ],
        always=8,
    ),
)
def test_no_text_takes_long_to_read(title: str) -> None:
    started = time.process_time()
    read_query(title)
    assert time.process_time() - started < 20  # the square of such a length would be hours


def test_what_is_written_as_a_name_is_more_likely_one_of_a_file() -> None:
    names = read_query("no-var and FirstArgument fail with query").file_names
    assert names == {"novar": 1.0, "firstargument": 1.0, "fail": PLAIN_NAME, "with": PLAIN_NAME, "query": PLAIN_NAME}


@pytest.mark.parametrize("title", ["Wrong totals", "Bug: wrong totals", "When I run: it fails, and so does the second"])
def test_a_title_without_a_part_names_none_but_its_words(title: str) -> None:
    assert len(read_query(title).scope) <= 2


@pytest.mark.parametrize(
    "said",
    [
        *("git-svn-id: svn+ssh://example.com/trunk@640 19e92222", "(cherry picked from commit 6eab5115b502c7182c56)"),
        *("Co-authored-by: A <a@b.example>", "https://example.com/shop/blob", "or a.b@shop.example"),
        *(
            "(6eab5115b502c7182c56)",
            "at 0x7ffee3b4c0d8 and 0x0000021F3B4C0D80.",
            "550e8400-e29b-41d4-a716-446655440000",
        ),
        "<!--\nPlease search the documentation first\n-->\n<!-- Do not delete -->",
    ],
)
def test_what_tools_and_people_add_asks_for_nothing(said: str) -> None:
    assert read_query(f"wrong totals\n{said}").weights == read_query("wrong totals").weights


def test_of_very_many_names_the_first_are_looked_for() -> None:
    modules = read_query(" ".join(f"a{number}.models" for number in range(MAX_MODULES + 5))).modules
    assert modules == tuple(f"a{number}.models" for number in range(MAX_MODULES))


def test_comments_of_html_that_stand_in_a_line_are_said() -> None:
    assert read_query("wrong totals\nof `<!-- basket -->`").weights != read_query("wrong totals\nof ``").weights


def test_names_that_look_like_ids_are_asked_for() -> None:
    """In a path, where no digit tells an id, where all letters stand first, and constants of 32 and 64 bits."""
    assert read_query("src/3f2a9bc/totals.py").paths == ("src/3f2a9bc/totals.py",)
    for name in ("defaced", "ed25519", "0x80070005", "0x9E3779B97F4A7C15"):
        assert read_query(f"{name} totals").weights != read_query("totals").weights


def test_a_line_that_differs_in_numbers_alone_says_nothing_more() -> None:
    once, often = (
        read_query("wrong totals\n" + "".join(f"12:{n} GET /basket took {n} ms\n" for n in range(lines))).weights
        for lines in (1, 400)
    )
    assert often == once


def test_names_that_differ_in_numbers_are_all_said() -> None:
    assert read_query("digests\nsha256\nsha512").weights == read_query("digests\nsha256 sha512").weights


def test_many_words_below_the_title_outweigh_it_no_more_than_some() -> None:
    title = read_query("wrong totals").weights
    listed = read_query("wrong totals\n" + "\n".join(a + b for a in ascii_letters for b in ascii_lowercase)).weights
    assert title.items() <= listed.items()
    assert sum(listed.values()) - sum(title.values()) <= MANY_WORDS
