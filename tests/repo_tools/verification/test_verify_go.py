"""Changes to a package in Go, proved or not in real boxes."""

import pytest

from repo_tools.verification.contract import Verdict
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import Laboratory, laboratory
from tests.support.long import first_of
from tests.support.toolchains import need

pytestmark = [pytest.mark.bubblewrap, pytest.mark.timeout(900)]

TILL = """\
package till

func Digits(text string) int {
	return len(text)
}

func Double(number int) int {
	return number * 2
}
"""
TESTS = """\
package till

import (
	"fmt"
	"testing"
)

var doubles = []struct{ number, wanted int }{
	{2, 4},
}

func TestCounts(t *testing.T) {
	if Digits("12") != 2 {
		fmt.Println("refused by vet\\n")
		t.Fatal("no")
	}
}

func TestDoubles(t *testing.T) {
	for _, each := range doubles {
		if Double(each.number) != each.wanted {
			t.Fatal("no")
		}
	}
}
"""
LETTERS = """
func TestCountsNoLetters(t *testing.T) {
	if Digits("1a") != 1 {
		t.Fatal("no")
	}
}
"""
FIXED = TILL.replace(
    "return len(text)",
    """count := 0
	for _, each := range text {
		if each >= '0' && each <= '9' {
			count++
		}
	}
	return count""",
)
TRIPLED = FIXED.replace("number * 2", "number * 3")
BROKEN = "This test passes on the base commit and not with your change: .::TestDoubles."
FILES = {"go.mod": "module example.org/till\n\ngo 1.18\n", "till.go": TILL, "till_test.go": TESTS}


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    need("go")
    return laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("till"), FILES)


def test_tests_that_vet_refuses_on_the_base_are_run_without_it(till: Laboratory) -> None:
    assert till.baseline.problem is None
    assert till.baseline.passed == {".::TestCounts", ".::TestDoubles"}
    assert any("go vet refuses the base commit" in told for told in till.prepared.environment.evidence)


def test_a_fix_with_a_test_is_proved(till: Laboratory) -> None:
    verification = till.verify({"till.go": FIXED, "till_test.go": TESTS + LETTERS})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == (".::TestCountsNoLetters",)


@pytest.mark.parametrize(
    ("product", "tests", "why"),
    first_of(
        [
            (FIXED, TESTS.replace("Counts", "counts") + LETTERS, "Your change removes or renames tests"),
            (FIXED, TESTS.replace("\tif Digits", "\tt.Skip()\n\tif Digits") + LETTERS, "Your change skips tests"),
            (
                TRIPLED,
                TESTS.replace("{2, 4}", "") + LETTERS,
                "This test passes on the base commit and not with your change",
            ),
        ]
    ),
    ids=["removed", "skipped", "made to ask for less"],
)
def test_what_asks_for_less_than_before_is_refused(till: Laboratory, product: str, tests: str, why: str) -> None:
    verification = till.verify({"till.go": product, "till_test.go": tests})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons[0].startswith(why)


@pytest.mark.long(
    short="tests/repo_tools/verification/test_verify_ruby.py::test_a_contract_that_stands_beside_the_test_is_changed_there"
)
def test_a_contract_that_stands_in_a_table_is_changed_there(till: Laboratory) -> None:
    verification = till.verify({"till.go": TRIPLED, "till_test.go": TESTS.replace("{2, 4}", "{2, 6}") + LETTERS})
    assert (verification.verdict, verification.contract_tests) == (Verdict.CONTRACT_CHANGED, (".::TestDoubles",))


@pytest.mark.long(
    short="tests/repo_tools/verification/test_verify.py::test_what_the_issue_asks_for_by_name_is_proved_by_its_absence_and_says_so"
)
def test_a_name_that_is_missing_on_the_base_counts_where_the_issue_asks_for_it(till: Laboratory) -> None:
    letters = "\nfunc Letters(text string) int {\n\treturn len(text) - Digits(text)\n}\n"
    test = LETTERS.replace("CountsNoLetters", "Letters").replace("Digits", "Letters")
    change = {"till.go": FIXED + letters, "till_test.go": TESTS + test}
    assert till.verify(change).verdict is Verdict.NOT_PROVED
    asked_for = till.verify(change, asked_for=frozenset({"Letters"}))
    assert (asked_for.verdict, asked_for.turned_green) == (Verdict.PROVED, (".::TestLetters",))
