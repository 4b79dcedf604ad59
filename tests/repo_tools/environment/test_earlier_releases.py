"""Packages that are later than the commit, and lost names since; a script that is called `uv` installs."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import pytest

from repo_tools.environment import earlier_program
from repo_tools.environment.dated import days_for
from repo_tools.environment.fitting import earlier_releases
from tests.support.venvs import bare_venv

UV = """#!/usr/bin/python3 -IS
import json, os, pathlib, sys
library, index = pathlib.Path({library!r}), json.loads({index!r})
there = {{path.name: path for path in library.glob("*.dist-info")}}
if sys.argv[2] == "check":
    unmet = [path for path in there if path.removesuffix(".dist-info").rpartition("-")[2] in {unmet!r}]
    sys.exit("\\n".join(unmet) or 0)
name, _, wanted = sys.argv[-1].partition("==")
day = os.environ["UV_EXCLUDE_NEWER"]
fit = [each for each in index[name] if each[0] < day and wanted in ("", each[1])]
if not fit or fit[-1][2] is None:
    sys.exit(1)
version, text = fit[-1][1:]
for path in there.values():
    if path.name.startswith(name + "-"):
        path.rename(library / f"{{name}}-{{version}}.dist-info")
(library / f"{{name}}-{{version}}.dist-info" / "METADATA").write_text(f"Name: {{name}}\\nVersion: {{version}}\\n")
(library / f"{{name}}.py").write_text(text)
"""
LATEST = ("2022-06-01", "3", "new = 1\n")
INDEX = {"lines": [("2013-01-01", "1", "u = 1\n"), ("2016-01-01", "2", "u = new = 1\n"), LATEST]}
NOTHING: Mapping[str, str] = {}
Index = Mapping[str, Sequence[tuple[str, str, str | None]]]


def run(
    folder: Path,
    files: Mapping[str, str],
    index: Index = INDEX,
    *,
    unmet: Sequence[str] = (),
    committed: str = "2014-07-05",
    installed: Mapping[str, str] = NOTHING,
) -> tuple[list[str], str]:
    """(what is said, the version that is there then) of `lines`, of which the latest in `index` (day, version, text) is
    installed, for a repository of `files`; nothing goes with the versions in `unmet`. Beside it are the files that are
    `installed`."""
    library = bare_venv(folder / "venv")
    for name, releases in index.items():
        _, version, text = releases[-1]
        (library / f"{name}.py").write_text(text or "")
        facts = library / f"{name}-{version}.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
        (facts / "RECORD").write_text(f"{name}.py,,\n")
    for path, text in installed.items():
        (library / path).write_text(text)
    uv = folder / "uv"
    uv.write_text(UV.format(library=str(library), index=json.dumps(index), unmet=list(unmet)))
    uv.chmod(0o755)
    work = folder / "work"
    for path, text in files.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    words = (str(folder / "venv" / "bin" / "python"), *earlier_releases(str(uv)).argv[1:])
    variables = {earlier_program.DAY: "2023-02-01", earlier_program.LATER: "2023-02-01", "PATH": "/usr/bin:/bin"}
    variables[earlier_program.COMMITTED] = committed
    done = subprocess.run(words, cwd=work, env=variables, capture_output=True, text=True, check=True)
    (there,) = library.glob("lines-*.dist-info")
    return done.stdout.splitlines(), there.name.removesuffix(".dist-info").partition("-")[2]


USES = {"shop/cart.py": "from lines import u\n"}


def test_the_last_release_is_taken_that_has_what_the_sources_import(tmp_path: Path) -> None:
    assert run(tmp_path, USES) == ([f"{earlier_program.SAID}lines 2"], "2")


def test_so_it_is_with_a_module_that_went(tmp_path: Path) -> None:
    package = (
        "import sys, types\nsys.modules['lines.old'] = old = types.ModuleType('lines.old')\nold.u = 1\n__path__ = []\n"
    )
    index = {"lines": [("2013-01-01", "1", package), LATEST]}
    assert run(tmp_path, {"test_a.py": "from lines.old import u\n"}, index)[1] == "1"
    assert run(tmp_path / "whole", {"test_a.py": "import lines.old\n"}, index)[1] == "1"


@pytest.mark.parametrize(
    "files",
    [
        {"shop/cart.py": "from lines import new\n"},
        {"shop/cart.py": "try:\n    from lines import u\nexcept ImportError:\n    u = str\n"},
        {"shop/cart.py": "import sys\nif sys.version_info < (3,):\n    from lines import u\n"},
        {"shop/cart.py": "print 'two'\nfrom lines import u\n"},
        {"docs/conf.py": "from lines import u\n"},
        {".venv/lib/a.py": "from lines import u\n"},
        {"shop/lines.py": "u = 1\n", "shop/cart.py": "from lines import u\n"},
        {"shop/cart.py": "from .lines import u\n"},
        {"shop/cart.py": "from lines import never\n"},
    ],
)
def test_what_is_there_stays_where_nothing_certain_is_lacking_or_no_release_has_it(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert run(tmp_path, files) == ([], "3")


def test_it_stays_where_no_earlier_one_goes_with_the_rest(tmp_path: Path) -> None:
    assert run(tmp_path, USES, unmet=["2"]) == ([], "3")


def test_it_stays_where_an_earlier_one_cannot_be_imported_or_installed(tmp_path: Path) -> None:
    broken = {"lines": [("2013-01-01", "1", "u = 1\nfrom collections import Iterable\n"), LATEST]}
    assert run(tmp_path, {"a.py": "from lines import u, new\n"}, broken) == ([], "3")
    missing = {"lines": [("2016-01-01", "2", None), LATEST]}
    assert run(tmp_path / "none", USES, missing) == ([], "3")


def test_it_stays_where_an_earlier_one_is_no_longer_what_others_import(tmp_path: Path) -> None:
    index = {**INDEX, "other": [("2022-06-01", "1", "from lines import new\n")]}
    index["lines"] = [("2013-01-01", "1", "u = 1\n"), LATEST]
    assert run(tmp_path, {"a.py": "from lines import u\nimport other\n"}, index) == ([], "3")


def test_it_stays_where_an_earlier_one_lacks_something_else(tmp_path: Path) -> None:
    index = {"lines": [("2013-01-01", "1", "u = v = 1\n"), LATEST]}
    assert run(tmp_path, {"a.py": "from lines import new, u, v\n"}, index) == ([], "3")


def test_what_was_there_is_there_again_of_whatever_day_it_is(tmp_path: Path) -> None:
    index = {"lines": [("2013-01-01", "1", "u = 1\n"), ("2024-06-01", "3", "new = 1\n")]}
    assert run(tmp_path, {"a.py": "from lines import new, u\n"}, index) == ([], "3")


@pytest.mark.parametrize("end", ["raise SystemExit(0)", "import os\nos._exit(0)", "import os\nos.abort()"])
def test_it_stays_where_an_earlier_one_ends_the_interpreter(tmp_path: Path, end: str) -> None:
    index = {"lines": [("2013-01-01", "1", f"{end}\n"), LATEST]}
    assert run(tmp_path, USES, index) == ([], "3")


def test_what_packages_print_as_they_are_imported_is_no_answer(tmp_path: Path) -> None:
    prints = "import os\nos.write(1, b'\\xff[]')\nu = 1\n"
    index = {"lines": [("2013-01-01", "1", prints), ("2022-06-01", "3", prints.replace("u", "new"))]}
    assert run(tmp_path, USES, index)[1] == "1"


def test_no_release_stands_for_a_commit_or_an_archive_that_the_repository_names(tmp_path: Path) -> None:
    said = '{"url": "https://code.example/lines", "vcs_info": {"vcs": "git", "commit_id": "0"}}'
    assert run(tmp_path, USES, installed={"lines-3.dist-info/direct_url.json": said}) == ([], "3")


def test_the_runner_is_no_package_that_lost_names(tmp_path: Path) -> None:
    index = {**INDEX, "pytest": [("2013-01-01", "1", "u = 1\n"), ("2022-06-01", "3", "")]}
    assert run(tmp_path, {"a.py": "from pytest import u\n"}, index) == ([], "3")


def test_no_release_is_taken_that_came_before_the_commit_s_day_or_had_gone_by_then(tmp_path: Path) -> None:
    assert run(tmp_path, USES, committed="2022-09-01") == ([], "3")


def test_the_evidence_says_what_was_lowered() -> None:
    days = days_for(date(2014, 7, 5), "3.11.2")
    told = days.note("2023-02-01", f"x\n{earlier_program.SAID}lines 2\n{earlier_program.SAID}other 0.1.post1\n")
    assert told.endswith(", and earlier ones that still have what the sources import: lines 2, other 0.1.post1")
