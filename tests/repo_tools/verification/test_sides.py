from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode, Tree, TreeEntry
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.links import linked_programs
from repo_tools.verification.sides import Side, Sides, TestLayout, classify, split
from repo_tools.verification.test_names import sounds_like_tests

COMMIT = "0" * 40
ENTRY = TreeEntry(FileMode.REGULAR, COMMIT)
NO_LINKS: Mapping[str, str] = {}
PYTEST, MOCHA = TestCommand("pytest", ("pytest",)), TestCommand("mocha", ("mocha",))
LAYOUT = TestLayout((), frozenset({"tests/test_a.py"}))


def sides_of(base: Mapping[str, str], new: Mapping[str, str | None], layout: TestLayout = LAYOUT) -> Sides:
    before = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in base.items()}
    tree: Tree = {path: file.entry for path, file in before.items()}
    after = {p: None if t is None else FileChange(FileMode.REGULAR, t.encode()) for p, t in new.items()}
    return split(ChangeSet(COMMIT, after), tree, lambda path: before[path].content, layout)


def layout_of(
    paths: Iterable[str],
    *commands: TestCommand,
    names: Iterable[str] = (),
    outcome: TestOutcome = TestOutcome.PASSED,
    links: Mapping[str, str] = NO_LINKS,
    **more: Any,
) -> TestLayout:
    """Of a repository with these `paths` and `links`, whose suite has tests of these `names`: ``path::test``."""
    plan = Environment("any/0", (), (), commands, (), test_file_patterns=more.pop("patterns", ()))
    suite = TestReport("", tuple(TestCase(n, n.partition("::")[0], outcome) for n in names), 0, 1.0, "", **more)
    tree = {**dict.fromkeys(paths, ENTRY), **dict.fromkeys(links, TreeEntry(FileMode.SYMLINK, ""))}
    return TestLayout.of(plan, suite, tree, lambda path: links.get(path, "").encode())


@pytest.mark.parametrize(
    ("path", "side"),
    [
        ("pkg/mod.py", Side.PRODUCT),
        ("README.md", Side.PRODUCT),
        ("pkg/latest.py", Side.PRODUCT),
        ("pkg/contest/rules.py", Side.PRODUCT),
        ("django/test/client.py", Side.PRODUCT),
        ("numpy/testing/utils.py", Side.PRODUCT),
        ("flask/testing.py", Side.PRODUCT),
        ("requirements.txt", Side.PRODUCT),
        ("tests/test_a.py", Side.TESTS),
        ("tests/helpers.py", Side.TESTS),
        ("tests/data/x.json", Side.TESTS),
        ("pkg/tests/deep/data.bin", Side.TESTS),
        ("pkg/test_mod.py", Side.TESTS),
        ("pkg/mod_test.py", Side.TESTS),
        ("app/tests.py", Side.TESTS),
        ("testutils.py", Side.TESTS),
        ("test_data/golden.txt", Side.TESTS),
        ("testing/data/case.py", Side.TESTS),
        ("test/README.md", Side.TESTS),
        ("unit_tests/x.py", Side.TESTS),
        ("x/__snapshots__/y.ambr", Side.TESTS),
        ("test.c", Side.TESTS),
        ("util/cache_test.cc", Side.TESTS),
        ("src/parse_unittest.cpp", Side.TESTS),
        ("src/ParserTest.cpp", Side.TESTS),
        ("src/test-parse.cxx", Side.TESTS),
        ("src/contest.c", Side.PRODUCT),
        ("src/DeclSpec.cpp", Side.PRODUCT),
        ("src/gtest-test-part.cc", Side.PRODUCT),
        ("doctest.cpp", Side.PRODUCT),
        ("conftest.py", Side.CONFIGURATION),
        ("tests/deep/conftest.py", Side.CONFIGURATION),
        ("pytest.ini", Side.CONFIGURATION),
        ("tests/.pytest.ini", Side.CONFIGURATION),
        ("pytest.toml", Side.CONFIGURATION),
        ("tox.ini", Side.CONFIGURATION),
        ("noxfile.py", Side.CONFIGURATION),
        (".coveragerc", Side.CONFIGURATION),
        ("testem.js", Side.CONFIGURATION),
        ("japaFile.js", Side.CONFIGURATION),
        (".aegir.js", Side.CONFIGURATION),
        ("playwright.config.ts", Side.CONFIGURATION),
        ("karma.conf.js", Side.CONFIGURATION),
        ("config/karma.unit.js", Side.CONFIGURATION),
        ("karma-ci.conf.ts", Side.CONFIGURATION),
        ("karma.js/index.html", Side.PRODUCT),
        ("lib/karmas.js", Side.PRODUCT),
        ("angular.json", Side.CONFIGURATION),
        ("Makefile", Side.CONFIGURATION),
        ("Makefile.am", Side.CONFIGURATION),
        ("configure.ac", Side.CONFIGURATION),
        ("m4/threads.m4", Side.CONFIGURATION),
        ("src/skeletons/c.m4", Side.PRODUCT),
        ("build-aux/test-driver", Side.CONFIGURATION),
        ("build-aux/tap-driver.sh", Side.CONFIGURATION),
        ("CMakeLists.txt", Side.CONFIGURATION),
        ("tests/CMakeLists.txt", Side.CONFIGURATION),
        ("cmake/testing.cmake", Side.CONFIGURATION),
        ("CMakePresets.json", Side.CONFIGURATION),
        ("meson.build", Side.CONFIGURATION),
        ("test/meson.build", Side.CONFIGURATION),
        ("meson_options.txt", Side.CONFIGURATION),
        ("meson.options", Side.CONFIGURATION),
        ("parse.cmake.in", Side.PRODUCT),
        ("sitecustomize.py", Side.CONFIGURATION),
        ("src/usercustomize/__init__.py", Side.CONFIGURATION),
        ("evil.pth", Side.CONFIGURATION),
        ("evil.egg-info/entry_points.txt", Side.CONFIGURATION),
        ("src/evil-1.dist-info/entry_points.txt", Side.CONFIGURATION),
        ("evil-1.DIST-INFO/entry_points.txt", Side.CONFIGURATION),
        ("unittest.cfg", Side.CONFIGURATION),
        ("Makefile.inc", Side.CONFIGURATION),
        ("bunfig.toml", Side.CONFIGURATION),
        ("jest.unit.config.js", Side.CONFIGURATION),
        ("jest.config.base.js", Side.CONFIGURATION),
        (".jest.config.js", Side.CONFIGURATION),
        ("generators/app/templates/jest.config.js.ejs", Side.PRODUCT),
        ("generators/app/files/jest.config.ts__tmpl__", Side.PRODUCT),
        ("lib/generators/templates/Gemfile.tt", Side.PRODUCT),
        ("Gemfile.next", Side.CONFIGURATION),
        ("src/config.js", Side.PRODUCT),
        (".pnp.cjs", Side.CONFIGURATION),
        (".pnp.loader.mjs", Side.CONFIGURATION),
        (".yarn/releases/yarn-4.cjs", Side.CONFIGURATION),
        (".swcrc", Side.CONFIGURATION),
        (".rspec-local", Side.CONFIGURATION),
        (".bundle/config", Side.CONFIGURATION),
        ("Gemfile", Side.CONFIGURATION),
        ("shop/__pycache__/cart.cpython-311.pyc", Side.CONFIGURATION),
        ("shop/cart.pyc", Side.CONFIGURATION),
        (".mvn/jvm.config", Side.CONFIGURATION),
        ("buildSrc/src/main/java/Rules.java", Side.CONFIGURATION),
        ("src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener", Side.CONFIGURATION),
        ("src/main/resources/META-INF/services/org.shop.Prices", Side.PRODUCT),
        (".env.test", Side.CONFIGURATION),
        (".env.test.local", Side.CONFIGURATION),
        (".env.example", Side.PRODUCT),
        ("src/snapshots/till__tests__total.snap", Side.TESTS),
        ("till/src/testFixtures/java/Same.java", Side.TESTS),
        ("src/commonTest/kotlin/Same.kt", Side.PRODUCT),
    ],
)
def test_each_path_has_its_side(path: str, side: Side) -> None:
    assert classify(path, LAYOUT) is side


def test_a_folder_called_test_holds_tests_where_tests_were_collected_below_it() -> None:
    layout = TestLayout((), frozenset({"test/unit/test_x.py"}))
    assert classify("test/support/server.py", layout) is Side.TESTS
    assert classify("pkg/test/client.py", layout) is Side.PRODUCT


def test_a_source_set_of_tests_holds_tests_where_tests_were_collected_below_it() -> None:
    layout = TestLayout((), frozenset({"till/src/commonTest/kotlin/TotalTest.kt", "latest/a.js"}))
    assert classify("till/src/commonTest/kotlin/Same.kt", layout) is Side.TESTS
    assert classify("src/abTest/kotlin/Same.kt", layout) is Side.PRODUCT
    assert classify("src/hitTest/polygon.c", TestLayout(unlocated=True)) is Side.PRODUCT
    assert classify("latest/b.js", layout) is Side.PRODUCT


@pytest.mark.parametrize(
    ("path", "is_called_so"),
    [
        ("shop/testing.py", True),
        ("shop/_testing/equal.py", True),
        ("internal/testutil/same.go", True),
        ("src/cartTestHelpers.ts", True),
        ("config/environments/test.rb", True),
        ("fixtures/sums.json", True),
        ("src/latest/contest.py", False),
        ("src/attestation/testimonials.js", False),
        ("docs/testing.md", False),
    ],
)
def test_product_that_may_help_tests_is_known_by_its_words(path: str, is_called_so: bool) -> None:
    assert sounds_like_tests(path) is is_called_so


@pytest.mark.parametrize("place", [".", "cpp"])
def test_a_folder_called_test_holds_tests_where_nobody_tells_from_which_files_tests_come(place: str) -> None:
    layout = layout_of((), TestCommand("ctest", ("ctest",), "cpp"), names=[f"{place}::parse"])
    for path in (
        "test/suites/parse.c",
        "Tests/parse.c",
        "unittest/a.c",
        "t/parse.t",
        "lib/regress/a.sh",
        "SelfTest/a.c",
        "test/include/a.h",
    ):
        assert classify(path, layout) is Side.TESTS
    for path in ("src/parse.c", "include/parse/test/fixture.hpp"):
        assert classify(path, layout) is Side.PRODUCT


def test_a_module_called_like_tests_that_a_package_ships_is_product() -> None:
    paths = ("test_client.py", "pkg/test_utils.py", "pkg/command/test.py", "app/test_helpers.py", "app/test_a.py")
    packages = ("pkg/__init__.py", "pkg/command/__init__.py", "app/__init__.py", "tests/__init__.py")
    tree = (*paths, *packages, "tests/test_utils.py", "tools/test_helpers.py")
    names = ("app/test_a.py::test", "tests/test_b.py::test")
    whole, part = layout_of(tree, PYTEST, names=names), layout_of(tree, PYTEST, names=names, part=(1, 2))
    product = {path for path in tree if classify(path, whole) is Side.PRODUCT and path not in packages}
    assert product == {"pkg/test_utils.py", "pkg/command/test.py"}
    assert classify("pkg/other/test_utils.py", whole) is Side.TESTS  # a new one
    assert classify("pkg/test_utils.py", part) is Side.TESTS


@pytest.mark.parametrize(
    ("path", "collected"),
    [
        ("shop/test_helpers.py", "shop/tests/test_till.py"),
        ("shop/till/base_test_case.py", "shop/till/cash/tests/test_coins.py"),
        ("e2e/test_utils.py", "checks/test_till.py"),
        ("shop/testing/test_utils.py", "checks/test_till.py"),
        ("src/test.ts", "src/__tests__/till.ts"),
        ("app/e2e/test.ts", "app/src/till.test.ts"),
    ],
)
def test_what_helps_tests_that_stand_below_it_or_among_others_is_theirs(path: str, collected: str) -> None:
    folder = path.rpartition("/")[0]
    tree = (path, collected, f"{folder}/__init__.py", f"{folder}/index.ts")
    assert classify(path, layout_of(tree, TestCommand("any", ("any",)), names=[f"{collected}::test"])) is Side.TESTS


def test_a_module_called_like_tests_among_those_of_javascript_is_product() -> None:
    paths = ("test.js", "src/test.js", "src/find.js", "types/test.ts", "types/index.d.ts", "a/test.js", "a/index.js")
    tree = (*paths, "test/test.js", "py/test.py", "py/__init__.py")
    layout = layout_of(tree, MOCHA, names=("test/find.js::finds", "a/test.js::finds"))
    product = {path for path in tree if classify(path, layout) is Side.PRODUCT}
    assert product == {"src/test.js", "src/find.js", "types/index.d.ts", "a/index.js", "py/__init__.py"}


def test_configured_test_paths_and_collected_files_are_tests_whatever_their_names() -> None:
    layout = TestLayout(("checks",), frozenset({"pkg/verify_it.py"}))
    assert classify("checks/common.py", layout) is Side.TESTS
    assert classify("pkg/verify_it.py", layout) is Side.TESTS
    assert classify("checks_too/common.py", layout) is Side.PRODUCT


def test_a_module_that_cannot_be_imported_for_its_examples_is_product() -> None:
    paths = ("pkg/__init__.py", "pkg/cart.py", "pkg/test_cart.py", "pkg/check_cart.py")
    examples = TestCommand("pytest", ("pytest", "--doctest-modules"))
    layout = layout_of(paths, examples, names=paths, outcome=TestOutcome.ERROR, patterns=("check_*.py",))
    assert [path for path in paths if classify(path, layout) is Side.PRODUCT] == ["pkg/__init__.py", "pkg/cart.py"]


def test_what_linters_say_of_a_file_as_tests_of_it_makes_no_tests_of_the_file() -> None:
    files = {
        "shop.py": "# mypy: strict\ndef total(): return '{}'.format(0)\n",
        "shades.py": "SHADES = {'black': 0}\n",
        "both.py": "from shop import *\n",
        "types.pyi": "def total() -> int: ...\n",
        "checks.py": "def check_total(): pass\n",
        "more_checks.py": "class Inherits(Checks): pass\n",
        "all_checks.py": "from checks import *\n",
        "test_shop.py": "def test_total(): pass\n",
    }
    linters = ("flake-8::FLAKE8", "mypy", "black", "ruff::format")
    named = ("shop.py::shop.total", "checks.py::check_total[1]", "more_checks.py::Inherits::check_it")
    cases = (*named, "all_checks.py::check_total", "test_shop.py::test_total")
    made = ("test_shop.py::TillTests_0::test_sum", "test_shop.py::test_made", "test_shop.py::mypy-status")
    every = (*cases, *made, *(f"{path}::{linter}" for path in files for linter in linters))
    suite = TestReport(
        "pytest", tuple(TestCase(i, i.partition("::")[0], TestOutcome.PASSED) for i in every), 0, 1.0, ""
    )
    plan = Environment("python/0", (), (), (TestCommand("pytest", ("pytest",)),), ())
    layout = TestLayout.of(plan, suite, dict.fromkeys(files, ENTRY), lambda path: files[path].encode())
    assert layout.collected == {"checks.py", "more_checks.py", "all_checks.py", "test_shop.py"}
    assert layout.linters == {"flake-8", "mypy", "mypy-status", "black", "ruff"}


def test_what_the_suites_command_starts_the_tests_by_is_configuration_and_product_that_it_names_is_not() -> None:
    paths = ("runtests.py", "run-tests.sh", "tools/ci.js", "tools/unit.js", "bin/tape", "manage.py", "lib/manage.py")
    words = {
        "unittest": ("python", "runtests.py"),
        "django": ("python", "manage.py", "test"),
        "mocha": ("sh", "-c", "mocha --config tools/unit.js && ./run-tests.sh"),
        "node_tap": ("node", "bin/tape", "--loader=tools/ci.js"),
    }
    layout = layout_of(paths, *(TestCommand(runner, argv) for runner, argv in words.items()))
    configuration = {path for path in paths if classify(path, layout) is Side.CONFIGURATION}
    assert configuration == {"runtests.py", "run-tests.sh", "tools/ci.js", "tools/unit.js", "manage.py"}


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (("sh", "-c", "PATH=$PWD/node_modules/.bin:$PATH; grunt test"), "Gruntfile.js"),
        (("node_modules/.bin/gulp", "test"), "gulpfile.babel.js"),
        (("grunt", "--gruntfile", "build/tasks.js"), "build/tasks.js"),
        (("just", "test"), "justfile"),
        (("inv", "test"), "tasks.py"),
    ],
)
def test_what_a_program_that_only_ends_well_or_not_reads_its_tasks_from_is_the_tests(
    words: tuple[str, ...], path: str
) -> None:
    def side(runner: str) -> Side:
        layout = layout_of((path, f"lib/{path}"), TestCommand(runner, words))
        assert classify(f"lib/{path}", layout) is Side.PRODUCT
        return classify(path, layout)

    assert (side("exit_code"), side("mocha")) == (Side.TESTS, Side.CONFIGURATION)


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("hook.js", {"package.json": '{"mocha": {"require": "./hook"}}'}),
        ("a/hook.ts", {".mocharc.yml": "require:\n  # all of it\n  - ts-node/register # first\n  - a/hook.ts\n"}),
        ("a/hook.js", {"test/mocha.opts": "--require ./a/hook\n"}),
        ("a/hook.js", {".mocharc.js": "module.exports = {\n  spec: 'spec',\n  file: ['a/hook.js'],\n};\n"}),
        ("a/hook.ts", {"bunfig.toml": '[test]\nroot = "a"\npreload = ["./a/hook.ts"]\n'}),
        ("a/hook.js", {".taprc": "ts: false\nnode-arg:\n  - --no-warnings\n  - '--import=./a/hook.js'\n"}),
        ("sub/a/env.js", {"sub/jest.config.js": "module.exports = {\n  setupFiles: ['<rootDir>/a/env.js'],\n};\n"}),
        ("a/env.js", {"package.json": '{"jest": {"transform": {"\\\\.js$": "./a/env.js"}}}'}),
        ("a/env.js", {"jest.config.js": "module.exports = { reporters: [['x', { y: [], z: {} }], './a/env.js'] }"}),
        ("a/env.ts", {"vite.config.ts": "export default { test: { globalSetup: './a/env.ts' } }"}),
        ("hook.mjs", {"package.json": '{"main": "lib/index.js", "files": ["lib", "hooks.mjs"]}'}),
        (".env.ci", {}),
    ],
)
def test_what_is_loaded_before_the_tests_is_configuration(path: str, files: Mapping[str, str]) -> None:
    node = ("node", "--env-file=.env.ci", "--test")
    with_hook = TestCommand("node_test", node, "", (("NODE_OPTIONS", "--import=./hook.mjs"),))
    assert _side_of(path, files, TestCommand("mocha", ("mocha",), "sub"), with_hook) is Side.CONFIGURATION


@pytest.mark.parametrize("folder", ["./sub/deep", ".sub/deep", "sub/deep/"])
def test_configuration_above_a_suites_folder_counts_however_that_is_written(folder: str) -> None:
    above = folder.removeprefix("./").split("/")[0]
    files = {f"{above}/.mocharc.json": '{"require": "./hook"}'}
    assert _side_of(f"{above}/hook.js", files, TestCommand("mocha", ("mocha",), folder)) is Side.CONFIGURATION


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("register.js", {"package.json": '{"exports": {"./register": "./register.js"}}'}),
        ("register.js", {"package.json": '{"files": ["*.json", "register.js"]}'}),
        ("lib/hook.js", {"package.json": '{"files": ["lib/**"], "mocha": {"require": ["./lib/hook.js"]}}'}),
        (
            "src/index.ts",
            {"jest.config.js": "module.exports = { moduleNameMapper: { '^shop$': '<rootDir>/src/index.ts' } }"},
        ),
        ("register.rb", {}),
    ],
)
def test_what_a_package_ships_is_product_though_the_tests_have_it_loaded_first(
    path: str, files: Mapping[str, str]
) -> None:
    commands = (
        TestCommand("mocha", ("mocha", "-r", "./register")),
        TestCommand("rspec", ("rspec", "-r", "register.rb")),
    )
    assert _side_of(path, files, *commands) is Side.PRODUCT


def test_a_link_may_lead_through_others_or_round() -> None:
    links = {
        "conftest.py": "a",
        "a": "b/conf.py",
        "b": "tools/c",
        "tests": "loop/x",
        "loop": "loop/y",
        "x/tests": "../..",
    }
    tree = {**dict.fromkeys(links, TreeEntry(FileMode.SYMLINK, "")), "tools/c/conf.py": ENTRY, "tools/c/d.py": ENTRY}
    assert linked_programs(tree, lambda path: links[path].encode())[0] == {"tools/c/conf.py"}
    assert not linked_programs(tree, lambda path: links[path].encode())[1]


@pytest.mark.timeout(10)
def test_many_links_are_followed_in_time() -> None:
    tree = {f"{number}/tests": TreeEntry(FileMode.SYMLINK, "") for number in range(4_000)}
    files = {f"src/{number}.py": ENTRY for number in range(20_000)}
    _, tests = linked_programs({**tree, **files}, lambda _: b"../src/7.py")
    assert tests == {"src/7.py"}


def test_what_a_link_names_as_configuration_or_tests_is_that() -> None:
    """Whatever its own name is; a link that is called otherwise may bring product to the tests."""
    links = {"conftest.py": "tools/setup.py", "sub/tests": "../checks", "tests/shop": "../shop", "x.py": "/etc/passwd"}
    paths = ("tools/setup.py", "tools/other.py", "checks/unit/same.py", "checks/data.json", "shop/cart.py")
    layout = layout_of(paths, links=links)
    sides = [Side.CONFIGURATION, Side.PRODUCT, Side.TESTS, Side.TESTS, Side.PRODUCT]
    assert [classify(path, layout) for path in paths] == sides


def _side_of(path: str, files: Mapping[str, str], *commands: TestCommand) -> Side:
    plan, suite = Environment("any/0", (), (), commands, ()), TestReport("", (), 0, 1.0, "")
    return classify(path, TestLayout.of(plan, suite, dict.fromkeys((path, *files), ENTRY), lambda p: files[p].encode()))


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("src/index.ts", {"package.json": '{"ava": {"typescript": {"rewritePaths": {"src/": "dist/"}}}}'}),
        ("src/cart.ts", {".mocharc.json": '{"watch-files": ["src/cart.ts"], "require": "ts-node/register"}'}),
        ("extension.ts", {".mocharc.yml": "extension:\n  - ts\nrequire:\n  - tsx\nspec: test\n"}),
        ("src/index.ts", {"bunfig.toml": '[test]\nroot = "src"\n'}),
        ("node.js", {"jest.config.js": "module.exports = { testEnvironment: 'node' };\n"}),
        ("index.js", {"package.json": '{"name": "reports", "jest": {"reporters": ["<rootDir>/index.js"]}}'}),
    ],
)
def test_product_that_a_runners_configuration_speaks_of_otherwise_is_product(
    path: str, files: Mapping[str, str]
) -> None:
    assert _side_of(path, files, MOCHA) is Side.PRODUCT


@pytest.mark.parametrize(
    ("runner", "words", "path", "side"),
    [
        ("exit_code", "node check.js", "check.js", Side.TESTS),
        ("exit_code", "node ./verify --all", "verify.js", Side.TESTS),
        ("exit_code", "python3 examples/all.py", "examples/all.py", Side.TESTS),
        ("exit_code", "node shop.js", "shop.js", Side.PRODUCT),
        ("exit_code", "node bin/shop.js --check", "bin/shop.js", Side.PRODUCT),
        ("exit_code", "eslint check.js", "check.js", Side.PRODUCT),
        ("japa", "node -r ts-node/register bin/run.ts", "bin/run.ts", Side.CONFIGURATION),
        ("mocha", "mocha --file a/start.js", "a/start.js", Side.CONFIGURATION),
        ("node_tap", "node tape.js test/*.js", "tape.js", Side.PRODUCT),
    ],
)
def test_a_file_that_a_suite_is_started_with_holds_it_or_configures_it(
    runner: str, words: str, path: str, side: Side
) -> None:
    manifest = {"package.json": '{"main": "shop.js"}', path: ""}
    assert _side_of(path, manifest, TestCommand(runner, ("sh", "-c", words))) is side


def test_what_a_build_before_the_tests_is_configured_with_is_product() -> None:
    built = ("sh", "-c", 'rollup -c rollup.config.js && exec "$@"', "sh", "mocha", "--config", "tools/unit.js")
    paths = ("rollup.config.js", "tools/unit.js")
    layout = layout_of(paths, TestCommand("mocha", built))
    assert [classify(path, layout) for path in paths] == [Side.PRODUCT, Side.CONFIGURATION]


def test_a_script_of_which_only_the_exit_code_is_known_is_the_tests_themselves() -> None:
    layout = layout_of(("sub/run-tests.sh",), TestCommand("exit_code", ("sh", "run-tests.sh"), "sub"))
    assert classify("sub/run-tests.sh", layout) is Side.TESTS
    assert classify("run-tests.sh", layout) is Side.PRODUCT


def test_so_is_one_that_is_called_otherwise_unless_it_may_be_product() -> None:
    built = ("sh", "-c", 'node tools/build.js && exec "$@"', "sh", "node", "bin/shop.js", "--check")
    words = (("sh", "-c", "sh check && node ci/all.js"), ("./go.sh",), built)
    paths = ("check", "ci/all.js", "go.sh", "tools/build.js", "bin/shop.js")
    layout = layout_of(paths, *(TestCommand("exit_code", argv) for argv in words))
    assert [path for path in paths if classify(path, layout) is not Side.TESTS] == ["tools/build.js", "bin/shop.js"]


def test_a_configured_root_does_not_make_everything_a_test() -> None:
    assert classify("pkg/mod.py", TestLayout((".",), frozenset())) is Side.PRODUCT


def test_a_change_is_sorted_and_configuration_counts_for_nothing() -> None:
    base = {"pkg/a.py": "1", "tests/test_a.py": "1", "tests/test_old.py": "1", "conftest.py": "1"}
    new = {
        "pkg/a.py": "2",
        "tests/test_a.py": "2",
        "tests/data.txt": "2",
        "tests/test_old.py": None,
        "conftest.py": "2",
    }
    sides = sides_of(base, new)
    assert list(sides.product) == ["pkg/a.py"]
    assert list(sides.tests) == ["tests/data.txt", "tests/test_a.py", "tests/test_old.py"]
    assert sides.test_files == ("tests/test_a.py",)
    assert sides.left_out == ("conftest.py",)
    assert set(sides.counted) == {*new} - {"conftest.py"}


def test_a_mixed_file_counts_without_its_test_tables() -> None:
    base = {"setup.cfg": "[metadata]\nname = x\n[tool:pytest]\naddopts = -q\n"}
    sides = sides_of(base, {"setup.cfg": "[metadata]\nname = y\n[tool:pytest]\naddopts = --co\n"})
    written = sides.product.files["setup.cfg"]
    assert written is not None
    assert written.content == b"[metadata]\nname = y\n[tool:pytest]\naddopts = -q\n"
    assert sides.left_out == ("setup.cfg",)


@pytest.mark.parametrize("new", ["[tool:pytest]\naddopts = --co\n", "no ini", None])
def test_a_mixed_file_with_nothing_else_to_count_stays_as_in_the_base(new: str | None) -> None:
    sides = sides_of({"setup.cfg": "[tool:pytest]\naddopts = -q\n"}, {"setup.cfg": new})
    assert not sides.counted
    assert sides.left_out == ("setup.cfg",)


def test_a_mixed_file_whose_test_tables_stay_is_product() -> None:
    sides = sides_of({"pyproject.toml": "[project]\nname = 'x'\n"}, {"pyproject.toml": "[project]\nname = 'y'\n"})
    assert list(sides.product) == ["pyproject.toml"]
    assert sides.left_out == ()


@pytest.mark.parametrize("path", ["tests/fixtures/shop/package.json", "tests/packages/shop/pyproject.toml"])
def test_a_manifest_that_tests_read_is_theirs(path: str) -> None:
    new = {path: "{}", "tests/fixtures/shop/test.js": "", "tests/test_a.py": "", "shop.py": "y"}
    sides = sides_of({"shop.py": "x"}, new)
    assert (set(sides.product.files), sides.test_data, sides.left_out) == ({"shop.py"}, (path,), ())


@pytest.mark.parametrize("path", ["tests/setup.cfg", "tests/new/setup.cfg"])
def test_a_manifest_that_may_configure_tests_counts_without_its_test_tables(path: str) -> None:
    sides = sides_of({}, {path: "[tool:pytest]\naddopts = --co\n", "tests/new/deep/test_b.py": ""})
    written = sides.product.files[path]
    assert (written and written.content, sides.left_out) == (b"", (path,))


def test_a_manifest_that_configures_jest_for_tests_beside_it_counts_for_nothing() -> None:
    path = "tests/new/package.json"
    sides = sides_of({path: "{}"}, {path: '{"jest": {"setupFiles": ["./a.js"]}}', "tests/new/b.test.js": ""})
    assert (set(sides.counted.files), sides.left_out) == ({"tests/new/b.test.js"}, (path,))


SPECS = TestLayout((), frozenset({"tests/cart_spec.py"}), ("*_spec.py",))


def test_new_files_that_are_named_as_the_configuration_says_hold_tests() -> None:
    sides = sides_of({"cart.py": "x"}, {"cart.py": "y", "tests/mean_spec.py": "", "mean_spec.py": ""}, SPECS)
    assert sides.test_files == ("mean_spec.py", "tests/mean_spec.py")
    assert set(sides.product.files) == {"cart.py"}


def test_a_file_of_the_base_that_is_named_so_and_was_not_collected_is_product() -> None:
    assert set(sides_of({"open_spec.py": "x"}, {"open_spec.py": "y"}, SPECS).product.files) == {"open_spec.py"}


def test_a_pattern_that_takes_every_file_tells_nothing_outside_of_the_tests() -> None:
    layout = TestLayout(("tests",), frozenset({"tests/a.py"}), ("*.py",))
    sides = sides_of({"cart.py": "x"}, {"sums.py": "y", "tests/b.py": ""}, layout)
    assert (set(sides.product.files), sides.test_files) == ({"sums.py"}, ("tests/b.py",))


def test_a_new_javascript_file_holds_tests_whatever_its_name_where_tests_are_in_it() -> None:
    layout = TestLayout((), frozenset({"test/cart.js"}))
    tap, helper = "const t = require('tap');\nt.test('a', (t) => t.end());\n", "exports.reset = () => {};\n"
    new = {"test/escaping.js": tap, "test/common.js": helper, "test/samples/a.js": tap, "test/old.js": f"{tap}\n"}
    sides = sides_of({"test/cart.js": tap, "test/old.js": tap}, new, layout)
    assert sides.test_files == ("test/escaping.js",)
    assert set(sides.test_data) == set(new) - {"test/escaping.js"}


RUST = """pub fn sum() -> u32 { 1 }

#[cfg(test)]
mod tests {
    #[test]
    fn adds() { assert_eq!(super::sum(), 1); }
}
"""
FIXED = RUST.replace("{ 1 }", "{ 2 }")
ASSERTED = RUST.replace("sum(), 1", "sum(), 2")
BOTH = FIXED.replace("sum(), 1", "sum(), 2")


def test_a_file_with_rusts_unit_tests_is_parted() -> None:
    sides = sides_of({"src/lib.rs": RUST}, {"src/lib.rs": BOTH}, TestLayout())
    assert _texts(sides.product) == {"src/lib.rs": FIXED}
    assert _texts(sides.tests) == {"src/lib.rs": ASSERTED}
    assert sides.test_files == ("src/lib.rs",)
    assert _texts(sides.counted) == {"src/lib.rs": BOTH}


@pytest.mark.parametrize(
    ("new", "product", "tests"), [(FIXED, FIXED, None), (ASSERTED, None, ASSERTED), (RUST + "\n", RUST + "\n", None)]
)
def test_where_one_part_is_changed_the_file_is_of_one_side(new: str, product: str | None, tests: str | None) -> None:
    sides = sides_of({"src/lib.rs": RUST}, {"src/lib.rs": new}, TestLayout())
    assert (_texts(sides.product).get("src/lib.rs"), _texts(sides.tests).get("src/lib.rs")) == (product, tests)
    assert _texts(sides.counted) == {"src/lib.rs": new}


def test_a_module_in_rust_that_is_compiled_for_tests_alone_is_theirs() -> None:
    base = {"src/lib.rs": "#[cfg(test)] mod tests;\n", "src/tests.rs": "", "src/old.rs": ""}
    sides = sides_of(base, {"src/tests.rs": "#[test] fn a() {}\n", "src/old.rs": None}, TestLayout())
    assert (tuple(sides.tests), sides.test_files, tuple(sides.product)) == (
        ("src/tests.rs",),
        ("src/tests.rs",),
        ("src/old.rs",),
    )


def test_a_file_in_rust_that_cannot_be_parsed_is_the_products() -> None:
    sides = sides_of({"src/lib.rs": RUST}, {"src/lib.rs": BOTH.replace("mod tests {", "mod tests {{")}, TestLayout())
    assert (tuple(sides.product), tuple(sides.tests)) == (("src/lib.rs",), ())


def _texts(change: ChangeSet) -> dict[str, str]:
    return {path: new.content.decode() for path, new in change.files.items() if new}


def test_a_new_test_program_in_rust_holds_tests_and_what_helps_it_none() -> None:
    new = dict.fromkeys(("tests/all.rs", "core/tests/deep/main.rs", "tests/common/mod.rs", "tests/ui/fails.rs"), "")
    assert sides_of({}, new, TestLayout()).test_files == ("core/tests/deep/main.rs", "tests/all.rs")


def test_a_snapshot_that_is_called_like_a_test_is_data_of_one() -> None:
    path = "tap-snapshots/test/cart.js.test.cjs"
    layout = TestLayout(collected=frozenset({"test/cart.js"}))
    sides = sides_of({path: "one"}, {path: "two", "lib/cart.js": "new"}, layout)
    assert (sides.test_files, sides.test_data) == ((), (path,))
    assert sides_of({path: "one"}, {path: "two"}, TestLayout(collected=frozenset({path}))).test_files == (path,)
