"""Questions about names and tests, with the agent's changes on top of the base."""

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.repo_map.store import IndexStore
from repo_tools.repo_map.symbols import MOST_DEFINING, CodeIndex
from tests.support.files_checkout import FilesCheckout

CHECKOUT = FilesCheckout(
    {
        "shop/basket.py": "class Basket:\n    def total(self): ...\n\ndef discount(): ...\n",
        "shop/mail.py": "from shop.basket import Basket\n\ndef send(): return Basket()\n",
        "tests/test_basket.py": "from shop.basket import Basket\n\ndef test_total(): Basket().total()\n",
        "tests/test_other.py": "def test_nothing(): ...\n",
    }
)
NONE = ChangeSet(CHECKOUT.commit)
STORE = IndexStore()
"""In memory, by content."""


def index() -> CodeIndex:
    return CodeIndex(STORE, CHECKOUT)


def test_a_symbol_is_found_where_it_is_defined_and_used_sources_first() -> None:
    found = index().find_symbol("Basket", NONE, max_uses=10)
    assert [(path, d.line) for path, d in found.definitions] == [("shop/basket.py", 1)]
    assert [(use.path, use.line_number) for use in found.uses] == [
        ("shop/mail.py", 1),
        ("shop/mail.py", 3),
        ("tests/test_basket.py", 1),
        ("tests/test_basket.py", 3),
    ]


def test_answers_are_true_to_what_was_changed_and_deleted() -> None:
    change = NONE.with_change("shop/mail.py", None).with_change(
        "shop/new.py", FileChange(FileMode.REGULAR, b"def fresh(): return discount()\n")
    )
    code = index()
    assert code.find_symbol("fresh", NONE, max_uses=10).definitions == ()
    assert [path for path, _ in code.find_symbol("fresh", change, max_uses=10).definitions] == ["shop/new.py"]
    assert [use.path for use in code.find_symbol("discount", change, max_uses=10).uses] == ["shop/new.py"]
    with pytest.raises(FileNotFoundError):
        code.outline("shop/mail.py", change)


def test_an_outline_lists_what_a_file_defines_in_order() -> None:
    assert [d.name for d in index().outline("shop/basket.py", NONE)] == ["Basket", "total", "discount"]


def test_the_tests_of_a_file_are_those_named_after_it_and_those_that_import_it() -> None:
    assert index().related_tests("shop/basket.py", NONE, most=5) == (
        ("tests/test_basket.py", "imports it; named after it"),
    )


def test_of_a_name_that_many_files_define_the_first_are_parsed_and_the_rest_told_as_uses() -> None:
    files = {f"m{number:03}.py": "def run(): ...\n" for number in range(MOST_DEFINING + 2)}
    with IndexStore() as store:
        code = CodeIndex(store, FilesCheckout(files))
        found = code.find_symbol("run", NONE, max_uses=10)
        assert [path for path, _ in found.definitions] == sorted(files)[:MOST_DEFINING]
        assert [use.path for use in found.uses] == sorted(files)[MOST_DEFINING:]


def test_of_a_name_that_many_tests_define_sources_are_parsed_first() -> None:
    files = {f"a/tests/test_{number:03}.py": "def run(): ...\n" for number in range(MOST_DEFINING)}
    with IndexStore() as store:
        code = CodeIndex(store, FilesCheckout({**files, "b/shop.py": "def run(): ...\n"}))
        found = code.find_symbol("run", NONE, max_uses=1)
    assert [path for path, _ in found.definitions] == ["b/shop.py", *sorted(files)[: MOST_DEFINING - 1]]


@pytest.mark.parametrize("name", ["Till.total", "Till#total", "shop::Till::total", "shop->Till.total"])
@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("b.py", "class Other:\n    def total(self): ...\n\nclass Till:\n    def total(self): ...\n"),
        ("b.go", "func (o Other) total() int {\n\treturn 1\n}\n\nfunc (t *Till) total() int {\n\treturn 2\n}\n"),
        ("b.rs", "impl Other {\n    fn total() {}\n}\nimpl Sum for Till {\n    fn total() {}\n}\n"),
        ("shop/till.rb", "\n\n\n\ndef total; end\n"),
    ],
)
def test_of_a_name_with_its_scope_the_last_part_is_found_what_fits_the_scope_first(
    path: str, source: str, name: str
) -> None:
    with IndexStore() as store:
        code = CodeIndex(store, FilesCheckout({"a.py": "def total(): ...\n", path: source}))
        found = code.find_symbol(name, NONE, max_uses=10)
    assert found.name == "total"
    first, *others = [(path, d.line) for path, d in found.definitions]
    assert first == (path, 5)
    assert ("a.py", 1) in others


def test_where_a_type_is_defined_comes_before_where_something_is_implemented_for_it() -> None:
    files = {"a.rs": "impl Display for Till {}\n", "b.rs": "impl Till {}\nstruct Till;\n"}
    with IndexStore() as store:
        found = CodeIndex(store, FilesCheckout(files)).find_symbol("Till", NONE, max_uses=1)
    assert [(path, d.line) for path, d in found.definitions] == [("b.rs", 2), ("a.rs", 1), ("b.rs", 1)]


@pytest.mark.parametrize(
    ("path", "source", "name"),
    [
        ("a.rb", "def ==(other); end\n", "=="),
        ("a.rb", "def []=(a, b); end\n", "[]="),
        ("a.cpp", "bool A::operator==(A) { return 1; }\n", "=="),
        ("a.cpp", "bool A::operator ==(A) { return 1; }\n", "=="),
        ("a.ts", "export const x = 1\n", "x"),
    ],
)
def test_an_operator_and_a_single_letter_are_found_where_they_are_defined(path: str, source: str, name: str) -> None:
    with IndexStore() as store:
        found = CodeIndex(store, FilesCheckout({path: source})).find_symbol(name, NONE, max_uses=10)
    assert [path for path, _ in found.definitions] == [path]


@pytest.mark.parametrize(
    ("path", "source", "name"),
    [
        ("a.ts", "class A { load$() {} }\n", "load$"),
        ("a.cpp", "int A::measure() { return 1; }\n", "measure"),
        ("a.cpp", "int A::measure() { return 1; }\n", "A::measure"),
        ("a.cpp", "bool a::operator==(A, A) { return 1; }\n", "operator=="),
        ("a.js", "class A {\n  #own() {}\n}\n", "own"),
        ("a.js", "class A {\n  #own() {}\n}\n", "#own"),
        ("a.rb", "def empty?; end\n", "empty?"),
        ("a.py", "\ufeffdef first(): ...\n", "first"),
    ],
)
def test_a_name_is_found_as_it_is_written_and_by_its_last_part(path: str, source: str, name: str) -> None:
    with IndexStore() as store:
        code = CodeIndex(store, FilesCheckout({path: source, "b.txt": f"of x.{name}()\n"}))
        found = code.find_symbol(name, NONE, max_uses=10)
    assert [path for path, _ in found.definitions] == [path]
    assert [use.path for use in found.uses] == ["b.txt"]
