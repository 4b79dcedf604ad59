"""Programs in C and C++ whose build describes its own tests: CMake with CTest, or with programs of tests alone, and
Meson."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from posixpath import dirname

from repo_tools.changes import Tree
from repo_tools.environment.cmake_switches import test_switches
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand
from repo_tools.environment.folders import EXAMPLES, TESTS, VENDORED, is_below, is_within
from repo_tools.environment.lenient import goes_on, lenient
from repo_tools.environment.meson_switches import test_switches as meson_switches
from repo_tools.environment.python.install import MAKE_VENV, PIP_INSTALL
from repo_tools.environment.texts import as_text
from repo_tools.sandbox.contract import ENVIRONMENT

OF_C = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp")
_NOT_OURS = VENDORED | EXAMPLES
_MOST_READ = 200
_MOST_BYTES = 300_000
_BUILD_FOLDERS = ("build", "_build", ".build", "build-tested")
_PROJECT = re.compile(r"^[ \t]*project[ \t]*\(", re.MULTILINE | re.IGNORECASE)

_ADDS_TEST = re.compile(r"^[ \t]*(?:add_test|\w+_discover_tests|ParseAndAddCatchTests)[ \t]*\(", re.M | re.I)
_ENABLES_TESTS = re.compile(r"^[ \t]*(?:enable_testing[ \t]*\(|include[ \t]*\([ \t]*CTest\b)", re.MULTILINE | re.I)
_MAKES_PROGRAM = re.compile(r"^[ \t]*(?:add_executable|target_sources\w*)[ \t]*\(", re.MULTILINE | re.IGNORECASE)
_MAKES_PROGRAM_OF_TESTS = re.compile(r"^[ \t]*add_executable[ \t]*\([^)]{0,400}?tests?\b", re.MULTILINE | re.IGNORECASE)
_CMAKE_FILE = re.compile(r"(?:.*/)?CMakeLists\.txt|.*\.cmake")
_AS_OLD_AS_WRITTEN = {"CMAKE_POLICY_VERSION_MINIMUM": "3.5"}
"""CMake 4, where the image has it, refuses what was written for those before 3.5:
https://cmake.org/cmake/help/latest/envvar/CMAKE_POLICY_VERSION_MINIMUM.html"""
_HAS_CTEST = "cmake --version && ctest --help | grep -q -e --output-junit"
"""What a result for each test needs, since CMake 3.21."""
_OURS = f"{ENVIRONMENT}/programs_as_tests.cmake"
_AS_TESTS = (Path(__file__).parent / "box_programs" / "programs_as_tests.cmake").read_text("utf-8")

_MESON_TEST = re.compile(r"^[ \t]*test[ \t]*\(", re.MULTILINE)
_STRICT_MESON = re.compile(r"\bwerror\s*[=:]\s*'?true")
_MESON_FILE = re.compile(r"(?:.*/)?meson(?:\.build|_options\.txt|\.options)")
_HAS_MESON = "meson --version && ninja --version"


class CMakeDetector:
    name = "cmake/7"
    looked_for = "a CMakeLists.txt with tests of CTest"
    suffixes = OF_C

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        texts = _cmake_files(tree, read)
        tells = all(any(map(wanted.search, texts.values())) for wanted in (_ADDS_TEST, _ENABLES_TESTS))
        return _by_ctest(self.name, texts, tree, read) if tells else None


class CMakeProgramsDetector:
    """A build that tells CTest of no test, and makes programs that are: each becomes one, so that it is built, run and
    told of like others."""

    name = "cmake-programs/1"
    looked_for = "a CMakeLists.txt that makes programs of tests"
    suffixes = ()  # the last of all: what the repository itself starts may do more

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        texts = _cmake_files(tree, read)
        programs = [path for path, text in texts.items() if _makes_programs_of_tests(path, text)]
        if not programs or any(map(_ADDS_TEST.search, texts.values())):
            return None
        kept = SetupCommand(
            ("sh", "-c", f'printf %s "$1" >{_OURS}', "sh", _AS_TESTS), typed="take the programs of tests for CTest's"
        )
        planned = _by_ctest(self.name, texts, tree, read, f"-DCMAKE_PROJECT_INCLUDE={_OURS}")
        evidence = (*planned.evidence, f"{programs[0]}: programs of tests that CTest is not told of")
        return replace(planned, evidence=evidence, setup=(kept, *planned.setup))


class MesonDetector:
    name = "meson/4"
    looked_for = "a meson.build with tests"
    suffixes = OF_C

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        texts = dict(_read(tree, read, _MESON_FILE))
        if not _PROJECT.search(texts.get("meson.build", "")) or not any(map(_MESON_TEST.search, texts.values())):
            return None
        folder = build_folder(tree)
        own = "".join(texts.get(name, "") for name in ("meson_options.txt", "meson.options"))
        lax = ("werror=false",) if any(map(_STRICT_MESON.search, texts.values())) else ()
        asked = tuple(f"-D{switch}" for switch in (*meson_switches(own), *lax))
        plain = SetupCommand(("meson", "setup", folder))
        return Environment(
            detector=self.name,
            evidence=("meson.build", *asked),
            setup=(
                _provided(_HAS_MESON, "meson", "ninja"),
                *lenient(texts.values(), tree, read),
                SetupCommand((*plain.argv, *asked), otherwise=(plain,)) if asked else plain,
                SetupCommand(("meson", "compile", "-C", folder), required=False),
            ),
            tests=(TestCommand("meson", ("meson", "test", "-C", folder)),),
            manifests=tuple(sorted(filter(_MESON_FILE.fullmatch, tree))),
        )


def _cmake_files(tree: Tree, read: ReadFile) -> dict[str, str]:
    """Path -> text; empty where the root is no project of CMake's."""
    texts = dict(_read(tree, read, _CMAKE_FILE))
    return texts if _PROJECT.search(texts.get("CMakeLists.txt", "")) else {}


def _makes_programs_of_tests(path: str, text: str) -> bool:
    return bool((_MAKES_PROGRAM if is_within(dirname(path), TESTS) else _MAKES_PROGRAM_OF_TESTS).search(text))


def _by_ctest(detector: str, texts: Mapping[str, str], tree: Tree, read: ReadFile, *options: str) -> Environment:
    """`options`: of ours, for CMake."""
    folder = build_folder(tree)
    configure = ("cmake", "-S", ".", "-B", folder, *options)
    asked = tuple(f"-D{switch}" for switch in test_switches(texts))
    return Environment(
        detector=detector,
        evidence=("CMakeLists.txt", *asked),
        setup=(
            _provided(_HAS_CTEST, "cmake<4"),  # later ones refuse what was written for those before 3.5
            *lenient(texts.values(), tree, read),
            SetupCommand((*configure, *asked), otherwise=(SetupCommand(configure),) if asked else ()),
            SetupCommand(("cmake", "--build", folder, "--parallel", "2"), otherwise=(goes_on(folder),)),
        ),
        tests=(TestCommand("ctest", ("ctest", "--test-dir", folder)),),
        manifests=tuple(sorted(filter(_CMAKE_FILE.fullmatch, tree))),
        variables=_AS_OLD_AS_WRITTEN,
    )


def build_folder(tree: Tree) -> str:
    """One that the repository does not have."""
    taken = {path.partition("/")[0] for path in tree}
    return next(name for name in (*_BUILD_FOLDERS, "build-of-tests") if name not in taken)


def native_folders(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """The topmost folders with such a build, the shallowest first; not the root."""
    found: list[str] = []
    for path, text in _read(tree, read, re.compile(r".+/(?:CMakeLists\.txt|meson\.build)")):
        above = dirname(path)
        if _PROJECT.search(text) and not any(is_below(above, known) for known in found):
            found.append(above)
    return tuple(found)


def _read(tree: Tree, read: ReadFile, wanted: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    paths = (path for path in tree if wanted.fullmatch(path) and not is_within(dirname(path), _NOT_OURS))
    for path in sorted(paths, key=lambda path: (path.count("/"), path))[:_MOST_READ]:
        yield path, as_text(read(path)[:_MOST_BYTES])


def _provided(has: str, *packages: str) -> SetupCommand:
    """The image's own programs, or else the package index's."""
    (_, _, make_venv), install = MAKE_VENV[0].argv, shlex.join((*PIP_INSTALL, *packages))
    words = ("/bin/sh", "-c", f"{{ {has}; }} >/dev/null 2>&1 || {{ {make_venv} && {install}; }}")
    return SetupCommand(words, typed=f"pip install {shlex.join(packages)}, where the image has none")
