"""Files that configure product and tests: test tables of the base, the rest of the change, or no merge at all."""

import json
import tomllib

import pytest

from repo_tools.verification.mixed import MergeError, is_mixed, merge_mixed

BASE = """\
# a project
[project]
name = "x"
version = "1"

[tool.pytest.ini_options]
addopts = "-q"  # quiet
testpaths = ["tests"]

[tool.ruff]
line-length = 100
"""


def merged_toml(base: str, new: str) -> str:
    return merge_mixed("pyproject.toml", base.encode(), new.encode()).decode()


def test_a_change_of_product_tables_alone_is_kept_to_the_byte() -> None:
    new = BASE.replace('version = "1"', 'version = "2"').replace("\n", "\r\n")
    assert merged_toml(BASE, new) == new


def test_a_change_of_test_tables_alone_comes_to_nothing() -> None:
    new = BASE.replace('"-q"', '"--collect-only"')
    assert merged_toml(BASE, new) == BASE


def test_of_a_change_of_both_only_the_product_part_is_left() -> None:
    new = BASE.replace('"-q"', '"-k nothing"').replace('version = "1"', 'version = "2"')
    merged = merged_toml(BASE, new)
    assert tomllib.loads(merged) == tomllib.loads(BASE.replace('version = "1"', 'version = "2"'))
    assert "# a project" in merged
    assert "# quiet" in merged


@pytest.mark.parametrize(
    "table",
    [
        "[tool.pytest.ini_options]\naddopts = '--deselect x'\n",
        "[tool.pytest]\naddopts = ['--co']\n",
        "[tool.coverage.run]\nplugins = ['evil']\n",
        "[tool.pytest-enabler.cov]\naddopts = '-k nothing'\n",
        "[tool.pytest_env]\nMODE = 'easy'\n",
        "[ tool . 'pytest' . ini_options ]\npython_functions = 'nothing'\n",
        "[[tool.hatch.envs.test.matrix]]\nx = ['1']\n",
    ],
)
def test_a_test_table_that_the_base_does_not_have_goes(table: str) -> None:
    base = "[project]\nname = 'x'\n"
    assert tomllib.loads(merged_toml(base, base + table)) == tomllib.loads(base)


def test_a_test_table_that_the_change_removes_comes_back() -> None:
    new = "[project]\nname = 'y'\n"
    merged = tomllib.loads(merged_toml(BASE, new))
    assert merged["tool"] == {"pytest": tomllib.loads(BASE)["tool"]["pytest"]}
    assert merged["project"] == {"name": "y"}


@pytest.mark.parametrize(
    "new",
    [
        "[tool]\npytest.ini_options.addopts = '--co'\n",  # no table of its own to take out
        "text = '''\n[tool.pytest.ini_options]\n'''\n[tool.pytest.ini_options]\naddopts = '--co'\n",
        "[project\n",
        "\udcff",
    ],
)
def test_what_cannot_be_merged_faithfully_is_not_merged(new: str) -> None:
    with pytest.raises(MergeError):
        merge_mixed("pyproject.toml", BASE.encode(), new.encode("utf-8", "surrogateescape"))


def test_setup_cfg_is_merged_by_sections() -> None:
    base = "[metadata]\nname = x\n[tool:pytest]\naddopts = -q\n[flake8]\nmax = 1\n"
    new = "[metadata]\nname = y\n[tool:pytest]\naddopts = --co\n[coverage:run]\nplugins = evil\n[flake8]\nmax = 2\n"
    merged = merge_mixed("sub/setup.cfg", base.encode(), new.encode()).decode()
    assert merged == "[metadata]\nname = y\n[flake8]\nmax = 2\n[tool:pytest]\naddopts = -q\n"


def test_package_json_is_taken_whole_or_not_at_all() -> None:
    base = json.dumps({"name": "x", "scripts": {"test": "jest"}}).encode()
    good = json.dumps({"name": "y", "scripts": {"test": "jest"}}, indent=4).encode()
    assert merge_mixed("package.json", base, good) == good
    with pytest.raises(MergeError):
        merge_mixed(
            "package.json", base, json.dumps({"scripts": {"test": "jest"}, "babel": {"plugins": ["./a"]}}).encode()
        )
    with pytest.raises(MergeError):
        merge_mixed("package.json", base, json.dumps({"name": "x", "scripts": {"test": "true"}}).encode())


def test_other_files_are_not_mixed() -> None:
    assert is_mixed("a/pyproject.toml")
    assert not is_mixed("pyproject.toml.bak")


def test_what_cargos_tests_are_compiled_with_is_the_bases() -> None:
    base = '[package]\nname = "till"\n\n[dev-dependencies]\na = "1"\n\n[[test]]\nname = "all"\n'
    more = "[features]\nstrict = []\n\n"
    own = (
        f'{more}[dev-dependencies]\na = "1"\ntill = {{ path = ".", features = ["strict"] }}\n\n[[test]]\nname = "all"\n'
    )
    new = base.replace('[dev-dependencies]\na = "1"\n\n[[test]]\nname = "all"\n', own)
    merged = merge_mixed("core/Cargo.toml", base.encode(), new.encode()).decode()
    assert tomllib.loads(merged) == tomllib.loads(base) | {"features": {"strict": []}}


def test_no_other_crate_takes_the_place_of_one_that_tests_stand_on() -> None:
    base = '[package]\nname = "till"\n\n[dev-dependencies]\napprox = "1"\n'
    new = base.replace('"till"\n', '"till"\nversion = "2.0.0"\n') + '\n[patch.crates-io]\napprox = { path = "fake" }\n'
    merged = merge_mixed("Cargo.toml", base.encode(), new.encode()).decode()
    assert tomllib.loads(merged) == {
        "package": {"name": "till", "version": "2.0.0"},
        "dev-dependencies": {"approx": "1"},
    }
