"""What a red test lacked on the base, read from pytest's own words."""

import pytest

from repo_tools.verification.missing import missing
from repo_tools.verification.missing_in_javascript import bound_names
from repo_tools.verification.missing_name import Missing

COLLECTION = """\
ImportError while importing test module '/workspace/t.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
{frames}
E   {error}"""
LONG = """\
    def test_new():
>       assert a.run("f")

t.py:4: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
{inner}"""  # noqa: W291 - as pytest writes it
IN_PRODUCT = """\

    def run(name):
>       import imp
E       ModuleNotFoundError: No module named 'imp'

a.py:2: ModuleNotFoundError"""
THROUGH_THE_INTERPRETER = """\
a.py:2: in run
    return import_module(name)
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

>   ???
E   ModuleNotFoundError: No module named 'a.f'

<frozen importlib._bootstrap>:1140: ModuleNotFoundError"""
OWN_LOADER = THROUGH_THE_INTERPRETER.replace("a.py:2: in run", "helper.py:2: in run")
CALLED_BACK = """\
a.py:2: in run
    return callback()
    def callback():
>       from a import f
E       ImportError: cannot import name 'f' from 'a' (/workspace/a.py)

t.py:9: ImportError"""
HANDLED = """\
    def test_new():
        try:
>           from a import f
E           ImportError: cannot import name 'f' from 'a'

t.py:3: ImportError

During handling of the above exception, another exception occurred:

    def test_new():
>           assert total([1]) == 1
E           AssertionError: assert 0 == 1

t.py:5: AssertionError"""


def lacks(message: str, *added: str, collected: bool = True) -> Missing | None:
    return missing(message, "t.py", frozenset(added), lambda path: path == "a.py", collected=collected)


@pytest.mark.parametrize(
    "said",
    [
        ">       assert hasattr(a, 'f')\nE       AssertionError: assert False",
        ">       assert hasattr(a, 'f'), 'why'\nE       AssertionError: why",
        ">       assert a and hasattr(a, 'f')\nE       assert (1 and False)\nE        +  where False = hasattr(a, 'f')",
        '>       self.assertTrue(hasattr(a.b(), "f"))\n\nE           AssertionError: False is not true',
        ">       assert getattr(a, 'f', None)\nE       assert None\nE        +  where None = getattr(a, 'f', None)",
        ">       assert getattr(a, 'f', 5) == 10\nE       assert 5 == 10\nE        +  where 5 = getattr(a, 'f', 5)",
        ">       assert 'f' in dir(a)\nE       AssertionError: assert 'f' in ['b']",
        ">       assert vars(a).get('f')\nE       AssertionError: assert None",
        ">       assert a.b.__dict__.get('f') is not None, 'why'\nE       AssertionError: why",
        ">       assert 'f' in a.b.__dict__\nE       AssertionError: assert 'f' in {}",
    ],
)
def test_an_assertion_that_asks_whether_a_new_name_is_there_shows_no_more(said: str) -> None:
    message = f"    def test_new():\n{said}\n\nt.py:3: AssertionError"
    told = lacks(message, "f")
    assert told
    assert told.names == {"f"}
    assert lacks(message, "g") is None
    assert (
        lacks(
            message.replace("None = ", "7 = ")
            .replace("5 = ", "7 = ")
            .replace("hasattr", "has")
            .replace("in", "not in")
            .replace(".get(", ".at("),
            "f",
        )
        is None
    )


@pytest.mark.parametrize(
    "said",
    [
        ">       assert a.b() == 1 and hasattr(a, 'f')\nE       assert (2 == 1)\nE        +  where 2 = a.b()",
        ">       assert [x for x in a.b() if hasattr(x, 'f')] == [1]\nE       assert [] == [1]",
        ">       assert not hasattr(a, 'f')\nE       assert not True\nE        +  where True = hasattr(a, 'f')",
        ">       assert a.b('f' in dir(a)) == 1\nE       assert 2 == 1",
    ],
)
def test_one_that_asks_for_more_shows_a_defect(said: str) -> None:
    assert lacks(f"    def test_new():\n{said}\n\nt.py:3: AssertionError", "f") is None


@pytest.mark.parametrize(
    ("error", "names"),
    [
        ("ImportError: cannot import name 'f' from 'a' (/workspace/a.py)", {"f"}),
        ("ModuleNotFoundError: No module named 'a.f'", {"a.f", "f"}),
        ("ModuleNotFoundError: No module named 'a.f'; 'a' is not a package", {"a.f", "f"}),
        ("AttributeError: module 'a' has no attribute 'f'. Did you mean: 'g'?", {"f"}),
        ("ImportError: attempted relative import beyond top-level package", set()),
    ],
)
def test_a_module_or_a_name_of_one_is_missing(error: str, names: set[str]) -> None:
    assert lacks(f"E       {error}\n\nt.py:3: {error.partition(':')[0]}") == Missing(frozenset(names), error)
    assert lacks(
        COLLECTION.format(frames="t.py:1: in <module>\n    from a import f", error=error), collected=False
    ) == (Missing(frozenset(names), error))


@pytest.mark.parametrize(
    "error",
    [
        "AttributeError: 'Cart' object has no attribute 'f'",
        "AttributeError: type object 'Cart' has no attribute 'f'",
        "AttributeError: <module 'a' from '/workspace/a.py'> does not have the attribute 'f'",
        "NameError: name 'f' is not defined",
    ],
)
def test_another_name_is_missing_only_where_the_change_adds_it(error: str) -> None:
    assert lacks(f"E       {error}", "f") == Missing(frozenset({"f"}), error)
    assert lacks(f"E       {error}", "g") is None


@pytest.mark.parametrize(
    "message",
    [
        "E       AssertionError: ImportError",
        "E       AttributeError: 'NoneType' object has no attribute 'f'",
        "E       assert 'ImportError: x' == ''\nE         ImportError: cannot import name 'f' from 'a'",
        HANDLED,
        LONG.format(inner=IN_PRODUCT),
        LONG.format(inner=THROUGH_THE_INTERPRETER),
        "",
    ],
)
def test_a_test_that_ran_and_failed_by_what_the_code_does_lacks_nothing(message: str) -> None:
    assert lacks(message) is None


@pytest.mark.parametrize("inner", [OWN_LOADER, CALLED_BACK])
def test_what_the_tests_own_code_looks_for_is_missing_however_deep_it_stands(inner: str) -> None:
    assert lacks(LONG.format(inner=inner)) is not None


def test_a_file_that_cannot_be_collected_lacks_what_nobody_can_tell() -> None:
    assert lacks("E   TypeError: x", collected=False) == Missing(frozenset(), "its file cannot be collected")
    assert lacks("", collected=False) == Missing(frozenset(), "its file cannot be collected")


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Cannot find module '../../src/plugin/minMax' from 'minMax.test.js'", "minMax"),
        ("Error: Cannot find module '/workspace/lib/retry/index.js' imported from /workspace/test/a.js", "retry"),
        ('Error: Failed to resolve import "../src/retry.ts" from "test/a.test.ts". Does the file exist?', "retry"),
        ("SyntaxError: The requested module '../a.js' does not provide an export named 'retry'", "retry"),
        ("""test/a.ts(1,10): error TS2305: Module '"../a"' has no exported member 'retry'.""", "retry"),
        ("test/a.ts:3:8 - error TS2339: Property 'retry' does not exist on type 'Client'.", "retry"),
    ],
)
def test_a_javascript_file_that_cannot_be_loaded_says_what_it_lacks(message: str, name: str) -> None:
    found = missing(message, "test/a.test.js", frozenset(), lambda _: False, collected=False)
    assert found is not None
    assert found.names == {name}
    assert found.words in message


@pytest.mark.parametrize(
    ("error", "names"),
    [
        ("undefined: New", {"New"}),
        ("undefined: stack.New", {"New"}),
        ("s.Peek undefined (type *Stack has no field or method Peek)", {"Peek"}),
        ("unknown field 'Limit' in struct literal of type Stack", {"Limit"}),
        ("unknown field Limit in struct literal of type Stack", {"Limit"}),
        ("too many arguments in call to stack.New", set()),
        ("assignment mismatch: 2 variables but stack.New returns 1 value", set()),
        ("cron.Stop() (no value) used as value", set()),
        ("no required module provides package example.org/shop/cart; to add it:", {"cart"}),
        ("cannot use 1 (untyped int constant) as string value in argument to F", set()),
    ],
)
def test_tests_of_a_go_package_that_do_not_compile_lack_what_the_compiler_names(error: str, names: set[str]) -> None:
    message = f"# example.org/stack [example.org/stack.test]\nstack/stack_test.go:6:5: {error}\nFAIL"
    found = missing(message, "stack", frozenset(), lambda _: False, collected=False)
    assert found == Missing(frozenset(names), error)


def test_of_a_line_of_the_go_compiler_that_has_no_end_its_beginning_is_read() -> None:
    for words in ("undefined: New " + "x" * 200_000, "cannot use " + "x" * 200_000 + " undefined ("):
        found = missing(f"a/a_test.go:6:5: {words}\nFAIL", "a", frozenset(), lambda _: False, collected=False)
        assert found == Missing(frozenset({"New"} if "New" in words else ()), words[:1000])


@pytest.mark.parametrize(
    ("error", "name"),
    [
        ("NameError:\n  uninitialized constant Shop::Till", "Till"),
        ("LoadError:\n  cannot load such file -- shop/till", "till"),
        ("NoMethodError:\n  undefined method `sum_up' for Shop:Module", "sum_up"),
    ],
)
def test_a_ruby_file_that_cannot_be_loaded_says_what_it_lacks(error: str, name: str) -> None:
    message = f"An error occurred while loading ./spec/till_spec.rb.\n\n{error}\n# ./spec/till_spec.rb:1"
    found = missing(message, "spec/till_spec.rb", frozenset(), lambda _: False, collected=False)
    assert found is not None
    assert found.names == {name}


def test_a_product_that_fails_while_it_is_imported_is_at_fault() -> None:
    frames = "t.py:1: in <module>\n    import a\na.py:1: in <module>\n    import imp"
    assert lacks(COLLECTION.format(frames=frames, error="ModuleNotFoundError: No module named 'imp'")) is None


def test_time_is_linear_whatever_the_message() -> None:
    for seed in ("E ", "a.py:1: in ", "E   AttributeError: has no attribute '", "x:", "During handling of the above "):
        assert lacks(seed * 200_000) is None


@pytest.mark.parametrize(
    ("error", "name"),
    [
        ("/workspace/test/t.cpp:3:9: error: ‘trim’ was not declared in this scope", "trim"),
        ("test/t.cpp:3:9: error: ‘trim’ is not a member of ‘text’", "trim"),
        ("test/t.c:3:9: error: ‘trim’ undeclared (first use in this function)", "trim"),
        ("test/t.c:3:9: error: ‘struct text’ has no member named ‘trim’", "trim"),
        ("test/t.c:3:9: error: unknown type name ‘trim’", "trim"),
        ("test/t.cpp:3:9: error: no matching function for call to ‘text::trim(int)’", "trim"),
        ("test/t.c:3:9: error: too many arguments to function ‘trim’", "trim"),
        ("t.c:(.text+0x9): undefined reference to `trim'", "trim"),
    ],
)
def test_a_test_in_c_that_cannot_be_compiled_lacks_what_its_compiler_names(error: str, name: str) -> None:
    message = f"It was not built.\n{error}\nmake: *** [Makefile:3: t] Error 1"
    found = missing(message, ".", frozenset(), lambda path: path.startswith("src/"), collected=True)
    assert found is not None
    assert found.names == {name}
    assert found.words in error


def test_a_product_file_that_does_not_compile_with_a_test_is_the_products_fault() -> None:
    inside = "/workspace/src/text.hpp:3:9: error: no matching function for call to ‘trim(int)’"
    assert missing(inside, ".", frozenset(), lambda path: path == "src/text.hpp", collected=True) is None
    ambiguous = "test/t.cpp:3:9: error: call of overloaded ‘trim(<brace-enclosed initializer list>)’ is ambiguous"
    assert missing(ambiguous, ".", frozenset(), lambda _: False, collected=True) is None
    assert missing("t.c:14:test_cut:FAIL: Expected 2", ".", frozenset(), lambda _: False, collected=True) is None


def test_why_a_test_in_c_was_not_built_is_to_be_seen() -> None:
    for message in ("It was not built.", "It was not built.\nCMake Error at CMakeLists.txt:3:\n  no"):
        assert missing(message, ".", frozenset(), lambda _: False, collected=True) is not None


def test_what_a_compiler_says_in_a_test_s_own_words_is_what_the_code_does() -> None:
    """As where the product is one. Of a command, nobody tells what its build said and what its tests."""
    said = "made.c:3:9: error: 'trim' undeclared"
    assert missing(said, ".", frozenset(), lambda _: False, collected=True) is None
    assert missing(said, ".", frozenset(), lambda _: False, collected=True, only_exit_code=True) is not None


@pytest.mark.parametrize(
    ("error", "name"),
    [
        ("test/a.ts(3,9): error TS2305: Module '\"../src\"' has no exported member 'trim'.", "trim"),
        ("test/a.ts(3,9): error TS2339: Property 'trim' does not exist on type 'Text'.", "trim"),
        ("test/a.ts:3:9 - error TS2307: Cannot find module '../src/trim' or its corresponding types.", "trim"),
        (
            "test/a.ts(3,9): error TS2353: Object literal may only specify known properties, and 'trim' does not exist"
            " in type 'Options'.",
            "trim",
        ),
        ("test/a.ts(3,9): error TS2459: Module '\"../src\"' declares 'trim' locally, but it is not exported.", "trim"),
        ("test/a.ts(3,9): error TS1192: Module '\"/workspace/src/trim\"' has no default export.", "trim"),
        ("test/a.ts(3,9): error TS2304: Cannot find name 'trim'.", "trim"),
        (
            "test/a.ts(3,9): error TS2345: Argument of type '{ trim: true; }' is not assignable to parameter.\n"
            "  Object literal may only specify known properties, and 'trim' does not exist in type 'Options'.",
            "trim",
        ),
    ],
)
def test_a_test_in_typescript_that_a_command_cannot_compile_lacks_what_tsc_names(error: str, name: str) -> None:
    coloured = error.replace("test/a.ts", "\x1b[96mtest/a.ts\x1b[0m")
    for said in (
        error,
        coloured,
        error.replace("test/a.ts", "/workspace/test/a.ts"),
        error.replace("test/a.ts", "a.ts"),
    ):
        found = of_command(f"> tsc\n\n{said}\n", "test/a.ts")
        assert found is not None
        assert found.names == {name}
    for other in ("src/a.ts", "test/b.ts", "node_modules/x/index.d.ts"):
        assert of_command(error.replace("test/a.ts", other), "test/a.ts") is None


def of_command(said: str, *test_files: str) -> Missing | None:
    own = frozenset(test_files)
    return missing(said, ".", frozenset(), lambda _: False, collected=True, only_exit_code=True, of_command=own)


def test_a_type_that_tests_in_typescript_refuse_is_what_the_code_does() -> None:
    said = "test/a.ts(3,9): error TS2322: Type 'string' is not assignable to type 'number'."
    assert of_command(said, "test/a.ts") is None


def test_what_a_compiler_says_inside_of_a_python_tests_failure_is_what_the_code_does() -> None:
    """As where the product compiles something itself."""
    message = "E   AssertionError: build failed:\nshelf.c:3:9: error: unknown type name 'trim'"
    assert missing(message, "tests/test_build.py", frozenset(), lambda _: False, collected=True) is None


@pytest.mark.parametrize(
    ("error", "names"),
    [
        ("[E0425]: cannot find function `digits` in this scope", {"digits"}),
        ("[E0425]: cannot find function, tuple struct or tuple variant `Till` in this scope", {"Till"}),
        ("[E0412]: cannot find type `Till` in module `shop`", {"Till"}),
        (": cannot find macro `check` in this scope", {"check"}),
        ("[E0432]: unresolved import `till::gone`", {"gone"}),
        ("[E0432]: unresolved imports `till::gone`, `till::other`", {"gone", "other"}),
        ("[E0463]: can't find crate for `shop`", {"shop"}),
        ("[E0433]: cannot find module or crate `shop` in this scope", {"shop"}),
        ("[E0407]: method `count` is not a member of trait `Till`", {"count"}),
        ("[E0026]: variant `Kind::Full` does not have a field named `limit`", {"limit"}),
        ("[E0583]: file not found for module `deep`", {"deep"}),
        ("[E0433]: failed to resolve: use of undeclared type `Till`", {"Till"}),
        ("[E0433]: failed to resolve: could not find `deep` in `till`", {"deep"}),
        ("[E0599]: no method named `count` found for struct `Till` in the current scope", {"count"}),
        ("[E0599]: no variant or associated item named `Empty` found for enum `Kind`", {"Empty"}),
        ("[E0560]: struct `Till` has no field named `limit`", {"limit"}),
        ("[E0609]: no field `limit` on type `Till`", {"limit"}),
        ("[E0061]: this function takes 2 arguments but 3 arguments were supplied", set()),
        ("[E0308]: mismatched types", set()),
        ("[E0603]: function `sum` is private", set()),
        ("[E0277]: the trait bound `Till: Copy` is not satisfied", set()),
    ],
)
def test_rusts_tests_that_do_not_compile_lack_what_the_compiler_names(error: str, names: set[str]) -> None:
    message = f"error{error}\n --> src/lib.rs:6:59\n  |\n6 |     'no field `other`'\n  |     ^^^^^^"
    lacks = missing(message, "src/lib.rs", frozenset(), lambda _: False, collected=False)
    assert lacks == Missing(frozenset(names), error.partition(": ")[2])


def test_a_test_in_rust_that_ran_lacks_nothing() -> None:
    message = "thread 'tests::adds' panicked at src/lib.rs:6:59:\nerror: cannot find function `digits`"
    assert missing(message, "src/lib.rs", frozenset(), lambda _: False, collected=True) is None


@pytest.mark.parametrize(
    ("error", "more", "names", "words"),
    [
        (
            "[1,9] cannot find symbol",
            "  symbol:   method sum(int)\n  location: class A",
            {"sum"},
            "cannot find symbol: method sum(int)",
        ),
        (
            "3: cannot find symbol",
            "  x.y();\n   ^\n  symbol:   static variable MOST",
            {"MOST"},
            "cannot find symbol: static variable MOST",
        ),
        ("[3,1] package a.shop does not exist", "", {"a.shop", "shop"}, "package a.shop does not exist"),
        ("12:9 Unresolved reference: digits", "", {"digits"}, "Unresolved reference: digits"),
        ("12:9 Unresolved reference 'digits'.", "", {"digits"}, "Unresolved reference 'digits'."),
        (
            "[3,1] method one cannot be applied to given types;",
            "  required: int",
            set(),
            "method one cannot be applied to given types;",
        ),
    ],
)
def test_tests_in_java_and_kotlin_that_do_not_compile_lack_what_the_compiler_names(
    error: str, more: str, names: set[str], words: str
) -> None:
    path = "src/test/java/a/ATest.java"
    lacks = missing(f"{path}:{error}\n{more}", path, frozenset(), lambda _: False, collected=False)
    assert lacks == Missing(frozenset(names), words)


@pytest.mark.parametrize(
    "called",
    ["sum", "cart.sum", "new.deep.sum", "(0 , _cart.sum)", "(0,sum)", "cart.open(...).sum"],
)
@pytest.mark.parametrize("kind", ["function", "constructor"])
def test_a_test_in_javascript_that_calls_what_the_change_adds_lacks_that(called: str, kind: str) -> None:
    said = f"TypeError: {called} is not a {kind}\n    at Context.<anonymous> (/workspace/test/a.js:3:40)"
    lacks = missing(said, "test/a.js", frozenset({"sum"}), lambda _: False, collected=True)
    assert lacks == Missing(frozenset({"sum"}), said.partition("\n")[0])
    hook = f'"before each" hook: begin for "sums: none": {said}'
    assert missing(hook, "test/a.js", frozenset({"sum"}), lambda _: False, collected=True) == lacks
    assert missing(said, "test/a.js", frozenset({"other"}), lambda _: False, collected=True) is None


@pytest.mark.parametrize("collected", [True, False])
@pytest.mark.parametrize("place", ["Cart.sum (/workspace/lib/cart.js:2:32)", "file:///workspace/lib/cart.js:2:32"])
def test_what_products_in_javascript_fail_by_themselves_is_what_they_do(place: str, collected: bool) -> None:
    """Also where the file of the tests ends with it."""
    library = "    at expect (/env/js/node_modules/chai/chai.js:7:5)\n"
    own = "    at /workspace/test/a.js:3:40"
    said = f"test/a.js ended with exit code 1\n\nTypeError: text.sum is not a function\n{library}    at {place}\n{own}"
    product = "lib/cart.js".__eq__
    assert missing(said, "test/a.js", frozenset({"sum"}), product, collected=collected) is None
    below = f"{own}\n    at {place}"
    assert missing(
        f"TypeError: sum is not a function\n{below}", "test/a.js", frozenset({"sum"}), product, collected=True
    )


def test_a_file_in_javascript_that_ends_with_an_assertion_has_run() -> None:
    said = (
        "test/a.js ended with exit code 1\n\nAssertionError [ERR_ASSERTION]: 1 == 2\n    at /workspace/test/a.js:3:40"
    )
    assert missing(said, "test/a.js", frozenset(), lambda _: False, collected=False) is None


def test_words_of_comments_in_javascript_bind_nothing() -> None:
    """A result that was no list has no ``map`` on the base commit either."""
    assert bound_names(b"exports.sum = one; // so that callers can map it\n/** to filter */") == {
        "exports",
        "one",
        "sum",
    }


UNITTEST = """\
Traceback (most recent call last):
  File "/workspace/t.py", line 4, in test_new
    {line}
    ^^^^^
{more}{error}
"""
INSIDE = '  File "/workspace/a.py", line 2, in run\n    import imp\n'


@pytest.mark.parametrize(
    ("line", "error", "names"),
    [
        ("from a import f", "ImportError: cannot import name 'f' from 'a' (/workspace/a.py)", {"f"}),
        ("a.f()", "AttributeError: module 'a' has no attribute 'f'", {"f"}),
        ("a.B().f()", "AttributeError: 'B' object has no attribute 'f'", {"f"}),
        ("self.assertTrue(hasattr(a, 'f'))", "AssertionError: False is not true", {"f"}),
        ("assert getattr(a, 'f', 5) == 10", "AssertionError", {"f"}),
        ("self.assertEqual(getattr(a.b, 'f', 5), 10)", "AssertionError: 5 != 10", {"f"}),
        ("self.assertEqual(10, getattr(a, 'f', None))", "AssertionError: 10 != None", {"f"}),
        ("self.assertIsNotNone(getattr(a, 'f', None))", "AssertionError: unexpectedly None", {"f"}),
        ("self.assertEqual(getattr(a, 'f', 5), 10)", "AssertionError: 7 != 10", None),
        ("self.assertEqual(getattr(a, 'g', 5), 10)", "AssertionError: 5 != 10", None),
        ("self.assertEqual(a.b(), 2)", "AssertionError: 1 != 2", None),
        ("a.B().g()", "AttributeError: 'B' object has no attribute 'g'", None),
    ],
)
def test_unittests_own_tracebacks_are_read_alike(line: str, error: str, names: set[str] | None) -> None:
    told = lacks(UNITTEST.format(line=line, more="", error=error), "f")
    assert (told.names if told else None) == names
    assert told is None or told.words in (line, error)
    assert lacks(UNITTEST.format(line="a.run()", more=INSIDE, error=error), "f") is None


def test_a_module_that_unittest_cannot_load_lacks_what_its_last_words_say() -> None:
    error = "ImportError: cannot import name 'f' from 'a' (/workspace/a.py)"
    message = (
        f"ImportError: Failed to import test module: t\n{UNITTEST.format(line='from a import f', more='', error=error)}"
    )
    told = lacks(message, "f", collected=False)
    assert told == Missing(frozenset({"f"}), error)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_several_tracebacks_each_has_to_lack_a_name(order: tuple[int, int]) -> None:
    lacking = UNITTEST.format(line="a.f()", more="", error="AttributeError: module 'a' has no attribute 'f'")
    others = (lacking, UNITTEST.format(line="self.assertEqual(a.b(), 2)", more="", error="AssertionError: 1 != 2"))
    told = "\n======\nFAIL: test_b (t.T)\n".join(others[place] for place in order)
    assert lacks(told, "f") is None
    assert lacks(f"{lacking}\n{lacking}", "f") == lacks(lacking, "f")
    handled = f"{others[1]}\nDuring handling of the above exception, another exception occurred:\n\n{lacking}"
    assert lacks(handled, "f") == lacks(lacking, "f")


def test_an_assertion_that_repeats_itself_is_read_in_time() -> None:
    line = f">   assert {'getattr(a,' * 20}{chr(39)}f{chr(39)}, {' ' * 400}\n"
    hostile = line * 12 + "E   AssertionError\n"
    assert lacks(hostile, "f") is None
