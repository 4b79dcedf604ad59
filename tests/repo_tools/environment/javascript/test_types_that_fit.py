"""Which declarations an old TypeScript gets, with an npm that knows a few releases."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

PROGRAM = (files("repo_tools.environment.runner") / "types_that_fit.py").read_text("utf-8")
REGISTRY = {
    "@types/node@^10.0.3": [("10.0.10", "2.0"), ("10.17.9", "2.8"), ("10.17.60", "3.7"), ("10.18.0", "4.0")],
    "@types/one@^1.0.0": ("1.0.4", "3.0"),
    "@types/new@^2.1.0": [("2.1.0", "4.2")],
    "@types/silent@^2.1.0": [("2.2.0", "")],
    "@types/any@>=0": [("3.0.0", "3.6"), ("4.0.0", "4.0")],
    "@types/above@^1.0.0": [("1.1.0", "3.0", {"@types/below": "^2.0.0", "@types/one": "*", "other": "*"})],
    "@types/below@^2.0.0": [("2.1.0", "3.5", {"@types/any": "*", "@types/above": "*"}), ("2.2.0", "4.1")],
}
NPM = """#!{python}
import json, sys
told = json.load(open("registry.json")).get(sys.argv[2])
of = lambda release: dict(zip(("version", "typeScriptVersion", "dependencies"), release))
every = told and (of(told) if isinstance(told[0], str) else [of(each) for each in told])
print(json.dumps(every) if every and sys.argv[1] == "view" and sys.argv[-1] == "--json" else "npm error 404")
"""


def asked_for(folder: Path, compiler: str, **declared: str) -> dict[str, str]:
    """What is asked for in the end, of `compiler` and these types."""
    return of_types(manifest_for(folder, compiler, **declared)["devDependencies"])


def of_types(asked: dict[str, str]) -> dict[str, str]:
    return {name.removeprefix("@types/"): each for name, each in asked.items()}


def manifest_for(folder: Path, compiler: str, **declared: str) -> dict[str, dict[str, str]]:
    types = {f"@types/{name}": asked for name, asked in declared.items()}
    manifest = {"devDependencies": {**({"typescript": compiler} if compiler else {}), **types}, "name": "x"}
    (folder / "package.json").write_text(json.dumps(manifest))
    (folder / "registry.json").write_text(json.dumps(REGISTRY))
    (folder / "npm").write_text(NPM.format(python=sys.executable))
    (folder / "npm").chmod(0o755)
    variables = {"PATH": f"{folder}:{os.environ['PATH']}"}
    subprocess.run([sys.executable, "-I", "-S", "-c", PROGRAM], cwd=folder, env=variables, check=True)
    found: dict[str, dict[str, str]] = json.loads((folder / "package.json").read_text())
    return found


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


def test_declarations_that_others_depend_on_fit_the_compiler_too(tmp_path: Path) -> None:
    found = manifest_for(tmp_path, "^3.7.0", above="^1.0.0", one="^1.0.0")
    assert of_types(found["overrides"]) == {"below": "2.1.0", "any": "3.0.0"}
