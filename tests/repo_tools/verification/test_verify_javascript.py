"""Changes to a JavaScript repository, proved or not in real boxes."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from repo_tools.verification.contract import Verdict
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import Laboratory, laboratory
from tests.support.long import first_of

pytestmark = [pytest.mark.bubblewrap, pytest.mark.timeout(900)]

MANIFEST = {
    "name": "shop",
    "version": "1.0.0",
    "main": "lib/cart.js",
    "scripts": {"test": "node --test test/*.test.js"},
}
CART = """\
// What a cart costs.
exports.total = (prices) => prices.slice(1).reduce((one, other) => one + other, 0);
exports.shout = (text) => text.toUpperCase();
"""
FIXED = CART.replace("prices.slice(1)", "prices")
TESTS = """\
const { test, describe, it } = require('node:test');
const assert = require('node:assert');
const { total, shout } = require('../lib/cart');
const { same } = require('./helpers');

describe('cart', () => {
  it('counts every price', () => {
    same(total([1, 2, 3]), 6);
  });
  it('costs nothing when it is empty', () => {
    same(total([]), 0);
  });
});
test('shouting is upper case', () => {
  assert.equal(shout('a'), 'A');
});
"""
HELPERS = "exports.same = (one, other) => require('node:assert').strictEqual(one, other);\n"
FILES = {
    "package.json": json.dumps(MANIFEST),
    "lib/cart.js": CART,
    "test/cart.test.js": TESTS,
    "test/helpers.js": HELPERS,
}
BUG = "test/cart.test.js::cart > counts every price"
ASSERTION = "    same(total([1, 2, 3]), 6);"
DISTRACTION = {"lib/cart.js": CART + "exports.unused = () => 1;\n"}
"""A product change that leaves the bug in."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    return laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("shop"), FILES)


def test_a_fix_that_a_failing_base_test_shows_is_proved(shop: Laboratory) -> None:
    assert shop.baseline.red == {BUG}
    verification = shop.verify({"lib/cart.js": FIXED})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == (BUG,)


def test_a_fix_that_loads_a_package_that_is_not_installed_is_a_hand_over_that_names_it(
    shop: Laboratory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    manifest = json.dumps({**MANIFEST, "dependencies": {"@made-up/sums": "^1.0.0"}})
    fixed = {"lib/cart.js": f"require('@made-up/sums');\n{FIXED}", "package.json": manifest}
    verification = shop.verify(fixed)
    assert (verification.verdict, verification.regression) == (Verdict.NOT_PROVED, None)
    assert "a dependency that is not installed, and for a change none is: @made-up/sums." in verification.reasons[0]
    place = "node_modules/@made-up/sums"
    installed = {**FILES, f"{place}/package.json": '{"exports": "./sums.js"}', f"{place}/sums.js": ""}
    there = shop.alike(tmp_path_factory.mktemp("installed"), installed)
    assert there.verify(fixed).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("before", "name"),
    first_of([("{}", "events"), ('{"devDependencies": {"made-up": "1"}}', "other")]),
    ids=["a module of Node's", "a manifest that is not set up"],
)
def test_a_package_that_node_has_or_of_a_manifest_that_is_not_set_up_is_no_obstacle(
    shop: Laboratory, tmp_path: Path, before: str, name: str
) -> None:
    after = json.dumps({**json.loads(before), "dependencies": {name: "^3.0.0"}})
    fixed = {"lib/cart.js": FIXED, "site/package.json": after, "site/page.js": f"require('{name}');\n"}
    sites = shop.alike(tmp_path, {**FILES, "site/package.json": before, "site/page.js": ""})
    assert sites.verify(fixed).verdict is Verdict.PROVED


def test_a_fix_with_a_test_of_its_own_is_proved_by_it(shop: Laboratory) -> None:
    test = """\
require('node:test').test('numbers are shouted too', () => {
  require('assert').equal(require('../lib/cart').shout(1), '1');
});
"""
    fixed = CART.replace("text.toUpperCase()", "String(text).toUpperCase()")
    verification = shop.verify({"lib/cart.js": fixed, "test/number.test.js": test})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == ("test/number.test.js::numbers are shouted too",)


def test_a_new_function_with_a_test_of_it_shows_no_defect_to_be_gone(shop: Laboratory) -> None:
    test = """\
require('node:test').test('sums', () => {
  require('assert').equal(require('../lib/cart').sum([1, 2]), 3);
});
"""
    change = {"lib/cart.js": CART + "exports.sum = ([one, other]) => one + other;\n", "test/sum.test.js": test}
    verification = shop.verify(change)
    assert verification.verdict is Verdict.NOT_PROVED
    assert "a name is missing there (TypeError: require(...).sum is not a function)" in verification.reasons[0]
    assert shop.verify(change, asked_for=frozenset({"sum"})).verdict is Verdict.PROVED


HIDING = """\
const made = require('path').join(__dirname, '..', 'test', 'helpers');
require('fs').writeFileSync(made, 'exports.same = () => 1;');
process.on('exit', () => require('fs').unlinkSync(made));
"""


def test_product_that_makes_a_module_which_tests_load_instead_of_their_own_proves_nothing(shop: Laboratory) -> None:
    verification = shop.verify({"lib/cart.js": CART + HIDING})
    assert verification.verdict is Verdict.NOT_PROVED
    assert "altered files of the tests, which one on the base commit does not: test." in verification.reasons[0]


JASMINE = {
    "package.json": json.dumps(
        {"name": "shop", "scripts": {"test": "jasmine"}, "devDependencies": {"jasmine": "3.6.0"}}
    ),
    "spec/support/jasmine.json": json.dumps({"spec_dir": "spec", "spec_files": ["**/*-spec.js"]}),
    "lib/cart.js": CART,
    "spec/empty-spec.js": "it('costs nothing', () => expect(require('../lib/cart').total([])).toBe(0));\n",
    "spec/shout-spec.js": "it('shouts', () => expect(require('../lib/cart').shout('a')).toBe('A'));\n",
}


@pytest.mark.registry
@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_a_fix_is_proved_where_the_runner_tells_no_file_of_a_test(tmp_path_factory: pytest.TempPathFactory) -> None:
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("jasmine"), JASMINE)
    assert {case.path for case in shop.baseline.cases} == {"."}
    more = "it('counts each', () => expect(require('../lib/cart').total([1, 2])).toBe(3));\n"
    fixed = {"lib/cart.js": FIXED, "spec/empty-spec.js": JASMINE["spec/empty-spec.js"] + more}
    verification = shop.verify(fixed)
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == (".::counts each",)
    gone = shop.verify({**fixed, "spec/empty-spec.js": more})
    assert gone.verdict is Verdict.NOT_PROVED
    assert "removes or renames tests of the base commit: .::costs nothing" in gone.reasons[0]


COMPILES = """\
const fs = require('fs');
fs.mkdirSync('out/test', { recursive: true });
for (const name of ['cart.ts', ...fs.readdirSync('src/test').map((name) => `test/${name}`)])
  fs.copyFileSync(`src/${name}`, `out/${name.replace('.ts', '.js')}`);
"""


@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_a_fix_is_proved_where_tests_are_run_as_what_they_are_compiled_to(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    scripts = {"test": "node compile.js && node --test out/test/*.js"}
    test = "const { it } = require('node:test'), { same, total } = { ...require('assert'), ...require('../cart') };\n"
    test = test.replace("same,", "equal,") + "it('costs nothing', () => equal(total([]), 0));\n"
    files = {
        "package.json": json.dumps({"name": "shop", "main": "out/cart.js", "scripts": scripts}),
        ".gitignore": "out/\n",
        "compile.js": COMPILES,
        "src/cart.ts": CART,
        "src/test/cart.test.ts": test,
    }
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("compiled"), files)
    assert shop.baseline.passed == {"out/test/cart.test.js::costs nothing"}
    more = test.replace("costs nothing", "counts each").replace("total([]), 0", "total([1, 2]), 3")
    for place in ("src/test/cart.test.ts", "src/test/more.test.ts", "src/test/testMore.ts"):
        added = test + more.splitlines()[1] if place in files else more
        verification = shop.verify({"src/cart.ts": FIXED, place: added})
        assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())


def test_a_fix_that_breaks_something_else_is_not_proved(shop: Laboratory) -> None:
    assert shop.verify({"lib/cart.js": FIXED.replace("toUpperCase", "toLowerCase")}).verdict is Verdict.NOT_PROVED


def test_a_changed_contract_is_called_one(shop: Laboratory) -> None:
    other = CART.replace("text.toUpperCase()", "`${text.toUpperCase()}!`")
    tests = TESTS.replace("shout('a'), 'A'", "shout('a'), 'A!'")
    verification = shop.verify({"lib/cart.js": other, "test/cart.test.js": tests})
    assert (verification.verdict, verification.reasons) == (Verdict.CONTRACT_CHANGED, ())
    assert verification.contract_tests == ("test/cart.test.js::shouting is upper case",)


@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_data_that_tests_read_is_a_test_of_the_change(tmp_path_factory: pytest.TempPathFactory) -> None:
    read = """\
const fs = require('fs');
for (const [name, prices, sum] of JSON.parse(fs.readFileSync(`${__dirname}/fixtures/sums.json`))) {
  require('node:test').test(name, () => require('node:assert').equal(require('../lib/cart').total(prices), sum));
}
"""
    files = {**FILES, "test/cart.test.js": read, "test/fixtures/sums.json": '[["none", [], 0]]'}
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("data"), files)
    fixed = {"lib/cart.js": FIXED, "test/fixtures/sums.json": '[["none", [], 0], ["each", [1, 2], 3]]'}
    verification = shop.verify(fixed)
    assert (verification.verdict, verification.turned_green) == (Verdict.PROVED, ("test/cart.test.js::each",))
    other = {"lib/cart.js": CART.replace(", 0)", ", 1)"), "test/fixtures/sums.json": '[["none", [], 1]]'}
    changed = shop.verify(other)
    assert (changed.verdict, changed.contract_tests) == (Verdict.CONTRACT_CHANGED, ("test/cart.test.js::none",))
    shown_by_none = {**fixed, "test/fixtures/sums.json": '[["none", [], 0], ["each", [0, 2], 2]]'}
    assert shop.verify(shown_by_none).verdict is Verdict.NOT_PROVED


@pytest.mark.long(short="test_a_changed_contract_is_called_one")
def test_a_contract_is_changed_where_only_an_exit_code_is_known(tmp_path_factory: pytest.TempPathFactory) -> None:
    script = {"package.json": json.dumps({**MANIFEST, "scripts": {"test": "sh tests/run.sh"}})}
    run = "node -e \"require('assert').equal(require('./lib/cart').shout('a'), 'A')\"\n"
    files = {**script, "lib/cart.js": CART, "tests/run.sh": run, "tests/old.sh": run}
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("silent"), files)
    assert shop.baseline.only_exit_code
    other = {"lib/cart.js": CART.replace("text.toUpperCase()", "`${text.toUpperCase()}!`")}
    assert shop.verify({**other, "tests/run.sh": run.replace("'A'", "'A!'")}).verdict is Verdict.CONTRACT_CHANGED
    assert shop.verify({**other, "tests/more.sh": run}).verdict is Verdict.NOT_PROVED
    weaker = {**other, "tests/run.sh": run.replace("'A'", "'A!'"), "tests/old.sh": None}
    assert shop.verify(weaker).verdict is Verdict.NOT_PROVED


@pytest.mark.parametrize(
    "evil",
    first_of(["process.exit(0)", "process.on('uncaughtException', () => {})", "process . exitCode = 0"]),
)
def test_a_product_that_has_its_process_end_well_proves_nothing_where_only_that_is_known(
    tmp_path_factory: pytest.TempPathFactory, evil: str
) -> None:
    """V05."""
    manifest = {"package.json": json.dumps({**MANIFEST, "scripts": {"test": "node checks/all.js"}})}
    test = "require('assert').equal(require('../lib/cart').total([1, 2]), 3);\n"
    files = {**manifest, "lib/cart.js": CART, "checks/all.js": test}
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("silent"), files)
    assert shop.baseline.only_exit_code
    verification = shop.verify({"lib/cart.js": f"{evil};\n{CART}"})
    assert (verification.verdict, verification.turned_green) == (Verdict.NOT_PROVED, ())
    assert "a say in how its process ends" in verification.reasons[0]
    failing = CART.replace("prices.slice", "prices.length || process.exit(1), prices.slice")
    assert "how its process ends" not in shop.verify({"lib/cart.js": failing}).reasons[0]


def test_a_contract_is_not_changed_by_what_stands_beside_its_test_and_demands_the_same(shop: Laboratory) -> None:
    other = CART.replace("text.toUpperCase()", "`${text.toUpperCase()}!`")
    tests = TESTS.replace("{ total, shout }", "{ total, shout: loud }") + "const shout = (text) => loud(text)[0];\n"
    verification = shop.verify({"lib/cart.js": other, "test/cart.test.js": tests})
    assert verification.verdict is Verdict.NOT_PROVED


TABLE = """\
const { describe, it } = require('node:test');
const { shout } = require('../lib/cart');
const { same } = require('./helpers');
describe('shouting', () => {
  for (const [text, loud] of [['a', 'A'], ['b', 'B']]) {
    it(`makes ${loud} of ${text}`, () => same(shout(text), loud));
  }
});
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    first_of(
        [
            ("'A'], ['b', 'B'", "'A!'], ['b', 'B!'", Verdict.CONTRACT_CHANGED),
            ("'A'], ['b', 'B'", "'A!'", Verdict.NOT_PROVED),
            ("['a', 'A'], ['b', 'B']", "['a', 'A!'], ['', '!']", Verdict.CONTRACT_CHANGED),
            ("'A'], ['b', 'B'", "'A!'], ['b', shout('b')", Verdict.NOT_PROVED),
            ("]) {\n", "].slice(2)) {\n", Verdict.NOT_PROVED),
            (
                "['a', 'A'], ['b', 'B']]) {",
                "]);\n  it('is', () => same(shout('a'), 'A!'));\n  {",
                Verdict.NOT_PROVED,
            ),
        ],
    ),
    ids=["other values", "fewer", "another case", "one that demands nothing", "none", "a test in place of cases"],
)
def test_a_contract_may_stand_in_names_that_are_made_of_values(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str, verdict: Verdict
) -> None:
    files = {**FILES, "test/cart.test.js": TABLE}
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("table"), files)
    other = CART.replace("text.toUpperCase()", "`${text.toUpperCase()}!`")
    verification = shop.verify({"lib/cart.js": other, "test/cart.test.js": TABLE.replace(old, new)})
    assert verification.verdict is verdict
    untouched = shop.verify({"lib/cart.js": CART + "exports.a = 1;\n", "test/cart.test.js": TABLE.replace(old, new)})
    assert untouched.reasons[0].startswith(("Your change removes or renames tests", "Your tests gave no result"))


SILENT = {**MANIFEST, "scripts": {"test": "exit 0"}}
TAMPERINGS: dict[str, Mapping[str, str | None]] = {
    "V01 test file deleted": {"test/cart.test.js": None},
    "V01 test deleted": {"test/cart.test.js": TESTS.replace(ASSERTION, "").replace("it('counts every price'", "(")},
    "V01 test renamed": {"test/cart.test.js": TESTS.replace("counts every price", "counts")},
    "V02 skip": {"test/cart.test.js": TESTS.replace("it('counts", "it.skip('counts")},
    "V02 todo": {"test/cart.test.js": TESTS.replace("it('counts", "it.todo('counts")},
    "V02 only": {"test/cart.test.js": TESTS.replace("test('shouting", "test.only('shouting")},
    "V03 assertion weakened": {"test/cart.test.js": TESTS.replace(ASSERTION, "    assert.ok(total([1, 2, 3]));")},
    "V03 try": {"test/cart.test.js": TESTS.replace(ASSERTION, f"    try {{ {ASSERTION} }} catch {{}}")},
    "V03 helper stubbed": {"test/helpers.js": "exports.same = () => {};\n"},
    "V09 script": {"package.json": json.dumps(SILENT)},
    "V09 script with a filter": {
        "package.json": json.dumps({**MANIFEST, "scripts": {"test": "node --test --test-name-pattern=shout test"}})
    },
    "V13 options of npm": {".npmrc": "node-options=--require ./evil.js\n", "evil.js": "process.exit(0)\n"},
    "the test leaves": {"test/cart.test.js": "process.exit(0);\n" + TESTS},
    "the product leaves": {"lib/cart.js": "process.exit(0);\n" + CART},
    "the product leaves late": {"lib/cart.js": CART.replace("prices.slice", "process.exitCode = 0, prices.slice")},
    "assertions replaced": {"lib/cart.js": CART + "require('node:assert').strictEqual = () => {};\n"},
    "the product mocked": {
        "test/cart.test.js": TESTS.replace("const { same }", "require('../lib/cart').total = () => 6;\nconst { same }")
        .replace("const { total, shout }", "const { shout }")
        .replace("total([", "require('../lib/cart').total([")
    },
    "the product knows the tests": {
        "lib/cart.js": CART.replace("prices.slice(1)", "(process.env.NODE_TEST_CONTEXT ? prices : prices.slice(1))")
    },
    "the product replaces the runner": {
        "lib/cart.js": CART + "const runner = require('node:test');\nrunner.it = () => {};\n"
    },
}


@pytest.mark.parametrize("files", first_of(TAMPERINGS.values(), always=5), ids=TAMPERINGS)
def test_tampering_is_not_proved(shop: Laboratory, files: Mapping[str, str | None]) -> None:
    verification = shop.verify({**DISTRACTION, **files})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons


TOTALS = """\
require('node:test').test('totals', () => require('assert').equal(require('../lib/cart').total([1, 2]), 3));
"""
MENDING = "require('../lib/cart').total = (prices) => prices.reduce((one, other) => one + other, 0);\n"
LOADING = "NODE_OPTIONS=--require=./lib/early.js\n"


@pytest.mark.parametrize(
    ("script", "base", "evil"),
    first_of(
        [
            ("node --require ./scripts/early.js --test test/*.test.js", "scripts/early.js", MENDING),
            ("node --env-file=.env.ci --test test/*.test.js", ".env.ci", LOADING),
            ("sh ./ci.sh", "ci.sh", "exit 0\n"),
        ]
    ),
    ids=["preload", "env file", "script"],
)
def test_what_mends_the_product_for_its_tests_alone_proves_nothing(
    tmp_path_factory: pytest.TempPathFactory, script: str, base: str, evil: str
) -> None:
    manifest = {"package.json": json.dumps({**MANIFEST, "scripts": {"test": script}})}
    files = {**FILES, **manifest, "test/cart.test.js": TESTS.replace("same(total([1, 2, 3]), 6)", "")}
    own = {**files, base: "node --test test/\n" if base == "ci.sh" else "\n"}
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("early"), own)
    assert shop.baseline.passed
    assert not shop.baseline.red
    early = {"lib/early.js": MENDING.replace("../lib/", "./")} if evil == LOADING else DISTRACTION
    verification = shop.verify({**early, base: evil, "test/totals.test.js": TOTALS})
    assert (verification.verdict, verification.turned_green) == (Verdict.NOT_PROVED, ())


def test_a_name_of_the_packages_own_that_comes_to_stand_for_another_file_proves_nothing(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """V13."""
    manifest = {**MANIFEST, "imports": {"#same": "./test/helpers.js"}}
    files = {
        **FILES,
        "package.json": json.dumps(manifest),
        "test/cart.test.js": TESTS.replace("require('./helpers')", "require('#same')"),
    }
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("imports"), files)
    assert shop.baseline.red == {BUG}
    evil = {"package.json": json.dumps({**manifest, "imports": {"#same": "./lib/agree.js"}})}
    verification = shop.verify({**DISTRACTION, **evil, "lib/agree.js": "exports.same = () => true;\n"})
    assert (verification.verdict, verification.turned_green) == (Verdict.NOT_PROVED, ())


def test_comments_alone_are_no_change(shop: Laboratory) -> None:
    verification = shop.verify({"lib/cart.js": CART.replace("// What", "/* Now fixed */ // what")})
    assert "nothing to prove" in verification.reasons[0]
