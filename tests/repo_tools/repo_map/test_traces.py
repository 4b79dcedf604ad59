"""Frames of stack traces as each language writes them, the innermost of each trace first."""

import pytest

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.repo_map.repository_map import rank_tree
from repo_tools.repo_map.traces import MAX_FRAMES, MAX_TRACES, read_traces


@pytest.mark.parametrize(
    ("line", "path", "number"),
    [
        ('  File "/home/me/src/a.py", line 7, in f', "/home/me/src/a.py", 7),
        ('  File "C:\\work\\src\\a.py", line 7, in f', "C:/work/src/a.py", 7),
        ('  File "/home/my own/src/a.py", line 7, in f', "/home/my own/src/a.py", 7),
        ("src/a.py:3: AssertionError", "src/a.py", 3),
        ("> src/a.py:3", "src/a.py", 3),
        ("    at run (/app/lib/a.js:10:5)", "/app/lib/a.js", 10),
        ("    at run (/my app/lib/a.js:10:5)", "/my app/lib/a.js", 10),
        ("    at async file:///app/lib/a.mjs:10:5", "/app/lib/a.mjs", 10),
        ("\tat org.shop.Basket.total(Basket.java:12)", "org/shop/Basket.java", 12),
        ("\tat app//org.shop.Basket$Item.lambda$total$0(Basket.java:12) ~[shop.jar:1]", "org/shop/Basket.java", 12),
        (" ❯ total src/a.ts:10:5", "src/a.ts", 10),
        ("    at total (webpack:///./src/a.ts?1b2c:10:5)", "/./src/a.ts", 10),
        ("    at total (webpack://shop/./src/a.ts?:10:5)", "/shop/./src/a.ts", 10),
        ('{"stack": "x\\n  File \\"/app/src/a.py\\", line 7, in f"}', "/app/src/a.py", 7),
        ("3   shop   0x00000001 total + 12 (a.c:300)", "a.c", 300),
        ("   --> src/a.rs:3:4", "src/a.rs", 3),
        ("             at ./src/a.rs:3:4", "src/a.rs", 3),
        ("thread 'main' panicked at src/a.rs:3:4:", "src/a.rs", 3),
        ("\t/home/me/shop/a.go:12 +0x1d", "/home/me/shop/a.go", 12),
        ("lib/a.rb:10:in `total': no items (RuntimeError)", "lib/a.rb", 10),
        ("\tfrom lib/a.rb:10:in 'Basket#total'", "lib/a.rb", 10),
        ("     # ./lib/a.rb:10:in `total'", "lib/a.rb", 10),
        ("#0 /app/src/a.php(88): Shop->total()", "/app/src/a.php", 88),
        ("PHP Fatal error:  Uncaught Exception in /app/src/a.php:12", "/app/src/a.php", 12),
        ("  thrown in /app/src/a.php on line 12", "/app/src/a.php", 12),
        ("   at Shop.Basket.Total() in C:\\work\\src\\A.cs:line 120", "C:/work/src/A.cs", 120),
        ("   at Shop.Basket.Total() in C:\\my work\\A.cs:line 120", "C:/my work/A.cs", 120),
        ("    #1 0x4f1a in total /x/a.c:300:5", "/x/a.c", 300),
        ("#1  0x00004f1a in total (n=1) at src/a.c:300", "src/a.c", 300),
    ],
)
def test_a_frame_is_known_in_each_language(line: str, path: str, number: int) -> None:
    assert [trace[0] for trace in read_traces(f"It fails.\n\n{line}\n")] == [(path, number)]


def test_a_place_that_is_spoken_of_is_no_frame() -> None:
    assert read_traces("Totals are wrong, see src/a.py:12 and 10:30") == ()


@pytest.mark.parametrize(
    ("text", "files"),
    [
        (
            'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n  File "b.py", line 2, in g',
            "b a",
        ),
        ('Stack (most recent call first):\n  File "a.py", line 1 in f\n  File "b.py", line 2 in g', "a b"),
        ("Traceback (most recent call last) ─╮\n│ a.py:1 in f │\n│  1 x │\n│  2 y │\n│  3 z │\n│ b.py:2 in g │", "b a"),
        ("tests/a.py:5: in test_f\n    f()\nb.py:3: in f\n    raise ValueError\nE   ValueError", "b a"),
        ("Error: x\n    at f (a.js:1:2)\n    at g (b.js:3:4)", "a b"),
        ("a.rb:1:in `f': x (RuntimeError)\n\tfrom b.rb:2:in `g'", "a b"),
        ("Traceback (most recent call last):\n\t1: from a.rb:1:in `f'\nb.rb:2:in `g': x (RuntimeError)", "b a"),
        ("panic: x\n\nmain.f()\n\t/x/a.go:1 +0x1\nmain.main()\n\t/x/b.go:2 +0x2\nexit status 2", "a b"),
        ("  0: core::f\n             at ./a.rs:1:2\n   1: main::g\n             at ./b.rs:3:4", "a b"),
        ("#0 a.php(1): f()\n#1 b.php(2): g()\n#2 {main}", "a b"),
    ],
)
def test_the_innermost_frame_is_first(text: str, files: str) -> None:
    (trace,) = read_traces(text)
    assert [path.rsplit("/", 1)[-1][0] for path, _ in trace] == files.split()


@pytest.mark.parametrize(
    "between",
    ["Caused by: x\n", "\nand then\n\nError: y\n", "During handling of the above exception, another occurred:\n"],
)
def test_each_trace_of_a_text_stands_apart(between: str) -> None:
    text = f"    at f (a.js:1:2)\n    at g (b.js:3:4)\n{between}    at h (c.js:5:6)\n"
    assert read_traces(text) == ((("a.js", 1), ("b.js", 3)), (("c.js", 5),))


def test_recursion_does_not_push_the_frames_around_it_away() -> None:
    deep = "    at f (a.js:1:2)\n" * 900
    assert read_traces(f"RangeError\n{deep}    at g (b.js:3:4)\n") == ((("a.js", 1), ("b.js", 3)),)


def test_of_a_long_log_a_part_is_read() -> None:
    lines = [f'  File "a.py", line {number}, in f' for number in range(1, 101)]
    traces = read_traces("\n".join(["Traceback (most recent call last):", *lines] * 30))
    assert len(traces) == MAX_TRACES
    assert {len(trace) for trace in traces} == {MAX_FRAMES}
    assert traces[0][0] == ("a.py", 100)


def test_the_innermost_frame_decides_in_whatever_order_they_stand() -> None:
    files = dict.fromkeys(["lib/deep.js", "lib/middle.js", "lib/outer.js"], b"function total() {}\n")
    tree = {path: TreeEntry(FileMode.REGULAR, blob_id(content)) for path, content in files.items()}
    issue = "\n    at ".join(["TypeError", *(f"f (/app/{path}:1:1)" for path in files)])
    assert [file.path for file in rank_tree(tree, files.__getitem__, issue)] == [*files]
