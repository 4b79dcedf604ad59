"""Packages of an old commit's day that the sandbox's Python cannot import; a script that is called `uv` installs."""

import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from repo_tools.environment import fitting_program
from repo_tools.environment.contract import NOTE
from repo_tools.environment.dated import days_for
from repo_tools.environment.fitting import fitting_versions, loading_pytest, running_pytest
from tests.support.venvs import bare_venv

PROGRAM = Path(fitting_program.__file__).read_text("utf-8")
UV = """#!/bin/sh
echo "uv $UV_EXCLUDE_NEWER: $*"
cat "$UV_CONSTRAINT"
[ ! -f one-by-one ] || [ $# -lt 8 ] || exit 1
folder=later
[ "$UV_EXCLUDE_NEWER" != 2020-10-01 ] || folder=own
for name in "$@"; do
  before=$last last=$name
  [ "$before" != --upgrade-package ] || continue
  module=$(echo "${name%%<*}" | tr - _).py
  [ ! -f "$folder/$name.py" ] || cp "$folder/$name.py" "$(dirname "$4")"/../lib/python3*/site-packages/$module
done
"""
RUFF = Path(sys.executable).parent / "ruff"
GONE = "from collections import Iterable\n"


def run(
    folder: Path,
    installed: Mapping[str, str],
    later: Mapping[str, str],
    program: str = PROGRAM,
    *,
    own: Mapping[str, str] | None = None,
) -> list[str]:
    """What is said, with `installed` (module file -> its text) in a virtual environment, each of a distribution of its
    own name, and `later` in the index; on the day itself (none is said, if it is None) it had `own`."""
    library = bare_venv(folder / "venv")
    for name, text in sorted(installed.items(), key=lambda item: ".dist-info" in item[0]):
        (library / name).parent.mkdir(exist_ok=True)
        (library / name).write_text(text)
        distribution = name.partition("/")[0].removesuffix(".py")
        if distribution.endswith(".dist-info"):
            continue
        facts = library / f"{distribution}-1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Name: {distribution}\nVersion: 1\n")
        (facts / "RECORD").write_text(f"{name},,\n")
    for place, files in (("later", later), ("own", own or {})):
        (folder / place).mkdir()
        for name, text in files.items():
            (folder / place / name).write_text(text)
    (folder / "uv").write_text(UV)
    (folder / "uv").chmod(0o755)
    argv = fitting_versions(str(folder / "uv")).argv[1:]
    words = (str(folder / "venv" / "bin" / "python"), *(program if word == PROGRAM else word for word in argv))
    (folder / "temporary").mkdir()
    variables = {fitting_program.LATER: "2023-02-01", "PATH": "/usr/bin:/bin", "TMPDIR": str(folder / "temporary")}
    variables |= {} if own is None else {fitting_program.DAY: "2020-10-01"}
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=True)
    assert list((folder / "temporary").iterdir()) == []
    return [line.replace(str(folder), "") for line in done.stdout.splitlines()]


def raised(lines: list[str]) -> list[str]:
    return [line.removeprefix(fitting_program.SAID) for line in lines if line.startswith(fitting_program.SAID)]


def test_what_asks_the_library_for_names_of_the_past_is_raised_and_nothing_else(tmp_path: Path) -> None:
    installed = {
        "tables.py": GONE,
        "asks.py": "import inspect\ninspect.getargspec\n",
        "print2.py": "print 'two'\n",
        "flags.py": "import re\nre.compile('a(?i)b')\n",
        "sets.py": "import socket\nsocket.timeout.is_timeout = True\n",
        "user.py": "import tables\n",
        "wants.py": "import numpy_that_is_not_there\n",
        "unset.py": "raise RuntimeError('no settings')\n",
        "fine.py": "",
    }
    lines = run(tmp_path, installed, dict.fromkeys(installed, ""))
    assert raised(lines) == ["asks, flags, print2, sets, tables"]
    words = " ".join(f"--upgrade-package {name} {name}" for name in ("asks", "flags", "print2", "sets", "tables"))
    assert lines[1] == f"uv 2023-02-01: pip install --python /venv/bin/python {words}"


def test_so_it_is_on_a_python_that_lists_no_modules_and_tells_of_attributes_in_words_alone(tmp_path: Path) -> None:
    """3.9: https://docs.python.org/3/library/sys.html#sys.stdlib_module_names."""
    first = "from __future__ import annotations\n"
    older = PROGRAM.replace(first, f"{first}import sys\ndel sys.stdlib_module_names\n")
    installed = {
        "base.py": "from base64 import encodestring\n",
        "clocks.py": "raise AttributeError(\"module 'time' has no attribute 'clock'\")\n",
        "other.py": "raise AttributeError(\"module 'lines' has no attribute 'clock'\")\n",
    }
    assert raised(run(tmp_path, installed, {"base.py": "", "clocks.py": ""}, older)) == ["base, clocks"]


def test_what_is_pinned_to_an_older_one_is_raised_no_further_than_the_last_of_the_day_if_that_runs(
    tmp_path: Path,
) -> None:
    installed = {"pinned.py": GONE, "tables.py": GONE}
    lines = run(tmp_path, installed, dict.fromkeys(installed, ""), own={"pinned.py": ""})
    assert raised(lines) == ["pinned, tables", "tables"]
    words = " ".join(f"--upgrade-package {name} {name}" for name in ("pinned", "tables"))
    assert lines[1] == f"uv 2020-10-01: pip install --python /venv/bin/python {words}"
    assert lines[-1] == "uv 2023-02-01: pip install --python /venv/bin/python --upgrade-package tables tables"


def test_what_does_not_go_with_a_later_release_is_raised_too(tmp_path: Path) -> None:
    installed = {"tables.py": GONE, "user.py": "from tables import old\n", "other.py": "from user import none\n"}
    assert raised(run(tmp_path, installed, {"tables.py": "", "user.py": ""})) == ["tables", "user", "other"]


def test_what_asks_for_another_once_its_own_copy_asked_for_names_of_the_past_is_raised(tmp_path: Path) -> None:
    """requests before 2.16 carries urllib3 within itself."""
    instead = "try:\n    {}\nexcept ImportError:\n    import never_there\n"
    installed = {"http1.py": instead.format(GONE.strip()), "http2.py": instead.format("import never_at_all")}
    assert raised(run(tmp_path, installed, dict.fromkeys(installed, ""))) == ["http1"]


def test_what_hands_the_library_objects_of_the_past_is_raised(tmp_path: Path) -> None:
    backport = """
import sys

class Distribution:
    pass

class Finder:
    find_spec = lambda *_: None
    find_distributions = lambda *_: [Distribution()]

sys.meta_path.append(Finder())
"""
    user = "import importlib.metadata\nimportlib.metadata.entry_points()\n"
    installed = {"backport.py": backport, "user.py": user}
    assert raised(run(tmp_path, installed, {"backport.py": ""})) == ["backport"]


def test_what_tells_exceptions_in_the_library_s_place_as_in_the_past_is_raised(tmp_path: Path) -> None:
    replacing = "import traceback\n\n\ndef tell(self, value, *, limit=None): ...\n\n\n"
    old = f"{replacing}traceback.TracebackException.__init__ = tell\n"
    assert raised(run(tmp_path, {"old.py": old, "other.py": "A = 1\n"}, {"old.py": "A = 1\n"})) == ["old"]


def test_what_is_installed_from_the_work_tree_stays(tmp_path: Path) -> None:
    plugin = {"plugin.py": GONE, "plugin-1.dist-info/direct_url.json": '{"url": "file:///elsewhere"}'}
    lines = run(tmp_path, {**plugin, "tables.py": GONE}, {"tables.py": ""})
    assert lines[2] == "plugin==1"


@pytest.mark.parametrize(
    ("needed", "within", "expected"),
    [
        ("Tasks.queue (<5.0,>=4.0)", {"tasks-queue<5.0.py": ""}, ["tasks-queue<5.0"]),
        ("tasks-queue>=4.0,<5.0", {}, ["tasks-queue<5.0", "tasks_queue"]),
        ("tasks-queue>=4.0,<5.0; python_version < '3'", {}, ["tasks_queue"]),
        ("tasks-queue>=4.0", {}, ["tasks_queue"]),
    ],
)
def test_what_the_project_takes_below_a_version_is_raised_no_further_if_that_runs(
    tmp_path: Path, needed: str, within: Mapping[str, str], expected: list[str]
) -> None:
    own = {"plugin.py": "", "plugin-1.dist-info/direct_url.json": '{"url": "file:///elsewhere"}'}
    own["plugin-1.dist-info/METADATA"] = f"Name: plugin\nVersion: 1\nRequires-Dist: {needed}\n"
    lines = run(tmp_path, {**own, "tasks_queue.py": GONE}, {"tasks_queue.py": "", **within})
    assert [line.rpartition(" ")[2] for line in lines if line.startswith("uv ")] == expected


def test_a_pip_that_does_not_start_is_raised(tmp_path: Path) -> None:
    assert raised(run(tmp_path, {"pip.py": GONE, "other.py": ""}, {"pip.py": ""})) == ["pip"]


def test_what_is_raised_brings_no_older_pytest(tmp_path: Path) -> None:
    assert "pytest>=1" in run(tmp_path, {"pytest.py": "", "relaxed.py": GONE}, {"relaxed.py": ""})


def test_what_cannot_be_raised_does_not_keep_the_rest_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "one-by-one").touch()
    lines = run(tmp_path, {"asks.py": GONE, "tables.py": GONE}, {"tables.py": ""})
    assert [line.rpartition(" ")[2] for line in lines[1:]] == ["tables", "asks", "tables"]


@pytest.mark.parametrize(("raised_in", "blamed"), [("<frozen importlib._bootstrap>", "toolz"), ("/work/a.py", "")])
def test_what_hands_the_import_system_a_module_of_the_past_is_to_blame(raised_in: str, blamed: str) -> None:
    spec = type("Spec", (), {"__module__": "tlz.build"})()
    error = AttributeError("no such attribute", name="_uninitialized_submodules", obj=spec)
    assert fitting_program.handed_over(error, ["/x.py", raised_in], Path("/lib"), {"tlz": "toolz"}) == blamed


def test_where_no_later_release_helps_what_needs_it_is_raised(tmp_path: Path) -> None:
    installed = {"tables.py": GONE, "user.py": "import tables\n"}
    assert raised(run(tmp_path, installed, {"user.py": ""})) == ["tables", "user"]


@pytest.mark.parametrize(
    "line", ["from _pytest.old import Log", "from _pytest import gone", "import pytest\npytest.gone"]
)
def test_a_plug_in_that_leans_on_what_pytest_no_longer_has_is_raised(tmp_path: Path, line: str) -> None:
    installed = {"pytest.py": "", "reruns.py": line}
    assert raised(run(tmp_path, installed, {"reruns.py": ""})) == ["reruns"]


def test_what_keeps_a_plug_in_of_pytest_from_being_loaded_is_raised_whatever_it_lacks(tmp_path: Path) -> None:
    needed = "import dis\ndis.opmap['GONE']\n"
    installed = {
        "measure.py": needed,
        "cov.py": "import measure\n",
        "cov-1.dist-info/entry_points.txt": "[pytest11]\ncov = cov\n",
        "other.py": needed,
    }
    assert raised(run(tmp_path, installed, {"measure.py": ""})) == ["measure"]


def test_a_plug_in_that_is_tested_here_itself_is_not_said_to_be_raised(tmp_path: Path) -> None:
    installed = {
        "pytest.py": "import sys\nif __name__ == '__main__': raise SystemExit('no:mock' not in sys.argv)\n",
        "mock.py": "",
        "mock-1.dist-info/entry_points.txt": "[pytest11]\nmock = mock\n",
        "mock-1.dist-info/direct_url.json": '{"url": "file:///elsewhere"}',
    }
    assert raised(run(tmp_path, installed, {"mock.py": ""})) == []


def test_a_plug_in_that_checks_style_finds_none_amiss(tmp_path: Path) -> None:
    checks = f"'no:style' not in sys.argv and subprocess.call([{str(RUFF)!r}, 'format', '--check', '.'])"
    installed = {
        "pytest.py": f"import subprocess, sys\nif __name__ == '__main__': raise SystemExit({checks})\n",
        "style.py": "",
        "style-1.dist-info/entry_points.txt": "[pytest11]\nstyle = style\n",
    }
    assert raised(run(tmp_path, installed, {"style.py": ""})) == []


def test_a_plug_in_that_pins_what_was_raised_is_raised_too(tmp_path: Path) -> None:
    installed = {
        "pytest.py": "if __name__ == '__main__': import cov; raise SystemExit(cov.OLD)\n",
        "measure.py": "import dis\ndis.opmap['GONE']\n",
        "cov.py": "import measure\nOLD = 1\n",
        "cov-1.dist-info/entry_points.txt": "[pytest11]\ncov = cov\n",
        "cov-1.dist-info/METADATA": "Name: cov\nVersion: 1\nRequires-Dist: measure<2\n",
    }
    said = "".join(run(tmp_path, installed, {"measure.py": "", "cov.py": "OLD = 0\n"}))
    assert f"{fitting_program.SAID}cov" in said


@pytest.mark.parametrize(
    ("program", "what"),
    [
        ("'no:relaxed' not in sys.argv", ["relaxing"]),
        ("'plain.py' in os.listdir(sys.argv[-1]) and 'no:relaxed' not in sys.argv", ["relaxing"]),
        ("'no:relaxed' not in sys.argv and os.environ.get('DJANGO_SETTINGS_MODULE') != 'plain'", []),
        ("0", []),
        ("1", []),
    ],
)
def test_a_plug_in_with_which_no_test_can_be_run_is_raised(tmp_path: Path, program: str, what: list[str]) -> None:
    installed = {
        "pytest.py": f"import os, sys\nif __name__ == '__main__': sys.exit({program})\n",
        "adding.py": "",
        "adding-1.dist-info/entry_points.txt": "[pytest11]\nadding = adding:make\n",
        "relaxing.py": "",
        "relaxing-1.dist-info/entry_points.txt": "[pytest11]\nrelaxed = relaxing\n",
    }
    assert raised(run(tmp_path, installed, {})) == what


@pytest.mark.parametrize(
    "line", ["from tables.old import x", "    import tables.old.part, os", "import tables.old as old"]
)
def test_of_a_package_the_modules_that_the_work_tree_imports_count(tmp_path: Path, line: str) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_bytes(b"# \xff\n" + line.encode())
    assert raised(run(tmp_path, {"tables/old.py": GONE, "others/old.py": GONE}, {})) == ["tables"]


def test_a_module_of_the_work_tree_hides_no_package(tmp_path: Path) -> None:
    (tmp_path / "tables.py").write_text("")
    assert raised(run(tmp_path, {"tables.py": GONE}, {"tables.py": ""})) == ["tables"]


@pytest.mark.parametrize(
    ("version", "error", "what"),
    [
        ("(2, 2)", "TypeError('codeset')", ["Django<4"]),
        ("(1, 11)", "ImportError('Iterator')", ["Django<4"]),
        ("(2, 2)", "RuntimeError('configured')", []),
        ("(2, 2)", "None", []),
        ("(5, 2)", "TypeError('codeset')", []),
        ("(2, 0, 5, 'final', 0)", "None", ["Django<2.1"]),
        ("(2, 0, 10, 'final', 0)", "None", []),
        ("(2, 1, 0, 'final', 0)", "None", ["Django<2.2"]),
        ("(1, 11, 9, 'final', 0)", "None", []),
    ],
)
def test_a_django_that_cannot_be_set_up_translate_or_migrate_is_raised_to_one_that_can(
    tmp_path: Path, version: str, error: str, what: list[str]
) -> None:
    raises = f"error = {error}\n    if error: raise error"
    django = f"import sys\nVERSION = {version}\nsettings = sys.modules[__name__]\n"
    django += "def configure(): pass\nsetup = configure\ndef gettext(text):\n    " + raises + "\n"
    django += "for name in ('conf', 'utils', 'utils.translation'): sys.modules['django.' + name] = settings\n"
    lines = run(tmp_path, {"django.py": django}, {})
    assert raised(lines) == what
    words = [f"--upgrade-package Django {name}" for name in what]
    assert [line.rpartition("python ")[2] for line in lines[1:]] == words


@pytest.mark.parametrize(
    ("version", "what"), [("3.8.5", ["hypothesis"]), ("4.18.3", ["hypothesis"]), ("4.23.4", []), ("6.100.1", [])]
)
def test_a_hypothesis_that_makes_functions_as_in_the_past_is_raised(
    tmp_path: Path, version: str, what: list[str]
) -> None:
    facts = f"Name: hypothesis\nVersion: {version}\n"
    lines = run(tmp_path, {"hypothesis/__init__.py": "", "hypothesis-1.dist-info/METADATA": facts}, {})
    assert raised(lines) == what


@pytest.mark.parametrize(
    ("inside", "source", "what"),
    [
        ("stash", "from _pytest.store import StoreKey\n", ["pytest<7"]),
        ("store", "from _pytest.store import StoreKey\n", []),
        ("stash", "from _pytest.stash import StashKey\n", []),
    ],
)
def test_a_pytest_whose_insides_the_sources_use_is_the_last_that_has_them(
    tmp_path: Path, inside: str, source: str, what: list[str]
) -> None:
    (tmp_path / "plugin.py").write_text(source)
    lines = run(tmp_path, {"pytest.py": "", f"_pytest/{inside}.py": ""}, {})
    assert raised(lines) == what
    assert "pytest>=1" not in lines


def test_an_end_comes_where_no_release_helps(tmp_path: Path) -> None:
    assert raised(run(tmp_path, {"tables.py": GONE}, {})) == ["tables"]


def test_a_package_that_never_ends_its_import_does_not_keep_the_set_up(tmp_path: Path) -> None:
    soon = PROGRAM.replace("signal.alarm(2 * MOST_SECONDS)", "signal.alarm(2)")
    assert soon != PROGRAM
    with pytest.raises(subprocess.CalledProcessError) as ended:
        run(tmp_path, {"endless.py": "while True: pass\n"}, {}, soon)
    assert ended.value.returncode == -signal.SIGALRM


def test_the_evidence_says_what_is_raised() -> None:
    log = f"\n{fitting_program.SAID}tables, asks\n"
    told = days_for(date(2020, 11, 9), "3.11.2").note("2020-11-09", log)
    assert told.endswith(", and later ones of tables, asks, if there are any: those of then do not run here")


def test_whether_an_old_pytest_runs_is_asked_without_options_that_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (python := tmp_path / "python").write_text('#!/bin/sh\ncase "$*" in *--rootdir*) exit 4;; esac\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    assert fitting_program.runs_a_test()


@pytest.mark.parametrize(("has", "runs", "is_raised"), [(1, 0, True), (1, 1, False), (0, 0, False)])
def test_a_pytest_that_runs_no_test_at_all_is_a_later_one_and_nothing_else_is(
    tmp_path: Path, has: int, runs: int, *, is_raised: bool
) -> None:
    python = f'#!/bin/sh\ncase "$*" in *find_spec*) exit {1 - has};; *) ls test_it.py && exit {1 - runs};; esac\n'
    for name, text in (("python3", python), ("uv", '#!/bin/sh\necho "uv $UV_EXCLUDE_NEWER$UV_CONFIG_FILE$*"\n')):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "UV_EXCLUDE_NEWER": "2020-10-01", "UV_CONFIG_FILE": "/uv.toml"}
    variables |= {"TMPDIR": str(tmp_path)}
    done = subprocess.run(running_pytest("uv").argv, env=variables, capture_output=True, text=True, check=True)
    said = [line for line in done.stdout.splitlines() if line.startswith("uv pip install")]
    assert [("--no-deps" in line, "pytest>=7.3,<8" in line) for line in said] == [(True, True)] * is_raised
    assert (NOTE in done.stdout) == is_raised


@pytest.mark.parametrize(("has", "runs", "is_looked_at"), [(1, 0, True), (1, 1, False), (0, 0, False)])
def test_where_pytest_runs_no_test_with_what_it_loads_that_is_raised(
    tmp_path: Path, has: int, runs: int, *, is_looked_at: bool
) -> None:
    of_one = f"[ -z $PYTEST_DISABLE_PLUGIN_AUTOLOAD ] && {RUFF} format --check test_it.py && exit {1 - runs}"
    python = f'#!/bin/sh\ncase "$*" in -I*uv) echo looked;; *find_spec*) exit {1 - has};; *) {of_one};; esac\n'
    (tmp_path / "python3").write_text(python)
    (tmp_path / "python3").chmod(0o755)
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    done = subprocess.run(loading_pytest("uv").argv, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines().count("looked") == is_looked_at
