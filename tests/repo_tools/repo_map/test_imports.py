"""What a file imports: each name by itself, and in little time whatever the file holds."""

import time

import pytest

from repo_tools.repo_map.imports import imports


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("python", "import a, b.c as d  # e\nfrom .f import g\n", "a b.c .f"),
        (
            "rust",
            "use a::{self, b::{C, D as E}, f::*};\npub(crate) use g;\nmod h;\n",
            "a::self a::b::C a::b::D a::f::* g h",
        ),
        ("rust", "use a::{\n    b, // one\n    c,\n};\nuse of words\nuse d::*;\n", "a::b a::c of d::*"),
        ("java", "import a.B.C;\nimport static a.D.e;\nimport a.*;\nimport a.b;\n", "a.B a.D a.* a.b"),
        ("c_sharp", "global using A.B;\nusing C = D.E;\nusing static F;\nusing (x) { }\n", "A.B D.E F"),
        ("php", "<?php\nuse A\\{B, C as D};\nuse const E\\F;\nuse G, H {\n a as b; }\n", "A\\B A\\C E\\F G H"),
        ("php", "<?php\nrequire __DIR__ . '/../a.php';\ninclude_once('b.php');\n", "../a.php b.php"),
        ("ruby", "require 'a'\nrequire_relative 'b'\nrequire_relative('../c')\n", "a ./b ../c"),
        ("go", 'import "a" // b\nimport (\n\tc "d/e" /* f */\r\n)\n', "a d/e"),
        (
            "typescript",
            "import('a');\nimport 'b';\nimport c from 'd';\nexport * from 'e';\nimport f = require('g');\n",
            "a b d e g",
        ),
    ],
)
def test_each_name_is_told_as_it_is_imported(language: str, source: str, expected: str) -> None:
    assert imports(language, source.encode()) == tuple(expected.split())


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("javascript", b"import" + b" " * 900_000),
        ("python", b"import " * 120_000),
        ("python", b"import a" + b",a" * 400_000),
        ("rust", b"use a::{" + b"b::{" * 200_000),
        ("rust", (b"use a::{" + b"b," * 900 + b"\n") * 400),
        ("php", (b"use " + b"a " * 450 + b"\n") * 900),
        ("rust", b"pub(\n" * 200_000),
        ("php", b"require __DIR__ . '" + b"/" * 900_000),
        ("go", b"import" + b" " * 900_000),
        ("java", b"import " + b"a." * 400_000),
    ],
)
def test_no_line_takes_more_time_than_its_length_asks_for(language: str, line: bytes) -> None:
    started = time.process_time()
    imports(language, b"\n" + line)
    assert time.process_time() - started < 3  # the square of such a length would be minutes
