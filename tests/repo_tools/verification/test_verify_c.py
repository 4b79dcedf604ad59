"""Changes to a library in C, proved or not in real boxes."""

from collections.abc import Mapping

import pytest

from repo_tools.verification.contract import Verdict
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import Laboratory, laboratory
from tests.support.long import first_of
from tests.support.toolchains import need

pytestmark = [pytest.mark.bubblewrap, pytest.mark.timeout(900)]

BUILD = """\
cmake_minimum_required(VERSION 3.13)
project(till C)
enable_testing()
add_library(till src/till.c)
target_include_directories(till PUBLIC include)
foreach(name total loud)
  add_executable(test_${name} tests/test_${name}.c)
  target_link_libraries(test_${name} till)
  add_test(NAME ${name} COMMAND test_${name})
endforeach()
"""
HEADER = "int total(const int *prices, int count);\nint loud(int letter);\n"
TILL = """\
#include "till.h"
int total(const int *prices, int count) {
  int sum = 0;
  for (int i = 1; i < count; i++) sum += prices[i];
  return sum;
}
int loud(int letter) { return letter - 32; }
"""
TEST = '#include "till.h"\n#include <assert.h>\nint main(void) {\n  assert(%s);\n}\n'
FILES = {
    "CMakeLists.txt": BUILD,
    "include/till.h": HEADER,
    "src/till.c": TILL,
    "tests/test_total.c": TEST.replace("  assert", "  int prices[] = {1, 2};\n  assert") % "total(prices, 2) == 3",
    "tests/test_loud.c": TEST % "loud('a') == 'A'",
}


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    need("cmake", "cc")
    return laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("till"), FILES)


@pytest.mark.long(short="test_tampering_with_the_bug_left_in_proves_nothing")
def test_a_fix_that_a_failing_base_test_shows_is_proved(till: Laboratory) -> None:
    assert till.baseline.red == {".::total"}
    verification = till.verify({"src/till.c": TILL.replace("i = 1", "i = 0")})
    assert (verification.verdict, verification.turned_green) == (Verdict.PROVED, (".::total",))


TAMPERINGS = {
    "assertions are compiled to nothing": {"include/till.h": HEADER + "#define NDEBUG\n"},
    "a header of the tests' is hidden": {
        "include/till.h": HEADER + "int more(void);\n",
        "include/assert.h": "#define assert(x) ((void)(x))\n",
    },
    "the product leaves": {
        "src/till.c": "#include <stdlib.h>\n" + TILL.replace("int sum = 0;", "int sum = 0;\n  if (count > 1) exit(0);")
    },
}


@pytest.mark.parametrize("files", first_of(TAMPERINGS.values()), ids=TAMPERINGS)
def test_tampering_with_the_bug_left_in_proves_nothing(till: Laboratory, files: Mapping[str, str]) -> None:
    verification = till.verify({"src/till.c": TILL + "int unused(void) { return 1; }\n", **files})
    assert (verification.verdict, verification.turned_green) == (Verdict.NOT_PROVED, ())
