"""The tests of a file: those that import it too, however that is written, whether or not they use its names."""

import json

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.repo_map.imported import given_name
from repo_tools.repo_map.store import IndexStore
from repo_tools.repo_map.symbols import CodeIndex
from tests.support.files_checkout import FilesCheckout


def related(path: str, files: dict[str, str]) -> tuple[tuple[str, str], ...]:
    checkout = FilesCheckout(files)
    with IndexStore() as store:
        return CodeIndex(store, checkout).related_tests(path, ChangeSet(checkout.commit), most=5)


@pytest.mark.parametrize(
    ("path", "test", "content"),
    [
        ("shop/basket.py", "tests/test_it.py", "import shop.basket\n"),
        ("src/shop/basket.py", "tests/test_it.py", "import shop.basket\n"),
        ("shop/basket.py", "tests/test_it.py", "from shop import mail, basket as b\n"),
        ("shop/basket.py", "tests/test_it.py", "from shop import (\n    mail,\n    basket,\n)\n"),
        ("shop/basket.py", "shop/tests/test_it.py", "from ..basket import f\n"),
        ("shop/basket.py", "shop/tests/test_it.py", "from .. import basket\n"),
        ("shop/basket/__init__.py", "tests/test_it.py", "import shop.basket\n"),
        ("basket.py", "tests/test_it.py", "import basket\n"),
        ("shop/basket.py", "tests/test_it.py", "import os, shop.mail as m, shop.basket as b  # all\n"),
        ("basket.py", "tests/test_it.py", "\ufeffimport basket\n"),
        ("shop/basket.py", "tests/test_it.py", "\ufefffrom shop import basket\n"),
        ("src/basket.js", "test/it.js", "import f from '../src/basket.js'\n"),
        ("src/basket.js", "test/it.js", "const f = require('../src/basket')\n"),
        ("src/basket.ts", "test/it.ts", "import { f } from '../src/basket.js'\n"),
        ("src/basket/index.ts", "test/it.ts", "import { f } from '../src/basket'\n"),
        ("src/basket.ts", "test/it.ts", "import { f } from '@/basket'\n"),
        ("app/src/cart/basket.ts", "app/test/it.ts", "import { f } from '~/cart/basket'\n"),
        ("src/cart/basket/index.js", "test/it.js", "import { f } from '#cart/basket'\n"),
        ("src/Basket.vue", "test/it.ts", "import Basket from '@/Basket.vue'\n"),
        ("src/Basket.svelte", "test/it.ts", "import Basket from '../src/Basket.svelte'\n"),
        ("src/basket.rs", "tests/it.rs", "use shop::basket::{total, add};\n"),
        ("src/basket.rs", "tests/it.rs", "use shop::{mail, basket::{total, add as plus}};\n"),
        ("src/cart/basket.rs", "tests/it.rs", "use shop::{\n    mail, // one\n    cart::basket,\n};\n"),
        ("src/cart/mod.rs", "src/cart/tests/it.rs", "use crate::cart::Basket;\n"),
        ("crates/my-shop/src/cart/basket.rs", "tests/it.rs", "use my_shop::cart::basket::total;\n"),
        ("lib/basket.rb", "spec/it_spec.rb", "require 'basket'\n"),
        ("lib/shop/basket.rb", "spec/it_spec.rb", "require_relative '../lib/shop/basket'\n"),
        ("src/basket.h", "tests/it.cpp", '#include "basket.h"\n'),
        ("src/basket.cc", "tests/it.cc", '#include "../src/basket.h"\n'),
        ("include/shop/basket.hpp", "tests/it.cpp", "#include <shop/basket.hpp>\n"),
        ("src/main/java/shop/Basket.java", "src/test/java/It.java", "import static shop.Basket.total;\n"),
        ("src/main/java/shop/Basket.java", "src/test/java/It.java", "import shop.Basket.Line;\n"),
        ("src/main/java/shop/Basket.java", "src/test/java/It.java", "import shop.*;\n"),
        ("src/Shop/Basket.php", "tests/ItTest.php", "<?php\nuse Shop\\{Mail, Basket as B};\n"),
        ("src/Shop/Basket.php", "tests/ItTest.php", "<?php\nuse Shop\\Mail, Shop\\Basket;\n"),
        ("src/basket.php", "tests/ItTest.php", "<?php\nrequire_once __DIR__ . '/../src/basket.php';\n"),
        ("spec/support/basket.rb", "spec/it_spec.rb", "require_relative 'support/basket'\n"),
        ("test/unit/basket.rb", "test/unit/it_test.rb", "require_relative 'basket'\n"),
    ],
)
def test_a_test_that_only_imports_a_file_is_one_of_its_tests(path: str, test: str, content: str) -> None:
    assert related(path, {path: "x", test: content}) == ((test, "imports it"),)


@pytest.mark.parametrize(
    ("path", "test", "content"),
    [
        ("shop/basket.py", "tests/test_it.py", "import shop.mail\n"),
        ("shop/basket.py", "tests/test_it.py", "from shop import mail\n\nbasket = 1\n"),
        ("shop/logging.py", "tests/test_it.py", "import logging\n"),
        ("shop/basket.py", "other/tests/test_it.py", "from ..basket import f\n"),
        ("src/basket.js", "test/it.js", "import f from 'basket'\nimport g from './basket.js'\n"),
        ("lib/shop/json.rb", "spec/it_spec.rb", "require 'json'\n"),
        ("src/cart/basket.ts", "test/it.ts", "import { f } from '@/basket'\n"),
        ("src/collections.rs", "tests/it.rs", "use std::collections::HashMap;\nuse shop::mail;\n"),
        ("crates/shop/src/basket.rs", "tests/it.rs", "use other::basket::total;\nuse crate::basket::add;\n"),
        ("lib/support/basket.rb", "spec/it_spec.rb", "require_relative 'support/basket'\n"),
        ("src/main/java/shop/cart/Basket.java", "src/test/java/It.java", "import shop.*;\n"),
        ("src/main/java/shop/Line.java", "src/test/java/It.java", "import shop.Basket.Line;\n"),
        ("src/Shop/Basket.php", "tests/ItTest.php", "<?php\nuse Shop\\{Mail, Other as Basket};\n"),
        ("src/basket.rs", "tests/it.rs", "use shop::{cart::{basket}, mail as basket};\n"),
    ],
)
def test_what_has_the_same_name_is_not_the_same_file(path: str, test: str, content: str) -> None:
    assert related(path, {path: "x", "shop/__init__.py": "", test: content}) == ()


def test_a_name_that_is_no_text_is_looked_for_too() -> None:
    files = {"shop/b\udcff.py": "x", "tests/test_it.py": "from shop import c\n"}
    assert related("shop/b\udcff.py", files) == ()


def test_a_test_that_was_changed_since_is_read_as_it_is_now() -> None:
    checkout = FilesCheckout({"shop/basket.py": "x", "tests/test_it.py": "y"})
    new = FileChange(FileMode.REGULAR, b"from shop import basket\n")
    change = ChangeSet(checkout.commit).with_change("tests/test_it.py", new)
    with IndexStore() as store:
        found = CodeIndex(store, checkout).related_tests("shop/basket.py", change, most=5)
    assert found == (("tests/test_it.py", "imports it"),)


def test_tests_that_import_a_file_and_use_its_names_come_before_those_that_only_use_them() -> None:
    files = {
        "shop/basket.py": "def total(): ...\n",
        "tests/test_a.py": "print(total)\n",
        "tests/test_b.py": "from shop import basket\n\nprint(basket.total)\n",
    }
    assert related("shop/basket.py", files) == (
        ("tests/test_b.py", "imports it; uses 1 of its names"),
        ("tests/test_a.py", "uses 1 of its names"),
    )


@pytest.mark.parametrize(
    ("mapped", "imported"),
    [
        ({"App\\": "src/"}, "App\\Cart\\Basket"),
        ({"": "lib", "Acme\\Shop\\": ["lib", "./src"]}, "\\Acme\\Shop\\Cart\\Basket"),
        ({"Acme\\": "", "Acme\\Cart\\": "src/Cart/"}, "Acme\\Cart\\Basket"),
    ],
)
def test_a_class_of_php_is_imported_by_the_name_that_composer_gives_it(mapped: object, imported: str) -> None:
    files = {
        "composer.json": json.dumps({"autoload": {"psr-4": mapped}}),
        "src/Cart/Basket.php": "<?php\n",
        "tests/ItTest.php": f"<?php\nuse {imported};\n",
        "tests/OtherTest.php": "<?php\nuse Other\\Kart\\Basket;\n",
    }
    assert related("src/Cart/Basket.php", files) == (("tests/ItTest.php", "imports it"),)


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[",
        "[" * 100_000,
        "[]",
        '{"autoload": []}',
        '{"autoload": {"psr-4": []}}',
        '{"autoload": {"psr-4": {"A": [1]}}}',
    ],
)
def test_a_manifest_of_composer_that_says_nothing_names_no_class(manifest: str) -> None:
    files = {"composer.json": manifest, "src/Basket.php": "<?php\n", "tests/ItTest.php": "<?php\nuse App\\Basket;\n"}
    assert related("src/Basket.php", files) == ()


@pytest.mark.parametrize(
    ("path", "manifest"),
    [("basket/basket.go", "go.mod"), ("src/Basket.php", "composer.json"), ("index.js", "package.json")],
)
def test_a_manifest_that_is_a_submodule_names_nothing(path: str, manifest: str) -> None:
    without_content: dict[str, bytes] = {}
    assert given_name(path, {manifest}, without_content.__getitem__) == ""


@pytest.mark.parametrize(
    ("path", "manifest", "imported", "is_related"),
    [
        ("index.js", "{}", "..", True),
        ("index.js", '{"main": "index.js"}', "../", True),
        ("lib/basket.js", '{"main": "./lib/basket"}', "..", True),
        ("lib/index.js", '{"main": "lib/"}', "../", True),
        ("index.js", '{"main": "./"}', "..", True),
        ("lib/basket.js", '{"main": "./lib/other.js"}', "..", False),
        ("lib/basket.js", '{"main": "./lib/basket.js"}', "../lib", False),
        ("basket.js", '{"main": {"a": 1}}', "..", False),
        ("basket.js", "[", "..", False),
    ],
)
def test_the_main_file_of_a_package_is_imported_by_its_folder(
    path: str, manifest: str, imported: str, is_related: bool
) -> None:
    for above in ("", "packages/shop/"):
        test = f"{above}test/it.js"
        files = {f"{above}package.json": manifest, f"{above}{path}": "", test: f"const f = require('{imported}')\n"}
        assert related(above + path, files) == (((test, "imports it"),) if is_related else ())


def test_a_comment_behind_an_import_of_go_hides_nothing() -> None:
    imported = 'package it\n\nimport (\n\t"os" // here\n\tb "example.org/shop/basket" // there\n)\n'
    files = {"go.mod": "module example.org/shop\n", "basket/basket.go": "package basket\n", "it_test.go": imported}
    assert related("basket/basket.go", files) == (("it_test.go", "imports it"),)


def test_the_tests_of_a_package_of_go_are_those_that_import_it() -> None:
    files = {
        "go.mod": "// the shop\nmodule example.com/shop/v2\n",
        "cart/basket.go": "x",
        "cart/errors/list.go": "x",
        "test/a_test.go": 'package a\n\nimport (\n\tb "example.com/shop/v2/cart"\n)\n',
        "test/b_test.go": 'package b\n\nimport "errors"\n',
    }
    assert related("cart/basket.go", files) == (("test/a_test.go", "imports it"),)
    assert related("cart/errors/list.go", files) == ()
    assert related("cart/basket.go", {**files, "go.mod": "broken"}) == ()
    assert related("cart/basket.go", {path: files[path] for path in files if path != "go.mod"}) == ()
