"""Python that is read and never executed."""

from repo_tools.environment.python.syntax import parsed


def test_what_python_only_warns_of_is_read_without_a_word() -> None:
    assert parsed(b"digits = '\\d'") is not None


def test_what_is_no_python_is_nothing() -> None:
    assert parsed(b"print 'two'") is None
