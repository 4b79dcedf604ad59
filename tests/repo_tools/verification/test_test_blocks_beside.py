"""What stands beside the tests of a changed file, in languages that nothing here parses."""

import pytest

from repo_tools.verification.test_blocks import TestBlocks

SUITE = """package till

import "testing"

const most = 3

var (
	prices = []int{1, 2}
)

type TillSuite struct{ suite.Suite }

func (s *TillSuite) SetupTest() { s.till = New(0) }

func (s *TillSuite) TestAdds() {
	s.Equal(2, s.till.Sum(1, 1))
}

func (s *TillSuite) TestTakes() {
	check(s, prices)
}

func TestTillSuite(t *testing.T) { suite.Run(t, new(TillSuite)) }

func TestMain(m *testing.M) { setUp("a") }

func check(s *TillSuite, want []int) {
	s.Equal(want, s.till.Prices())
}
"""
JUNIT = """class TillTest {
    private static final int MOST = 3;
    @Mock Till mock;

    @BeforeEach
    void setUp() {
        till = new Till(0);
    }

    // Each.
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "a, 1",
        "b, 2"
    })
    void adds(String name, int sum) {
        check(name, sum);
    }

    @Test(expected = IOException.class)
    public void takes() {
        till.take(MOST);
    }

    @ArchTest static final ArchRule rule = rule(1);

    private void check(String name, int sum) {
        assertEquals(sum, till.sum(name));
    }
}
"""
KOTLIN = """class TillTest {
    private val most = 3

    @BeforeTest
    fun setUp() {
        till = Till(0)
    }

    @Test
    fun `adds up`() {
        check(1)
    }

    @Test
    fun takes() {
        check(2)
    }

    private fun check(sum: Int) {
        assertEquals(sum, till.sum)
    }
}
"""
PANICS = """const MOST: u8 = 3;

#[cfg(test)]
fn check(sum: u8) {
    assert_eq!(sum, MOST);
}

#[test]
#[should_panic(expected = "too many")]
fn adds() {
    check(1)
}

#[tokio::test]
async fn takes() { check(2) }
"""
LETS = """describe Till do
  let(:most) { 3 }
  subject { Till.new(0) }

  before do
    till.open
  end

  context "when new" do
    it "adds up" do
      check(1)
    end

    it("takes") { check(2) }
    it { is_expected.to be_empty }
  end

  def check(sum)
    expect(till.sum).to eq sum
  end
end
"""
SET_UP = """class TillTest < Minitest::Test
  MOST = 3

  def setup
    @till = Till.new(0)
  end

  def test_adds
    check 1
  end

  test "it takes" do
    check 2
  end

  def check(sum)
    assert_equal sum, @till.sum
  end
end
"""
BESIDE = {
    "a_test.go": (SUITE, ("TestTillSuite/TestAdds", "TestTillSuite/TestTakes", "TestTillSuite")),
    "TillTest.java": (JUNIT, ("adds(String, int)[1]", "takes")),
    "TillTest.kt": (KOTLIN, ("adds up()", "takes()")),
    "tests/till.rs": (PANICS, ("adds", "takes")),
    "till_spec.rb": (LETS, ("Till when new adds up", "Till when new takes")),
    "till_test.rb": (SET_UP, ("TillTest#test_adds", "TillTest#test_it_takes")),
}


def told(path: str, old: str, new: str) -> tuple[list[str], list[str]]:
    """Of the tests of `BESIDE`, those that are edited, and those beside which something is."""
    text, names = BESIDE[path]
    assert old in text
    blocks = TestBlocks(path, text.encode(), text.replace(old, new, 1).encode(), frozenset(names))
    return list(filter(blocks.is_edited, names)), list(filter(blocks.is_edited_beside, names))


@pytest.mark.parametrize(
    ("path", "old", "new", "edited"),
    [
        ("a_test.go", "Equal(2", "Equal(3", ["TestTillSuite/TestAdds"]),
        ("a_test.go", "new(TillSuite)", "&TillSuite{}", list(BESIDE["a_test.go"][1])),
        ("TillTest.java", '"a, 1"', '"a, 2"', ["adds(String, int)[1]"]),
        ("TillTest.java", "IOException", "Exception", ["takes"]),
        ("TillTest.java", "// Each.", "// All.", []),
        ("TillTest.kt", "check(1)", "check(3)", ["adds up()"]),
        ("tests/till.rs", "too many", "too much", ["adds"]),
        ("tests/till.rs", "check(2)", "check(3)", ["takes"]),
        ("till_spec.rb", "check(1)", "check(3)", ["Till when new adds up"]),
        ("till_spec.rb", "be_empty", "be_full", []),
        ("till_test.rb", "check 2", "check 3", ["TillTest#test_it_takes"]),
    ],
)
def test_an_edit_of_one_test_edits_nothing_beside_the_others(path: str, old: str, new: str, edited: list[str]) -> None:
    assert told(path, old, new) == (edited, [])


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a_test.go", "most = 3", "most = 4"),
        ("a_test.go", "{1, 2}", "{1, 3}"),
        ("a_test.go", "New(0)", "New(1)"),
        ("a_test.go", "Equal(want", "NotEqual(want"),
        ("a_test.go", 'setUp("a")', 'setUp("b")'),
        ("TillTest.java", "MOST = 3", "MOST = 4"),
        ("TillTest.java", "new Till(0)", "new Till(1)"),
        ("TillTest.java", "assertEquals(sum", "assertNotEquals(sum"),
        ("TillTest.java", "rule(1)", "rule(2)"),
        ("TillTest.kt", "most = 3", "most = 4"),
        ("TillTest.kt", "Till(0)", "Till(1)"),
        ("TillTest.kt", "assertEquals", "assertSame"),
        ("tests/till.rs", "u8 = 3", "u8 = 4"),
        ("tests/till.rs", "assert_eq", "assert_ne"),
        ("till_spec.rb", "{ 3 }", "{ 4 }"),
        ("till_spec.rb", "Till.new(0)", "Till.new(1)"),
        ("till_spec.rb", "till.open", "till.close"),
        ("till_spec.rb", "eq sum", "be sum"),
        ("till_test.rb", "MOST = 3", "MOST = 4"),
        ("till_test.rb", "Till.new(0)", "Till.new(1)"),
        ("till_test.rb", "assert_equal", "refute_equal"),
    ],
)
def test_what_stands_in_no_test_belongs_to_each(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == ([], list(BESIDE[path][1]))


@pytest.mark.parametrize(
    ("path", "before", "new"),
    [
        (
            "a_test.go",
            "func (s *TillSuite) TestAdds",
            "// TestNew is new.\nfunc TestNew(t *testing.T) {\n\tcheck()\n}\n\n",
        ),
        (
            "TillTest.java",
            "    @Test(exp",
            "    /** New. */\n    @Test\n    void isNew() {\n        check(1);\n    }\n\n",
        ),
        ("TillTest.kt", "    @Test\n    fun takes", "    @Test\n    fun isNew() {\n        check(1)\n    }\n\n"),
        ("tests/till.rs", "#[tokio", "#[test]\nfn is_new() {\n    check(1)\n}\n\n"),
        ("till_spec.rb", '    it "adds', '    # New.\n    it "is new" do\n      check(1)\n    end\n\n'),
        ("till_test.rb", "  def test_adds", "  def test_is_new\n    check 1\n  end\n\n"),
    ],
)
def test_a_new_test_edits_none(path: str, before: str, new: str) -> None:
    assert told(path, before, new + before) == ([], [])


def test_what_stands_beside_a_test_of_go_is_of_its_file() -> None:
    blocks = TestBlocks("a_test.go", SUITE.encode(), SUITE.replace("most = 3", "most = 4").encode())
    assert [blocks.is_edited_beside(name) for name in ("TestElsewhere", "TestTillSuite")] == [False, True]


def test_time_is_linear_whatever_the_text() -> None:
    for seed in (b"@Test(", b"    @Test\n", b"#[", b"func (", b"    }\n", b"\tfunc TestA(\n", b"void test"):
        for path in BESIDE:
            assert not TestBlocks(path, seed * 30_000, seed * 30_000).is_edited_beside("a")
