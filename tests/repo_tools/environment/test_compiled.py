"""What is compiled again, and by which commands. With real compilers: `verification/test_verify_compiled.py`."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_tools.changes import FileMode, Tree, TreeEntry
from repo_tools.environment import compiled_program
from repo_tools.environment.compiled import Recompiled
from repo_tools.environment.compiled_program import SOURCE, command, cythonize, files, parts
from repo_tools.environment.detect import detect

SETUP = "from setuptools import Extension, setup\nsetup(name='a', ext_modules=[Extension('a', ['a.c'])])\n"


def steps(**files: str) -> list[str]:
    """What set-up does beside the installs."""
    texts = {path.replace("_", "."): text.encode() for path, text in files.items()} | {"tests/test_a.py": b""}
    tree: Tree = {path: TreeEntry(FileMode.REGULAR, "0" * 40) for path in texts}
    return [command.typed for command in detect(tree, texts.__getitem__).setup if "compiled" in command.typed]


def test_only_what_setuptools_compiles_is_noted_and_kept() -> None:
    both = ["note the sources that are compiled", "keep what the project is compiled with"]
    assert steps(setup_py=SETUP, a_c="") == both
    assert steps(setup_py=SETUP, a_pyx="") == both
    assert steps(setup_py=SETUP) == []
    assert steps(a_c="") == []
    other = "[build-system]\nrequires = ['maturin']\nbuild-backend = 'maturin'\n[project]\nname = 'a'\n"
    assert steps(pyproject_toml=other, a_c="") == []


@pytest.mark.parametrize(
    ("changed", "forced"), [(["a.c"], False), (["a.c", "b/a.h"], True), (["a.pyx"], False), (["a.pxd"], True)]
)
def test_what_others_include_has_everything_compiled(changed: list[str], *, forced: bool) -> None:
    assert ("--force" in command("/venv/bin/python", changed)) is forced


def test_setuptools_is_there_before_the_projects_own_program_and_stands_for_one_that_is_not(tmp_path: Path) -> None:
    argv = command(sys.executable, [])

    def ended() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    assert (ended().returncode, ended().stdout) == (0, "")
    (tmp_path / "setup.py").write_text("import sys\nprint('setuptools' in sys.modules, __name__, sys.argv)\n")
    assert ended().stdout == f"True __main__ {['setup.py', *argv[3:]]}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """The folder of a project that set-up has compiled, of these files and their times the commit's."""

    def made(**texts: str) -> Path:
        folder = tmp_path / "project"
        folder.mkdir()
        for name, text in texts.items():
            (folder / name.replace("_", ".")).write_text(text)
            os.utime(folder / name.replace("_", "."), (0, 0))
        monkeypatch.chdir(folder)
        for name in ("BEGUN", "KEPT", "LAST"):
            monkeypatch.setattr(compiled_program, name, os.fspath(tmp_path / f"{name}.json"))
        monkeypatch.setattr(compiled_program, "TOP", os.fspath(folder))
        assert compiled_program.begin() == 0
        compiled_program.write(compiled_program.KEPT, compiled_program.read(compiled_program.BEGUN))
        return folder

    return made


@pytest.mark.parametrize("makes", [True, False])
def test_only_what_something_was_made_of_is_said_to_be_compiled_again(
    project: Callable[..., Path], capsys: pytest.CaptureFixture[str], *, makes: bool
) -> None:
    """A ``.pyx`` may lie beside the ``.c`` that the build takes."""
    folder = project(a_pyx="", a_so="", setup_py="open('a.so', 'w').close()" if makes else "")
    (folder / "a.pyx").write_text("A = 1\n")
    (folder / "a.so").touch()
    began = (folder / "a.so").stat().st_mtime
    assert compiled_program.again(sys.executable) == 0
    assert capsys.readouterr().out == ('\n[["a.pyx"], []]\n' if makes else "\n[[], []]\n")
    assert int((folder / "a.pyx").stat().st_mtime) > int(began)


def test_a_file_that_the_build_alters_and_that_is_put_back_after_each_run_does_not_bring_the_base_back(
    project: Callable[..., Path],
) -> None:
    """What Cython makes lies in many a repository."""
    folder = project(
        a_pyx="base",
        a_c="base",
        b_c="",
        setup_py="import os, shutil\nif os.path.getmtime('a.pyx') > os.path.getmtime('a.c'):\n"
        "    shutil.copyfile('a.pyx', 'a.c')\nshutil.copyfile('a.c', 'a.so')\n",
    )
    for name, text in (("a.pyx", "fix"), ("b.c", "more")):
        (folder / "a.c").write_text("base")
        os.utime(folder / "a.c", (0, 0) if name == "a.pyx" else None)
        (folder / name).write_text(text)
        assert compiled_program.again(sys.executable) == 0
        assert (folder / "a.so").read_text() == "fix"


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("open('test_a.py', 'w').close()", "test_a.py"),
        ("import os; os.remove('test_a.py')", "test_a.py"),
        ("import os; os.mkdir('t'); open('t/conftest.py', 'w').close()", "t/conftest.py"),
        ("for name in ('a.so', 'a.c', 'a.o', 'log'): open(name, 'w').close()", ""),
    ],
)
def test_a_build_that_writes_what_tests_are_run_from_is_no_build(
    project: Callable[..., Path], capsys: pytest.CaptureFixture[str], does: str, told: str
) -> None:
    """A helper of the build that is no Python, for instance, which no screen reads."""
    folder = project(a_c="", test_a_py="", setup_py="exec(open('helper').read())", helper="")
    (folder / "test.a.py").rename(folder / "test_a.py")
    (folder / "helper").write_text(does)
    (folder / "a.c").write_text("int a;")
    assert compiled_program.again(sys.executable) == bool(told)
    written = capsys.readouterr().out
    assert (f"{compiled_program.ALTERS} {told}\n" in written) is bool(told)


def test_sources_of_installed_packages_and_builds_are_none_of_the_projects(tmp_path: Path) -> None:
    for path in ("a.c", "src/b.pyx", "build/c.c", ".venv/d.c", "node_modules/e/e.cc", "f.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert files(SOURCE, str(tmp_path)) == ["a.c", "src/b.pyx"]


def test_what_cython_makes_by_a_command_of_its_own_is_made_again(tmp_path: Path) -> None:
    program = tmp_path / "cython"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    program.chmod(0o755)
    cythonize(str(tmp_path / "python"), ["a/b.c", "c.cpp"])
    assert (tmp_path / "asked").read_text().splitlines() == ["a/b.pyx", "--cplus c.pyx"]


def test_lists_of_words_stand_between_dashes() -> None:
    assert parts(("a", "--", "--", "b", "c")) == [["a"], [], ["b", "c"]]


def test_the_program_reads_what_it_wrote(tmp_path: Path) -> None:
    place = os.fspath(tmp_path / "kept.json")
    assert compiled_program.read(place) == {}
    compiled_program.write(place, {"/workspace": {"sources": {}}})
    assert compiled_program.read(place) == {"/workspace": {"sources": {}}}


def test_where_the_build_itself_is_changed_it_is_said_that_nothing_is_compiled() -> None:
    assert Recompiled().notes == ()
    (note,) = Recompiled(stale=tuple(f"{number}.c" for number in range(7))).notes
    assert note.endswith("pyproject.toml changed too: 0.c, 1.c, 2.c, 3.c, 4.c and 2 more.")
