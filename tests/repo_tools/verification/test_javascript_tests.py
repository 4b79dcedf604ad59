import pytest

from repo_tools.environment.runners.javascript_account import shown_name
from repo_tools.verification.javascript_tests import TestTexts
from tests.support.long import first_of

SOURCE = """\
const same = (one, other) => assert.equal(one, other);

describe('cart', () => {
  beforeEach(() => reset());

  it('counts', () => {
    same(total([1, 2]), 3);
  });
  it('is empty', () => same(total([]), 0));
  it('isn\\'t negative', async function () {
    same(show(`
total
}`), 1);
    same(total([-1]), 0);
  });

  for (const kind of ['a', 'b']) {
    it(`takes ${kind}`, () => same(take(kind), kind));
  }
});

test(
  'alone on its line',
  () => {
    same(total(), 0);
  }
);
"""


@pytest.mark.parametrize(
    ("old", "new", "edited"),
    [
        ("total([1, 2]), 3", "total([1, 2]), 4", {"cart > counts"}),
        ("total([]), 0", "total([]), null", {"cart > is empty"}),
        ("total(), 0", "total(), 1", {"alone on its line"}),
        ("take(kind), kind", "take(kind), 1", {"cart > takes a"}),
        ("(one, other) => assert.equal(one, other)", "() => {}", set()),
        ("    same(total([1, 2]), 3);\n", "    // each\n    same(total([1, 2]), 3);\n", set()),
    ],
)
def test_an_edit_changes_the_tests_around_it(old: str, new: str, edited: set[str]) -> None:
    names = ("cart > counts", "cart > is empty", "cart > isn't negative", "alone on its line")
    texts = TestTexts(SOURCE.encode(), SOURCE.replace(old, new).encode())
    assert {name for name in names if texts.is_edited(name)} == edited - {"cart > takes a"}
    assert texts.is_edited("cart > takes a") is any(name.startswith("cart") for name in edited)


BESIDE = """\
import { test, expect } from 'vitest';
import { total } from '../cart';
jest.mock('../shop', () => ({
  tax: 1,
}));

const SUMS = [
  [1, 2, 3],
];

describe('cart', () => {
  let cart;
  beforeEach(() => {
    cart = fresh(0);
  });

  it('counts', async () => {
    check(cart, 'each', 3);
  });

  test.each(SUMS)('adds %i and %i', (one, other, sum) => {
    expect(total(one, other)).toBe(sum);
  });

  it.each([
    [2, 4],
  ])('doubles %i', (one, other) => {
    expect(total(one, one)).toBe(other);
  });
});

checkAll('made by a helper', () => {
  check(null, 'none', 0);
});

function check(cart, kind, sum) {
  expect(total(cart, kind)).toBe(sum);
}
"""
NAMES = ("cart > counts", "cart > adds 1 and 2", "cart > doubles 2", "made by a helper")


def told(old: str, new: str) -> tuple[set[str], set[str]]:
    """Of the tests, those that are edited, and those beside which something is."""
    assert old in BESIDE
    texts = TestTexts(BESIDE.encode(), BESIDE.replace(old, new, 1).encode(), frozenset(NAMES))
    return set(filter(texts.is_edited, NAMES)), set(filter(texts.is_edited_beside, NAMES))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[1, 2, 3]", "[1, 2, 4]"),
        ("tax: 1", "tax: 2"),
        ("fresh(0)", "fresh(1)"),
        ("toBe(sum);\n}", "toEqual(sum);\n}"),
        ("'../cart'", "'../basket'"),
    ],
)
def test_what_stands_in_no_test_belongs_to_each(old: str, new: str) -> None:
    assert told(old, new)[1] == set(NAMES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'each', 3", "'each', 4"),
        ("'none', 0", "'none', 1"),
        ("toBe(other)", "toEqual(other)"),
        ("  it('counts'", "  it('is new', () => check(1));\n  it('counts'"),
        ("function check", "describe('new', () => {\n  test('is new', () => check(1));\n});\n\nfunction check"),
        ("function check", "test(\n  'is new',\n  () => check(1),\n);\n\nfunction check"),
        ("const SUMS", "// All of them.\nconst SUMS"),
    ],
)
def test_another_test_and_words_are_nothing_beside_one(old: str, new: str) -> None:
    assert told(old, new)[1] == set()


def test_the_second_test_of_a_name_is_told_by_that_name() -> None:
    one = b"it('a', () => {\n  b();\n});\nit('a', () => {\n  c();\n});\n"
    assert TestTexts(one, one.replace(b"c()", b"d()")).is_edited("a #2")


def test_of_names_that_are_nowhere_written_the_whole_file_speaks() -> None:
    source = b"for (const name of names) test(name, () => check(name, 1));\n"
    assert TestTexts(source, source.replace(b"1", b"2")).is_edited("first")
    assert not TestTexts(source, b"// all of them\n" + source).is_edited("first")


@pytest.mark.parametrize(
    "source",
    first_of(
        [
            "describe('x', () => {" + ";".join(f"it('a{n}', () => {{ f({n}) }})" for n in range(50_000)) + "})",
            "\n".join(" " * n + f"it('a{n}', f" for n in range(1_900)),
            "\n".join(f"it('a{n}', f)" for n in range(50_000)),
            "('a', /* " * 200_000,
            "`" + "\\`" * 500_000,
        ],
        always=2,
    ),
    ids=["one line", "ever deeper", "flat", "comments without an end", "a template without an end"],
)
def test_a_file_is_soon_read_whatever_it_holds(source: str) -> None:
    texts = TestTexts(source.encode(), f"{source}\nelse()".encode())
    assert texts.is_edited("made at run time")


def test_where_all_is_one_line_or_too_much_the_whole_file_speaks() -> None:
    line = "describe('x', () => { " + " ".join(f"it('a{n}', () => f({n}));" for n in range(20)) + " })"
    assert TestTexts(line.encode(), line.replace("f(3)", "g(3)").encode()).is_edited("x > a4")
    large = f"it('a', () => f(1));\nit('b', () => f(2));\n//{'x' * (2 << 20)}"
    assert TestTexts(large.encode(), large.replace("f(1)", "g(1)").encode()).is_edited("b")


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("cart > counts", "cart > counts"),
        ("cart > takes a", "cart > takes ${kind}"),
        ("cart > takes b #2", "cart > takes ${kind}"),
        ("cart > each > price", "cart"),
        ("made at run time", ""),
        ("other > made at run time", ""),
    ],
)
def test_a_test_whose_name_is_not_written_is_made_by_its_suite(name: str, maker: str) -> None:
    assert TestTexts(SOURCE.encode(), SOURCE.encode()).maker(name) == maker


@pytest.mark.parametrize(
    "title",
    [
        r"'is loud\tand clear'",
        r"'adds \u00e4'",
        r"'adds \x41\u{42}'",
        "/* comment */ 'x'",
        "// comment\n 'x'",
        "'x' /* so */",
        "'adds' + ' it'",
        "'adds' +\n  `it`",
    ],
)
def test_a_title_that_is_written_is_no_name_that_is_made(title: str) -> None:
    said = {r"'is loud\tand clear'": "is loud\tand clear", r"'adds \u00e4'": "adds ä", r"'adds \x41\u{42}'": "adds AB"}
    name = said.get(title) or {"'adds' + ' it'": "adds it", "'adds' +\n  `it`": "addsit"}.get(title, "x")
    source = f"describe('cart', () => {{\n  it({title}, () => f(1));\n  it(`has ${{n}}`, g);\n}});\n".encode()
    texts = TestTexts(source, source)
    assert texts.maker(f"cart > {shown_name(name)}") == f"cart > {shown_name(name)}"
    assert texts.maker("cart > has 3") == "cart > has ${n}"
    assert texts.maker("cart > of a table") == "cart"


@pytest.mark.parametrize(
    ("template", "name", "fits"),
    [
        ("makes ${a} of ${b}", "makes x of y", True),
        ("makes ${a} of ${b}", "makes x", False),
        ("makes ${a} of ${b}", "makes of", True),
        ("${a}", "anything", True),
        ("a${b}a", "a", False),
        ("$name is %i", "x is 3", True),
        ("adds %s", "takes 3", False),
    ],
)
def test_a_name_fits_a_title_with_values_where_all_that_is_written_stands_in_it(
    template: str, name: str, fits: bool
) -> None:
    source = f"describe('cart', () => {{\n  it(`{template}`, f);\n}});\n".encode()
    assert TestTexts(source, source).maker(f"cart > {name}") == ("cart > " + template if fits else "cart")
