"""aegir, which starts mocha with what it is told after ``--`` (https://github.com/ipfs/aegir#testing). Pure."""

from repo_tools.environment.runners.javascript_command import without_options

START = ("aegir", "test")
FIRST_RELEASE = 33
"""That hands on what stands after ``--``."""
_TESTS = ("test/node.*js", "test/**/*.spec.*js")
_FIRST_COMPILED, _FIRST_TYPED = 37, 48
_FILES = frozenset(("-f", "--files"))
_WITH_VALUE = frozenset(("-t", "--target", *_FILES, "-g", "--grep", "--timeout", "--runner", "--covTimeout"))
_NOT_OURS = frozenset(("-t", "--target", "--cov", "-w", "--watch", "--bail", "-p", "--progress"))
"""Coverage is measured by a program that hands no input on."""


def aegir_words(words: tuple[str, ...], ours: tuple[str, ...], places: tuple[str, ...]) -> tuple[str, ...]:
    """`words` for the tests in node alone, and of `places`, where any are named; `ours`: for mocha."""
    end = words.index("--") if "--" in words else len(words)
    own = without_options(words[2:end], _NOT_OURS | (_FILES if places else set()), _WITH_VALUE)
    named = (word for place in places for word in ("-f", place))
    return (*START, "-t", "node", *own, *named, "--", *words[end + 1 :], *ours)


def with_files(words: tuple[str, ...], release: int) -> tuple[str, ...]:
    """`words` with what it tests in this release where it is told of no files: what is compiled to ``dist``, or the
    tests in TypeScript themselves."""
    if aegir_files(words):
        return words
    is_compiled = _FIRST_COMPILED <= release < _FIRST_TYPED
    typed = tuple(f"dist/{file}" for file in _TESTS) if is_compiled else tuple(file[:-2] + "ts" for file in _TESTS)
    return (*words[:2], *(word for file in (*_TESTS, *typed) for word in ("-f", file)), *words[2:])


def aegir_files(words: tuple[str, ...]) -> tuple[str, ...]:
    """The files and patterns that a command line of it names: all words up to the next option."""
    found: list[str] = []
    is_file = False
    for word in words[: words.index("--") if "--" in words else len(words)]:
        option, _, value = word.partition("=") if word.startswith("-") else ("", "", word)
        is_file = option in _FILES if option else is_file
        found += [value] if is_file and value else []
    return tuple(found)
