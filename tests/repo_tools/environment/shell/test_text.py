"""Trees as one line."""

import pytest

from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.text import of_body, only_command, only_pipeline


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a   b\nc # why", "a b ; c"),
        ("a &&\n  b ||\n ! c  2>&1 >log", "a && b || ! c 2>&1 >log"),
        ("a & b; c &", "a & b ; c &"),
        ("A=1  B='x  y' c | d", "A=1 B='x  y' c | d"),
        ("(a;b) > log", "(a ; b) > log"),
        ("( (a) ); ( ((b)) )", "( (a)) ; ( ((b)))"),
        ("{ a & }; {\n b\n}", "{ a & } ; { b ; }"),
        (
            "if a; b\nthen\n c\nelif d; then e; else\n f; fi 2> log",
            "if a ; b ; then c ; elif d ; then e ; else f ; fi 2> log",
        ),
        ("for f in a 'b c'\ndo\n d $f & done", "for f in a 'b c' ; do d $f & done"),
        ("while a; do\n b; done < c", "while a ; do b ; done < c"),
        ("for f; do a; done > b", "for f; do a; done > b"),
        ("case $1 in a) b;; esac > c", "case $1 in a) b;; esac > c"),
        ("f() { a; }", "f() { a; }"),
        ("[[ a =~ ^(b|c)$ ]]  2> d && e", "[[ a =~ ^(b|c)$ ]]  2> d && e"),
    ],
)
def test_a_script_stands_in_one_line_and_means_the_same(text: str, line: str) -> None:
    assert of_body(parse(text).body) == line
    assert of_body(parse(line).body) == line


@pytest.mark.parametrize("text", ["a && b", "a; b", "a &", "a;", "", "a 'b"])
def test_what_is_more_or_less_than_a_pipe_is_none(text: str) -> None:
    assert only_pipeline(text) is None


def test_a_command_alone_is_one() -> None:
    assert [only_command(text) is not None for text in ("a b", "(a; b)", "a | b", "! a")] == [True, True, False, False]
