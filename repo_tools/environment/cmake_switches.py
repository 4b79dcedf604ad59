"""Options of a CMake build that have to be set for its tests to be built. Pure: texts are read, nothing is run."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import dirname

_COMMENT = re.compile(r"#\[\[.*?(?:\]\]|\Z)|\"(?:[^\"\\]|\\.)*\"|#[^\n]*", re.DOTALL)
_COMMAND = re.compile(r"^[ \t]*(\w+)[ \t]*\(((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\([^()]*\))*)\)", re.MULTILINE)
_WORD = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|([^\s\"()]+)")
_FALSE = frozenset(("OFF", "NO", "FALSE", "0"))
_OF_TESTS = re.compile(
    r"(?:[A-Z0-9]+_)?(?:(?:BUILD|ENABLE|RUN|WITH)_)?(?:UNIT_?)?TEST(?:S|ING)?(?:_ENABLED)?", re.IGNORECASE
)
_DENIES = re.compile(r"(?:.*_)?(?:DISABLE|EXCLUDE|NO|OMIT|SKIP|WITHOUT)_.*", re.IGNORECASE)
_TEST_FOLDER = re.compile(r"(?:.*/)?(?:unit)?[-_]?tests?(?:uite)?", re.IGNORECASE)
_ADDS_TEST = re.compile(r"add_test|\w+_discover_tests", re.IGNORECASE)
_PROJECT = "project"


@dataclass
class _File:
    """`options` -> what each is where nobody sets it. `needs`: other words that one depends on. `gates`: what
    conditions around the tests ask for. `adds` tests itself, as a `project` of its own or not."""

    options: dict[str, bool] = field(default_factory=dict)
    needs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    gates: dict[str, bool] = field(default_factory=dict)
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
    needs = {name: words for file in asked for name, words in file.needs.items()}
    wanted = {name: True for name in options if _is_switch(name)}
    wanted |= {name: value for file in asked for name, value in file.gates.items() if name in options}
    wanted |= {word: True for name in tuple(wanted) if wanted[name] for word in needs.get(name, ()) if word in options}
    return tuple(f"{n}={'ON' if wanted[n] else 'OFF'}" for n in options if n in wanted and wanted[n] != options[n])


def _is_switch(name: str) -> bool:
    return bool(_OF_TESTS.fullmatch(name)) and not _DENIES.fullmatch(name)


def _parsed(text: str) -> _File:
    """Conditions that end in ``return()`` hold, turned round, for all that follows."""
    file, around, ended = _File(), list[dict[str, bool]](), dict[str, bool]()
    for name, words in _commands(text):
        if name == "if":
            around.append(_asked(words))
        elif name in ("elseif", "else") and around:
            around[-1] = _asked(words) if name == "elseif" else _turned(around[-1])
        elif name == "endif" and around:
            around.pop()
        elif name == "return" and len(around) == 1 and len(around[0]) == 1:
            ended |= _turned(around[0])
        elif name in ("option", "cmake_dependent_option") and words:
            file.options[words[0]] = not _is_off(words)
            file.needs[words[0]] = tuple(re.split(r"[;\s]+", words[3])) if name != "option" and len(words) > 3 else ()
        elif _begins_tests(name, words):
            file.gates |= ended
            file.gates |= {word: value for asked in around for word, value in asked.items()}
        file.adds |= bool(_ADDS_TEST.fullmatch(name))
        file.project |= name == _PROJECT
    return file


def _commands(text: str) -> Iterator[tuple[str, list[str]]]:
    plain = _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else "", text)
    for found in _COMMAND.finditer(plain):
        yield found[1].lower(), [a or b for a, b in _WORD.findall(found[2])]


def _is_off(words: list[str]) -> bool:
    """Where nothing is set, and what a dependent option depends on holds."""
    return len(words) < 3 or words[2].upper() in _FALSE


def _asked(words: Iterable[str]) -> dict[str, bool]:
    """What has to be so for a condition to hold; of alternatives nobody knows which."""
    if "OR" in (listed := list(words)):
        return {}
    before = ["", *listed]
    return {
        re.sub(r"^\$\{(\w+)\}$", r"\1", word): before[place] != "NOT"
        for place, word in enumerate(listed)
        if word not in ("AND", "NOT")
    }


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
