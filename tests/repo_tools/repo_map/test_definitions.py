"""What is kept of a definition: its signature, which ends where its body begins, and begins where it does."""

import pytest

from repo_tools.repo_map.definitions import definitions
from repo_tools.repo_map.languages import language_of


def signatures(path: str, source: str) -> list[str]:
    return [d.signature for d in definitions(language_of(path), source.encode())]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.js", "res.json = function json(obj) {\n  // settings\n  return 1;\n};\n", "res.json = function json(obj)"),
        ("a.js", "exports.run = async (a) => {\n  go();\n};\n", "exports.run = async (a) =>"),
        ("a.js", "const f = function (a) {\n  go();\n};\n", "const f = function (a)"),
        ("a.js", "  data: function () {\n    go();\n  },\n".join(["x = {\n", "}\n"]), "  data: function ()"),
        ("a.ts", "export const f = <T>(a: T): T => {\n  return a\n}\n", "export const f = <T>(a: T): T =>"),
        ("a.go", "package a\n\ntype T struct {\n\tA int\n}\n", "type T struct"),
        ("a.go", "package a\n\ntype I interface{ A }\n", "type I interface"),
        ("a.rs", "macro_rules! mac {\n    () => { 1 }\n}\n", "macro_rules! mac"),
        ("a.py", "run = lambda a: a\n", "run = lambda a: a"),
    ],
)
def test_a_signature_ends_where_the_body_begins(path: str, source: str, expected: str) -> None:
    assert signatures(path, source) == [expected]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.rs", "fn a() { 1 } fn b() { 2 }\n", ["fn a()", "fn b()"]),
        ("a.rs", "    impl A { pub fn c(&self) -> i32 { 3 } }\n", ["    pub fn c(&self) -> i32"]),
        ("a.go", "package a\nfunc F() { f() }; func G() int { return 2 }\n", ["func F()", "func G() int"]),
        ("a.js", "x = { a: function () { f() }, b: (a) => a }\n", ["a: function ()", "b: (a) =>"]),
        ("a.js", "x" * 900 + "(function () { f() }, y = (a) => a)\n", ["y = (a) =>"]),
    ],
)
def test_of_several_on_one_line_each_has_its_own_signature(path: str, source: str, expected: list[str]) -> None:
    assert signatures(path, source) == expected
