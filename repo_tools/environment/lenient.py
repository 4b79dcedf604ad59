"""Compilers that take what was written for those of another day: a warning is none but a warning, test libraries that
a later glibc would break leave signals alone, headers that others brought along are there, and variables are common."""

import re
from collections.abc import Iterable

from repo_tools.changes import Tree
from repo_tools.environment.contract import NOTE, ReadFile, SetupCommand
from repo_tools.environment.texts import read_text
from repo_tools.sandbox.contract import ENVIRONMENT

TOLD = "warnings are not taken for errors (-Werror)"
_STRICT = re.compile(r"-Werror\b|WARNING_AS_ERROR\b")
_BIN = f"{ENVIRONMENT}/bin"
_WITHOUT = 'for word; do shift; case $word in -Werror|-Werror=*) ;; *) set -- "$@" "$word" ;; esac; done'
# They stand before the image's own on the search path, of set-up and of tests, and start these by their full paths.
_WRAP = """
mkdir -p {folder}
for name in cc gcc c++ g++; do
  own=$(command -v "$name") || continue
  case $own in {folder}/*) continue ;; esac
  printf '%s\\n' '#!/bin/sh' '{without}' "exec $own {words} \\"\\$@\\"" >{folder}/$name && chmod +x {folder}/$name
done
echo '{told}'
"""

_HEADER = re.compile(r"(?:.*/)?(?:catch|doctest|catch_fatal_condition)\.(?:h|hpp|cpp)")
_OF_CONSTANT_SIZE = re.compile(r"(?:\bconstexpr\b[^\n;]{0,200}=|\baltStackMem\[)[^\n;]{0,200}SIGSTKSZ")
"""Since glibc 2.34 it is none: https://sourceware.org/git/?p=glibc.git;a=blob;f=NEWS"""
_NO_SIGNALS = "-DCATCH_CONFIG_NO_POSIX_SIGNALS -DDOCTEST_CONFIG_NO_POSIX_SIGNALS"
_MOST_HEADERS = 10
# Headers that the compiler names itself, and <limits>, which GCC 12 does not: https://gcc.gnu.org/gcc-11/porting_to.html
# Variables that a header of C defines in each file are one by -fcommon: https://gcc.gnu.org/gcc-10/porting_to.html
_GOES_ON = r"""
cmake --build "$1" --parallel 2 -- -k >/tmp/built 2>&1 && exit
cat /tmp/built
headers=$({
  sed -n "s/.*did you forget to [^#]*#include <\([a-z_]*\)>.*/-include \1/p" /tmp/built
  sed -n "s/.*error: [^n]*numeric_limits[^ ]* is not a member of .*/-include limits/p" /tmp/built
} | sort -u | xargs)
test "$headers" && set -- "$@" "-DCMAKE_CXX_FLAGS=$headers"
grep -q ": multiple definition of " /tmp/built && set -- "$@" -DCMAKE_C_FLAGS=-fcommon
folder=$1; shift
test $# -gt 0 || exit 1
echo "{note}compiled with $*, as compilers of its day did by themselves"
cmake "$folder" "$@" && cmake --build "$folder" --parallel 2 -- -k
"""


def lenient(texts: Iterable[str], tree: Tree, read: ReadFile) -> tuple[SetupCommand, ...]:
    """What makes them, where one of a build's own `texts` is strict, or such a library is kept in `tree`."""
    strict = any(map(_STRICT.search, texts))
    headers = sorted(path for path in tree if _HEADER.fullmatch(path))[:_MOST_HEADERS]
    of_another_day = any(_OF_CONSTANT_SIZE.search(read_text(read, path)) for path in headers)
    if not (strict or of_another_day):
        return ()
    words = _NO_SIGNALS if of_another_day else ""
    told = (TOLD, *([f"compiled with {words}, for a glibc of today"] if words else []))
    notes = "\n".join(f"{NOTE}{note}" for note in told)
    script = _WRAP.format(folder=_BIN, without=_WITHOUT, words=words, told=notes)
    return (SetupCommand(("sh", "-c", script), required=False, typed="; ".join(told)),)


def goes_on(folder: str) -> SetupCommand:
    """The build in CMake's `folder`, where it failed: all that can be built, with what files of another day leave to
    their compiler."""
    argv = ("sh", "-c", _GOES_ON.replace("{note}", NOTE), "sh", folder)
    return SetupCommand(argv, required=False, typed=f"cmake --build {folder} -- -k")
