"""Which of the files given with a task are tests, and that none of them is changed."""

import pytest

from repo_tools.errors import RepoError
from repo_tools.paths import check_writable
from workers.given import holds_tests, rules_of_given


def test_what_was_given_is_named_as_that_where_it_is_not_changed() -> None:
    rules = rules_of_given(("test_x.py", "data/a.csv"))
    for path in ("test_x.py", "data/a.csv", "data/new.csv"):
        with pytest.raises(RepoError, match="what was given with the task stays as it is, and nothing is added to"):
            check_writable(path, rules)
    assert check_writable("x.py", rules)


@pytest.mark.parametrize("name", ["cases[1].json", "a*.json", "a?.json", "!a b", "#a ", "a\\b.json", "{a}"])
def test_what_a_pattern_would_take_for_a_sign_is_a_letter_of_a_given_files_name(name: str) -> None:
    rules = rules_of_given((name,))
    assert rules.problem(name)
    assert not any(map(rules.problem, ("cases1.json", "ab.json", "b")))


def test_a_class_of_a_file_named_as_tests_are_may_inherit_them() -> None:
    assert holds_tests("test_y.py", b"class TestY(Contract):\n    made = 1\n")
    assert not holds_tests("contract.py", b"class TestY(Contract):\n    made = 1\n")
