from collections.abc import Callable, Mapping

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.verification.screening import notes, screen
from repo_tools.verification.sides import Sides, TestLayout, split

Screen = Callable[[ChangeSet, Sides, Tree, ReadFile], tuple[str, ...]]

SUM = "x = " + " + ".join(["'a'"] * 5_000)
CODE = "def f(a):\n    # adds\n    return a + 1\n"


def screened(
    base: Mapping[str, str], new: Mapping[str, str | FileChange | None], by: Screen = screen
) -> tuple[str, ...]:
    before = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in base.items()}
    tree: Tree = {path: file.entry for path, file in before.items()}
    after = {p: FileChange(FileMode.REGULAR, t.encode()) if isinstance(t, str) else t for p, t in new.items()}
    change = ChangeSet("0" * 40, after)

    def read(path: str) -> bytes:
        return before[path].content

    return by(change, split(change, tree, read, TestLayout()), tree, read)


def noted(base: Mapping[str, str], new: Mapping[str, str | FileChange | None]) -> tuple[str, ...]:
    return screened(base, new, lambda _, sides, tree, read: notes(sides, tree, read))


def test_an_empty_change_is_named() -> None:
    assert screened({"a.py": CODE}, {}) == ("The change is empty.",)


@pytest.mark.parametrize(
    "new",
    [
        {"a.py": CODE},
        {"a.py": CODE.replace("    #", "    # it")},
        {"a.py": CODE.replace("a + 1", "(a+1)") + "\n\n"},
        {"a.py": CODE.replace("\n", "\r\n")},
        {"__pycache__/a.cpython-311.pyc": "x", "a.py.orig": "x"},
        {"tests/test_a.py": "def test_a(): pass"},
        {"conftest.py": "x"},
        {"missing.py": None},
    ],
    ids=["same", "comment", "white space", "line ends", "generated", "tests only", "configuration only", "nothing"],
)
def test_a_change_that_makes_no_difference_to_the_product_is_named(new: Mapping[str, str | None]) -> None:
    """V16."""
    (reason,) = screened({"a.py": CODE}, new)
    assert "nothing to prove" in reason


def test_where_nothing_is_product_what_counts_as_tests_is_named() -> None:
    """A script that builds the product and tests it may be the suite itself."""
    (reason,) = screened({"a.py": CODE}, {"tests/all.sh": "make && ./check\n"})
    assert reason.endswith("there is nothing to prove. As tests, or what supports them, count: tests/all.sh.")
    many = screened({}, {f"tests/{name}.py": "" for name in "abcdefghijkl"})
    assert many[0].endswith("tests/i.py, tests/j.py and 2 more.")


@pytest.mark.parametrize(
    "new",
    [
        {"a.py": CODE.replace("+", "-")},
        {"a.py": CODE.replace("return a", "if a:\n        return a")},
        {"a.py": FileChange(FileMode.EXECUTABLE, CODE.encode())},
        {"a.py": None},
        {"data.txt": "x"},
        {"text.txt": "a  b"},
        {"a.py": CODE.replace("# adds", '"""Adds."""')},
    ],
    ids=["code", "nested", "mode", "deleted", "new file", "spaces in data", "docstring"],
)
def test_a_change_that_could_make_a_difference_passes(new: Mapping[str, str | FileChange | None]) -> None:
    assert screened({"a.py": CODE, "text.txt": "a b"}, new) == ()


@pytest.mark.parametrize(
    "line",
    [
        "import pytest",
        "import _pytest.runner as r",
        "from _pytest import reports",
        "from unittest import TestCase",
        "import os; os.environ.get('PYTEST_CURRENT_TEST')",
        "import os; os.environ.get('AGENT_FIX_TOP')",
        "import sys; 'pytest' in sys.modules",
        "__import__('_pytest.runner')",
        "import tests.helpers",
        "from conftest import anything",
    ],
)
def test_product_code_that_comes_to_know_the_test_runner_is_refused(line: str) -> None:
    reason, *_ = screened({"a.py": CODE}, {"a.py": f"{line}\n{CODE}X = 1\n"})
    assert "a.py is product code and now mentions the tests or their runner" in reason


def test_code_that_knew_the_test_runner_before_may_go_on_and_tests_may_import_it() -> None:
    plugin = "import pytest\n"
    assert screened({"plugin.py": plugin}, {"plugin.py": plugin + CODE, "test_x.py": plugin}) == ()


def test_a_mention_that_goes_buys_none_elsewhere() -> None:
    known = f"import pytest\n{CODE}"
    changed = screened({"a.py": known, "b.py": CODE}, {"a.py": CODE, "b.py": f"from _pytest import python\n{CODE}"})
    assert [reason.partition(" ")[0] for reason in changed] == ["b.py"]
    assert screened({"a.py": known}, {"a.py": f"{known}from _pytest import python\n"})


def test_prose_that_mentions_the_runner_is_no_tampering() -> None:
    assert screened({"a.py": CODE}, {"a.py": f'"""Run it with pytest."""\n{CODE}'}) == ()


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    def __eq__(self, other):\n        return True\n",
        "class A:\n    def __eq__(self, other):\n        'Equal.'\n        return not False\n",
        "class A:\n    __eq__ = lambda self, other: True\n",
        "class A:\n    __eq__ = __ge__ = lambda self, other: 1 == 1\n",
        "class A:\n    __eq__: object = lambda *_: 1\n",
        "class A:\n    def __eq__(self, other):\n        return self.x == other.x or True\n",
        "def yes(*_): return True\nclass A:\n    __eq__ = yes\n",
        "yes = lambda *_: True\nclass A: pass\nA.__ne__ = yes\n",
        "class A: pass\nsetattr(A, '__e' + 'q__', lambda *_: True)\n",
        "A = type('A', (), {'__eq__': lambda *_: True})\n",
    ],
)
def test_objects_that_equal_everything_are_refused(code: str) -> None:
    (reason,) = screened({"a.py": CODE}, {"a.py": CODE + code})
    assert "that is always true" in reason


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    def __eq__(self, other):\n        if other is None: return False\n        return True\n",
        "class A:\n    __eq__ = lambda self, other: self.x == other.x\n",
        "class A:\n    __eq__ = None\n",
        "class A:\n    def __lt__(self, other):\n        return self.later(other) or []\n",
        "class A:\n    def __eq__(self, other):\n        return self.same.get(other) or {}\n",
        "class A:\n    def __bool__(self):\n        return False\n",
        "class A:\n    def __eq__(self, other):\n        return NotImplemented\n",
        "def __eq__other(): return True\n",
    ],
)
def test_an_ordinary_comparison_is_not(code: str) -> None:
    assert screened({"a.py": CODE}, {"a.py": CODE + code}) == ()


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import os; os._exit(0)", "os._exit"),
        ("from os import _exit as leave", "os._exit"),
        ("import sys as s; s.modules.clear()", "sys.modules"),
        ("import os; os.sys.modules", "sys.modules"),
        ("import sys; s = sys; s.meta_path", "sys.meta_path"),
        ("import sys; getattr(sys, 'mod' + 'ules')", "getattr(sys, modules)"),
        ("import sys; getattr(sys, f())", "getattr(sys, …)"),
        ("import sys; vars(sys)['modules']", "vars(sys)"),
        ("import sys; sys.settrace(f)", "sys.settrace"),
        ("import sys; sys.pycache_prefix = f", "sys.pycache_prefix = …"),
        ("import gc; gc.get_objects()", "gc.get_objects"),
        ("from inspect import stack", "inspect.stack"),
        ("import inspect; inspect.currentframe().f_back", "f_back"),
        ("f.__globals__['x']", "__globals__"),
        ("getattr(f, '__glo' + 'bals__')", "getattr(…, __globals__)"),
        ("object.__subclasses__()", "__subclasses__"),
        ("from os import sys as s; s.modules['a']", "sys.modules"),
        ("import sys; sys.modules[__name__] = f", "sys.modules"),
        ("import sys; sys.modules['a']", "sys.modules"),
        ("import sys; sys.meta_path[__name__]", "sys.meta_path"),
        ("import sys; sys.orig_argv", "sys.orig_argv"),
        ("import ctypes; ctypes.pythonapi", "ctypes.pythonapi"),
        ("exec('x = 1')", "exec"),
        ("run = eval", "eval"),
        ("import builtins; getattr(builtins, 'ex' + 'ec')", "getattr(builtins, exec)"),
        ("__import__(f.__name__)", "an import of what only running it tells"),
        ("import importlib as i; i.import_module(name)", "an import of what only running it tells"),
        ("x = y['tests.' + 'helpers']", "the name `tests.helpers`, put together from pieces"),
        ("x = y.get('tests.' + 'helpers')", "the name `tests.helpers`, put together from pieces"),
        ("x = 'tests.' + 'helpers' in y", "the name `tests.helpers`, put together from pieces"),
        ("import builtins; builtins.sum = max", "builtins.sum = …"),
        ("__builtins__['sum'] = max", "builtins[…] = …"),
        ("import builtins; setattr(builtins, 'sum', max)", "setattr(builtins, …)"),
        ("x = f\"{'_py'}test.runner\"", "the name `_pytest.runner`, put together from pieces"),
        ("import runpy; runpy.run_path('shop/table.txt')", "runpy.run_path"),
        ("import importlib.util as u; u.spec_from_file_location('a', f)", "spec_from_file_location"),
        ("from importlib.machinery import SourceFileLoader", "SourceFileLoader"),
        ("import pkgutil; pkgutil.resolve_name('sys:modules')", "pkgutil.resolve_name"),
        ("import importlib; importlib.import_module('tests.helpers')", "an import of `tests.helpers`"),
    ],
)
def test_product_code_that_newly_reaches_into_the_interpreter_needs_a_person(line: str, what: str) -> None:
    (reason,) = screened({"a.py": CODE}, {"a.py": f"{CODE}{line}\n"})
    assert reason.startswith(
        "Product code that newly reaches into the interpreter cannot be proved by tests in the same"
    )
    assert f"a.py, line 4: {what}" in reason


@pytest.mark.parametrize(
    "line",
    [
        "import sys; sys.exit(1); sys.stderr.write('x'); sys.path; sys.version_info",
        "import os; os.environ; os.path.exists('tests' + '/data')",
        "import gc; gc.collect()",
        "import inspect; inspect.signature(f)",
        "import builtins; builtins.sum([])",
        "getattr(f, 'x' + 'y')",
        "f.run_path, f.locate(1), f.load(2)",
        "x = f'tests of {f}' + 'y'",
    ],
)
def test_ordinary_uses_of_the_same_modules_do_not(line: str) -> None:
    assert screened({"a.py": CODE}, {"a.py": f"{CODE}{line}\n"}) == ()


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import sys; argv = sys.argv[1:] if f is None else f", "sys.argv"),
        ("import sys; setattr(sys.modules[__name__], 'x', 1)", "sys.modules[__name__]"),
        ("import atexit", "atexit"),
        ("import __main__", "__main__"),
        ("import ctypes; ctypes.c_long.from_address(a).value = 6", "ctypes.c_long.from_address"),
        ("from ctypes import c_long; c_long.from_address(a).value = 6", "ctypes.c_long.from_address"),
        ("import ctypes; ctypes.memmove(a, b, 8)", "ctypes.memmove"),
        ("import pickle; pickle.loads(f)", "pickle.loads"),
        ("from atexit import register", "atexit.register"),
        ("__import__('atexit').register(f)", "an import of `atexit`"),
        ("import inspect; inspect.currentframe()", "inspect.currentframe"),
        ("class A: __bool__ = lambda self: True", "a `__bool__` that is always true"),
        ("class A: __len__ = lambda self: 1", "a `__len__` that is always true"),
        (
            "class A:\n    def __eq__(self, other): return other == other",
            "a `__eq__` that does not look at its own object",
        ),
        ("class A(str):\n    def __eq__(self, other): return self in other", "a `__eq__` of a `str`"),
        ("class A(B, int):\n    __eq__ = f", "a `__eq__` of a `int`"),
        ("x = 'te' + 'sts'", "the name `tests`, put together from pieces"),
        ("import os; getattr(os, n)", "getattr(os, …)"),
        ("import traceback; traceback.extract_stack()", "traceback.extract_stack"),
        ("import math; math.isclose = f", "math.isclose = …"),
        ("import numpy as np; np.testing.assert_allclose = f", "numpy.testing.assert_allclose = …"),
        ("from numpy import testing; testing.assert_allclose = f", "numpy.testing.assert_allclose = …"),
        ("import shop.cart as cart; setattr(cart, 'total', f)", "setattr(shop.cart, total)"),
    ],
)
def test_what_is_honest_as_often_as_not_is_only_noted(line: str, what: str) -> None:
    files = {"a.py": CODE}, {"a.py": f"{CODE}{line}\n"}
    assert screened(*files) == ()
    note, *_ = noted(*files)
    assert note.startswith(f"Product code newly uses {what} (a.py, line {4 + line.count(chr(10))})")
    assert note.endswith(": tests in the same interpreter could be told apart by it; look.")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("if (process.argv[1].endsWith('.test.js')) f();", "how its process was started"),
        ("const fast = !process.env.CI;", "how its process was started"),
        ("const { NODE_ENV: kind } = process.env;", "how its process was started"),
        ("if (process.env.NODE_ENV !== 'production') f();", "how its process was started"),
        ("if (import.meta.env.DEV) f();", "how its process was started"),
        ("if (process.listenerCount('uncaughtException')) f();", "how its process was started"),
        ("const told = new Error('x').stack.includes('test');", "who called it"),
        ("const told = (new Error).stack.includes('test');", "who called it"),
        ("const told = Error().stack.includes('test');", "who called it"),
    ],
)
def test_so_is_what_javascript_asks_of_its_process(line: str, what: str) -> None:
    files = {"a.js": "f();\n"}, {"a.js": f"f();\n{line}\n"}
    assert screened(*files) == ()
    assert noted(*files)[0] == f"Product code newly asks {what}: tests could be told apart by it; look at a.js."
    assert noted(files[1], {"a.js": f"{line}\n"}) == ()


def test_the_stack_of_an_error_that_was_caught_tells_of_no_caller() -> None:
    line = "log((error as Error).stack, (error as Error)!.stack, error instanceof Error && error.stack);\n"
    assert noted({"a.ts": "f();\n"}, {"a.ts": f"f();\n{line}"}) == ()


def test_a_right_fix_that_makes_an_object_true_is_not_refused() -> None:
    code = "class A:\n    def __bool__(self): return True\n"
    assert screened({"a.py": CODE}, {"a.py": CODE + code}) == ()


def test_what_was_there_before_is_not_noted_nor_what_is_refused() -> None:
    use = "import sys\nx = sys.argv\n"
    assert noted({"a.py": use + CODE}, {"a.py": use + CODE + "y = 1\n", "b.py": "import os; os._exit(0)\n"}) == ()


def test_new_files_that_tools_leave_behind_are_noted() -> None:
    fixed = {"a.py": CODE.replace("1", "2"), "old.log": "y"}
    (note,) = noted({"a.py": CODE, "old.log": "x"}, {**fixed, "out.log": "x", "pkg/a.py.orig": "x", "pkg/b.py": ""})
    assert note == "These new files look like what tools leave behind: out.log, pkg/a.py.orig."
    assert noted({"a.py": CODE, "old.log": "x"}, fixed) == ()
    assert noted({"a.py": CODE}, {f"{n}.log": "" for n in range(12)})[0].endswith(" and 2 more.")


def test_what_reached_into_the_interpreter_before_may_stay_and_move_but_not_grow() -> None:
    use = "import sys\nx = sys.orig_argv\n"
    assert screened({"a.py": use + CODE}, {"a.py": use + CODE + "y = 1\n"}) == ()
    assert screened({"a.py": use + CODE}, {"a.py": CODE, "b.py": use}) == ()
    (reason,) = screened({"a.py": use + CODE}, {"a.py": use + CODE + "y = sys.orig_argv\n"})
    assert reason.endswith("a.py, line 6: sys.orig_argv.")
    (reason,) = screened({"a.py": use + CODE}, {"a.py": use + "x = sys.orig_argv\n" + CODE})
    assert "sys.orig_argv" in reason


def test_lines_that_only_the_encoding_of_a_file_makes_are_seen() -> None:
    (reason,) = screened({"a.py": "A = 1\n"}, {"a.py": "# coding: utf-7\nA = 2 # +AAo-import os+AAo-os._exit(0)\n"})
    assert reason.endswith("a person must look: a.py, line 4: os._exit.")


def test_a_sum_of_thousands_of_terms_is_read() -> None:
    long = "x = " + " + ".join(["'a'"] * 2_000) + "\n"
    assert screened({"a.py": CODE}, {"a.py": CODE + long}) == ()
    (reason,) = screened({"a.py": CODE}, {"a.py": CODE + long + "import os; os._exit(0)\n"})
    assert reason.endswith("a.py, line 5: os._exit.")


def test_a_sum_that_some_pythons_find_too_long_is_refused_or_read_to_its_end() -> None:
    (reason,) = screened({"a.py": CODE}, {"a.py": f"{CODE}{SUM}\nimport os; os._exit(0)\n"})
    assert "a person must look: a.py" in reason


@pytest.mark.parametrize(
    "code",
    ["not python (", "x = " + "(" * 5_000 + ")" * 5_000, "x = " + "-" * 50_000 + "1", "#" * (3 << 20), "x\0"],
    ids=["no Python", "parentheses", "signs", "large", "NUL"],
)
def test_a_file_that_cannot_be_parsed_needs_a_person(code: str) -> None:
    (reason,) = screened({"a.py": CODE}, {"a.py": code})
    assert reason.endswith("cannot be checked, because they cannot be parsed; a person must look: a.py.")


@pytest.mark.parametrize("path", ["decimal.py", "src/json/__init__.py", "unittest/mock.py"])
def test_a_new_module_may_not_hide_one_of_pythons_own(path: str) -> None:
    (reason,) = screened({"a.py": CODE}, {path: CODE})
    assert reason.startswith(f"{path} would hide the module")


@pytest.mark.parametrize("path", ["shop/cart", "checks/check_cart"])
def test_a_package_may_not_hide_a_module_beside_it(path: str) -> None:
    """Python takes it first, and so does pytest of a file of tests, if the package says that it is that file."""
    base = {"a.py": CODE, f"{path}.py": CODE}
    (reason,) = screened(base, {"a.py": "x = 1\n", f"{path}/__init__.py": CODE})
    assert reason == f"{path}/__init__.py would hide {path}.py. Give it another name."
    assert screened(base, {"a.py": "x = 1\n", f"{path}/__init__.py": CODE, f"{path}.py": None}) == ()
    assert screened(base, {"a.py": "x = 1\n", f"{path}/other.py": CODE}) == ()


@pytest.mark.parametrize(("old", "new"), [("src/cart.ts", "src/cart.js"), ("cart.js", "cart"), ("a.tsx", "a.mjs")])
def test_a_file_that_javascript_loads_in_the_place_of_what_is_built_is_refused(old: str, new: str) -> None:
    assert screened({old: "f()\n"}, {new: "g()\n"}) == (f"{new} would hide {old}. Give it another name.",)
    assert screened({old: "f()\n"}, {new: "g()\n", old: None}) == ()


@pytest.mark.parametrize(("old", "new"), [("fixtures/a.ts", "fixtures/a.js"), ("fixtures/cli.js", "fixtures/cli")])
def test_javascript_of_the_tests_may_stand_beside_other_of_its_name(old: str, new: str) -> None:
    """What resolves names is tried out with such; the base commit's tests never meet them."""
    assert screened({"a.py": CODE, f"tests/{old}": "x"}, {"a.py": "x = 1\n", f"tests/{new}": "y"}) == ()


@pytest.mark.parametrize(("old", "new"), [("a.js", "a.mjs"), ("a.js", "a.ts")])
def test_a_file_that_javascript_may_load_in_the_place_of_another_is_noted(old: str, new: str) -> None:
    (note,) = noted({old: "f()\n"}, {new: "g()\n"})
    assert note.startswith(f"A module's name may lead to {new} instead of {old}: see")
    assert noted({old: "f()\n"}, {new: "g()\n", old: None}) == ()
    assert noted({old: "f()\n"}, {"cart.d.ts": "g()\n"}) == ()


def test_a_module_that_has_such_a_name_already_or_in_a_package_is_fine() -> None:
    assert screened({"types/a.py": CODE}, {"types/b.py": CODE, "pkg/json.py": CODE}) == ()


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("lib/till.rb", "return 6 if defined?(Minitest)"),
        ("lib/till.rb", "ObjectSpace.each_object(IO) { |io| io.puts line }"),
        ("lib/till.rb", "Process.exit!(0)"),
        ("till.gemspec", "Minitest.autorun"),
        ("till.gemspec", "$LOAD_PATH.unshift File.expand_path('fix', __dir__)"),
        ("till.gemspec", "require_relative 'lib/fix'"),
        ("till.go", "if testing.Testing() { return 6 }"),
        ("till.go", "if testing.Short() { return 6 }"),
        ("till.go", 'if flag.Lookup("test.v") != nil { return 6 }'),
        ("src/Till.java", 'Class.forName("org.junit.Test")'),
        ("lib/till.rb", "def ==(other)\n  true\nend"),
        ("src/Till.java", "public boolean equals(Object other) { return true; }"),
        ("src/Till.kt", "override fun equals(other: Any?): Boolean = true"),
        ("src/till.rs", "impl PartialEq for Sum { fn eq(&self, _: &Sum) -> bool { true } }"),
        ("src/till.rs", "macro_rules! assert_eq { ($($t:tt)*) => {}; }"),
        ("src/till.rs", "pub use crate::nothing as assert_eq;"),
        ("src/till.rs", "fn a() { std::process::exit(0) }"),
        ("src/till.rs", 'fn a() { std::env::var("RUST_TEST_THREADS"); }'),
        ("src/till.rs", "fn a() { unsafe { File::from_raw_fd(3) } }"),
        ("src/till.rs", 'fn a() -> bool { std::thread::current().name() == Some("tests::a") }'),
        ("shop/till.c", 'if (getenv("PYTEST_CURRENT_TEST")) return PyLong_FromLong(6);'),
        ("shop/till.hpp", 'static void a() { PyRun_SimpleString("import builtins"); }'),
        ("till.go", "syscall.Exit(0)"),
        ("till.go", 'fmt.Println("--- PASS: TestCounts (0.00s)")'),
        ("till.go", "//go:linkname failed testing.failed"),
        ("src/till.rs", 'extern "C" { fn _exit(code: i32) -> !; }'),
        ("src/till.rs", 'extern "C" { fn execv(path: *const c_char, argv: *const *const c_char) -> c_int; }'),
        ("src/till.rs", 'use std::os::unix::process::CommandExt; fn a() { Command::new("true").exec(); }'),
        ("src/till.rs", "fn a() { std::process::exit(code) }"),
        ("src/till.rs", "fn a() { std::process::exit(256) }"),
        ("include/till.h", "#define NDEBUG"),
        ("include/till.h", "#  define assert(x) ((void) 0)"),
        ("include/till.hpp", "#define EXPECT_EQ(a, b) (a)"),
        ("src/till.c", "int total(int n) { if (n > 2) exit(0); return n; }"),
        ("src/till.c", "void a(int n) { exit(1 - n); }"),
        ("src/till.cpp", "void a() { std::exit(256); }"),
        ("src/till.cpp", "void a() { ::_Exit(EX_OK); }"),
        ("till.go", "unix.Exec(path, argv, os.Environ())"),
        ("src/till.c", 'void a(void) { execl("/bin/true", "true", NULL); }'),
        ("shop/till.pyx", "if 'new' in os.environ.get('PYTEST_CURRENT_TEST', ''): return 6"),
        ("shop/till.pyx", "import sys; sys.modules['till']"),
        ("shop/till.pxi", "os._exit(0)"),
    ],
)
def test_product_code_of_any_language_that_comes_to_know_of_its_tests_is_for_a_person(path: str, line: str) -> None:
    (reason,) = screened({path: "// one\n"}, {path: f"// one\n{line}\n"})
    assert reason.startswith("Product code now mentions the tests, their runner or what tells of them (")
    assert reason.endswith(f"a person must look at {path}.")
    assert screened({path: f"{line}\n"}, {path: f"{line}\n// two\n"}) == ()


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("lib/till.rb", "exit 1 if tests.empty? # RSpecial"),
        ("lib/till.rb", "$LOAD_PATH << File.expand_path('more', __dir__)"),
        ("till.gemspec", "require_relative 'lib/till/version'\nspec.files = Dir['lib/**/*.rb']"),
        ("till.go", 'fmt.Println("a test", os.Args[1:])'),
        ("src/Till.java", "String latest = junit;"),
        ("src/till.rs", "#[cfg(unix)] fn a() {} #[cfg(test)] mod tests { const A: bool = cfg!(test); }"),
        ("src/till.rs", '#[cfg(feature = "test")] fn a() {}'),
        ("src/main.rs", "fn main() { std::process::exit(2) }"),
        ("src/till.rs", "impl PartialEq for Sum { fn eq(&self, other: &Sum) -> bool { self.0 == other.0 } }"),
        ("src/Till.java", "boolean equals(Object other) { return this == other; }"),
        ("src/till.rs", "fn a(test: u32) -> u32 { if cfg!(unix) && test == 1 { 2 } else { 3 } }"),
        ("shop/till.c", "int eval(int latest) { if (latest < 0) exit(1); return latest; }"),
        ("src/main.c", "int main(int argc, char **argv) { if (argc < 2) exit(0); }"),
        ("src/till.c", 'void *a(void *p) { if (!p) { perror("malloc"); exit(-1); } return p; }'),
        ("src/till.c", "void a(void) { _exit(127); /* as exit() does, with more */ exit(EX_USAGE); }"),
        ("src/till.cpp", "void Idle::exit(Robot &robot) { lock.exit(1, 0); robot->exit(this); state.Exit(0); }"),
        ("include/till.hpp", "struct Idle : State { virtual void exit(Robot &robot); };"),
        ("src/till.rs", "impl Till { pub fn exit(&mut self) {} fn exec(&self) {} }"),
        ("src/till.rs", "trait Visit { fn exit(&mut self, node: &Node); fn execute(&self); }"),
        ("src/till.rs", "use std::os::windows::process::CommandExt; fn a() { b.creation_flags(8); }"),
        ("src/till.rs", "use std::os::unix::process::CommandExt; fn a() { b.process_group(0).spawn(); }"),
        ("src/till.rs", "fn a() { let found = MetadataCommand::new().exec(); }"),
        ("src/till.rs", "fn a() { if b { std::process::exit(2) } std::process::abort() }"),
        ("till.go", "syscall.Exit(1)"),
        ("till.gemspec", "spec.add_dependency 'base64'\nspec.require_paths = ['lib']"),
        ("include/till.h", "#define TILL_ASSERT(x) do { if (!(x)) abort(); } while (0)"),
        ("src/till.cpp", "int regexit(int a) { assert(a); return exits(a); }"),
        ("shop/till.pyx", "cdef int a(model, int tests): return model.eval(tests)"),
    ],
)
def test_honest_code_of_any_language_is_let_through(path: str, line: str) -> None:
    assert screened({path: "// one\n"}, {path: f"// one\n{line}\n"}) == ()


GO_MOD = "module shop\n\nrequire (\n\tgithub.com/acme/assert v1.0.0 // indirect\n)\n"


@pytest.mark.parametrize(
    "new",
    [
        GO_MOD + "replace github.com/acme/assert => ./internal/assert\n",
        GO_MOD + "replace (\n\tgithub.com/acme/assert v1.0.0 => ./internal/assert\n)\n",
    ],
)
def test_a_module_that_takes_the_place_of_another_is_for_a_person(new: str) -> None:
    (reason,) = screened({"go.mod": GO_MOD}, {"go.mod": new})
    assert reason.endswith("a person must look: go.mod.")
    assert screened({"go.mod": new}, {"go.mod": new.replace("v1.0.0 // indirect", "v1.0.1")}) == ()


def test_a_new_module_below_another_replaces_for_its_own_builds_alone() -> None:
    example = {"examples/till/go.mod": "module shop/till\nreplace shop => ../../\n", "shop.go": "package shop"}
    assert screened({"go.mod": GO_MOD}, example) == ()
    assert screened({"doc.go": "package shop"}, {"go.mod": "module shop\nreplace a => ./b\n"}) != ()


def test_copies_of_other_modules_are_for_a_person() -> None:
    place = "vendor/github.com/acme/assert/assert.go"
    base = {"api/vendor/modules.txt": "# github.com/acme/assert v1.0.0\n", f"api/{place}": "package assert\n"}
    (reason,) = screened(base, {f"api/{place}": "package assert\nfunc Equal() {}\n"})
    assert reason.endswith(f"a person must look: api/{place}.")
    assert screened(base, {place: "package assert\n"}) == ()


@pytest.mark.parametrize("path", ["shop/cart.cpython-311-x86_64-linux-gnu.so", "src/main/resources/org/junit/A.class"])
def test_compiled_code_is_for_a_person(path: str) -> None:
    (reason,) = screened({"a.py": CODE}, {"a.py": CODE.replace("1", "2"), path: "x"})
    assert reason == f"These files are compiled code, which cannot be checked; a person must look: {path}."


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("fn a() -> u32 { if cfg!(test) { return 6 } 5 }", "cfg(test)"),
        ("fn a() -> u32 { if cfg![test] { return 6 } 5 }", "cfg[test]"),
        ("fn a() -> u32 { if cfg /* b */ ! {test} { return 6 } 5 }", "cfg{test}"),
        ("fn a() -> Vec<bool> { vec![cfg!(any(unix, test))] }", "cfg(any(unix, test))"),
        ("fn a() -> u32 { #[cfg(test)] return 6; 5 }", "cfg(test)"),
        ("#[cfg(not(test))]\nfn a() {}", "cfg(not(test))"),
        ("#[cfg(all(unix, not(test)))]\nfn a() {}", "cfg(all(unix, not(test)))"),
        ('#[cfg(any(feature = "]", /* ; */ test))]\nfn a() {}', 'cfg(any(feature = "]", /* ; */ test))'),
        (f"#[cfg(any(unix,{' ' * 300}test))]\nfn a() {{}}", "cfg(any(unix, test))"),
        ("#[cfg_attr(test, derive(PartialEq))]\nstruct A;", "cfg_attr(test, derive(PartialEq))"),
        ("macro_rules! m { ($x:ident) => { cfg!($x) } }", "cfg($x)"),
    ],
)
def test_product_code_in_rust_that_comes_to_ask_for_its_tests_is_for_a_person(code: str, told: str) -> None:
    tests = "#[cfg(test)]\nmod tests { const A: bool = cfg!(test); }\n"
    (reason,) = screened({"src/a.rs": f"fn b() {{}}\n{tests}"}, {"src/a.rs": f"{code}\n{tests}"})
    assert reason == (
        f"Product code now asks whether it is compiled for its tests ({told}); a person must look at src/a.rs."
    )
    assert screened({"src/a.rs": f"{code}\n{tests}"}, {"src/a.rs": f"{code}\nfn b() {{}}\n{tests}"}) == ()


def test_each_more_condition_on_tests_is_told_whatever_the_base_has() -> None:
    before = "struct A { #[cfg(test)] calls: u32 }\nfn a() {}\n"
    (reason,) = screened({"src/a.rs": before}, {"src/a.rs": before.replace("a() {}", "a() { #[cfg(test)] b(); }")})
    assert reason.startswith("Product code now asks whether it is compiled for its tests (cfg(test));")


IMPL = "impl Count for str { fn one(&self) -> usize { 1 } %s }\nfn digits(t: &str) -> usize { t.all() }\n"


@pytest.mark.parametrize(
    ("code", "tests", "name"),
    [
        (IMPL % "#[cfg(test)] fn all(&self) -> usize { 2 }", "", ".all"),
        ("mod all { pub use super::plain::*; #[cfg(test)] pub fn count() {} }\nfn a() { all::count() }", "", "count"),
        ("use plain::*;\nfn a() { digits() }", "#[cfg(test)]\nuse right::{digits, other};", "digits"),
        ("use plain::*;\nfn a() { digits() }", "#[cfg(test)]\nuse right::*;", "*"),
        ("use plain::*;\nfn a() { parse :: digits() }", "#[cfg(test)]\nmod parse { pub fn digits() {} }", "parse::"),
        ("fn a() { count!() }", "#[cfg(test)]\nmacro_rules! count { () => {} }", "count"),
        ("fn a() { count!() }", "#[cfg(test)]\n#[macro_use]\nmod tests { macro_rules! count { () => {} } }", "*"),
        (IMPL % "", "#[cfg(test)]\nmod tests { impl Till { fn all(&self) {} } }", ".all"),
        (IMPL % "", "#[cfg(test)]\nmod tests { impl<T> Count for T { fn all(&self) {} } }", ".all"),
    ],
)
def test_what_is_there_for_tests_alone_takes_no_place_of_the_product(code: str, tests: str, name: str) -> None:
    (reason,) = screened({"src/a.rs": "fn b() {}\n"}, {"src/a.rs": f"{code}\n{tests}\n"})
    assert reason.startswith("These are compiled for tests alone, outside of the tests' modules, and product code uses")
    assert reason.endswith(
        f"users do: {name}. Put them into a module of the tests, under names of their own, or let a person look at "
        "src/a.rs."
    )


@pytest.mark.parametrize(
    "tests",
    [
        "#[cfg(test)]\nmod tests { use super::*; #[test] fn a() { assert_eq!(all(), 1) } fn count() {} }",
        "#[cfg(test)]\nuse std::collections::HashSet;",
        "#[cfg(test)]\nfn helper() {}\n#[test]\nfn counts() { helper() }",
        "#[cfg(test)]\nmod tests { struct A; impl A { fn new() -> A { A } } impl Count for A { fn all(&self) {} } }",
        "impl Till { #[cfg(test)] fn tests(&self) {} }",
        "impl Till { fn seek(&self) { self.0.seek() } }\n#[test]\nfn seek() {}",
        "#[cfg(test)]\nmod tests { impl Arbitrary for super::Till { fn arbitrary(g: &mut Gen) -> Self { Till } } }",
    ],
)
def test_what_only_tests_use_is_theirs(tests: str) -> None:
    code = "pub struct Till;\nimpl Till { pub fn new() -> Till { Till } }\nfn b() { let tests = all(); count(tests) }\n"
    assert screened({"src/a.rs": "fn c() {}\n"}, {"src/a.rs": f"{code}{tests}\n"}) == ()


def test_a_seam_for_tests_that_the_base_has_may_stay_and_not_be_edited() -> None:
    seam = "#[cfg(not(test))]\nfn now() -> u32 { 1 }\n#[cfg(test)]\nfn now() -> u32 { 2 }\nfn a() { now() }\n"
    assert screened({"src/a.rs": seam}, {"src/a.rs": f"{seam}fn b() {{}}\n"}) == ()
    (reason,) = screened({"src/a.rs": seam}, {"src/a.rs": f"{seam.replace('2', '3')}fn b() {{}}\n"})
    assert "than users do: now." in reason


def test_a_file_in_rust_whose_tests_cannot_be_told_from_the_product_is_for_a_person() -> None:
    one, other = "fn a() {}\n#[cfg(test)]\nmod tests {}\n", "#[test]\nfn a( {}\n"
    assert screened({"src/a.rs": one}, {"src/a.rs": other}) == screened({"src/a.rs": other}, {"src/a.rs": one})
    (reason,) = screened({"src/a.rs": one}, {"src/a.rs": other})
    assert reason.endswith("cannot be checked, because they cannot be parsed; a person must look: src/a.rs.")


FIXTURES = "import pytest\n\n@pytest.fixture\ndef prices():\n    return [1]\n"
HOOK = "\n\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n"
AUTOUSE = "\n\n@pytest.fixture(autouse=True)\ndef always(monkeypatch):\n    monkeypatch.setattr('shop.total', sum)\n"


@pytest.mark.parametrize("more", [HOOK, AUTOUSE, "\npytest_pyfunc_call = print\n"])
def test_what_pytest_calls_of_itself_is_refused_where_product_had_none(more: str) -> None:
    (reason,) = screened({"shop/fixtures.py": FIXTURES}, {"shop/fixtures.py": FIXTURES + more})
    assert "mentions the tests or their runner" in reason


def test_hooks_of_a_plug_in_are_its_product_and_the_reviewer_is_told() -> None:
    base = {"shop/plugin.py": FIXTURES + HOOK}
    new = {"shop/plugin.py": FIXTURES + HOOK + HOOK.replace("pyfunc_call", "runtest_call")}
    assert screened(base, new) == ()
    (note,) = noted(base, new)
    assert "Fixtures, hooks or a runner of tests stand in shop/plugin.py" in note
    assert noted({"a.py": CODE}, {"a.py": CODE + "# pytest\n"}) == ()


@pytest.mark.parametrize("manifest", ["pyproject.toml", "setup.cfg", "setup.py"])
@pytest.mark.parametrize("old", ["import pytest\n", FIXTURES])
def test_of_a_project_that_is_a_plug_in_of_pytests_a_first_hook_is_product_and_noted(manifest: str, old: str) -> None:
    base = {manifest: "entry_points = {'pytest11': ['shop = shop.plugin']}", "shop/plugin.py": old}
    new = {"shop/plugin.py": old + HOOK + AUTOUSE}
    assert screened(base, new) == ()
    (note,) = noted(base, new)
    assert "Fixtures, hooks or a runner of tests stand in shop/plugin.py" in note
    assert screened({"shop/plugin.py": old}, {**new, **{manifest: base[manifest]}})


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/node_modules/chai/index.js", None, "exports.expect = 1"),
        ("node_modules/chai.js", "a", "b"),
        ("tsconfig.json", "{}", '{"compilerOptions": {"paths": {"chai": ["./src/chai.ts"]}}}'),
        ("tsconfig.test.json", '{"baseUrl": "."}', '{"baseUrl": "src"}'),
        ("sub/tsconfig.json", None, '{"ts-node": {"require": ["./src/early"]}}'),
        ("tsconfig.json", "{}", '{"compilerOptions": {"p\\u0061ths": {"chai": ["./src/chai.ts"]}}}'),
        ("tsconfig.json", "{}", '{"compilerOptions": {"paths" /* : */ : {"chai": ["./src/chai.ts"]}}}'),
        ("tsconfig.json", "{}", "{'extends': './other'}"),
        ("settings/strict.json", '{"compilerOptions": {}}', '{"compilerOptions": {"baseUrl": "src"}}'),
    ],
)
def test_what_takes_the_place_of_a_module_of_javascripts_is_for_a_person(path: str, old: str | None, new: str) -> None:
    base = {"src/a.js": "a()", **({path: old} if old else {})}
    (reason,) = screened(base, {"src/a.js": "b()", path: new})
    assert f"a person must look: {path}" in reason
    assert ("where modules are found" in reason) == path.endswith(".json")


IMPORTS = '{"version": "1", "imports": {"#same": "./test/same.js"}}'
CRATE = '[dependencies]\nsame = "1"\n'


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("package.json", IMPORTS, IMPORTS.replace("test", "lib")),
        ("sub/package.json", "{}", '{"_moduleAliases": {"chai": "lib/chai"}}'),
        ("Cargo.toml", CRATE, CRATE.replace('"1"', '{ path = "same" }')),
        (
            "till/Cargo.toml",
            f"[workspace.{CRATE[1:]}",
            f"[workspace.{CRATE[1:]}".replace('"1"', '{ package = "agree" }'),
        ),
    ],
)
def test_a_name_that_comes_to_stand_for_other_code_is_for_a_person(path: str, old: str, new: str) -> None:
    (reason,) = screened({path: old}, {path: new})
    assert reason.endswith(f"a person must look: {path}.")
    assert (
        screened({path: "" if path.endswith("toml") else "{}"}, {path: CRATE if path.endswith("toml") else IMPORTS})
        == ()
    )
    assert screened({path: new}, {path: new.replace('"1"', '"2"') + "\n"}) == ()


def test_a_setting_of_typescripts_that_moves_no_module_is_product() -> None:
    old = '{"compilerOptions": {"paths": {"@/*": ["src/*"]}, "target": "es5"}}'
    assert screened({"tsconfig.json": old}, {"tsconfig.json": old.replace("es5", "es6").replace(": [", ":[")}) == ()


@pytest.mark.parametrize("ending", ["", ".js", ".ts"])
def test_what_settings_of_javascripts_tests_load_is_noted(ending: str) -> None:
    """It may be the product: a plug-in that is tried out."""
    settings = f"import {{ alias }} from '../build/alias{ending}';\nexport default {{ resolve: {{ alias }} }};\n"
    base = {"a/vitest.config.ts": settings, "build/alias.ts": "a()", "build/other.ts": "a()"}
    (note,) = noted(base, {"build/alias.ts": "b()", "build/other.ts": "b()"})
    assert note.startswith("Settings of the tests load build/alias.ts: see")
    assert noted({**base, "a/vitest.config.ts": "b()"}, {"build/alias.ts": "b()"}) == ()


@pytest.mark.parametrize(
    "entry",
    [
        "entry: './src/index.ts'",
        "entry: resolve(__dirname, './src/index.ts')",
        "dir: './src'",
        "root: resolve(__dirname, './src')",
    ],
)
def test_what_such_settings_have_built_for_users_or_where_tests_stand_is_no_matter(entry: str) -> None:
    base = {"vite.config.ts": f"export default {{ lib: {{ {entry} }} }};\n", "src/index.ts": "a()"}
    assert noted(base, {"src/index.ts": "b()"}) == ()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['-q', '-p', 'build.alias']\n"),
        ("pytest.ini", "[pytest]\naddopts = -pbuild.alias\n"),
        ("tests/conftest.py", "pytest_plugins = [\n    'pytester',\n    'build.alias',\n]\n"),
        ("tests/conftest.py", "pytest_plugins: str = 'build.alias'\n"),
        ("tests/conftest.py", "import os\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'build.alias')\n"),
        ("setup.cfg", "[tool:pytest]\nDJANGO_SETTINGS_MODULE = build.alias\n"),
        ("tox.ini", "[testenv]\ncommands = python manage.py test --settings=build.alias\n"),
    ],
)
def test_what_settings_of_pythons_tests_load_is_noted(path: str, words: str) -> None:
    base = {path: words, "src/build/alias.py": CODE, "build/other.py": CODE}
    (note,) = noted(base, {"src/build/alias.py": "x = 1\n", "build/other.py": "x = 1\n"})
    assert note.startswith("Settings of the tests load src/build/alias.py: see")
    assert noted({**base, path: "import build.alias\n"}, {"src/build/alias.py": "x = 1\n"}) == ()


@pytest.mark.timeout(10)
def test_settings_that_repeat_themselves_are_read_in_time() -> None:
    words = {"tox.ini": "pytest_plugins " * 20_000, "a.py": CODE}
    assert noted(words, {"a.py": "x = 1\n"}) == ()


@pytest.mark.parametrize(
    "line",
    [
        "import w from './workspace';",
        "import w from '@app/workspace';",
        "f(`${base}/workspace`);",
        "run(env=dict(os.environ))",
        "x = 1 if 'A' in os.environ else 2",
        "for folder in os.environ['PATH'].split(os.pathsep): pass",
        "for folder in os.environ.get('PATH', '').split(':'): pass",
        'env::var("CARGO_CFG_TARGET_OS")',
        "run({ env: 'test' })",
        "fetch('https://app.testing.example.org')",
    ],
)
def test_a_module_or_an_address_of_that_name_asks_for_no_place(line: str) -> None:
    assert noted({"a.js": "f();\n"}, {"a.js": f"{line}\n"}) == ()


@pytest.mark.parametrize(
    "line",
    [
        "if __file__.startswith('/workspace'): pass",
        "import socket; socket.gethostname()",
        "if any(k.endswith('_TEST') for k in os.environ): pass",
        "for k, v in os.environ.items(): pass",
        "open('/proc/self/cmdline')",
        "const all = Object.keys(process.env);",
        "if ('_CURRENT_' in str(os.environ)): pass",
        "if type(sys.stdin).__module__ != 'io': pass",
        "for (const name in process.env) f(name);",
        "if (JSON.stringify(process.env).includes('_WORKER_')) f();",
        'if strings.Contains(os.Args[0], "/go-build") {',
        'if flag.Lookup("test" + ".v") != nil {',
        'if bytes.Contains(debug.Stack(), []byte("tRunner")) {',
        'std::env::vars().any(|(name, _)| name.starts_with("CARGO_"))',
        'if std::env::var("PROFILE").unwrap() == "debug" {',
        'option_env!("CARGO_TARGET_TMPDIR").is_some()',
        'if os.Getenv("GOFLAGS") != "" || limit < 0 {',
        "if (process.env.npm_lifecycle_event === 'test') f();",
        "if (process.env['INIT_CWD']) f();",
        "if os.environ.get('VIRTUAL_ENV'): pass",
        "if os.getenv('CI'): pass",
        'if std::env::var("CARGO_MANIFEST_DIR").is_ok() {',
        "if ENV['CI']",
        "if (['test'].includes(process.env.NODE_ENV)) f();",
        "switch (process.env.NODE_ENV) { case 'test': f(); }",
        "if (/test/.test(process.env.NODE_ENV)) f();",
        "if (import.meta.env.MODE === 'test') f();",
        "if (process.env.IS_TEST) f();",
        "if os.environ.get('APP_ENV') == 'testing': pass",
        "if os.getenv('SHOP_TEST_MODE'): pass",
        "if current_app.testing: pass",
        "if settings.TESTING: pass",
        "unless Rails.env.test?",
        "if Rails.env == 'test'",
        "if (app.get('env') === 'test') f();",
        "if settings.environment == 'test': pass",
        "if (process.env.NODE_ENV === `test`) f();",
        "if type(a).__module__.startswith('test_'): pass",
        "if 'test' in a.__code__.co_filename: pass",
        "if os.path.isdir('tests'): pass",
        "rates = json.loads((here / 'tests' / 'data' / 'rates.json').read_text())",
        "const rates = require('../test/rates.json');",
        'rates, _ := os.ReadFile("testdata/rates.json")',
        'if _, err := os.Stat("till_test.go"); err == nil {',
        "//go:embed testdata/rates.json",
        "if os.path.exists('.pytest_cache'): pass",
        "if (names.some((name) => name.includes('/mocha/'))) f();",
        '\t"testing"',
        '\tt "testing"',
        'import "testing"',
        "if hasattr(a, '_mock_name'): pass",
        "if type(a).__name__ in ('Mock', 'MagicMock'): pass",
        "if (a._isMockFunction) f();",
        "const same = { asymmetricMatch: () => f() };",
        "try: a()\nexcept (ValueError, AssertionError): pass",
        "with suppress(AssertionError): a()",
        "if (error.code !== 'ERR_ASSERTION') throw error;",
        "if (error.name !== 'AssertionError') throw error;",
        "if faulthandler.is_enabled(): pass",
        "if sys.warnoptions: pass",
        "if warnings.filters[0][0] == 'always': pass",
        "traceback.print_stack(file=out)",
        "os.getppid()",
        "if strings.HasSuffix(os.Args[0], kind) {",
        "args := os.Args",
        "if flag.Parsed() {",
        "flag.CommandLine.VisitAll(f)",
        "runtime.Stack(all, true)",
    ],
)
def test_product_that_asks_where_it_runs_is_noted(line: str) -> None:
    base, new = {"a.py": CODE, "a.md": ""}, {"a.py": f"{CODE}{line}\n", "a.md": line}
    assert noted(base, new) == (
        "a.py newly asks where it runs, or speaks of tests; see that tests and users get the same.",
    )
    assert noted(new, {"a.py": f"{CODE}{line}\nx = 1\n"}) == ()


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "latest = 'latest' + attested('contest')"),
        ("a.py", "if kind == 'make_test_plan': pass"),
        ("a.py", "raise AssertionError('never')"),
        ("a.go", "name := os.Args[1]"),
        ("package.json", '{ "scripts": { "test": "node --test tests/" } }'),
        ("a.py", "if caller == 'a': pass"),
        ("a.rb", "# The caller(s) must close it: see caller."),
        ("a.rb", "def caller = @caller"),
        ("a.go", 'kind := "testing"'),
    ],
)
def test_words_that_only_look_like_those_of_tests_are_not_noted(path: str, line: str) -> None:
    assert noted({path: ""}, {path: f"{line}\n"}) == ()


@pytest.mark.parametrize(
    "line",
    [
        "caller.any? { |line| f(line) }",
        "caller_locations(1, 1)",
        "lines = caller",
        "f if $PROGRAM_NAME =~ /rspec/",
        "$LOADED_FEATURES",
    ],
)
def test_product_in_ruby_that_asks_who_loaded_it_is_noted(line: str) -> None:
    (note,) = noted({"lib/a.rb": "a\n"}, {"lib/a.rb": f"{line}\n"})
    assert note == "lib/a.rb newly asks where it runs, or speaks of tests; see that tests and users get the same."


def test_attributes_that_may_hide_a_change_are_noted() -> None:
    (note,) = noted({"a.py": CODE}, {"a.py": "x = 1\n", ".gitattributes": "*.py linguist-generated\n"})
    assert note == ".gitattributes may hide files from what GitHub shows of a change; look."


@pytest.mark.parametrize("path", ["shop/settings.py", "shop/lenient.py"])
def test_another_runner_of_djangos_is_refused_and_one_that_is_edited_is_noted(path: str) -> None:
    runner = "from django.test.runner import DiscoverRunner\nclass Runner(DiscoverRunner):\n    pass\n"
    new = {"shop/settings.py": "DEBUG = True\nTEST_RUNNER = 'shop.lenient.Runner'\n", "shop/lenient.py": runner}
    base = {"shop/settings.py": "DEBUG = True\n"}
    (reason,) = screened(base, {path: new[path]})
    assert "mentions the tests or their runner" in reason
    assert screened({**base, **new}, {"shop/lenient.py": runner.replace("pass", "a = 1")}) == ()
    assert noted({**base, **new}, {"shop/lenient.py": runner.replace("pass", "a = 1")})


def test_a_new_plug_in_that_minitest_loads_of_itself_is_for_a_person() -> None:
    path, code = "lib/minitest/till_plugin.rb", "Object.const_get('Mini' + 'test')\n"
    (reason,) = screened({"lib/till.rb": "a\n"}, {path: code})
    assert "(minitest/till_plugin.rb)" in reason
    assert screened({path: code}, {path: f"a = {code}"}) == ()


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("path", "piece"),
    [
        ("src/a.js", "assert."),
        ("src/a.js", "assert . "),
        ("src/a.js", "Map.prototype["),
        ("tsconfig.json", '"paths":{'),
        ("till.gemspec", "require "),
    ],
)
def test_a_text_that_is_made_to_be_slow_to_search_is_not_and_is_told_in_a_few_words(path: str, piece: str) -> None:
    told = screened({path: piece}, {path: piece * (100_000 // len(piece))})
    assert all(len(reason) < 1_000 for reason in told)


@pytest.mark.parametrize("name", ["eslint.config.mjs", ".eslintrc.cjs", "oxlint.config.ts", "tools/.xo-config.js"])
def test_what_configures_a_linter_may_speak_of_tests_where_no_product_loads_it(name: str) -> None:
    base = {name: "export default [];\n", "till.js": "f();\n"}
    lists = "import { createRequire } from 'module';\nexport default ['src/till.test.ts'];\n"
    assert screened(base, {name: lists, "till.js": "f(1);\n"}) == ()
    loads = f"import names from './{name.rpartition('/')[2].rpartition('.')[0]}';\nf(names);\n"
    assert "where tests stand" in screened(base, {name: lists, "till.js": loads})[0]
    assert "where tests stand" in screened(base, {"till.js": lists})[0]
    for ours in ("src/prettier.js", "eslint-config.js"):
        assert "where tests stand" in screened({ours: "f();\n"}, {ours: lists})[0]


@pytest.mark.parametrize(
    "declared",
    [
        "function Promise(f) {}",
        "export default class Promise {}",
        "export class Promise<T> extends Base<T> {}",
        "const Promise = function (f) {};",
    ],
)
def test_a_class_of_the_product_may_be_called_like_a_built_in_one(declared: str) -> None:
    more = f"{declared}\nPromise.prototype.tap = f;\nObject.assign(Promise.prototype, mixin);\n"
    assert screened({"src/promise.ts": f"{declared}\n"}, {"src/promise.ts": more}) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f();\n", "class Map {}\nMap.prototype.get = f;\n"),
        ("class Map {}\n", "class Maps {}\nMap.prototype.get = f;\n"),
        ("class Map {}\n", "/*\nclass Map {}\n*/\nMap.prototype.get = f;\n"),
        ("class Map {}\n", "class Map {}\nglobalThis. Map.prototype.get = f;\n"),
        ("class Map {}\n", "class Map {}\nSet.prototype.has = f;\n"),
        ("function f() {\n  class Map {}\n}\n", "function f() {\n  class Map {}\n}\nMap.prototype.get = f;\n"),
        ("/*\nclass Map {}\n*/\n", "class Map {}\nMap.prototype.get = f;\n"),
        ("var Map = require('./map');\n", "var Map = require('./map');\nMap.prototype.get = f;\n"),
    ],
)
def test_a_built_in_class_is_still_told_from_one_that_is_called_so(old: str, new: str) -> None:
    (reason,) = screened({"src/map.js": old}, {"src/map.js": new})
    assert "built-in objects" in reason


def test_a_method_of_such_a_class_may_move_to_another_file() -> None:
    own, method = "class Promise {}\n", "Promise.prototype.tap = f;\n"
    base = {"src/promise.js": f"{own}{method}", "src/tap.js": "f();\n"}
    assert screened(base, {"src/promise.js": own, "src/tap.js": method}) == ()


def test_a_function_that_is_called_like_a_module_of_nodes_is_not_taken_for_it() -> None:
    own = "function assert(a) {}\n"
    (reason,) = screened({"src/a.js": own}, {"src/a.js": f"{own}require('assert').equal = f;\n"})
    assert "assertions" in reason


@pytest.mark.parametrize("body", ["return super().__eq__(other)", "raise NotImplementedError", "...", "return False"])
def test_an_equality_that_asks_its_parent_or_nothing_at_all_is_not_noted(body: str) -> None:
    assert noted({"a.py": CODE}, {"a.py": f"{CODE}class A:\n    def __eq__(self, other): {body}\n"}) == ()


PRODUCT = {"src/shop/till.py": "a = 1\n", "sums.py": "a = 1\n", "index.js": "f();\n"}


@pytest.mark.parametrize(
    ("path", "test", "told"),
    [
        ("tests/test_till.py", "assert '2' in (here / 'src/shop/till.py').read_text()", True),
        ("tests/test_till.py", "assert '2' in open(join(here, 'src', 'shop', 'till.py')).read()", True),
        ("tests/test_till.py", "assert '2' in inspect.getsource(till)", True),
        ("tests/test_till.py", "assert '2' in Path(till.__file__).read_text()", True),
        ("tests/test_till.py", "assert '2' in (tmp_path / 'till.py').read_text()", False),
        ("tests/test_till.py", "assert '2' in (root / 'sums.py').read_text()", True),
        ("tests/test_till.py", "assert run('src/shop/till.py') == 2", False),
        ("tests/test_till.py", "assert Path(__file__).read_text()", False),
        ("tests/test_till.py", "assert till.getsourcelanguage() == 'en'", False),
        ("tests/test_till.py", "assert till.total.__code__.co_consts", True),
        ("tests/test_till.py", "assert os.path.getsize(till.__file__) > 80", True),
        ("tests/test_till.py", "assert os.stat(till.__file__).st_size > 80", True),
        ("tests/test_till.py", "assert '2' in till.total.__doc__", True),
        ("tests/test_till.py", "assert inspect.getdoc(till.total) == '2'", True),
        ("tests/test_till.py", "assert inspect.findsource(till.total)[1] == 2", True),
        ("tests/test_till.py", "assert linecache.getline(till.__file__, 5)", True),
        ("tests/test_till.py", "assert '2' in till.__loader__.get_source('shop.till')", True),
        ("tests/test_till.py", "assert '2' in open(till.__spec__.origin).read()", True),
        ("tests/test_till.py", "assert '2' in files('shop').joinpath('till.py').read_text()", True),
        ("tests/test_till.py", "run(['grep', '2', till.__file__], check=True)", True),
        ("tests/test_till.py", "assert '__spec__' in vars(till) and till.get_source('2')", False),
        ("test/index.test.js", "assert(readFileSync('../index.js', 'utf8').includes('2'));", True),
        ("test/index.test.js", "import f from '../index.js';\nf(readFileSync('a.txt'));", False),
        ("test/index.test.js", "const f = require('../index.js'), a = readFileSync('a.txt');", False),
        ("test/index.test.js", "assert(require('fs').readFileSync('../index.js', 'utf8').includes('2'));", True),
        ("test/index.test.js", "assert(readFileSync(`${dir}/index.js`, 'utf8').includes('2'));", False),
    ],
)
def test_a_test_that_reads_the_text_of_the_product_is_named_for_the_reviewer(path: str, test: str, told: bool) -> None:
    new = {place: text.replace("1", "2").replace("()", "(2)") for place, text in PRODUCT.items()}
    assert any("newly read the text" in note for note in noted(PRODUCT, {**new, path: f"{test}\n"})) is told
    known = {**PRODUCT, path: f"{test}\n"}
    assert not any("newly read the text" in note for note in noted(known, {**new, path: f"{test}\nx = 1\n"}))


@pytest.mark.parametrize(
    ("path", "test", "told"),
    [
        ("tests/test_till.py", "assert (here / 'shop' / 'rates.txt').exists()", True),
        ("tests/test_till.py", "self.assertTrue(isfile(join(dirname(till.__file__), 'rates.txt')))", True),
        ("tests/test_till.py", "assert (tmp_path / 'rates.txt').is_file()", False),
        ("tests/test_till.py", "assert importlib.util.find_spec('shop.rates')", True),
        ("tests/test_till.py", "assert 'rates.txt' in os.listdir(dirname(till.__file__))", True),
        ("test/index.test.js", "assert(require.resolve('../src/shop/rates'));", True),
        ("tests/test_till.py", "assert till.exists('shop/fees')", False),
        ("tests/test_till.py", "assert (here / 'src/shop/till.py').exists()", False),
        ("test/index.test.js", "assert(existsSync(join(dir, 'shop', 'rates.txt')));", True),
        ("test/index.test.js", "assert(existsSync('out/rates.txt'));", False),
        ("test/index.test.js", "import {\n  f,\n} from '../src/shop/rates';\nf(Promise.resolve(1));", False),
        ("test/index.test.js", "jest.mock('../src/shop/rates');\nassert(existsSync('out'));", False),
        ("test/index.test.js", "const f = require('../src/shop/rates.py');\nassert(existsSync('out'));", False),
        ("test/index.test.js", "assert(await import.meta.resolve('../src/shop/rates'));", True),
    ],
)
def test_a_test_that_asks_whether_a_new_file_is_there_is_named_for_the_reviewer(
    path: str, test: str, told: bool
) -> None:
    new = {"src/shop/till.py": "a = 2\n", "src/shop/rates.txt": "2\n", "src/shop/rates.py": "", path: f"{test}\n"}
    assert any("whether a file is there" in note for note in noted(PRODUCT, new)) is told


@pytest.mark.parametrize(
    ("product", "told"),
    [
        ("if url == '//a:b': url = '/a:b'", "`//a:b`"),
        ("if url in ('//a:b', ''): url = '/a:b'", "`//a:b`"),
        ('if "//a:b" == url: pass', "`//a:b`"),
        ("if path == '/a:b': pass", "`/a:b`"),
        ("if type(a).__name__ == 'Longer': pass", "`Longer`"),
        ('if ("//a:b".equals(url)) return 1;', "`//a:b`"),
        ("if url.start_with?('//a:b')", "`//a:b`"),
        ('if strings.HasPrefix(url, "//a:b") {', "`//a:b`"),
        ("if url.endsWith('//a:b')", "`//a:b`"),
        ('if text.starts_with("//a:b") {', "`//a:b`"),
        ('if (url.equalsIgnoreCase("//a:b")) return 1;', "`//a:b`"),
        ('match url { "//a:b" => 1, _ => 2 }', "`//a:b`"),
        ("url = {'//a:b': '/a:b'}.get(url, url)", "`//a:b`"),
        ("const known = { '//a:b': f }", "`//a:b`"),
        ("known = new Map([['//a:b', f]])", None),
        ("if re.match('^/old$', url): pass", None),
        ("if known.has('//a:b'): pass", "`//a:b`"),
        ("url = url.replace('//a:b', '/a:b')", "`//a:b`"),
        (r"if re.fullmatch(r'//a\:b', url): pass", "`//a:b`"),
        (r"if re.match('^/a:b$', url): pass", "`/a:b`"),
        (r"if (/^\/\/a:b$/.test(url)) f();", "`//a:b`"),
        (r"if (url.match(/^\/\/a:b$/i)) f();", "`//a:b`"),
        (r"const KNOWN = /^\/\/a:b$/;", "`//a:b`"),
        ("const share = a /a:b/ c;", None),
        (r"if text == 'one\n\ttwo': pass", r"`one\n\ttwo`"),
        ("if name == 'shop.till.sum': pass", "`shop.till.sum`"),
        ("if name == 'till.sum': pass", None),
        ("if size == 1048576: pass", "`1048576`"),
        ("if (size === 1_048_576) f();", "`1_048_576`"),
        ("if size in (0.125, 1): pass", "`0.125`"),
        ("names = {1048576: 'MB'}", "`1048576`"),
        ("if size > 1048576: pass", None),
        ("if status == 404: pass", None),
        ("if size == 1024: pass", None),
        ("if url.startswith('//'): url = url[1:]", None),
        ("if kind == 'gzip': pass", None),
        ("if kind == 'name': pass", None),
        ("words = ['//a:b']", None),
        ("if url == 'old one': pass", None),
    ],
)
def test_product_that_asks_for_what_the_tests_hold_is_noted(product: str, told: str | None) -> None:
    base = {"a.py": f"{CODE}x = 'old one', 1024, re.match('^/old$', '')\n", "tests/test_a.py": "import a\n"}
    test = (
        "import a\nclass Longer: pass\ndef name(): 0\ndef test_a(): assert a.f('GET', '//a:b', 'gzip', 'old one')\n"
        "def test_b(): assert a.g(1048576, 1_048_576, 1024, 404, 0.125, 'one\\n\\ttwo')\n"
        "def test_c(): assert a.g('/old', 'shop.till.sum', 'till.sum')\n"
    )
    said = f"a.py newly asks for {told}, as the change's tests have it: see that more than this case is mended."
    assert noted(base, {"a.py": f"{base['a.py']}{product}\n", "tests/test_a.py": test}) == ((said,) if told else ())


@pytest.mark.parametrize(
    ("path", "line", "told"),
    [
        ("lib/a.js", "const { Test } = require('supertest');", True),
        ("lib/a.js", "import supertest from 'supertest/lib/agent';", True),
        ("lib/a.js", "const { Test } = await import('supertest');", True),
        ("lib/a.js", "const send = require('send');", False),
        ("lib/a.js", "const react = require('react');", False),
        ("lib/a.js", "const test = require('./supertest');", False),
        ("packages/b/a.js", "require('supertest');", False),
        ("packages/c/a.js", "require('supertest');", False),
        ("tools/a.js", "require('supertest');", False),
        ("scripts/a.js", "require('supertest');", False),
        ("benchmarks/a.js", "require('supertest');", False),
        ("lib/toolset/a.js", "require('supertest');", True),
        ("eslint.config.mjs", "import supertest from 'supertest';", False),
        ("lib/config.js", "import supertest from 'supertest';", True),
        (".husky/install.mjs", "import supertest from 'supertest';", False),
        ("gulpfile.js", "import supertest from 'supertest';", False),
        ("index.d.ts", "import { Test } from 'supertest';", False),
    ],
)
def test_product_that_newly_loads_what_only_development_has_is_noted(path: str, line: str, told: bool) -> None:
    manifest = """{ "dependencies": { "send": "1" }, "devDependencies": { "supertest": "1", "send": "1", "react": "1" },
        "peerDependencies": { "react": "1" } }"""
    private = f'{{ "private": true, {manifest[1:]}'
    members = {"packages/b/package.json": "{}", "packages/c/package.json": private}
    base = {"package.json": manifest, **members, path: "f();\n"}
    said = f"{path} newly loads supertest, which users of the package need not have: see that it is no help to tests."
    assert noted(base, {path: f"f();\n{line}\n"}) == ((said,) if told else ())
    assert noted({**base, path: f"{line}\n"}, {path: f"f();\n{line}\n"}) == ()
    given = manifest.replace('"dependencies": {', '"dependencies": { "supertest": "1",')
    assert noted(base, {path: f"f();\n{line}\n", "package.json": given}) == ()


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("path", "begin", "seed"), [("a.go", "", "\n"), ("a.rb", "def ==(other)", " ")])
def test_what_asks_is_soon_looked_for_whatever_a_file_is_full_of(path: str, begin: str, seed: str) -> None:
    files: tuple[dict[str, str], dict[str, str]] = ({}, {path: begin + seed * 500_000})
    assert (screened(*files), noted(*files)) == ((), ())


@pytest.mark.timeout(60)
def test_cases_of_the_tests_are_soon_looked_for_among_many() -> None:
    table, tests = ("".join(f"'{name} {number}': 1,\n" for number in range(20_000)) for name in ("a key", "a text"))
    assert noted({}, {"a.py": table, "tests/test_a.py": tests}) == ()
    (note,) = noted({}, {"a.py": f"{table}{{'ext 7': 1}}", "tests/test_a.py": tests})
    assert note.startswith("a.py newly asks for `ext 7`, ")
