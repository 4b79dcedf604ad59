"""Files that keep their reader busy, by chance or by design: the plan is made all the same, and at once. Without the
bounds, each of these takes hours, or more memory than there is."""

import itertools
import json

import pytest

from repo_tools.environment.contract import NoTestsError, TestCommand
from repo_tools.environment.detect import detect
from repo_tools.environment.javascript.files import holds_javascript_tests
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.recipes import with_recipes
from repo_tools.environment.python.groups import expand_extra, expand_group
from repo_tools.environment.python.setup_file import setup_arguments
from repo_tools.environment.runners import RUNNERS
from repo_tools.environment.runners.contract import Account
from tests.support.files_checkout import FilesCheckout

MANY = 300_000
JOB = "jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: python runtests.py\n"
CI = {".github/workflows/ci.yml": JOB, "runtests.py": "import shop", "shop.py": ""}
PACKAGE = {"scripts": {"test": "grunt test"}, "devDependencies": {"mocha": "1"}}
GRUNT = {"package.json": json.dumps(PACKAGE), "test/a.js": ""}


@pytest.mark.parametrize(
    ("files", "runner"),
    [
        ({"a.go": "package a\n" + MANY * "\n", "a_test.go": "package a"}, "go_test"),
        ({**CI, "test_a.py": MANY * "\n"}, "exit_code"),
        ({**CI, "test_a.py": MANY * "class A(\n"}, "exit_code"),
        ({**GRUNT, "package.json": json.dumps({**PACKAGE, "engines": {"node": f"1{MANY * chr(10)}!"}})}, "exit_code"),
        ({**GRUNT, "Gruntfile.js": "karma: {\nmochaTest: {\n" + MANY * "src:["}, "exit_code"),
        ({**GRUNT, "Gruntfile.js": "karma: {\n" + MANY * "mochaTest: {\n"}, "exit_code"),
    ],
    ids=[
        "imports of Go",
        "empty lines",
        "open classes",
        "versions of Node",
        "open lists",
        "open tasks",
    ],
)
def test_a_plan_is_made_of_long_files(files: dict[str, str], runner: str) -> None:
    checkout = FilesCheckout(files)
    assert [command.runner for command in detect(checkout.tree, checkout.read).tests] == [runner]


def test_programs_and_tests_that_are_only_begun_are_soon_passed_by() -> None:
    begun = "project(a)\n" + MANY // 15 * "add_executable(\n"
    checkout = FilesCheckout({"CMakeLists.txt": begun, **{f"cmake/{number}.cmake": begun for number in range(20)}})
    with pytest.raises(NoTestsError):
        detect(checkout.tree, checkout.read)
    assert not holds_javascript_tests("test/a.js", b"x: function" + MANY * b" ")


def test_variables_of_make_that_stand_for_many_are_left_to_make() -> None:
    chain = "".join(f"{name} = {20 * f'$({more})'}\n" for name, more in zip("ABC", "BCD", strict=True))
    checkout = FilesCheckout({"Makefile": f"{chain}D = abc\ntest:\n\tmocha $(A)\nother:\n\tmocha $(D)\n"})
    package = with_recipes(Package("", {"scripts": {"test": "make test"}}), checkout.tree, checkout.read)
    assert package.scripts == {"make other": "mocha abc", "test": "make test"}


def test_names_of_a_setup_file_that_stand_for_many_are_not_followed_without_end() -> None:
    pairs = list(zip("abc", "bcd", strict=True))
    texts = "".join(f"{name} = f'{20 * ('{' + more + '}')}'\n" for name, more in reversed(pairs))
    assert setup_arguments(f"d = 'd'\n{texts}setup(a=a, c=c)") == {"a": None, "c": 20 * "d"}
    lists = "".join(f"{name} = [{60 * (more + ',')}]\n" for name, more in reversed(pairs))
    found = setup_arguments(f"d = 'd'\n{lists}setup(a=a)")["a"]
    assert 0 < json.dumps(found).count('"d"') < 50_000


def test_groups_and_extras_that_take_one_another_in_stand_once_each() -> None:
    names = [f"group-{number}" for number in range(2_000)]
    groups = {name: [*({"include-group": other} for other in names[:40]), name] for name in names[:40]}
    assert sorted(expand_group(groups, names[0])) == sorted(names[:40])
    extras = {name: [f"own[{','.join(names[:40])}]", name] for name in names[:40]}
    assert sorted(expand_extra(extras, names[0], "own")) == sorted(names[:40])
    chain = {name: [{"include-group": other}, name] for name, other in itertools.pairwise(names)}
    assert 0 < len(expand_group(chain, names[0])) <= 100


def test_a_target_of_cargo_in_more_folders_than_there_can_be_is_none() -> None:
    deep, near = f"/workspace/{MANY * 'a/'}it.rs", "/workspace/a/tests/it.rs"
    told = json.dumps({"targets": [["it", deep], ["it", near]]})
    text = f"{told}\n     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)\ntest a ... ok\n"
    reading = RUNNERS["cargo"].read(Account(0, text.encode()), TestCommand("cargo", ("cargo", "test")), lambda _: False)
    assert [case.id for case in reading.cases] == ["a/tests/it.rs::a"]
