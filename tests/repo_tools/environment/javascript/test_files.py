"""Which files hold the tests of a JavaScript suite, before any were collected."""

import time
from string import ascii_lowercase

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.environment.contract import TestCommand
from repo_tools.environment.javascript.files import test_files as files_of

CALLS = "describe('x', () => it('y', () => {}));"


def found(files: dict[str, str], *words: str, directory: str = "") -> list[str]:
    tree = {path: TreeEntry(FileMode.REGULAR, "0" * 40) for path in files}
    return list(files_of([TestCommand("mocha", words, directory)], tree, lambda path: files[path].encode()))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("lib/cart.test.ts", CALLS),
        ("lib/cartSpec.js", "  it.only('y', () => {});"),
        ("test/cart/prices.js", "import test from 'ava';\ntest('y', (t) => t.pass());"),
        ("test/cart.mjs", "import t from 'tap';\nt.test('y', (t) => t.end());"),
        ("spec/cart.js", CALLS),
        ("test/cart-test.js", "var vows = require('vows');\nvows.describe('y').addBatch({}).export(module);"),
        ("__tests__/cart.jsx", "test(`y`, () => {});"),
        ("test/utils.spec.js", CALLS),
    ],
)
def test_a_file_that_is_called_so_or_stands_among_tests_holds_what_it_calls(path: str, text: str) -> None:
    assert found({path: text}, "mocha") == [path]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("lib/cart.js", CALLS),
        ("test/helpers/cart.js", CALLS),
        ("test/fixtures/cart.test.js", CALLS),
        ("test/_cart.js", CALLS),
        ("test/cart.d.ts", CALLS),
        ("test/cart.js", "module.exports = (text) => /a/.test(text);"),
        ("tap-snapshots/test/cart.js.test.cjs", "exports[`test/cart.js > TAP`] = ``"),
        ("test/cart.json", CALLS),
    ],
)
def test_what_tests_need_or_make_holds_none(path: str, text: str) -> None:
    assert found({path: text}, "mocha") == []


def test_only_what_the_command_names_is_of_it() -> None:
    files = dict.fromkeys(("docs/a.test.js", "test/a-test.js", "test/deep/b-test.js", "test/c.js"), CALLS)
    assert found(files, "mocha", "--require", "x", "test/**/*-test.js") == ["test/a-test.js", "test/deep/b-test.js"]
    assert found(files, "mocha", "--recursive", "./test/") == ["test/a-test.js", "test/c.js", "test/deep/b-test.js"]
    assert found(files, "mocha", "{docs,test}/a*.js") == ["docs/a.test.js", "test/a-test.js"]
    assert found(files, "mocha", "-g", "cart") == sorted(files)
    assert found(
        {f"packages/a/{path}": text for path, text in files.items()}, "mocha", "docs", directory="packages/a"
    ) == ["packages/a/docs/a.test.js"]


@pytest.mark.parametrize("pattern", ["d*o*c*/a*", "{t,d}{e,o}{s,c}{t,s}/a*", f"{{docs,{'x' * 250}}}/a*"])
def test_a_pattern_that_may_take_for_ever_to_match_names_nothing(pattern: str) -> None:
    files = dict.fromkeys(("docs/a.test.js", "test/c.js"), CALLS)
    assert found(files, "mocha", pattern, "test/c.js") == ["test/c.js"]
    assert found(files, "mocha", pattern) == sorted(files)


def test_words_that_stand_for_very_many_patterns_are_not_matched() -> None:
    every = f"{{{','.join(ascii_lowercase)}}}"
    files = {f"test/{n}.js": CALLS for n in range(1_000)}
    started = time.process_time()
    assert found(files, "mocha", f"test/{every * 3}.js") == sorted(files)
    assert time.process_time() - started < 2
