"""Where Rust's unit tests stand: in product files, or in modules of their own."""

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.verification.rust_modules import begins_their_names, crates_of, is_declared_for_tests
from tests.support.files_checkout import FilesCheckout

DECLARED = "pub fn a() {}\n#[cfg(test)]\nmod tests;\n"
NOTHING = ChangeSet("0" * 40, {})


@pytest.mark.parametrize(
    ("parent", "text", "path"),
    [
        ("src/lib.rs", DECLARED, "src/tests.rs"),
        ("src/main.rs", DECLARED, "src/tests.rs"),
        ("src/parse.rs", DECLARED, "src/parse/tests.rs"),
        ("src/parse/mod.rs", DECLARED, "src/parse/tests.rs"),
        ("crates/a/src/lib.rs", "#[cfg(test)] mod support;", "crates/a/src/support/mod.rs"),
        ("src/parse.rs", '#[cfg(test)]\n#[path = "parse_tests.rs"]\nmod tests;', "src/parse_tests.rs"),
        ("src/parse.rs", '#[cfg(test)]\n#[path = "./parse_test.rs"]\nmod test;', "src/parse_test.rs"),
    ],
)
def test_a_module_that_is_declared_for_tests_is_theirs(parent: str, text: str, path: str) -> None:
    checkout = FilesCheckout({parent: text, path: ""})
    assert is_declared_for_tests(path, NOTHING, checkout.tree, checkout.read)
    assert not is_declared_for_tests(parent, NOTHING, checkout.tree, checkout.read)
    plain = FilesCheckout({parent: text.replace("#[cfg(test)]", ""), path: ""})
    assert not is_declared_for_tests(path, NOTHING, plain.tree, plain.read)


def test_a_new_module_is_theirs_where_the_change_declares_it() -> None:
    checkout = FilesCheckout({"src/lib.rs": "", "src/known.rs": ""})
    new = FileChange(FileMode.REGULAR, b"#[cfg(test)] mod tests;\n#[cfg(test)] mod known;\n")
    change = ChangeSet("0" * 40, {"src/lib.rs": new, "src/tests.rs": FileChange(FileMode.REGULAR, b"")})
    assert is_declared_for_tests("src/tests.rs", change, checkout.tree, checkout.read)
    assert not is_declared_for_tests("src/known.rs", change, checkout.tree, checkout.read)


@pytest.mark.parametrize("path", ["src/testing/helpers.rs", "src/testing/deep/mod.rs", "src/testing/deep/more.rs"])
def test_what_stands_in_a_module_for_tests_is_theirs(path: str) -> None:
    for parent, text in (
        ("src/lib.rs", "#[cfg(test)] mod testing;"),
        ("src/lib.rs", "#[cfg(test)] mod testing { mod deep; }"),
    ):
        checkout = FilesCheckout({parent: text, path: ""})
        assert is_declared_for_tests(path, NOTHING, checkout.tree, checkout.read)
    plain = FilesCheckout({"src/lib.rs": "mod testing;", path: ""})
    assert not is_declared_for_tests(path, NOTHING, plain.tree, plain.read)


def test_a_module_that_one_crate_has_for_its_tests_and_another_for_its_product_is_product() -> None:
    checkout = FilesCheckout({"src/lib.rs": "#[cfg(test)] mod words;", "src/main.rs": "mod words;", "src/words.rs": ""})
    assert not is_declared_for_tests("src/words.rs", NOTHING, checkout.tree, checkout.read)
    deep = FilesCheckout({"src/lib.rs": "mod deep { #[cfg(test)] mod words; }", "src/words.rs": ""})
    assert not is_declared_for_tests("src/words.rs", NOTHING, deep.tree, deep.read)


def test_a_file_is_of_the_crates_whose_roots_stand_above() -> None:
    roots = ("src/lib.rs", "src/main.rs", "crates/a/src/lib.rs", "tests/all.rs")
    assert crates_of("src/parse/number.rs", roots) == {"src/lib.rs", "src/main.rs"}
    assert crates_of("src/lib.rs", roots) == {"src/lib.rs"}
    assert crates_of("src/tests/mod.rs", roots) == {"src/lib.rs", "src/main.rs"}
    assert crates_of("crates/a/src/b.rs", roots) == {"crates/a/src/lib.rs"}
    assert crates_of("tests/all.rs", roots) == {"tests/all.rs"}
    assert crates_of("tests/data/a.rs", ("lib.rs",)) == frozenset()


def test_its_tests_are_called_after_its_modules() -> None:
    assert begins_their_names("src/lib.rs", "src/lib.rs") == ""
    assert begins_their_names("src/parse/number.rs", "src/lib.rs") == "parse::number::"
    assert begins_their_names("src/parse/mod.rs", "src/lib.rs") == "parse::"
