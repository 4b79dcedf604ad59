"""The map: the right file first, signatures with their lines, never over the budget, the same bytes each time."""

import subprocess
import sys

import pytest

from repo_tools.repo_map.definitions import definitions
from repo_tools.repo_map.facts import BINARY, MINIFIED, extract
from repo_tools.repo_map.languages import language_of
from repo_tools.repo_map.repository_map import rank_tree
from repo_tools.repo_map.tokens import bound_tokens
from tests.support.long import first_of
from tests.support.maps import build_map
from tests.support.trees import tree_of

FILES: dict[str, bytes] = {
    "src/shop/basket.py": (
        b"class Basket:\n    def add(self, item):\n        return item\n\n    def total(self):\n        return 0\n"
    ),
    "src/shop/invoice.py": b"def render_invoice(basket):\n    total = basket.total()\n    return f'{total:.2f}'\n",
    "src/shop/mail.py": b"def send(address, body):\n    return address\n",
    "tests/test_basket.py": b"def test_total_of_an_empty_basket():\n    assert Basket().total() == 0\n",
    "README.md": b"# Shop\n\nA basket with a total.\n",
    "logo.png": b"\x89PNG\0\0",
    "bundle.js": b"x=" + b"1+" * 5_000 + b"1",
}


def ranked_paths(issue: str) -> list[str]:
    return [entry.path for entry in rank_tree(tree_of(FILES), FILES.__getitem__, issue)]


def test_the_file_whose_code_the_issue_speaks_of_comes_first() -> None:
    assert ranked_paths("Basket.total is wrong for an empty basket")[0] == "src/shop/basket.py"


def test_a_path_in_a_traceback_outweighs_the_words_around_it() -> None:
    issue = 'The basket total is broken: File "src/shop/mail.py", line 2, in send'
    assert ranked_paths(issue)[0] == "src/shop/mail.py"


def test_binary_and_minified_files_are_known_by_their_paths_alone() -> None:
    assert extract("javascript", FILES["bundle.js"])[0].note == MINIFIED
    assert extract("", FILES["logo.png"])[0].note == BINARY
    assert "  logo.png\n" in build_map(tree_of(FILES), FILES.__getitem__, issue="", tokens=1_000)


def test_signatures_stand_with_their_line_numbers_below_the_full_path() -> None:
    text = build_map(tree_of(FILES), FILES.__getitem__, issue="basket total", tokens=1_000)
    assert (
        "src/shop/basket.py\n    1  class Basket:\n    2      def add(self, item):\n    5      def total(self):\n"
        in text
    )


def test_a_line_that_defines_several_names_is_shown_once() -> None:
    files = {"a.rb": b"class Basket\n  attr_reader :total, :items\nend\n"}
    text = build_map(tree_of(files), files.__getitem__, issue="basket total items", tokens=1_000)
    assert "    1  class Basket\n    2    attr_reader :total, :items\n\n" in text


@pytest.mark.parametrize(
    "issue",
    [
        'Zahlen sind falsch: total total\n  File "/app/shop/totals.py", line 6, in inner',
        "`rounded` gives a wrong total, total, total",
        "Totals.rounded gives a wrong total, total, total",
    ],
)
def test_what_a_trace_or_the_issue_names_is_shown_before_what_its_words_fit_better(issue: str) -> None:
    named = b"class Totals:\n" + b"\n" * 3 + b"    def rounded(self):\n        return 0\n\n"
    others = b"".join(b"def total_%d():\n    return total + total\n\n" % number for number in range(200))
    files = {"shop/totals.py": named + others}
    text = build_map(tree_of(files), files.__getitem__, issue=issue, tokens=250)
    assert "    5      def rounded(self):\n" in text
    assert "  199  " not in text


def test_further_files_end_where_the_next_one_does_not_fit() -> None:
    long = "shop/" + "-".join(["basket"] * 12)
    paths = [f"{long}/basket_{number}.py" for number in range(9)]
    files = dict.fromkeys(paths, b"def basket():\n    return basket\n") | {"z.py": b"", "y.py": b""}
    ranked = rank_tree(tree_of(files), files.__getitem__, "basket")
    shown = build_map(tree_of(files), files.__getitem__, issue="basket", tokens=800)
    count = sum(path in shown for path in paths)
    assert 0 < count < len(paths)
    assert [file.path for file in ranked[-2:]] == ["y.py", "z.py"]
    assert "\ny.py" not in shown
    assert "\nz.py" not in shown


def test_a_path_longer_than_its_share_keeps_no_other_out() -> None:
    files = {f"basket/{'Basket' * 200}.py": b"def basket():\n    return basket\n", "shop/a.py": b"basket = 1\n"}
    assert "shop/a.py\n" in build_map(tree_of(files), files.__getitem__, issue="basket", tokens=400)


@pytest.mark.parametrize("tokens", [0, 1, 10, 40, 100, 1_000])
def test_the_map_never_exceeds_its_budget(tokens: int) -> None:
    text = build_map(tree_of(FILES), FILES.__getitem__, issue="basket total", tokens=tokens)
    assert bound_tokens(text) <= tokens


@pytest.mark.parametrize("processes", first_of([3, 10]))
def test_processes_with_other_hash_seeds_write_the_same_bytes(processes: int) -> None:
    program = (
        "from tests.repo_tools.repo_map.test_repo_map import *\n"
        "print(build_map(tree_of(FILES), FILES.__getitem__, issue='basket total mail', tokens=300))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": str(seed)}, capture_output=True, check=True
        ).stdout
        for seed in range(processes)
    }
    assert len(outputs) == 1
    assert b"src/shop/basket.py" in outputs.pop()


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("a.py", "@cached\ndef f(): ...\n\nclass C:\n    x = 1\n    def m(self): ...\n", ["f", "C", "m"]),
        ("a.js", "class A { m() {} }\nfunction f() {}\nconst g = () => 1\n", ["A", "m", "f", "g"]),
        ("a.ts", "interface I { x: number }\nexport class A { m(): void {} }\ntype T = string\n", ["I", "A", "m", "T"]),
        ("a.tsx", "export function View() { return <div/> }\n", ["View"]),
        ("a.go", "package a\nfunc F() {}\ntype T struct{}\n", ["F", "T"]),
        ("a.rs", "struct S;\nfn f() {}\n", ["S", "f"]),
        ("A.java", "class A { void m() {} }\n", ["A", "m"]),
        ("a.rb", "module M\n  class C\n    def m; end\n    def self.s; end\n  end\nend\n", ["M", "C", "m", "s"]),
        ("a.c", "struct S { int x; };\nstatic int *f(void) { return 0; }\n", ["S", "f"]),
        ("a.cpp", "class A { int m(); };\nint A::m() { return 0; }\n", ["A", "m", "A::m"]),
        ("a.h", "#define MAX(a) a\nint f(int);\n", ["MAX", "f"]),
        ("a.php", "<?php\nclass C { function m() {} }\nfunction f() {}\n", ["C", "m", "f"]),
        ("A.cs", "class A { void M() {} int P { get; } }\n", ["A", "M", "P"]),
        ("a.txt", "def f(): ...\n", []),
    ],
)
def test_definitions_are_found_in_each_language(path: str, source: str, names: list[str]) -> None:
    assert [d.name for d in definitions(language_of(path), source.encode())] == names


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"def (((((\n" * 200,
        b"class C:\n" + b" def f():\n  " * 300,
        b"(" * 100_000,
        b"[" * 9_000 + b"]" * 9_000,
    ],
)
def test_broken_sources_never_raise(content: bytes) -> None:
    assert isinstance(definitions("python", content), tuple)
