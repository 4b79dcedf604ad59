"""Plans for programs in C and C++: CMake, Meson, what a workflow builds, configure and make."""

import json
import subprocess
from pathlib import Path

import pytest

from repo_tools.environment.contract import Environment, NoTestsError, SetupCommand
from repo_tools.environment.lenient import TOLD, goes_on, lenient
from repo_tools.sandbox.contract import ENVIRONMENT
from tests.support.trees import planned

CMAKE = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.5)\nproject(parse C)\nenable_testing()\n",
    "tests/CMakeLists.txt": "add_test(NAME numbers COMMAND numbers)\n",
    "parse.c": "",
    "tests/numbers.c": "",
}
MESON = {"meson.build": "project('parse', 'c')\n", "test/meson.build": "test('numbers', numbers)\n", "parse.c": ""}
MAKE = {"Makefile": "all: parse\ntest: all\n\t./parse\n"}


def commands(environment: Environment) -> list[tuple[str, str, str]]:
    return [(command.runner, " ".join(command.argv), command.directory) for command in environment.tests]


def setup(environment: Environment) -> list[str]:
    return [" ".join(command.argv) for command in environment.setup]


def job(*lines: str) -> dict[str, str]:
    steps = "".join(f"      - run: {line}\n" for line in lines)
    return {".github/workflows/ci.yml": f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"}


def test_a_cmake_project_is_configured_built_and_tested_test_by_test() -> None:
    environment = planned({**CMAKE, **MAKE})
    assert commands(environment) == [("ctest", "ctest --test-dir build", "")]
    assert setup(environment)[1:] == ["cmake -S . -B build", "cmake --build build --parallel 2"]
    assert environment.manifests == ("CMakeLists.txt", "tests/CMakeLists.txt")


def test_programs_that_the_image_lacks_come_from_the_package_index() -> None:
    for files, package in ((CMAKE, "cmake<4"), (MESON, "meson ninja")):
        provided = planned(files).setup[0].argv[-1]
        assert "pip install" in provided
        assert package in provided
        assert not planned(files).tools


def test_a_build_stands_in_a_folder_that_the_repository_does_not_have() -> None:
    assert commands(planned({**CMAKE, "build/notes.txt": ""}))[0][1] == "ctest --test-dir _build"


def test_options_that_build_the_tests_are_switched_on_and_others_left_alone() -> None:
    options = (
        'option(PARSE_BUILD_TESTS "Build the tests" OFF)\noption(BUILD_TESTING "" ON)\n'
        'option(PARSE_CUDA_TEST "" OFF)\noption(PARSE_FUZZ "" OFF)\n'
    )
    configure = planned({**CMAKE, "CMakeLists.txt": CMAKE["CMakeLists.txt"] + options}).setup[1]
    assert configure.argv == ("cmake", "-S", ".", "-B", "build", "-DPARSE_BUILD_TESTS=ON")
    assert configure.otherwise == (SetupCommand(("cmake", "-S", ".", "-B", "build")),)


@pytest.mark.parametrize(
    "cmake",
    [
        {"CMakeLists.txt": "project(parse)\nadd_library(parse parse.c)\n"},
        {"CMakeLists.txt": "project(parse)\n", "third_party/gtest/CMakeLists.txt": "enable_testing()\nadd_test(a b)"},
    ],
)
def test_a_cmake_project_without_tests_of_its_own_leaves_them_to_make(cmake: dict[str, str]) -> None:
    assert commands(planned({**cmake, **MAKE, "parse.c": ""})) == [("exit_code", "make test", "")]


PROGRAMS_OF_TESTS = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(parse C)\nadd_subdirectory(test)\n"
    "add_subdirectory(vendor/zip)\n",
    "test/CMakeLists.txt": "add_executable(every all.c)\nadd_executable(parse_bench all.c)\n",
    "vendor/zip/CMakeLists.txt": "add_executable(zip_test test/zip.c)\n",
    "vendor/zip/test/zip.c": "int main(void) { return 1; }\n",
    "test/all.c": "int main(int count, char **words) { return count - 1; }\n",
}


def test_programs_of_tests_that_ctest_is_not_told_of_are_its_own(tmp_path: Path) -> None:
    environment = planned(PROGRAMS_OF_TESTS)
    assert commands(environment) == [("ctest", "ctest --test-dir build", "")]
    assert "test/CMakeLists.txt: programs of tests that CTest is not told of" in environment.evidence
    for path, text in PROGRAMS_OF_TESTS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (ours,) = (word.partition("=")[2] for c in environment.setup for word in c.argv if "PROJECT_INCLUDE=" in word)
    kept = tmp_path / "ours.cmake"
    subprocess.run([word.replace(ours, str(kept)) for word in environment.setup[0].argv], check=True)
    for command in environment.setup[2:]:
        argv = [word.replace(ours, str(kept)) for word in command.argv]
        subprocess.run(argv, cwd=tmp_path, check=True, capture_output=True)
    listing = ["ctest", "--test-dir", "build", "--show-only=json-v1"]
    (listed,) = json.loads(subprocess.run(listing, cwd=tmp_path, check=True, capture_output=True).stdout)["tests"]
    assert listed["name"] == "every"
    assert {"name": "TIMEOUT", "value": 600.0} in listed["properties"]
    subprocess.run(listing[:3], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("more", "runner"),
    [
        ({**MAKE}, "exit_code"),
        ({"test/test_srv.py": "def test_srv(): pass\n"}, "pytest"),
        ({f"lib/{path}": text for path, text in CMAKE.items()}, "ctest"),
        ({"test/own.cmake": "enable_testing()\nadd_test(every every)\n"}, "ctest"),
        ({".github/workflows/ci.yml": job("./test.sh")[".github/workflows/ci.yml"], "test.sh": ""}, "exit_code"),
    ],
)
def test_they_are_the_last_that_is_asked_for(more: dict[str, str], runner: str) -> None:
    environment = planned({**PROGRAMS_OF_TESTS, **more})
    assert [command.runner for command in environment.tests] == [runner]
    assert not any("PROJECT_INCLUDE" in word for command in environment.setup for word in command.argv)


def test_a_meson_project() -> None:
    environment = planned({**MESON, "text.c": "", "test_tool.py": ""})
    assert commands(environment) == [("meson", "meson test -C build", "")]
    assert setup(environment)[1:] == ["meson setup build", "meson compile -C build"]


def test_a_program_in_c_comes_before_its_wrapper_in_another_language_unless_the_issue_is_about_that() -> None:
    wrapper = {"python/setup.py": "", "python/test_parse.py": "def test_a(): pass"}
    assert commands(planned({**CMAKE, **wrapper}))[0][0] == "ctest"
    assert commands(planned({**CMAKE, **wrapper}, "see python/test_parse.py"))[0][0] == "pytest"


def test_what_has_a_manifest_of_another_language_is_tested_by_that() -> None:
    package = {"pyproject.toml": "[project]\nname = 'parse'\n", "tests/test_parse.py": "def test_a(): pass"}
    assert commands(planned({**CMAKE, **package}))[0][0] == "pytest"


def test_a_program_in_c_may_stand_in_a_folder() -> None:
    files = {f"parse/{path}": text for path, text in CMAKE.items()}
    assert commands(planned({**files, "README.md": ""})) == [("ctest", "ctest --test-dir build", "parse")]


def test_tests_of_which_only_an_exit_code_is_known_run_after_the_build_of_the_workflow() -> None:
    files = {"main.c": "", "runtest": "", **job("make WERROR='-Werror' -j", "./runtest --tags -slow")}
    environment = planned(files)
    assert commands(environment) == [("exit_code", "sh -c make && ./runtest --tags -slow", "")]
    assert setup(environment) == ["make"]


def test_tests_that_make_runs_get_no_more_jobs_than_a_box_holds() -> None:
    files = {"main.c": "", "Makefile": "", "tests/Makefile": "", **job("make -j -C tests test V=1", "make -j 2 check")}
    assert [command for _, command, _ in commands(planned(files))] == ["make -C tests test V=1", "make -j 2 check"]


def test_what_is_built_once_is_not_made_anew_for_each_run() -> None:
    steps = job("./configure --prefix=$(pwd)", "make -j$(nproc)", "make check")
    environment = planned({"main.c": "", "Makefile": "", "configure": "", **steps})
    assert commands(environment) == [("exit_code", "sh -c make -j2 && make check", "")]
    assert setup(environment) == ["./configure --prefix=/workspace", "make -j2"]


def test_a_target_that_leaves_the_build_to_others_runs_after_it() -> None:
    assert commands(planned({"Makefile": "all: a\ntest:\n\t./a\n", "a.c": ""})) == [
        ("exit_code", "sh -c make && make test", "")
    ]


def test_a_repository_that_makes_its_own_configure_is_asked_where_autoreconf_fails() -> None:
    made = planned({"configure.ac": "", "Makefile.am": "check-local:\n", "autogen.sh": "", "a.c": ""}).setup[0]
    assert made.argv == ("autoreconf", "--force", "--install")
    assert made.otherwise == (SetupCommand(("env", "NOCONFIGURE=1", "sh", "autogen.sh")),)


@pytest.mark.parametrize(
    ("steps", "options"),
    [
        (("cmake -S . -B out", "ctest --test-dir out -LE 'slow|net' -j 4"), " -LE slow|net"),
        (("ctest -E bench --output-on-failure",), " -E bench"),
        (("ctest -R numbers -LE slow",), ""),
        (("ctest -LE slow", "ctest"), ""),
    ],
)
def test_tests_that_a_workflow_s_ctest_leaves_out_are_left_out(steps: tuple[str, ...], options: str) -> None:
    assert commands(planned({**CMAKE, **job(*steps)}))[0][1] == f"ctest --test-dir build{options}"


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ("option('tests', type : 'boolean', value : false, description : 'it''s (them)')\n", ["-Dtests=true"]),
        ("option('build_tests', type: 'feature', value: 'disabled')\n", ["-Dbuild_tests=enabled"]),
        ("option('tests', type: 'feature', value: 'auto')\noption('docs', type: 'boolean', value: false)\n", []),
        ("option('tests', description: 'x')\n", []),
        ("", []),
    ],
)
def test_options_that_build_meson_s_tests_are_switched_on(options: str, asked: list[str]) -> None:
    environment = planned({**MESON, "meson_options.txt": options})
    assert environment.setup[1].argv == ("meson", "setup", "build", *asked)
    assert [other.argv for other in environment.setup[1].otherwise] == ([("meson", "setup", "build")] if asked else [])


def test_what_was_written_for_an_old_cmake_is_taken_by_a_new_one() -> None:
    assert planned(CMAKE).variables == {"CMAKE_POLICY_VERSION_MINIMUM": "3.5"}


SCRIPT = """\
on: push
jobs:
  script:
    runs-on: ubuntu-latest
    env: {STRICT: 1}
    steps:
      - run: ./test.sh
"""


def test_variables_for_a_script_of_the_workflow_s_are_not_those_of_ctest() -> None:
    assert not planned({**CMAKE, ".github/workflows/ci.yml": SCRIPT}).test_variables
    with_ctest = f"{SCRIPT}  ctest:\n    runs-on: ubuntu-latest\n    env: {{A: 1}}\n    steps: [{{run: ctest}}]\n"
    assert planned({**CMAKE, ".github/workflows/ci.yml": with_ctest}).test_variables == {"A": "1"}


@pytest.mark.parametrize(
    ("steps", "command"),
    [
        (("make -C tests test-32bit", "make test-freestanding"), "sh -c make && make test"),
        (("make check PRE='valgrind --leak-check=full' V=1",), "make check V=1"),
        (("make test EMULATOR=qemu-arm",), "make test"),
    ],
)
def test_parts_and_other_modes_of_a_makefile_s_tests_are_not_its_tests(steps: tuple[str, ...], command: str) -> None:
    makefile = {"Makefile": "all: parse\ntest:\n\t./parse\n", "tests/Makefile": "test-32bit:\n", "a.c": ""}
    assert commands(planned({**makefile, **job(*steps)})) == [("exit_code", command, "")]


def test_how_the_ci_compiles_another_binary_is_no_variable_of_the_tests() -> None:
    flags = SCRIPT.replace("STRICT: 1", "CFLAGS: -m32, LDFLAGS: -s, CTEST_PARALLEL_LEVEL: 20").replace(
        "./test.sh", "ctest"
    )
    assert not planned({**CMAKE, ".github/workflows/ci.yml": flags}).test_variables


@pytest.mark.parametrize("rule", [".DEFAULT:\n\tcd src && $(MAKE) $@\n", "%:\n\t@$(MAKE) -C src $@\n"])
def test_a_makefile_may_hand_on_what_it_does_not_know(rule: str) -> None:
    files = {
        "Makefile": f"default: all\n\n{rule}",
        "src/Makefile": "all: server\ntest: all\n\t./runtest\n",
        "src/a.c": "",
    }
    assert commands(planned(files)) == [("exit_code", "make test", "")]
    with pytest.raises(NoTestsError):
        planned({**files, "src/Makefile": "all: server\n"})


def test_what_drives_the_tests_of_a_program_in_c_is_asked_after_its_own_build() -> None:
    driven = {"tests/requirements.txt": "pytest\n", "tests/http/test_get.py": "def test_get(): pass\n"}
    program = {"a.c": "", "b.c": "", "lib/c.c": ""}
    assert commands(planned({**MAKE, **program, **driven})) == [("exit_code", "make test", "")]
    for files, issue in (({**program, **driven}, ""), ({**MAKE, **program, **driven}, "tests/http/test_get.py fails")):
        assert commands(planned(files, issue)) == [("pytest", "pytest", "tests")]
    binding = {"python/setup.py": "", "python/test_a.py": "def test_a(): pass\n"}
    assert commands(planned({**MAKE, **program, **binding}))[0][0] == "pytest"


def test_a_build_in_c_is_asked_before_bindings_below_where_a_manifest_beside_it_has_no_tests() -> None:
    program = {**CMAKE, "lib/a.c": "", "pyproject.toml": "[project]\nname = 'parse'\n", "bindings/python/parse.py": ""}
    binding = {
        "bindings/rust/Cargo.toml": "[package]\nname = 'p'\n",
        "bindings/rust/src/lib.rs": "#[test]\nfn a() {}\n",
    }
    assert commands(planned({**program, **binding})) == [("ctest", "ctest --test-dir build", "")]
    mostly_rust = {f"bindings/rust/src/a{number}.rs": "" for number in range(9)}
    assert commands(planned({**program, **binding, **mostly_rust}))[0][0] == "cargo"
    tested = {"bindings/python/test_parse.py": "def test_a(): pass\n"}
    assert commands(planned({**program, **tested}))[0][0] == "pytest"


def test_a_makefile_in_the_folder_of_the_tests_is_the_last_of_all() -> None:
    tests = {"tests/Makefile": "run_tests: all\n\t./do_tests\n", "src/a.h": "", "tests/a.c": ""}
    environment = planned(tests)
    assert commands(environment) == [("exit_code", "make run_tests", "tests")]
    assert commands(planned({**tests, "Makefile": "check:\n\tmake -C tests\n"})) == [("exit_code", "make check", "")]
    with pytest.raises(NoTestsError):
        planned({"lib/Makefile": "test:\n\t./a\n", "lib/a.c": ""})


def test_a_build_that_takes_warnings_for_errors_gets_compilers_that_do_not() -> None:
    strict = {**CMAKE, "cmake/flags.cmake": "add_compile_options(-Wall -Werror)\n"}
    names = [command.split()[0] for command in setup(planned(strict))]
    assert names == ["/bin/sh", "sh", "cmake", "cmake"]
    assert "c++ g++" in setup(planned(strict))[1]
    assert len(setup(planned(CMAKE))) == len(names) - 1
    meson = {**MESON, "meson.build": "project('parse', 'c', default_options: ['werror=true'])\n"}
    assert "meson setup build -Dwerror=false" in setup(planned(meson))
    by_workflow = {"Makefile": "all:\n\tcc -Werror a.c\n", "a.c": "", **job("make && ./runtests.sh")}
    assert [command.split()[0] for command in setup(planned(by_workflow))] == ["sh", "make"]
    made = {"Makefile": "include flags.mk\nall: a\ntest: a\n\t./a\n", "flags.mk": "CFLAGS += -Werror\n", "a.c": ""}
    assert [command.split()[0] for command in setup(planned(made))] == ["sh", "make"]


def test_a_test_library_of_before_glibc_2_34_that_is_kept_here_leaves_signals_alone() -> None:
    of_then = (
        "static char altStackMem[4 * SIGSTKSZ];\n",
        "constexpr static std::size_t size = 32768 >= MINSIGSTKSZ ? 1 : 2;",
    )
    for path, text in zip(("third_party/doctest.h", "single/catch.hpp"), of_then, strict=True):
        wrap = setup(planned({**CMAKE, path: text}))[1]
        assert "NO_POSIX_SIGNALS" in wrap
    assert setup(planned({**CMAKE, "catch.hpp": "altStackSize = 4 * SIGSTKSZ;"})) == setup(planned(CMAKE))
    assert "NO_POSIX_SIGNALS" not in setup(planned({"Makefile": "all:\ntest:\n\tcc -Werror a.c\n", "a.c": ""}))[0]


def test_what_such_compilers_are_handed_has_everything_but_what_makes_errors_of_warnings(tmp_path: Path) -> None:
    (wrap,) = lenient(["CFLAGS = -Werror"], {}, dict[str, bytes]().__getitem__)
    assert str(wrap) == TOLD
    script = wrap.argv[2].replace(f"{ENVIRONMENT}/bin", str(tmp_path))
    assert TOLD in subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True).stdout
    source = tmp_path / "a b.c"
    source.write_text('int main(void) { int unused; return sizeof(NAME) == sizeof("a b") ? 0 : 1; }\n')
    words = ("-Wall", "-Werror", "-Werror=unused-variable", '-DNAME="a b"', str(source), "-o", str(tmp_path / "a"))
    assert subprocess.run([tmp_path / "gcc", *words], check=False, capture_output=True).returncode == 0
    assert subprocess.run([tmp_path / "a"], check=False).returncode == 0


def test_a_build_that_fails_goes_on_with_what_compilers_of_its_day_did_by_themselves(tmp_path: Path) -> None:
    said = (
        "a.cpp:1:1: error: 'numeric_limits' is not a member of 'std'\nnote: did you forget to '#include <array>'?\n"
        "ld: b.o:a.h:3: multiple definition of `n'; a.o:a.h:3: first defined here"
    )
    (tmp_path / "cmake").write_text(f'#!/bin/sh\necho "$*" >>asked\ncat <<-\\END\n{said}\nEND\nexit 1\n')
    (tmp_path / "cmake").chmod(0o755)
    step = planned(CMAKE).setup[-1].otherwise[0]
    assert (step, step.required) == (goes_on("build"), False)
    run = subprocess.run(
        step.argv, cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False, capture_output=True, text=True
    )
    assert "note of set-up: compiled with -DCMAKE_CXX_FLAGS=-include array -include limits -DCMAKE" in run.stdout
    assert (tmp_path / "asked").read_text().splitlines() == [
        "--build build --parallel 2 -- -k",
        "build -DCMAKE_CXX_FLAGS=-include array -include limits -DCMAKE_C_FLAGS=-fcommon",
    ]


AUTOMAKE = {"configure.ac": "AM_INIT_AUTOMAKE\n", "Makefile.am": "SUBDIRS = tests\n", "a.c": ""}


def test_automake_s_own_harness_tells_each_test_whoever_starts_it() -> None:
    harness = {**AUTOMAKE, "tests/Makefile.am": "check_PROGRAMS = a\nTESTS = $(check_PROGRAMS)\n"}
    assert commands(planned(harness)) == [("automake", "make check", "")]
    assert commands(planned({**harness, **job("./configure", "make", "make check")}))[0][:2] == (
        "automake",
        "make check",
    )
    assert commands(planned({**AUTOMAKE, "tests/Makefile.am": "check-local:\n\t./a\n"}))[0][0] == "exit_code"


def test_the_check_that_automake_adds_where_there_is_none_is_no_test() -> None:
    with pytest.raises(NoTestsError):
        planned(AUTOMAKE)
    with pytest.raises(NoTestsError):
        planned({**AUTOMAKE, "Makefile.am": "check_PROGRAMS = fuzzer\n"})
    included = {**AUTOMAKE, "Makefile.am": "include tests.mak\n", "tests.mak": "check: units\n"}
    assert commands(planned(included)) == [("exit_code", "make check", "")]


def test_what_automake_tests_of_a_program_in_c_comes_before_its_bindings() -> None:
    binding = {"python/setup.py": "from setuptools import setup\nsetup()\n", "python/test_it.py": "", "b.c": ""}
    assert commands(planned({**AUTOMAKE, "Makefile.am": "TESTS = a\n", **binding})) == [("automake", "make check", "")]
