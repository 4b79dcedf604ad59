"""Which declarations an old TypeScript gets, with an npm that knows a few releases."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

PROGRAM = (files("repo_tools.environment.box_programs") / "types_that_fit.py").read_text("utf-8")
REGISTRY = {
    "@types/node@^10.0.3": [("10.0.10", "2.0"), ("10.17.9", "2.8"), ("10.17.60", "3.7"), ("10.18.0", "4.0")],
    "@types/one@^1.0.0": ("1.0.4", "3.0"),
    "@types/new@^2.1.0": [("2.1.0", "4.2")],
    "@types/silent@^2.1.0": [("2.2.0", "")],
    "@types/any@>=0": [("3.0.0", "3.6"), ("4.0.0", "4.0")],
    "@types/below@>=0": [("1.9.0", "2.0"), ("2.1.0", "3.5"), ("2.2.0", "4.1")],
}
NPM = """#!{python}
import json, sys
if sys.argv[1] == "install":
    json.dump(sys.argv[2:], open("installed.json", "w"))
    sys.exit(7)
told = json.load(open("registry.json")).get(sys.argv[2])
of = lambda release: dict(zip(("version", "typeScriptVersion"), release))
every = told and (of(told) if isinstance(told[0], str) else [of(each) for each in told])
print(json.dumps(every) if every and sys.argv[1] == "view" and sys.argv[-1] == "--json" else "npm error 404")
"""


def asked_for(folder: Path, compiler: str, **declared: str) -> dict[str, str]:
    """What is asked for in the end, of `compiler` and these types."""
    types = {f"@types/{name}": asked for name, asked in declared.items()}
    manifest = {"devDependencies": {**({"typescript": compiler} if compiler else {}), **types}, "name": "x"}
    (folder / "package.json").write_text(json.dumps(manifest))
    assert run(folder) == 0
    found = json.loads((folder / "package.json").read_text())["devDependencies"]
    return {name.removeprefix("@types/"): each for name, each in found.items()}


def replaced(folder: Path, installed: dict[str, dict[str, str]]) -> tuple[int, list[str]]:
    """(the exit code, what is installed instead) where these packages are installed."""
    for name, manifest in installed.items():
        (folder / "node_modules" / name).mkdir(parents=True)
        (folder / "node_modules" / name / "package.json").write_text(json.dumps(manifest))
    code = run(folder, "npm", "install")
    told = folder / "installed.json"
    return code, json.loads(told.read_text()) if told.exists() else []


def run(folder: Path, *arguments: str) -> int:
    (folder / "registry.json").write_text(json.dumps(REGISTRY))
    (folder / "npm").write_text(NPM.format(python=sys.executable))
    (folder / "npm").chmod(0o755)
    variables = {"PATH": f"{folder}:{os.environ['PATH']}"}
    argv = [sys.executable, "-I", "-S", "-c", PROGRAM, *arguments]
    return subprocess.run(argv, cwd=folder, env=variables, check=False).returncode


@pytest.mark.parametrize("compiler", ["^3.7.0", "~3.7.0", "3.7.x", "^3.7.0-rc"])
def test_of_declarations_the_newest_that_the_compiler_takes_are_asked_for(tmp_path: Path, compiler: str) -> None:
    found = asked_for(tmp_path, compiler, node="^10.0.3", one="^1.0.0", any="*")
    assert found == {"typescript": compiler.replace("^", "~"), "node": "10.17.60", "one": "1.0.4", "any": "3.0.0"}


@pytest.mark.parametrize("name", ["new", "silent", "unknown"])
def test_where_none_is_known_to_fit_they_are_as_the_manifest_names_them(tmp_path: Path, name: str) -> None:
    assert asked_for(tmp_path, "^3.7.0", **{name: "^2.1.0"}) == {"typescript": "~3.7.0", name: "~2.1.0"}


@pytest.mark.parametrize("compiler", ["", "next", "^3"])
def test_a_compiler_of_which_the_least_release_is_unknown_says_nothing_of_declarations(
    tmp_path: Path, compiler: str
) -> None:
    assert asked_for(tmp_path, compiler, node="^10.0.3")["node"] == "~10.0.3"


OLD = {"typescript": {"version": "3.7.5"}}
NEW = {"typeScriptVersion": "5.1"}


def test_installed_declarations_that_others_asked_for_are_replaced_by_what_the_compiler_takes(tmp_path: Path) -> None:
    fitting = {"typeScriptVersion": "3.7"}
    types = {"@types/any": NEW, "@types/below": NEW, "@types/one": fitting, "@types/unknown": NEW, "@types/silent": {}}
    assert replaced(tmp_path, {**OLD, **types}) == (7, ["@types/any@3.0.0", "@types/below@2.1.0"])


@pytest.mark.parametrize("installed", [{**OLD, "@types/unknown": NEW}, {"@types/any": NEW}, OLD])
def test_where_all_fit_or_nothing_better_is_known_nothing_is_installed(
    tmp_path: Path, installed: dict[str, dict[str, str]]
) -> None:
    assert replaced(tmp_path, installed) == (0, [])
