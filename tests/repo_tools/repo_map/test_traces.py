"""Frames of stack traces as each language writes them, the innermost of each trace first."""

import pytest

from repo_tools.repo_map.repository_map import rank_tree
from repo_tools.repo_map.traces import MAX_FRAMES, MAX_TRACES, read_places, read_traces
from tests.support.trees import tree_of


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
        ("total@webpack://shop/./src/a.ts?1b2c:10:5", "/shop/./src/a.ts", 10),
        ("total@webpack-internal:///(app-pages-browser)/./src/a.ts:10:5", "/./src/a.ts", 10),
        ("#0      Basket.total (package:shop/a.dart:10:5)", "shop/a.dart", 10),
        ("#10     new Basket.<anonymous closure> (package:shop/a.dart:10:5)", "shop/a.dart", 10),
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
        ("   bei Shop.Basket.Total() in C:\\work\\src\\A.cs:Zeile 120.", "C:/work/src/A.cs", 120),
        ("   在 Shop.Basket.Total() 位置 C:\\work\\src\\A.cs:行号 120", "C:/work/src/A.cs", 120),
        ("   \u00e0 Shop.Basket.Total() dans C:\\work\\src\\A.cs:ligne 120", "C:/work/src/A.cs", 120),
        ("\tat org.shop.BasketKt$total$1.invokeSuspend(Basket.kt:12)", "org/shop/Basket.kt", 12),
        ("\tat org.shop.Basket$.total(Basket.scala:12)", "org/shop/Basket.scala", 12),
        ("\tat shop.first_basket$total.invokeStatic(first_basket.clj:12)", "shop/first_basket.clj", 12),
        ("[ERROR] at /x/src/A.java:[12,5] cannot find symbol", "/x/src/A.java", 12),
        ("scripts/a.sh: line 12: shop: command not found", "scripts/a.sh", 12),
        ("at Basket->total() in src/a.php (line 12)", "src/a.php", 12),
        ("<b>Warning</b>: no total in <b>/app/a.php</b> on line <b>12</b>", "/app/a.php", 12),
        ("The error appears to be in '/x/tasks/a.yml': line 12, column 3", "/x/tasks/a.yml", 12),
        ("ERROR in ./src/a.ts 12:5", "src/a.ts", 12),
        ('Raised at Shop.total in file "src/a.ml", line 12, characters 5-10', "src/a.ml", 12),
        ('{badarg,[{basket,total,1,[{file,"src/a.erl"},{line,12}]}]}', "src/a.erl", 12),
        ("    (shop 0.1.0) lib/a.ex:12: Shop.total/1", "lib/a.ex", 12),
        ("        Error Trace:\t/home/me/a_test.go:12", "/home/me/a_test.go", 12),
        ("    #1 0x4f1a in total /x/a.c:300:5", "/x/a.c", 300),
        ("#1  0x00004f1a in total (n=1) at src/a.c:300", "src/a.c", 300),
    ],
)
def test_a_frame_is_known_in_each_language(line: str, path: str, number: int) -> None:
    assert [trace[0] for trace in read_traces(f"It fails.\n\n{line}\n")] == [(path, number)]


def test_a_place_that_is_spoken_of_is_no_frame() -> None:
    assert read_traces("Totals are wrong, see src/a.py:12 and 10:30") == ()
    assert read_traces("It fails in the loop on line 12 of src/a.py") == ()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "See `a.py` line 12",
            "See `a.py`:12",
            "See **a.py**, line 12",
            "See `a.py` (line 12)",
            "See a.py lines 12-20",
        ),
        *("See a.py:L12", "See a.py L12", "See a.py, lines 12 to 20", "See a.py, on line 12", "See a.py at line 12"),
        *("See line 12 of a.py", "See line 12 in `a.py`", "See lines 12-14 of the file a.py", "See L12-L14 of a.py"),
        "In template a.py, error at line 12",
    ],
)
def test_a_line_is_named_in_whatever_order_and_marks(text: str) -> None:
    assert read_places(text) == (("a.py", 12),)


@pytest.mark.parametrize("text", ["a.py 10:30:12 is late", "a.py: (12 errors)", "a.py took 12", "in 12 of a.py"])
def test_a_number_beside_a_path_is_no_line(text: str) -> None:
    assert read_places(text) == ()
    assert read_traces(text) == ()


def test_what_includes_the_file_with_the_error_follows_it() -> None:
    text = "In file included from a.h:1,\n                 from main.c:3:\nb.h:12:5: error: no\nc.c:4:1: error: no"
    assert read_traces(text) == ((("b.h", 12), ("a.h", 1), ("main.c", 3), ("c.c", 4)),)


def test_the_arrow_is_at_the_line_of_a_frame_of_ipython() -> None:
    text = (
        "ValueError   Traceback (most recent call last)\n<ipython-input-1-e3> in <module>()\n----> 1 total()\n\n"
        "~/shop/a.py in total(*args)\n      6 def total(*args):\n----> 7     return add(*args)\n      8 \n\n"
        "/v/site-packages/shop/b.py in add(self)\n     11 \n---> 12     raise ValueError\n     13 \n\nValueError: no\n"
    )
    assert read_traces(text) == ((("/v/site-packages/shop/b.py", 12), ("~/shop/a.py", 7)),)


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
    tree = tree_of(files)
    issue = "\n    at ".join(["TypeError", *(f"f (/app/{path}:1:1)" for path in files)])
    assert [file.path for file in rank_tree(tree, files.__getitem__, issue)] == [*files]
