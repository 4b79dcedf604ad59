"""Words of a shell script: what is plain, and what takes a run to know."""

import pytest

from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.syntax import Other, Plain, Simple, Substitution, Variable, Word


def words_of(text: str) -> tuple[Word, ...]:
    (command,) = parse(text).body[0].items[0][1].commands
    assert isinstance(command, Simple)
    return command.words


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain-1.0", "plain-1.0"),
        ("'a $b'", "a $b"),
        ('"a \\"b\\" \\d"', 'a "b" \\d'),
        ("a\\ b", "a b"),
        ("a'b'\"c\"", "abc"),
        ("''", ""),
        ("$'a'", "a"),
        ("a#b", "a#b"),
        ("$", "$"),
        ("tests/*.js", "tests/*.js"),
        ("%CD%", "%CD%"),
        ('"two\nlines"', "two\nlines"),
        ("a\\\nb", "ab"),
        ("$a", None),
        ('"x$(y)"', None),
        ("`y`", None),
        ("$((1 + 2))", None),
        ("${a%.py}", None),
        ("${{ matrix.os }}", None),
        ("'${{ matrix.os }}'", None),
        ("a\0b", None),
        ("'a\0b'", None),
        ("$'\\n'", None),
    ],
)
def test_a_word_has_its_value_where_that_takes_no_run(text: str, value: str | None) -> None:
    (word,) = words_of(text)
    assert (word.text, word.value) == (text, value)


def test_what_is_put_in_is_told_apart() -> None:
    (word,) = words_of('a$b"${c:-d e}"$(f g)${{ h }}')
    plain, variable, _, default, substitution, other = word.parts
    assert plain == Plain("a", "a")
    assert variable == Variable("$b", "b")
    assert isinstance(default, Variable)
    assert (default.name, default.default and default.default.value, default.is_quoted) == ("c", "d e", True)
    assert isinstance(substitution, Substitution)
    assert substitution.script.text == "f g"
    assert other == Other("${{ h }}")


def test_values_that_are_known_are_put_in() -> None:
    (word,) = words_of("a/$b/${c}.py")
    known = {"b": "x", "c": "y"}
    assert word.with_values(lambda part: known.get(part.name) if isinstance(part, Variable) else None) == "a/x/y.py"


def test_scripts_within_words_are_read_too() -> None:
    (word,) = words_of("$(case $1 in a) b ;; esac; (c))")
    (part,) = word.parts
    assert isinstance(part, Substitution)
    assert [type(each.items[0][1].commands[0]).__name__ for each in part.script.body] == ["Case", "Subshell"]


@pytest.mark.parametrize(
    ("text", "inside"), [("`a \\`b\\``", "a `b`"), ('"`a \\"b\\"`"', 'a "b"'), ('`a \\"b`', 'a \\"b')]
)
def test_a_script_in_backticks_has_its_own_in_escaped_ones(text: str, inside: str) -> None:
    (word,) = words_of(text)
    (part,) = (each for each in word.parts if isinstance(each, Substitution))
    assert part.script.text == inside
