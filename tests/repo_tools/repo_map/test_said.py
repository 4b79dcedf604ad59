"""What an outline says of a definition: the first line of its docstring, or of the comment above it."""

import time

import pytest

from repo_tools.repo_map.definitions import definitions
from repo_tools.repo_map.languages import language_of
from repo_tools.repo_map.said import comment_above


def said(path: str, source: str) -> str:
    """Of the last definition."""
    return definitions(language_of(path), source.encode())[-1].documentation


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.ts", "/** Adds. */\nexport function a() {}\n", "Adds."),
        ("a.c", "/* Adds. */\nint a(void) { return 1; }\n", "Adds."),
        ("a.c", "/*\n * Adds.\n *\n * Slowly.\n */\nint a(void) { return 1; }\n", "Adds."),
        ("a.c", "/* Adds.\n\n   Slowly. */\nint a(void) { return 1; }\n", "Adds."),
        ("a.h", "/// Adds.\n/// Slowly.\nint a(void);\n", "Adds."),
        ("a.h", "/*!\n * @brief Adds.\n */\nint a(void);\n", "Adds."),
        ("a.rb", "# Adds.\ndef a; end\n", "Adds."),
        ("a.php", "<?php\n# Adds.\nfunction a() {}\n", "Adds."),
        ("a.go", "package a\n\n// A adds.\nfunc A() {}\n", "A adds."),
        ("a.cpp", "// Adds to std::cout.\nint a() { return 1; }\n", "Adds to std::cout."),
        ("a.rs", "/// [`Handler`] that adds.\npub fn a() {}\n", "[`Handler`] that adds."),
        ("a.py", 'def a():\n    """Adds."""\n', "Adds."),
    ],
)
def test_the_first_line_of_any_comment_just_above_is_told(path: str, source: str, expected: str) -> None:
    assert said(path, source) == expected


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.h", "#define A 1\n#define B 2\n"),
        ("a.c", "#include <x.h>\nint a(void) { return 1; }\n"),
        ("a.c", "#else\nint a(void) { return 1; }\n"),
        ("a.cs", "#pragma warning disable S2190\nclass A {}\n"),
        ("a.cs", "/// <inheritdoc/>\nclass A {}\n"),
        ("a.rs", "#[derive(Debug)]\nstruct A;\n"),
        ("a.php", "<?php\n/** @return int */\nfunction a() {}\n"),
        ("A.java", "/**\n * {@inheritDoc}\n */\nclass A {}\n"),
        ("a.go", "package a\n\n//go:embed x\nvar A embed.FS\n"),
        ("a.js", "/* eslint-disable */\nfunction a() {}\n"),
        ("a.js", "//--------\nfunction a() {}\n"),
        ("a.c", "int x; /* of x */\nint a(void) { return 1; }\n"),
        ("a.c", "/* of x */\nint x = 1; /*\n and more */\nint a(void) { return 1; }\n"),
        ("a.js", "// of the file\n\nfunction a() {}\n"),
    ],
)
def test_what_says_nothing_of_a_definition_is_left_out(path: str, source: str) -> None:
    assert said(path, source) == ""


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.rs", "/// Adds.\n#[inline]\n#[must_use]\npub fn a() {}\n"),
        ("a.rs", "/// Adds.\n#[derive(\n    Debug,\n)]\nstruct A;\n"),
        ("a.php", "<?php\n/** Adds. */\n#[Attr]\nclass A {}\n"),
        ("a.ts", "/** Adds. */\n@Component({\n  selector: 'a',\n})\nexport class A {}\n"),
        ("a.ts", "class A {\n/** Adds. */\n@On('x', f(() => g()))\n@Other() @Third // why\na() {}\n}\n"),
        ("a.cpp", "// Adds.\ntemplate <typename T = decltype(A{})>\n[[nodiscard]]\nint a(T x);\n"),
        ("a.ts", "/** Adds. */\n// eslint-disable-next-line\nexport function a() {}\n"),
        ("a.cpp", "// Adds.\ntemplate <typename T>\nclass A { T x; };\n"),
        ("a.js", "// of the file\n/** Adds. */\nfunction a() {}\n"),
        ("a.go", "package a\n\n// Adds.\n//go:noinline\nfunc A() {}\n"),
    ],
)
def test_a_comment_is_found_above_attributes_and_above_what_tools_are_told(path: str, source: str) -> None:
    assert said(path, source) == "Adds."


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.h", "/// Adds.\n[[nodiscard]] int a(int x);\n[[nodiscard]] int b(int x);\n"),
        ("a.h", "/// Adds.\n[[nodiscard]] int a(int x); // of 1\nint b(int x);\n"),
        ("a.cpp", "// Adds.\ntemplate <typename T> T a(T x) { return x; }\nint b(int x) { return x; }\n"),
        ("a.rs", "/// Adds.\n#[inline] fn a() {}\n#[inline] fn b() {}\n"),
        ("a.rs", "/// Adds.\n#[derive(Debug)] struct A;\nstruct B;\n"),
        ("a.php", "<?php\nclass A {\n/** Adds. */\n#[X] public function a() {}\npublic function b() {}\n}\n"),
        ("a.ts", "class A {\n  /** Name. */\n  @Input() a = '';\n  @Input() set b(c: string) {}\n}\n"),
        ("a.ts", "class A {\n  /** Name. */\n  @Input({ alias: f() }) a: string\n  constructor() {}\n}\n"),
        ("a.ts", "class A {\n  /** Name. */\n  @Input() @Bound() a: string\n  constructor() {}\n}\n"),
    ],
)
def test_what_is_said_of_a_definition_with_attributes_on_its_line_is_not_said_of_the_next_one(
    path: str, source: str
) -> None:
    assert said(path, source) == ""


def test_the_tags_of_a_comment_in_c_sharp_are_no_part_of_it() -> None:
    source = '/// <summary>\n/// Adds to <see cref="Basket"/>, <b>slowly</b>.\n/// </summary>\nclass A {}\n'
    assert said("a.cs", source) == "Adds to Basket, slowly."


@pytest.mark.parametrize("line", ["/*", "*/", "***/", "<", "@", "#[", ")]", "// <<<", "*"])
def test_no_comment_takes_more_than_linear_time(line: str) -> None:
    above = (f"{line}\n" * 30 + line * 50_000 + "\n" + line * 100 + "*/\n").encode()
    started = time.process_time()
    for language in ("c", "rust", "c_sharp", "typescript"):
        comment_above(language, above, len(above))
    assert time.process_time() - started < 0.5
