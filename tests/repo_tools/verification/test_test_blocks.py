"""Which tests of a changed file are edited, in languages that nothing here parses."""

import pytest

from repo_tools.verification.test_blocks import TestBlocks, place_of

GO = """package till

var prices = []int{1, 2}

func TestAdds(t *testing.T) {
	if sum(1, 1) != 2 {
		t.Fatal("no")
	}
}

func TestTakes(t *testing.T) { check(t, prices) }

func TestOther(t *testing.T) {
	check(t, 1)
}
"""
JAVA = """class TillTest {
    @Test
    public void adds() throws Exception {
        assertEquals(2, sum(1, 1));
    }

    @Nested class Empty {
        @ParameterizedTest void takes(int a) { check(a); }
    }
}
"""
RUST = """mod tests {
    #[test]
    fn adds() {
        assert_eq!(sum(1, 1), 2);
    }
    #[test]
    fn takes() { check() }
}
"""
MINITEST = """class TillTest < Minitest::Test
  def test_adds
    assert_equal 2, sum(1, 1)
  end

  def test_takes = check
  test "is empty at first" do
    check 1
  end
  %w[a b].each { |name| define_method("test_made_#{name}") { check name } }
end
"""
RSPEC = """describe Till do
  context "when new" do
    it "adds up" do
      expect(sum(1, 1)).to eq 2
    end
    it("takes") { check }
    it { is_expected.to be_empty }
  end
end
"""


@pytest.mark.parametrize(
    ("path", "text", "change", "edited", "others"),
    [
        ("a_test.go", GO, ("!= 2", "!= 3"), ["TestAdds", "TestAdds/one two"], ["TestTakes", "TestOther", "TestAbsent"]),
        ("TillTest.java", JAVA, ("(2,", "(3,"), ["adds"], ["Empty::takes{int}[1]", "Empty::takes(int)[2]"]),
        ("TillTest.java", JAVA, ("check(a)", "check(b)"), ["Empty::takes{int}[1]", "takes[0: x]"], ["adds"]),
        ("src/lib.rs", RUST, ("2)", "3)"), ["tests::adds"], ["tests::takes"]),
        ("t_test.rb", MINITEST, ("2,", "3,"), ["TillTest#test_adds"], ["TillTest#test_is_empty_at_first"]),
        (
            "t_test.rb",
            MINITEST,
            ("k 1", "k 2"),
            ["A#test_is_empty_at_first", "A#test: is empty at first"],
            ["A#test_adds"],
        ),
        ("t_test.rb", MINITEST, ("check n", "see n"), ["TillTest#test_made_a"], ["TillTest#test_adds"]),
        (
            "t_spec.rb",
            RSPEC,
            ("eq 2", "eq 3"),
            ["Till when new adds up", "Till#test_0001_adds up"],
            ["Till when new takes"],
        ),
        ("t_spec.rb", RSPEC, ("empty", "full"), ["Till when new is expected to be empty"], ["Till when new adds up"]),
    ],
)
def test_a_test_is_the_lines_from_its_head_to_the_one_that_closes_it(
    path: str, text: str, change: tuple[str, str], edited: list[str], others: list[str]
) -> None:
    blocks = TestBlocks(path, text.encode(), text.replace(*change).encode())
    assert [name for name in (*edited, *others) if blocks.is_edited(name)] == edited


def test_a_case_of_go_stands_in_its_package_and_any_other_in_its_file() -> None:
    assert [place_of(path) for path in ("a_test.go", "b/c_test.go", "b/c_test.rb")] == [".", "b", "b/c_test.rb"]


def test_time_is_linear_whatever_the_text() -> None:
    text = (b"public " * 5_000 + b"\n") * 10 + b'it "a" do\n' * 50_000
    assert not TestBlocks("ATest.java", text, text).is_edited("a")
    assert not TestBlocks("a_spec.rb", text, text).is_edited("a " * 100)


def test_heads_without_an_end_take_no_time() -> None:
    many = b'it "a"\n' * 9_000 + b"end\n"
    assert TestBlocks("a_spec.rb", many, many[:-4]).is_edited("a")


def test_a_file_that_is_called_like_a_suffix_is_one_of_it() -> None:
    assert TestBlocks("spec/.rb", b'it "a" do\nend\n', b'it "b" do\nend\n').is_edited("a")
