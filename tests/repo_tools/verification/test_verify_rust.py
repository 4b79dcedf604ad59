"""Changes to a crate in Rust, whose unit tests stand in the files that they test, proved or not in real boxes."""

import pytest

from repo_tools.verification.contract import Verdict
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import Laboratory, laboratory
from tests.support.toolchains import need

pytestmark = [pytest.mark.bubblewrap, pytest.mark.timeout(900)]

LIB = """\
//! A till.
#![deny(warnings)] // an earlier compiler had none
mod parse;

/// Adds.
///
/// ```
/// assert_eq!(till::sum(1, 1), 2);
/// ```
pub fn sum(one: u32, other: u32) -> u32 {
    one + other
}

pub fn digits(text: &str) -> usize {
    parse::digits(text)
}
"""
PARSE = """\
pub fn digits(text: &str) -> usize {
    text.len()
}

pub fn double(number: u32) -> u32 {
    number * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWICE: u32 = 4;

    #[test]
    fn counts() {
        assert_eq!(digits("12"), 2);
    }

    #[test]
    fn doubles() {
        let unused = 0;
        assert_eq!(double(2), TWICE);
    }
}
"""
FIXED = PARSE.replace("text.len()", "text.chars().filter(char::is_ascii_digit).count()")
LETTERS = """\
    #[test]
    fn counts_no_letters() {
        assert_eq!(digits("1a"), 1);
    }

"""
TRIPLED = FIXED.replace("number * 2", "number * 3")
BUG = "src/lib.rs::parse::tests::counts_no_letters"
DOUBLES = "src/lib.rs::parse::tests::doubles"
FILES = {
    "Cargo.toml": '[package]\nname = "till"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": LIB,
    "src/parse.rs": PARSE,
}


def with_test(parse: str) -> str:
    """With a test of the bug in the file itself."""
    return parse.replace("    #[test]\n    fn doubles", f"{LETTERS}    #[test]\n    fn doubles")


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    need("cargo", "rustc")
    return laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("till"), FILES)


def test_a_fix_is_proved_by_a_unit_test_in_the_file_that_it_changes(till: Laboratory) -> None:
    moved = LIB.replace("//! A till.", "//! A till.\n//! It counts.")  # with an example on another line
    unit = '    #[test]\n    fn letters() {\n        assert_eq!(super::digits("1a"), 1);\n    }\n'
    own = f"\n#[cfg(test)]\nmod tests {{\n{unit}}}\n"
    files = {"src/parse.rs": FIXED, "src/lib.rs": moved + own}
    verification = till.verify(files)
    assert any("--cap-lints" in told for told in till.prepared.environment.evidence)
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == ("src/lib.rs::tests::letters",)
    assert verification.publishable == till.change(files)


@pytest.mark.long(short="test_a_fix_is_proved_by_a_unit_test_in_the_file_that_it_changes")
def test_a_fix_is_proved_by_a_test_program_and_by_unit_tests_in_a_file_of_their_own(till: Laboratory) -> None:
    program = '#[test]\nfn letters() {\n    assert_eq!(till::digits("1a"), 1);\n}\n'
    product, _, inner = with_test(FIXED).partition("mod tests {\n")
    own = "\n".join(line.removeprefix("    ") for line in inner.removesuffix("}\n").split("\n"))
    files = {"src/parse.rs": f"{product}mod tests;\n", "src/parse/tests.rs": own, "tests/all.rs": program}
    verification = till.verify(files)
    (moved,) = verification.reasons
    assert verification.verdict is Verdict.PROVED
    assert moved.startswith("The change edits these tests of the base commit")
    assert verification.turned_green == (BUG, "tests/all.rs::letters")


REMOVED = with_test(FIXED).replace("    #[test]\n    fn counts() {", "    fn counts() {")
IGNORED = with_test(FIXED).replace("    fn doubles", "    #[ignore]\n    fn doubles")
LESS = with_test(TRIPLED).replace("assert_eq!(double(2), TWICE)", "assert!(double(2) > 1)")
OTHERWISE = with_test(FIXED).replace("number: u32", "number: u32, _more: u32").replace("double(2)", "double(2, 0)")
BROKEN = f"This test passes on the base commit and not with your change: {DOUBLES}."
UNBUILT = "The base commit's tests gave no result on your change: Something did not build or run. error[E0061]"


@pytest.mark.parametrize(
    ("parse", "why"),
    [
        (FIXED, "Nothing shows that the bug is gone"),
        (with_test(PARSE), "No product file was changed"),
        pytest.param(REMOVED, "Your change removes or renames tests", marks=pytest.mark.long),
        pytest.param(IGNORED, "Your change skips tests", marks=pytest.mark.long),
        pytest.param(LESS, BROKEN, marks=pytest.mark.long),
        pytest.param(OTHERWISE, UNBUILT, marks=pytest.mark.long),
    ],
    ids=["no test", "no fix", "removed", "ignored", "made to ask for less", "another signature"],
)
def test_what_proves_nothing_is_refused(till: Laboratory, parse: str, why: str) -> None:
    verification = till.verify({"src/parse.rs": parse})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons[0].startswith(why)


@pytest.mark.long(short="tests/repo_tools/verification/test_verify.py::test_a_changed_contract_is_called_one")
@pytest.mark.parametrize(("old", "new"), [("double(2), TWICE", "double(2), 6"), ("TWICE: u32 = 4", "TWICE: u32 = 6")])
def test_a_changed_contract_is_called_one(till: Laboratory, old: str, new: str) -> None:
    verification = till.verify({"src/parse.rs": with_test(TRIPLED).replace(old, new)})
    assert (verification.verdict, verification.contract_tests) == (Verdict.CONTRACT_CHANGED, (DOUBLES,))


@pytest.mark.long(
    short="tests/repo_tools/verification/test_verify.py::test_what_the_issue_asks_for_by_name_is_proved_by_its_absence_and_says_so"
)
def test_a_name_that_is_missing_on_the_base_counts_where_the_issue_asks_for_it(till: Laboratory) -> None:
    letters = "pub fn letters(text: &str) -> usize {\n    text.len() - digits(text)\n}\n\n"
    test = LETTERS.replace("counts_no_letters", "counts_letters").replace("digits", "letters")
    product = FIXED.replace("pub fn double", f"{letters}pub fn double")
    change = {"src/parse.rs": product.replace("    #[test]\n    fn doubles", f"{test}    #[test]\n    fn doubles")}
    refused = till.verify(change)
    assert refused.verdict is Verdict.NOT_PROVED
    assert "a name is missing there (cannot find function `letters` in this scope)" in refused.reasons[0]
    asked_for = till.verify(change, asked_for=frozenset({"letters"}))
    assert asked_for.verdict is Verdict.PROVED
    assert asked_for.turned_green == ("src/lib.rs::parse::tests::counts_letters",)


KEPT = """\
    #[test]
    fn is_kept() {
        let wanted = std::fs::read_to_string("src/snapshots/letters.snap").unwrap();
        assert_eq!(digits("1a").to_string(), wanted.trim());
    }

"""


@pytest.mark.long(short="tests/repo_tools/verification/test_sides.py::test_each_path_has_its_side")
def test_a_snapshot_among_the_product_is_what_a_test_expects(tmp_path_factory: pytest.TempPathFactory) -> None:
    """V03, and insta's way: https://insta.rs/docs/snapshot-files/"""
    need("cargo", "rustc")
    parse = PARSE.replace("    #[test]\n    fn doubles", f"{KEPT}    #[test]\n    fn doubles")
    files = {**FILES, "src/parse.rs": parse, "src/snapshots/letters.snap": "1\n"}
    till = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("kept"), files)
    assert till.baseline.red == {"src/lib.rs::parse::tests::is_kept"}
    distraction = parse.replace("pub fn double", "pub fn one() -> u32 {\n    1\n}\n\npub fn double")
    tampered = till.verify({"src/parse.rs": distraction, "src/snapshots/letters.snap": "2\n"})
    assert (tampered.verdict, tampered.turned_green) == (Verdict.NOT_PROVED, ())
    fixed = parse.replace("text.len()", "text.chars().filter(char::is_ascii_digit).count()")
    assert till.verify({"src/parse.rs": fixed}).verdict is Verdict.PROVED
