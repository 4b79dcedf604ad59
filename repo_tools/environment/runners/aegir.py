"""aegir, which starts mocha with what it is told after ``--`` (https://github.com/ipfs/aegir#testing). Pure."""

from itertools import pairwise

from repo_tools.environment.runners.javascript_command import split_operands, without_options

START = ("aegir", "test")
FIRST_RELEASE = 33
"""That hands on what stands after ``--``."""
FILES = tuple(f"{start}test/{files}" for start in ("", "dist/") for files in ("node.*js", "**/*.spec.*js"))
"""What it tests where it is told of no files."""

_FILES = ("-f", "--files")
_WITH_VALUE = frozenset(("-t", "--target", *_FILES, "-g", "--grep", "--timeout", "--runner", "--covTimeout"))
_NOT_OURS = frozenset(("-t", "--target", "--cov", "-w", "--watch", "--bail", "-p", "--progress"))
"""Coverage is measured by a program that hands no input on."""


def aegir_words(words: tuple[str, ...], ours: tuple[str, ...], places: tuple[str, ...]) -> tuple[str, ...]:
    """`words` for the tests in node alone, and of `places`, where any are named; `ours`: for mocha."""
    end = words.index("--") if "--" in words else len(words)
    options, _ = split_operands(without_options(words[2:end], _NOT_OURS, _WITH_VALUE), _WITH_VALUE)
    own = without_options(options, frozenset(_FILES), _WITH_VALUE) if places else options
    named = (word for place in places for word in ("-f", place))
    return (*START, "-t", "node", *own, *named, "--", *words[end + 1 :], *ours)


def aegir_files(words: tuple[str, ...]) -> tuple[str, ...]:
    """The files and patterns of its suite."""
    named = tuple(word for before, word in pairwise(words) if before in _FILES)
    return named or FILES
