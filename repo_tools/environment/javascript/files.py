"""Which files hold JavaScript tests: by their names, by what they load and call, and by what a command names. Pure."""

import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.box_programs.javascript.words import TOKENS, translated, without_braces
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.runners.javascript_command import taken_apart

SUFFIXES = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
USES_NODE_TEST = re.compile(rb"""(?:from\s+|require\(\s*|import\s+|import\(\s*)['"]node:test(?:/[\w-]+)?['"]""")
USES_BUN_TEST = re.compile(rb"""(?:from\s+|require\(\s*|import\(\s*)['"]bun:test['"]""")
USES_TAP = re.compile(
    rb"""(?:from\s+|require\(\s*|import\s+|import\(\s*)['"](?:tape|tap|@tapjs/\w+|tape-\w+|@hapi/tape|tap-\w+|zora"""
    rb"""|tapzero|brittle|fresh-tape)['"]"""
)
_USES_VOWS = re.compile(rb"""(?:from\s+|require\(\s*)['"]vows['"]""")
_STARTS = {
    "mocha": (re.compile(rb"""(?:from\s+|require\(\s*|import\(\s*)['"]mocha['"]"""), re.compile(rb"\bnew\s+Mocha\b")),
    "jasmine": (
        re.compile(rb"""(?:from\s+|require\(\s*|import\(\s*)['"]jasmine['"]"""),
        re.compile(rb"\bnew\s+Jasmine\b"),
    ),
    "vows": (_USES_VOWS,),
    "japa": (re.compile(rb"""(?:from\s+|require\(\s*|import\(\s*)['"](?:@japa/runner|japa)['"]"""),),
}
BESIDE_TESTS = re.compile(r"(?:.*/)?(?:fixtures?|helpers?|support|utils?|setup|mocks?|scripts?)/.*")
"""Programs that make what tests need."""

_TEST_FILE = re.compile(r"(?:.*/)?(?:test|tests|__tests__)/.*\.[cm]?[jt]sx?|(?:.*[./-])?(?:test|spec)\.[cm]?[jt]sx?")
_NAMED = re.compile(
    r"(?:.*[._-])?(?:test|tests|spec)\.[cm]?[jt]sx?|test[._-].*\.[cm]?[jt]sx?|.+[a-z](?:Test|Spec)\.[cm]?[jt]sx?"
)
_IN_A_FOLDER = re.compile(r"(?:.*/)?(?:tests?|__tests__|specs?)/(?:[^_/][^/]*/)*[^_./][^/]*(?<!\.d)\.[cm]?[jt]sx?")
_MADE_FOR_TESTS = re.compile(r"(?:.*/)?(?:node_modules|(?:__)?(?:fixtures?|mocks|snapshots)(?:__)?|tap-snapshots)/.*")
_CALLS = re.compile(rb"(?m)(?<![\w.$])(?:QUnit\.)?(?:describe|it|test|suite|context|specify)(?:\.\w+)*\s*(?:\(|`)")
_USES_AVA = re.compile(rb"""(?:from\s+|require\(\s*)['"]ava['"]""")
_USES_NODEUNIT = re.compile(
    rb"(?:^(?:module\.)?exports\b[^\n=]{0,200}=|:)[ \t]{0,9}function[ \t]{0,9}\w{0,99}[ \t]{0,9}\(test\)", re.MULTILINE
)
"""https://github.com/caolan/nodeunit#usage"""
_MOST_BYTES = 200_000
_MOST_WILDCARDS = 3
_MOST_BRACES, _MOST_ALTERNATIVES = 3, 20
_MOST_CHARACTERS = 250
"""Of a pattern and of a path: matching takes as long as the power of the one and the other."""
_WILDCARDS = re.compile(r"\*+")


def is_test_file(path: str) -> bool:
    return bool(_TEST_FILE.fullmatch(path)) and "node_modules" not in path.split("/")


def started_by(source: bytes) -> str | None:
    """The runner that a program with this source starts by itself
    (https://jasmine.github.io/setup/nodejs.html#a-simple-example-using-the-library)."""
    text = source[:_MOST_BYTES]
    return next((name for name, signs in _STARTS.items() if all(sign.search(text) for sign in signs)), None)


def test_files(commands: Iterable[TestCommand], tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Files that hold tests of `commands`, sorted: in a folder of tests or called so, with tests in them; only those
    that a command names, where it names any."""
    known = _every_test_file(tree, read)
    return tuple(sorted({path for command in commands for path in _of_command(command, known)}))


def are_most(commands: Iterable[TestCommand], folder: str, tree: Tree, read: ReadFile) -> bool:
    """Whether `commands` run at least half of the test files in `folder`, as far as they name any."""
    own = {path: tree[path] for path in tree if path.startswith(f"{folder}/" if folder else "")}
    known = _every_test_file(own, read)
    return 2 * len({path for command in commands for path in _of_command(command, known)}) >= len(known)


def holds_javascript_tests(path: str, source: bytes) -> bool:
    """Whether a file is in a folder of tests or called so, with tests in it."""
    return _may_hold_tests(path) and calls_tests(source)


def _every_test_file(tree: Tree, read: ReadFile) -> list[str]:
    return [
        path for path in sorted(tree) if _may_hold_tests(path) and tree[path].mode.is_file and calls_tests(read(path))
    ]


def _may_hold_tests(path: str) -> bool:
    if _MADE_FOR_TESTS.fullmatch(path):
        return False
    named = _NAMED.fullmatch(PurePosixPath(path).name)
    return bool(named) or bool(_IN_A_FOLDER.fullmatch(path) and not BESIDE_TESTS.fullmatch(path))


def calls_tests(source: bytes) -> bool:
    """Whether a program with this source has tests run, by a runner that is known."""
    text = source[:_MOST_BYTES]
    signs = (_CALLS, _USES_AVA, _USES_NODEUNIT, _USES_VOWS, USES_TAP, USES_NODE_TEST, USES_BUN_TEST)
    return any(sign.search(text) for sign in signs)


def _of_command(command: TestCommand, paths: list[str]) -> list[str]:
    start = f"{command.directory}/" if command.directory else ""
    below = [path for path in paths if path.startswith(start)]
    words = taken_apart(command.argv).words[1:]
    plain = [word for word in words if not word.startswith("-") and _is_soon_matched(word)]
    wanted = [pattern for word in plain for pattern in without_braces(word)]
    takes = [_matcher(normpath(pattern)) for pattern in wanted]
    named = [path for path in below if any(take(path.removeprefix(start)) for take in takes)]
    return named or below


def _is_soon_matched(word: str) -> bool:
    few = len(_WILDCARDS.findall(word)) <= _MOST_WILDCARDS
    short = word.count("{") <= _MOST_BRACES and word.count(",") <= _MOST_ALTERNATIVES
    return few and short and len(word) <= _MOST_CHARACTERS


def _matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path is `pattern`, stands below it, or is one of the files that it stands for."""
    glob = re.compile("".join(map(translated, TOKENS.findall(pattern))), re.DOTALL)
    return lambda path: path.startswith(f"{pattern}/") or (len(path) <= _MOST_CHARACTERS and bool(glob.fullmatch(path)))
