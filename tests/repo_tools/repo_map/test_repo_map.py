"""The map: the right file first, signatures with their lines, never over the budget, the same bytes each time."""

import subprocess
import sys
from collections.abc import Mapping

import pytest

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.repo_map.definitions import definitions
from repo_tools.repo_map.render import build_map, estimate_tokens, rank_tree

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


def tree_of(files: Mapping[str, bytes]) -> dict[str, TreeEntry]:
    return {path: TreeEntry(FileMode.REGULAR, blob_id(content)) for path, content in files.items()}


def ranked_paths(issue: str) -> list[str]:
    return [entry.file.path for entry in rank_tree(tree_of(FILES), FILES.__getitem__, issue)]


def test_the_file_whose_code_the_issue_speaks_of_comes_first() -> None:
    assert ranked_paths("Basket.total is wrong for an empty basket")[0] == "src/shop/basket.py"


def test_a_path_in_a_traceback_outweighs_the_words_around_it() -> None:
    issue = 'The basket total is broken: File "src/shop/mail.py", line 2, in send'
    assert ranked_paths(issue)[0] == "src/shop/mail.py"


def test_binary_and_minified_files_are_left_out_of_the_ranking_but_counted_in_the_tree() -> None:
    assert {"logo.png", "bundle.js"}.isdisjoint(ranked_paths("bundle logo"))
    assert "  logo.png\n" in build_map(tree_of(FILES), FILES.__getitem__, issue="", tokens=1_000)


def test_signatures_stand_with_their_line_numbers_below_the_full_path() -> None:
    text = build_map(tree_of(FILES), FILES.__getitem__, issue="basket total", tokens=1_000)
    assert (
        "src/shop/basket.py\n    1  class Basket:\n    2      def add(self, item):\n    5      def total(self):\n"
        in text
    )


@pytest.mark.parametrize("tokens", [0, 1, 10, 40, 100, 1_000])
def test_the_map_never_exceeds_its_budget(tokens: int) -> None:
    text = build_map(tree_of(FILES), FILES.__getitem__, issue="basket total", tokens=tokens)
    assert estimate_tokens(text) <= tokens


def test_ten_processes_with_other_hash_seeds_write_the_same_bytes() -> None:
    program = (
        "from tests.repo_tools.repo_map.test_repo_map import *\n"
        "print(build_map(tree_of(FILES), FILES.__getitem__, issue='basket total mail', tokens=300))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": str(seed)}, capture_output=True, check=True
        ).stdout
        for seed in range(10)
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
        ("a.txt", "def f(): ...\n", []),
    ],
)
def test_definitions_are_found_in_each_language(path: str, source: str, names: list[str]) -> None:
    assert [d.name for d in definitions(path, source.encode())] == names


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"def (((((\n" * 200, b"class C:\n" + b" def f():\n  " * 300]
)
def test_broken_sources_never_raise(content: bytes) -> None:
    assert isinstance(definitions("a.py", content), tuple)
