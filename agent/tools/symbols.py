"""Tools that ask the index of the repository: find_symbol, outline, related_tests."""

import re

from pydantic import Field

from agent.errors import ToolFailed
from agent.tools.output import shorten, shown_path
from agent.tools.tool import Arguments, Desk, Tool
from repo_tools.repo_map.definitions import Definition
from repo_tools.repo_map.symbols import CodeIndex

USES_AT_ONCE = 60
DEFINITIONS_AT_ONCE = 40
OUTLINE_AT_ONCE = 400
TESTS_AT_ONCE = 10
LINE_CHARACTERS = 200
_MARKS = r"[!%&()*+,/<=>?@\[\]^|~-]"
_NAME = re.compile(
    r"(?:::|\\)?(?:[\w$]+(?:::|->|[.#\\]))*"
    rf"(?:[#~$@]{{0,2}}[\w$]+[?!=]?|{_MARKS}{{1,3}}|operator ?(?:{_MARKS}{{1,3}}|[\w:<>*&\[\] ]+|\"\" ?\w+))"
)
"""Of anything, in any of the languages, with what it is in before it. An operator is marks alone, or as C++ has it."""
_IS_LOOKED_FOR = re.compile(r"\w\w")


class FindSymbol(Arguments):
    name: str = Field(
        min_length=1,
        max_length=100,
        description="one name as written (total, user$, ==, operator bool), or with its scope (A.b, A::b, A#b)",
    )


class Outline(Arguments):
    path: str = Field(description="root-relative, forward slashes")


class RelatedTests(Arguments):
    path: str = Field(description="root-relative path of a source file")


def find_symbol(arguments: FindSymbol, desk: Desk) -> str:
    if not _NAME.fullmatch(arguments.name):
        raise ToolFailed(f"{arguments.name!r} is not one name: give an identifier or an operator, or use search.")
    symbol = _index(desk).find_symbol(arguments.name, desk.workspace.change, max_uses=USES_AT_ONCE + 1)
    if not symbol.definitions and not symbol.uses:
        return f"Nothing here is named {arguments.name}. Case counts; search finds parts of names."
    defined = [f"{shown_path(path)}:{d.line}-{d.end_line}: {d.signature.strip()}" for path, d in symbol.definitions]
    used = [f"{shown_path(use.path)}:{use.line_number}: {shorten(use.line, LINE_CHARACTERS)}" for use in symbol.uses]
    unused = "used nowhere else" if _IS_LOOKED_FOR.search(symbol.name) else "uses of it are not looked for: use search"
    return "\n".join(
        [
            *([f"What is called {symbol.name}:"] if symbol.name != arguments.name else []),
            *(["defined:", *_cut(defined, DEFINITIONS_AT_ONCE)] if defined else ["no definition is known"]),
            *(["used:", *_cut(used, USES_AT_ONCE)] if used else [unused]),
        ]
    )


def outline(arguments: Outline, desk: Desk) -> str:
    found = _index(desk).outline(arguments.path, desk.workspace.change)
    if not found:
        return f"No definitions are known in {arguments.path}: read the file."
    lines = dict.fromkeys(_outline_line(definition) for definition in found)  # one line may define several names
    return "\n".join(_cut([*lines], OUTLINE_AT_ONCE))


def related_tests(arguments: RelatedTests, desk: Desk) -> str:
    found = _index(desk).related_tests(arguments.path, desk.workspace.change, most=TESTS_AT_ONCE)
    if not found:
        return f"No test file is known to exercise {arguments.path}."
    return "\n".join(f"{shown_path(path)} ({why})" for path, why in found)


def _outline_line(definition: Definition) -> str:
    said = f"  # {definition.documentation}" if definition.documentation else ""
    return f"{definition.line}-{definition.end_line}: {definition.signature}{said}"


def _cut(lines: list[str], most: int) -> list[str]:
    return [*lines[:most], *([f"[only the first {most}]"] if len(lines) > most else [])]


def _index(desk: Desk) -> CodeIndex:
    if desk.index is None:
        raise ToolFailed("There is no index of this repository; use search and list_files.")
    return desk.index


FIND_SYMBOL = Tool(
    "find_symbol",
    "Find where a function, class or other name is defined, and the lines that use it. Knows your changes.",
    FindSymbol,
    find_symbol,
)
OUTLINE = Tool(
    "outline",
    "List what a source file defines, with line numbers: cheaper than reading it.",
    Outline,
    outline,
)
RELATED_TESTS = Tool(
    "related_tests", "List the test files that most likely exercise a source file.", RelatedTests, related_tests
)
