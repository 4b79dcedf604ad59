"""YAML as data with lines: core types only, oddities told, bounds kept."""

import pytest

from repo_tools.yaml_text import MAX_DEPTH, YamlError, parse_yaml


def data(text: str) -> object:
    root = parse_yaml(text).root
    return root and root.data()


def test_only_the_core_types_are_known() -> None:
    text = "a: 1\nb: 2.5\nc: true\nd: ~\ne: on\nf: 1:30\ng: 2024-01-01\nh: '1'\ni: |\n  x\n  y\n"
    expected = {"a": 1, "b": 2.5, "c": True, "d": None, "e": "on", "f": "1:30", "g": "2024-01-01", "h": "1"}
    assert data(text) == {**expected, "i": "x\ny\n"}


def test_a_key_named_on_is_text() -> None:
    assert data("on:\n  push: {}\n") == {"on": {"push": {}}}


def test_every_value_and_every_key_knows_its_line() -> None:
    root = parse_yaml("# head\na:\n  - x\n  - y\nb:\n  c: 1\n").root
    assert root is not None
    assert root.key_lines == {"a": 2, "b": 5}
    assert [node.line for node in root.mapping["a"].items] == [3, 4]
    assert root.mapping["b"].mapping["c"].line == 6


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "~\n"])
def test_a_text_without_a_value_has_no_root(text: str) -> None:
    assert parse_yaml(text).root is None


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "given twice (first in line 1)"),
        ("a: &x [1]\n", 1, "anchor (`&x`)"),
        ("b: *x\n", 1, "alias (`*x`)"),
        ("a: 1\nb: !!python/object:os.system {}\n", 2, "tag"),
        ("a: !binary aGk=\n", 1, "tag"),
        ("a: 1\ntrue: 2\n", 2, "`true` is no text"),
        ("a: 1\n1: 2\n", 2, "`1` is no text"),
        ("? [a]\n: b\n", 1, "no text"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
    ],
)
def test_what_a_strict_reader_refuses_is_told_with_its_line(text: str, line: int, words: str) -> None:
    (found, what), *_ = parse_yaml(text).oddities
    assert found == line
    assert words in what


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a:\n\t- b\n", 2, "tab"),
        ("a: {b: [}\n", 1, "is no YAML"),
        ("a: b: c\n", 1, "is no YAML"),
        ("a: 1\nb: \x00\n", 2, "character"),
        ("a: \ud800\n", 1, "character"),
        ("[" * 1_000, 1, f"more than {MAX_DEPTH}"),
        ("- " * 1_000, 1, f"more than {MAX_DEPTH}"),
        ("- x\n" * 60_000, 50_000, "values"),
    ],
)
def test_what_is_no_yaml_or_beyond_reason_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(YamlError) as refused:
        parse_yaml(text)
    assert refused.value.line == line
    assert words in refused.value.problem


def test_aliases_are_null_unless_they_are_followed() -> None:
    text = "a: &x [1]\nb: *x\nc: *unknown\n"
    assert data(text) == {"a": [1], "b": None, "c": None}
    root = parse_yaml(text, follow_aliases=True).root
    assert root is not None
    assert root.mapping["b"] is root.mapping["a"]


def test_a_bomb_of_aliases_stays_small() -> None:
    """Ten levels of ten aliases would be ten thousand million values."""
    text = "l0: &l0 [x]\n" + "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 11))
    assert data(text) == {"l0": ["x"], **{f"l{n}": [None] * 10 for n in range(1, 11)}}
    with pytest.raises(YamlError, match="line 6: has aliases that stand for more than 200,000 characters"):
        parse_yaml(text, follow_aliases=True)
    assert parse_yaml(f"a: &a {'x' * 60_000}\nb: [*a, *a]\nc: {'y' * 60_000}\n", follow_aliases=True).root
    with pytest.raises(YamlError, match="line 2"):
        parse_yaml(f"a: &a {{b: [{'x' * 60_000}]}}\nc: [*a, *a, *a, *a]\n", follow_aliases=True)
