"""What of a Rust file is its unit tests', and one version's tests in another's product."""

import pytest

from repo_tools.verification.rust_items import (
    UnreadableError,
    items_of_tests,
    only_tests,
    same_product,
    with_tests_of,
)

OLD = """use std::fmt;

/// Adds.
pub fn sum(a: u32, b: u32) -> u32 {
    a - b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(sum(1, 1), 0);
    }
}
"""
FIXED = OLD.replace("a - b", "a + b")
NEW = FIXED.replace("sum(1, 1), 0", "sum(1, 1), 2")


def test_each_part_may_be_taken_of_another_version() -> None:
    assert with_tests_of(NEW.encode(), OLD.encode()) == FIXED.encode()
    assert with_tests_of(OLD.encode(), NEW.encode()).decode() == OLD.replace("sum(1, 1), 0", "sum(1, 1), 2")
    assert with_tests_of(NEW.encode(), NEW.encode()) == NEW.encode()


def test_versions_are_alike_but_for_their_tests() -> None:
    assert same_product(FIXED.encode(), NEW.encode())
    assert not same_product(OLD.encode(), NEW.encode())
    assert same_product(b"fn a() {}\n", b"fn a() {}\n\n/// All.\n#[cfg(test)]\nmod tests;\n")


@pytest.mark.parametrize(
    "item",
    [
        "#[cfg(test)]\nmod tests { fn a() {} }",
        "#[cfg( test )] use x::y;",
        "#[cfg(all(unix, test))]\nmod tests;",
        '#[cfg(all(test, feature = "std"))]\nmod tests;',
        "#[test]\nfn adds() {}",
        "#[tokio::test(start_paused = true)]\nasync fn adds() {}",
        "#[inline]\n// why\n#[rstest]\n#[case(1)]\nfn adds(#[case] a: u32) {}",
        "/// All that adds.\n#[quickcheck]\nfn adds(a: u32) -> bool { true }",
        "#[cfg(test)]\nmacro_rules! check { () => {} }",
        "#[cfg(test)]\nimpl Till { fn empty() {} }",
        "#[bench]\nfn adds(b: &mut Bencher) {}",
    ],
)
def test_what_is_compiled_for_tests_alone_is_theirs_with_all_that_stands_above(item: str) -> None:
    source = f"pub fn a() {{}}\n\n{item}\n\npub fn b() {{}}\n".encode()
    assert only_tests(source) == item.encode()
    rest = with_tests_of(source, b"")
    assert rest.split() == b"pub fn a() {} pub fn b() {}".split()
    again = with_tests_of(rest, source)
    assert (only_tests(again), same_product(again, source)) == (item.encode(), True)


@pytest.mark.parametrize(
    "item",
    [
        "#[cfg(not(test))]\nfn a() {}",
        "#[cfg(all(unix, not(test)))]\nfn a() {}",
        '#[cfg(any(test, feature = "testing"))]\npub fn a() {}',
        '#[cfg(feature = "test")]\npub fn a() {}',
        '#[cfg(all(unix, feature = "test"))]\npub fn a() {}',
        "#[cfg_attr(test, derive(Debug))]\npub struct A;",
        "#[derive(Latest)]\npub struct A;",
        "#[rustfmt::test]\nfn a() {}",
        "#[attested(now)]\nfn a() {}",
        "// #[cfg(test)]\npub fn a() {}",
    ],
)
def test_what_the_product_is_compiled_with_is_its_own(item: str) -> None:
    assert items_of_tests(item.encode()) == ()


def test_tests_inside_of_a_module_or_an_impl_stay_there() -> None:
    old = "mod deep {\n    pub fn a() {}\n    impl<T> X<T> {\n        #[cfg(test)]\n        fn one() {}\n    }\n}\n"
    new = old.replace("fn one() {}", "fn one() { 1 }").replace("pub fn a() {}", "pub fn a() { 2 }")
    assert with_tests_of(old.encode(), new.encode()).decode() == old.replace("fn one() {}", "fn one() { 1 }")
    added = "mod deep {\n    pub fn a() {}\n    #[cfg(test)] mod tests {}\n}\n"
    assert with_tests_of(b"mod deep {\n    pub fn a() {}\n}\n", added.encode()).split() == added.encode().split()


def test_what_a_trait_has_for_tests_alone_is_theirs_with_its_documentation() -> None:
    source = b"trait Till {\n    fn sum(&self);\n    /** For tests. */\n    #[cfg(test)]\n    fn empty() {}\n}\n"
    assert only_tests(source) == b"/** For tests. */\n    #[cfg(test)]\n    fn empty() {}"


def test_tests_of_what_the_product_does_not_have_are_left_out() -> None:
    new = b"mod deep {\n    #[cfg(test)] mod tests {}\n}\n"
    assert with_tests_of(b"pub fn a() {}\n", new) == b"pub fn a() {}\n"


def test_tests_that_are_called_alike_are_told_apart_by_their_order() -> None:
    old = "#[cfg(test)]\nimpl A { fn one() {} }\n#[cfg(test)]\nimpl A { fn two() {} }\n"
    new = old.replace("fn two() {}", "fn two() { 2 }")
    assert with_tests_of(old.encode(), new.encode()) == new.encode()


def test_a_file_that_is_compiled_for_tests_alone_is_all_theirs() -> None:
    assert only_tests(b"#![cfg(test)]\nfn a() {}\n") == b"#![cfg(test)]\nfn a() {}\n"


def test_a_file_that_cannot_be_parsed_is_told_where_it_may_hold_tests() -> None:
    with pytest.raises(UnreadableError):
        items_of_tests(b"#[cfg(test)]\nmod tests {\nfn a( {}\n")
    with pytest.raises(UnreadableError):
        items_of_tests(b"fn a() {}\n@ @\n#[test]\nfn b() {}\n")
    assert items_of_tests(b"fn a( {}\n") == ()


def test_modules_that_are_nested_without_end_cost_no_stack() -> None:
    assert items_of_tests(b"mod a {" * 3_000 + b"#[test] fn x() {}" + b"}" * 3_000) == ()


def test_items_that_stand_in_blocks_that_are_called_alike_are_told_apart() -> None:
    old = b"impl A {\n#[cfg(test)] fn a() {}\n}\nimpl A {\n#[cfg(test)] fn a() { 2 }\n}\n"
    assert with_tests_of(old, old) == old
    assert len({item.key for item in items_of_tests(old)}) == 2


def test_an_edited_macro_stays_above_what_uses_it() -> None:
    old = b"#[cfg(test)] macro_rules! m { () => { 1 } }\n#[test] fn a() { m!() }\n"
    new = old.replace(b"1", b"2")
    assert with_tests_of(old, new) == new


@pytest.mark.parametrize("body", ["let a = try!(b());", "let c = box a;", "a.await? => b;"])
def test_what_cannot_be_parsed_inside_of_a_function_hides_no_tests(body: str) -> None:
    source = f"fn a() {{ {body} }}\n#[cfg(test)]\nmod tests {{}}\n".encode()
    assert only_tests(source) == b"#[cfg(test)]\nmod tests {}"


@pytest.mark.parametrize("body", ["let a = try!(b()); }", "{ a", "a => b }", "'", '"'])
def test_what_leaves_a_doubt_where_items_end_does(body: str) -> None:
    with pytest.raises(UnreadableError):
        items_of_tests(f"fn a() {{ {body} }}\n#[cfg(test)]\nmod tests {{}}\n".encode())


def test_white_space_in_a_literal_is_the_products_and_elsewhere_nothing() -> None:
    assert not same_product(b'fn a() { b("n =  {}") }', b'fn a() { b("n = {}") }')
    assert same_product(b"fn a() {\n    b( 1 )\n}", b"fn a() { b(1) }")


def test_a_new_macro_of_the_tests_stands_above_what_uses_it() -> None:
    old = b"fn a() {}\n\n#[cfg(test)]\nmod tests { m!() }\n"
    macro = b"#[cfg(test)]\nmacro_rules! m { () => {} }"
    both = with_tests_of(old, b"fn b() {}\n" + macro + b"\n#[cfg(test)]\nmod tests { m!(1) }\n")
    assert both.index(b"macro_rules") < both.index(b"mod tests")
    assert only_tests(both) == macro + b"\n#[cfg(test)]\nmod tests { m!(1) }"


@pytest.mark.parametrize(
    "new",
    [
        "impl<T> Bag<T> {\n    #[cfg(test)] fn one() {}\n}\n",
        "impl Bag {}\nimpl Bag {\n    #[cfg(test)] fn one() {}\n}\n",
    ],
)
def test_a_block_is_found_again_with_other_parameters_and_beside_others(new: str) -> None:
    old = b"impl Bag {\n    #[cfg(test)] fn one() {}\n}\n"
    assert with_tests_of(new.encode(), old) == new.encode()
    assert with_tests_of(old, new.encode()) == old


@pytest.mark.parametrize("source", [b"#[" * 50_000, b"#[test" + b"test" * 50_000 + b" = 1]\nfn a() {}"])
def test_hostile_attributes_cost_no_time_and_make_no_test(source: bytes) -> None:
    assert items_of_tests(source) == ()


def test_each_of_several_items_is_put_in_its_place() -> None:
    old = b"#[test] fn a() {}\nfn b() {}\n#[test] fn c() {}\n"
    new = b"#[test] fn a() { 1; 2 }\nfn b() { 3 }\n#[test] fn c() { 4 }\n"
    assert with_tests_of(old, new) == b"#[test] fn a() { 1; 2 }\nfn b() {}\n#[test] fn c() { 4 }\n"
