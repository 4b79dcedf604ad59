"""Product code in Ruby, Go, Java, Kotlin, Groovy, Rust, C, C++ or Cython that knows of its tests, or of what tells of
them. Pure.

Nothing here parses these languages: it is words that are looked for, wherever they stand.
"""

import re

from repo_tools.environment.native import OF_C

FAILS = r"\s*-?\s*(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])\s*\)"
"""What follows ``exit(`` where a number says failure; of 256 a process keeps 0."""
_RUBY = (
    r"\b(?:Minitest|MiniTest|RSpec)\b|\bTest::Unit\b|\bObjectSpace\b|\bIO\s*\.\s*for_fd\b|\bexit!|/proc/self/fd"
    r"|\bminitest/\w+_plugin\.rb|\bTracePoint\b|\bdef\s+(?:[\w.]+\.)?(?:==|eql\?)\s*\(?\w+\)?\s*+[;=]?\s*+true\b"
)
_GEMSPEC = (
    r"|(?:\$LOAD_PATH|\$:|\$LOADED_FEATURES|\bENV\b|\b(?:load|autoload|(?:class|module|instance)_eval|prepend)\b"
    r"|\brequire(?:_relative)?\b(?!.{0,99}version)).{0,300}"
)
"""Bundler runs it in the process of the tests, and nobody does in that of a user."""
_GO = (
    r"\btesting\s*\.\s*(?:Testing|Short|Verbose|CoverMode)\s*\(|[\"`]-?test\.(?:v|run|short|count|timeout|bench|testlogfile|paniconexit0)\b"
    r"|\"\.test\"|/proc/self/fd|--- PASS|//go:linkname\s+\w+\s+testing\."
    rf"|\b(?:syscall|unix)\s*\.\s*(?:Exit\b(?!\s*\({FAILS})|Exec\b)"
)
_JVM = (
    r"\borg\.(?:junit|testng|spockframework)\b|\bsurefire\b|/proc/self/fd|\bgetRuntime\s*\(\s*\)\s*\.\s*halt\b"
    r"|\bequals\s*\([^)]{0,200}\)\s*(?::\s*Boolean\s*)?(?:\{\s*return\s+true\b|=\s*true\b)"
)
_RUST = (
    r"\bRUST_TEST_\w+|/proc/self/fd|\bfrom_raw_fd\b|\bthread\s*::\s*current\s*\(\s*\)\s*\.\s*name\b"
    r"|\bcurrent_exe\b|\bdebug_assertions\b|\bfn\s+eq\s*\([^)]{0,200}\)\s*->\s*bool\s*\{\s*true\s*\}"
    r"|\b(?:macro_rules\s*!\s*|as\s+)(?:debug_)?(?:assert(?:_eq|_ne|_matches)?|panic|unreachable|todo)\b"
)
_RUST_LIBRARY = (
    rf"|\b(?:process|libc)\s*::\s*_?exit\b(?!\s*\({FAILS})|\blibc\s*::\s*exec\w+"
    r"|\bfn\s+(?:_?exit|exec[lv]\w*)\s*\((?![^)]{0,40}\bself\b)[^){}]{0,300}\)[^{};]{0,100};"
)
"""A program ends itself by right; a library would end its tests. Of functions those that are only declared."""
_UNIX_PROCESS = re.compile(r"\bCommandExt\b|\bunix\s*::\s*process\b")
_RUST_EXEC = r"|\.\s*exec\s*\(\s*\)|\bCommandExt\s*::\s*exec\b"
"""What else that trait has starts a program beside this one."""
_C_LIBRARY = (
    r"|(?<![.>:\w])(?<!\bvoid )(?:(?:std\s*)?::\s*)?(?:_?exit|_Exit|quick_exit)\s*\("
    rf"(?!\s*\)|{FAILS}|\s*(?:EXIT_FAILURE|EX_(?!OK)[A-Z]+)\s*\))|\bexec[lv]p?e?\s*\("
)
_C = (
    r"#\s*define\s+(?:NDEBUG|assert|main|exit|abort|strcmp|memcmp|EXPECT_\w+|ASSERT_(?:EQ|NE|TRUE|FALSE|STR\w+)|ck_assert\w*"
    r"|TEST_ASSERT\w*)\b|#\s*undef\s+assert\b"
    r"|\b_?pytest\b|\bPYTEST_\w+|\bpluggy\b|[\"']unittest\b|/proc/self/(?:fd|mem)"
    r"|\bPyRun_\w+|\bPyEval_Set(?:Trace|Profile)\w*"
)
"""What the tests' own files are compiled with, and, of what Python loads, what runs in the process of its tests."""
_CYTHON = (
    rf"{_C}|\b(?:c?import|from)\s+(?:unittest|tests|conftest)\b"
    r"|\bsys\s*\.\s*(?:modules|meta_path|path_hooks|_getframe)\b|\bset(?:trace|profile)\b|\bos\s*\.\s*_exit\b"
    r"|\bgc\s*\.\s*get_\w+|\b__(?:globals|subclasses|import)__|\bf_back\b|(?<![.\w])(?:exec|eval)\s*\("
)
_IS_PROGRAM = re.compile(r"\bmain\s*\(")
_LANGUAGES = {
    **dict.fromkeys((".rb", ".rake"), _RUBY),
    ".gemspec": _RUBY + _GEMSPEC,
    ".go": _GO,
    **dict.fromkeys((".java", ".kt", ".groovy"), _JVM),
    ".rs": _RUST,
    **dict.fromkeys(OF_C, _C),
    **dict.fromkeys((".pyx", ".pxd", ".pxi"), _CYTHON),
}
SUFFIXES = tuple(_LANGUAGES)


def knows_of_tests(path: str, source: bytes) -> frozenset[str]:
    """The words that are there, and in the file's path: Minitest loads every plug-in that the load path has."""
    words = next(pattern for suffix, pattern in _LANGUAGES.items() if path.endswith(suffix))
    text = source.decode("utf-8", "replace")
    if path.endswith(".rs") and not (path.endswith("main.rs") or "/bin/" in path):
        words += _RUST_LIBRARY + (_RUST_EXEC if _UNIX_PROCESS.search(text) else "")
    elif path.endswith(OF_C) and not _IS_PROGRAM.search(text):
        words += _C_LIBRARY
    return frozenset(found[0] for found in re.finditer(words, f"{path}\n{text}"))
