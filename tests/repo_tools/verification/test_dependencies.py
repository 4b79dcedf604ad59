import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.verification.dependencies import added_packages, added_requirements


def added(path: str, before: str, after: str | None) -> tuple[str, ...]:
    state = None if after is None else FileChange(FileMode.REGULAR, after.encode())
    base = FileChange(FileMode.REGULAR, before.encode())
    return added_requirements(ChangeSet("0" * 40, {path: state}), {path: base.entry}, lambda _: before.encode())


def test_what_a_change_adds_to_each_kind_of_manifest_is_named_as_it_is_written() -> None:
    assert added(
        "requirements.txt", "a\n", "# b\na\n-r other.txt\nc==1 --hash=sha256:0\nd>2 ; python_version > '3'\n"
    ) == (
        "c==1",
        "d>2 ; python_version > '3'",
    )
    assert added("requirements/base.txt", "", "a") == ("a",)
    assert added("pyproject.toml", "", "[project]\ndependencies = ['a>=1']\n") == ("a>=1",)
    poetry = "[tool.poetry.dependencies]\npython = '^3.9'\na = '^1.2'\n"
    assert added("pyproject.toml", "", poetry) == ("a>=1.2,<2",)
    assert added("setup.cfg", "", "[options]\ninstall_requires =\n    a\n    b<3\n") == ("a", "b<3")
    assert added("setup.py", "", "setup(install_requires=['a'])") == ("a",)


def test_a_requirement_that_goes_or_stays_is_none_that_is_added() -> None:
    assert added("requirements.txt", "a\nb\n", "b\n") == ()
    assert added("requirements.txt", "a\n", None) == ()
    assert added("pyproject.toml", "[project]\ndependencies = ['a']\n", "[project]\nname = 'x'\n") == ()


def test_other_files_require_nothing() -> None:
    assert added("docs/list.txt", "", "a\n") == ()
    assert added("cart.py", "", "import a\n") == ()


@pytest.mark.parametrize("path", ["docs/requirements.txt", "examples/setup.py", "requirements-docs.txt"])
def test_manifests_that_the_set_up_does_not_install_do_not_count(path: str) -> None:
    content = "setup(install_requires=['a'])" if path.endswith(".py") else "a\n"
    assert added(path, "", content) == ()


def test_a_file_that_an_installed_one_includes_counts() -> None:
    base = FileChange(FileMode.REGULAR, b"-r requirements/prod.txt\n-r requirements.txt\n-r /nowhere.txt\n")
    change = ChangeSet("0" * 40, {"requirements/prod.txt": FileChange(FileMode.REGULAR, b"a\n")})
    assert added_requirements(change, {"requirements.txt": base.entry}, lambda _: base.content) == ("a",)


def test_of_a_compiled_list_the_source_is_not_installed() -> None:
    base = FileChange(FileMode.REGULAR, b"")
    change = ChangeSet("0" * 40, {"requirements.in": FileChange(FileMode.REGULAR, b"a\n")})
    assert added_requirements(change, {"requirements.txt": base.entry}, lambda _: base.content) == ()


def packages(files: dict[str, str], base: dict[str, str]) -> dict[str, tuple[str, ...]]:
    new = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in files.items()}
    tree = {path: FileChange(FileMode.REGULAR, text.encode()).entry for path, text in base.items()}
    return dict(added_packages(ChangeSet("0" * 40, new), tree, lambda path: base[path].encode()))


def test_packages_of_npms_count_where_the_change_loads_them() -> None:
    base = {"package.json": '{"dependencies": {"a": "1"}}', "packages/till/package.json": "{}", "lib/a.js": ""}
    new = {
        "package.json": '{"dependencies": {"a": "2", "b": "1", "@c/d": "1", "lint": "1", "e": "workspace:*"}}',
        "packages/till/package.json": '{"dependencies": {"b": "1"}}',
        "lib/a.js": "require('a'); require(\"b\"); import e from '@c/d/e'; lint(); from '@c/d-e'; from 'e'",
    }
    assert packages(new, base) == {"": ("@c/d", "b"), "packages/till": ("b",)}
    assert packages({"package.json": new["package.json"]}, base) == {}
    assert packages({**new, "package.json": "[]", "packages/till/package.json": '{"dependencies": []}'}, base) == {}
    assert packages({"lib/package.json": new["package.json"], "lib/a.js": new["lib/a.js"]}, base) == {}


@pytest.mark.parametrize(
    ("code", "is_loaded"),
    [
        ("import type { B } from 'b';", False),
        ("import type B from 'b';\nexport type * from 'b/types';", False),
        ('import type {\n  B,\n} from "b"', False),
        ("import type { B } from 'b';\nimport { b } from 'b';", True),
        ("import type from 'b'", True),
        ("import type, { b } from 'b'", True),
        ("import { type B } from 'b'", True),
        ("import type * as b from 'b'", False),
        ("import type {} from 'b'\nimport type $b from'b'", False),
        ("export type Sum = number\nexport * from 'b'", True),
        ("export type { Sum }\nimport { b } from 'b'", True),
        ("import type  from 'b'", True),
    ],
)
def test_a_package_of_which_only_types_are_loaded_is_not_needed(code: str, is_loaded: bool) -> None:
    new = {"package.json": '{"dependencies": {"b": "1"}}', "lib/a.ts": code}
    assert packages(new, {"package.json": "{}"}) == ({"": ("b",)} if is_loaded else {})
    declared = {"package.json": new["package.json"], "index.d.ts": code, "index.d.mts": code}
    assert packages(declared, {"package.json": "{}"}) == {}


def test_a_member_of_the_repository_is_never_installed_from_elsewhere() -> None:
    base = {"package.json": "{}", "packages/b/package.json": '{"name": "b"}', "x/package.json": '{"name": []}'}
    new = {"package.json": '{"dependencies": {"b": "^1.0.0", "c": "1"}}', "a.js": "require('b'); require('c')"}
    assert packages(new, base) == {"": ("c",)}
    kept = {"package.json": "{}", "node_modules/b/package.json": '{"name": "b"}'}
    assert packages(new, kept) == {"": ("b", "c")}
