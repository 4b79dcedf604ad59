"""Examples in documentation that a change takes away, or words anew."""

import pytest

from repo_tools.verification.examples import takes_examples_away

PYTHON = b'''def sum(a, b):
    """Add.

    >>> sum(1,
    ...     1)
    2
    >>> sum(1, 2)
    3
    """
    return a + b
'''
RUST = b"/// Adds.\n///\n/// ```\n/// assert_eq!(sum(1, 1), 2);\n/// ```\npub fn sum() {}\n"


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("shop.py", PYTHON, b"    2\n", b"    3\n"),
        ("shop.py", PYTHON, b"    >>> sum(1, 2)\n    3\n", b""),
        ("shop.py", PYTHON, b"...     1)", b"...     2)"),
        ("docs/use.rst", PYTHON, b"    3\n", b"    4\n"),
        ("src/lib.rs", RUST, b"1), 2)", b"1), 3)"),
        ("src/lib.rs", RUST, b"```\n/// assert", b"```no_run\n/// assert"),
    ],
)
def test_an_example_that_is_worded_anew_is_taken_away(path: str, before: bytes, old: bytes, new: bytes) -> None:
    assert old in before
    assert takes_examples_away(path, before, before.replace(old, new))


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("shop.py", PYTHON, b"return a + b", b"return b + a"),
        ("shop.py", PYTHON, b"Add.", b"Add two."),
        ("shop.py", PYTHON, b"    >>> sum(1, 2)", b"    >>> sum(0, 0)\n    0\n    >>> sum(1, 2)"),
        ("shop.py", PYTHON, b"    ", b"        "),
        ("src/lib.rs", RUST, b"Adds.", b"Adds two."),
        ("src/lib.rs", RUST, b"pub fn sum() {}", b"pub fn sum() { 1 }"),
    ],
)
def test_others_stay_whatever_stands_beside_them(path: str, before: bytes, old: bytes, new: bytes) -> None:
    assert old in before
    assert not takes_examples_away(path, before, before.replace(old, new))
