"""Options of a CMake build that have to be set for its tests to be built. Pure: texts are read, nothing is run."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise
from posixpath import dirname

_ESCAPED = r"\\.?"
_STRING = rf'"((?:[^"\\]|{_ESCAPED})*+)"?'
"""To the end where nothing ends it, so that a text without an end is not read again from each of its quotes."""
_COMMENT = re.compile(rf"{_ESCAPED}|{_STRING}|#\[\[.*?(?:\]\]|\Z)|#[^\n]*", re.DOTALL)
_COMMAND = re.compile(
    rf'^[ \t]*(\w+)[ \t]*\((?P<words>(?:[^()"\\]|{_ESCAPED}|{_STRING}|\([^()]*\))*+)\)', re.MULTILINE | re.DOTALL
)
_WORD = re.compile(rf'{_STRING}|((?:[^\s"()\\]|{_ESCAPED})++|[()])', re.DOTALL)
_VARIABLE = re.compile(r"\A\$\{(\w+)\}\Z")
_DEEPEST = 20
_MOST_WORDS = 50
"""Of a condition."""
_FALSE = frozenset(("OFF", "NO", "FALSE", "0"))
_OF_TESTS = re.compile(
    r"(?:[A-Z0-9]+_)?(?:(?:BUILD|ENABLE|RUN|WITH)_)?(?:UNIT_?)?TEST(?:S|ING)?(?:_ENABLED)?", re.IGNORECASE
)
_DENIES = re.compile(r"(?:.*_)?(?:DISABLE|EXCLUDE|NO|OMIT|SKIP|WITHOUT)_.*", re.IGNORECASE)
_BESIDE_TESTS = re.compile(r".*(?:FUZZ|BENCH|SANITI[SZ]E|VALGRIND|COVERAGE|TIDY|WERROR|AS_ERROR).*", re.IGNORECASE)
"""What needs other tools, or turns a sound build red: only tests beside the usual ones ask for it."""
_TEST_FOLDER = re.compile(r"(?:.*/)?(?:unit)?[-_]?tests?(?:uite)?", re.IGNORECASE)
_ADDS_TEST = re.compile(r"add_test|\w+_discover_tests", re.IGNORECASE)
_PROJECT = "project"


@dataclass
class _File:
    """`options` -> what each is where nobody sets it. `needs`: what has to be so for one to be there. `gates`: what
    conditions around the tests ask for. `adds` tests itself, as a `project` of its own or not."""

    options: dict[str, bool] = field(default_factory=dict)
    needs: dict[str, dict[str, bool]] = field(default_factory=dict)
    gates: set[tuple[str, bool]] = field(default_factory=set)
    adds: bool = False
    project: bool = False

    @property
    def knows_of_tests(self) -> bool:
        return self.adds or any(map(_is_switch, self.options))


def test_switches(texts: Mapping[str, str]) -> tuple[str, ...]:
    """``NAME=ON`` or ``NAME=OFF`` for each option that keeps the tests from being built: by its name, or because a
    condition around them asks for it. `texts`: root-relative path of each CMake file -> its text. What projects below
    the root have counts only where the root itself knows of no tests."""
    files = {path: _parsed(text) for path, text in texts.items()}
    below = [f"{dirname(path)}/" for path, file in files.items() if file.project and dirname(path)]
    own = [file for path, file in files.items() if not path.startswith(tuple(below))]
    asked = own if any(file.knows_of_tests for file in own) else files.values()
    options = {name: value for file in asked for name, value in file.options.items()}
    needs = {name: needed for file in asked for name, needed in file.needs.items()}
    wanted = {name: True for name in options if _is_switch(name)}
    wanted |= _agreed({gate for file in asked for gate in file.gates})
    wanted |= {word: value for name in tuple(wanted) if wanted[name] for word, value in needs.get(name, {}).items()}
    return tuple(f"{n}={'ON' if wanted[n] else 'OFF'}" for n in options if n in wanted and wanted[n] != options[n])


def _agreed(gates: Set[tuple[str, bool]]) -> dict[str, bool]:
    """Where there are tests either way, nothing has to be set for them."""
    return {
        name: value
        for name, value in sorted(gates)
        if (name, not value) not in gates and not (value and _BESIDE_TESTS.fullmatch(name))
    }


def _is_switch(name: str) -> bool:
    return bool(_OF_TESTS.fullmatch(name)) and not _DENIES.fullmatch(name)


def _parsed(text: str) -> _File:
    """Conditions that end in ``return()`` hold, turned round, for all that follows, except in a function."""
    file, around, ended = _File(), list[dict[str, bool]](), dict[str, bool]()
    for name, words in _commands(text):
        if name in ("if", "function", "macro"):
            around.append(_asked(words) if name == "if" else {})
        elif name in ("elseif", "else") and around:
            around[-1] = _asked(words) if name == "elseif" else _turned(around[-1])
        elif name in ("endif", "endfunction", "endmacro") and around:
            around.pop()
        elif name == "return" and len(around) == 1 and len(around[0]) == 1:
            ended |= _turned(around[0])
        elif name in ("option", "cmake_dependent_option") and words:
            file.options[words[0]] = not _is_off(words)
            file.needs[words[0]] = _needed(words[3]) if name != "option" and len(words) > 3 else {}
        elif _begins_tests(name, words):
            for asked in (ended, *around[:_DEEPEST]):
                file.gates |= asked.items()
            ended = {}
        file.adds |= bool(_ADDS_TEST.fullmatch(name))
        file.project |= name == _PROJECT
    return file


def _commands(text: str) -> Iterator[tuple[str, list[str]]]:
    plain = _COMMENT.sub(lambda found: "" if found[0].startswith("#") else found[0], text)
    for found in _COMMAND.finditer(plain):
        yield found[1].lower(), [a or b for a, b in _WORD.findall(found["words"])]


def _is_off(words: list[str]) -> bool:
    """Where nothing is set, and what a dependent option depends on holds."""
    return len(words) < 3 or words[2].upper() in _FALSE


def _needed(conditions: str) -> dict[str, bool]:
    """https://cmake.org/cmake/help/latest/module/CMakeDependentOption.html"""
    return {name: value for each in conditions.split(";") for name, value in _asked(each.split()).items()}


def _asked(words: Sequence[str]) -> dict[str, bool]:
    """What has to be so for a condition to hold, by name, or by all of a comparison's words; of alternatives nobody
    knows which."""
    if len(words) > _MOST_WORDS or "OR" in words or ("NOT", "(") in pairwise(words):
        return {}
    parts = " ".join(word for word in words if word not in ("(", ")")).split(" AND ")
    return {_VARIABLE.sub(r"\1", part.removeprefix("NOT ")): not part.startswith("NOT ") for part in parts}


def _turned(asked: Mapping[str, bool]) -> dict[str, bool]:
    """Of several conditions, any one may be what does not hold."""
    return {name: not value for name, value in asked.items()} if len(asked) == 1 else {}


def _begins_tests(name: str, words: list[str]) -> bool:
    if name == "enable_testing":
        return True
    first = words[0] if words else ""
    return (name == "include" and first == "CTest") or (
        name == "add_subdirectory" and bool(_TEST_FOLDER.fullmatch(first.rstrip("/")))
    )
