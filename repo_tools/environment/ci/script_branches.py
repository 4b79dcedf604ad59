"""What a shell script does that its first word tells what to do: ``case "$1" in test) …``. Nothing is run. Pure.

Not by a grammar, as in `script_text`: a branch begins and ends where lines do.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import accumulate, islice, takewhile
from typing import NamedTuple

from repo_tools.environment.ci.commands import MAX_LINE_CHARACTERS

BLOCK_BEGINS = re.compile(r"^\s*(?:if|for|while|case|until)\b")
BLOCK_ENDS = re.compile(r"(?:^|;)\s*(?:fi|done|esac)\b")
_MOST_LINES = 600
_MOST_BRANCHES = 200
_MOST_DEEP = 2
"""Functions that call functions."""
_MOST_PASSED = 4
"""Times that one line passes the words on."""
_FIRST = r"""["']?\$(?:1\b|\{1(?::?-[^{}\s]*)?\}|\{?(?P<name>[A-Za-z_]\w*)\}?)["']?"""
_CASE = re.compile(rf"case\s+{_FIRST}\s+in\b(?P<rest>.*)")
_LABELS = re.compile(
    r"\(?\s*((?:[\w.:*?-]+|'[^']*'|\"[^\"]*\")(?:\s*\|\s*(?:[\w.:*?-]+|'[^']*'|\"[^\"]*\"))*)\s*\)(.*)"
)
_IF = re.compile(
    rf"""(?:el)?if\s+(?:\[{{1,2}}|test)\s+{_FIRST}\s+={{1,2}}\s+["']?(?P<label>[\w.:-]+)["']?\s*(?:\]{{1,2}})?\s*"""
    r"(?:;\s*then\b(?P<then>.*)|;?.*)"
)
_NAMES_FIRST = re.compile(
    r"""\s*(?:local\s+|export\s+)?([A-Za-z_]\w*)=["']?\$(?:1\b|\{1(?::?-[^{}\s]*)?\})["']?\s*;?\s*"""
)
_FUNCTION = re.compile(r"(?:function\s+)?([A-Za-z_][\w:.-]*)\s*\(\)\s*\{?\s*|function\s+([A-Za-z_][\w:.-]*)\s*\{?\s*")
_CALLS = re.compile(
    r"""(?:[^#'"]*\|\||time)?\s*(?:"\$\{?(?:1|[@*]|(?P<name>[A-Za-z_]\w*))(?::-[^{}\s"]*)?\}?"|\$[1@*])(?:\s|$)"""
)
_SETS = re.compile(r"export\s|[A-Za-z_]\w*=")
"""A variable, for all branches: they would be indented."""
_ENDS_AFTER = re.compile(r";\s*(?:el(?:se|if)|fi)\b")
_ENDS = re.compile(r"(?:^|;|&&)\s*(?:exec|exit|return)\b")
_SHIFT = re.compile(r"\s*shift\b(?:\s+1)?\s*(?:;\s*|&&\s*|$)")
_ALL_WORDS = re.compile(r"""(?P<quote>["']?)\$(?:[@*]|\{[@*](?P<from>:[12])?\})(?P=quote)""")


class Branch(NamedTuple):
    """`line`: where it begins in the script, from 1."""

    text: str = ""
    line: int = 1


class _Chosen(NamedTuple):
    """Its lines, and the one that chooses it, from 0."""

    lines: list[str]
    by: int = 0


def branch_for(script: str, words: Sequence[str]) -> Branch:
    """What it does for these, with what it does for all before and behind that: with the lines of its functions in the
    place of their calls, and the words themselves where it passes them on. Empty where it has nothing for the first of
    them alone."""
    lines = [line for line in script.replace(";;", "\n;;\n").split("\n") if len(line) <= MAX_LINE_CHARACTERS]
    del lines[_MOST_LINES:]
    names = {found[1] for line in lines if (found := _NAMES_FIRST.fullmatch(line))}
    functions, within = _functions(lines)
    first = next(iter(words), "")
    calls = next((i for i, line in enumerate(lines) if _calls_it(line, names)), None)
    named = _Chosen([] if calls is None else functions.get(first, []), calls or 0)
    chosen = next((chosen for labels, chosen in _branches(lines, names) if _chooses(labels, first)), named)
    whole = islice(_with_functions(chosen.lines, functions, _MOST_DEEP), _MOST_LINES)
    done = [*_unshifted(whole)]
    if not done:
        return Branch()
    before, behind = _around(lines, chosen.by, within)
    shifted = chosen is named or any(map(_SHIFT.match, (*before, *chosen.lines)))

    def passed_on(found: re.Match[str]) -> str:
        return shlex.join(words[1:] if shifted or found["from"] == ":2" else words)

    is_last = chosen is named or _ends(done)
    said = (_ALL_WORDS.sub(passed_on, line, _MOST_PASSED) for line in (*done, *([] if is_last else behind)))
    return Branch("\n".join(_unshifted((*before, *said))), script.partition(done[0])[0].count("\n") + 1)


def _unshifted(lines: Iterable[str]) -> Iterator[str]:
    return (rest for line in lines if (rest := _SHIFT.sub("", line)).strip())


def _around(lines: list[str], by: int, within: set[int]) -> tuple[list[str], list[str]]:
    """What it does, whatever it is told, before the block that line `by` is of, and behind it; where that stands in
    another one, or in a function, what it sets, and what is behind them all."""
    deep = _depths(lines)
    end = next((i for i in range(by, len(lines)) if not deep[i]), len(lines)) + 1
    behind = [line for i, line in enumerate(lines) if i >= end and i not in within]
    if by in within or any(deep[by - 1 : by]):
        return [*filter(_SETS.match, lines)], behind
    return [line for i, line in enumerate(lines[:by]) if i not in within], behind


def _depths(lines: list[str]) -> list[int]:
    """How many blocks each is in, or begins, and does not end."""
    said = (len(BLOCK_BEGINS.findall(line)) - len(BLOCK_ENDS.findall(line)) for line in lines)
    return [*accumulate(said, lambda deep, more: max(deep + more, 0))]


def _ends(lines: list[str]) -> bool:
    """Whether they end the script, whatever happens."""
    return any(not deep and _ENDS.search(line) for line, deep in zip(lines, _depths(lines), strict=True))


def _calls_it(line: str, names: set[str]) -> bool:
    """Whether it starts what its first word names."""
    called = _CALLS.match(line)
    return bool(called and (not called["name"] or called["name"] in names))


def _chooses(labels: Sequence[str], word: str) -> bool:
    """What is for every word is no branch of its own."""
    return any(word and label.strip("*") and fnmatchcase(word, label) for label in labels)


def _branches(lines: list[str], names: set[str]) -> Iterator[tuple[list[str], _Chosen]]:
    """(labels, branch) of each in the script that its first word chooses; `names`: variables that hold it."""
    found = 0
    for i, line in enumerate(lines):
        text = line.strip()
        asked = _CASE.match(text) or _IF.match(text)
        if not asked or (asked["name"] and asked["name"] not in names) or found >= _MOST_BRANCHES:
            continue
        found += 1
        said = asked.groupdict()
        if "label" in said:
            yield [asked["label"]], _Chosen(_block([said["then"] or "", *lines[i + 1 :]]), i)
        else:
            for labels, kept in _cases([asked["rest"], *lines[i + 1 :]]):
                yield labels, _Chosen(kept, i)


def _block(lines: list[str]) -> list[str]:
    """What stands before the ``fi``, or the next condition, of an ``if`` before them."""
    kept: list[str] = []
    deep = 0
    for line in lines:
        text = line.strip()
        if not deep and re.match(r"(?:el(?:se|if)|fi)\b", text):
            break
        if not (deep or BLOCK_BEGINS.match(text)) and (ended := _ENDS_AFTER.search(text)):
            return [*kept, text[: ended.start()]]
        deep += bool(re.match(r"if\b", text)) - bool(re.search(r"(?:^|;\s*)fi\b", text))
        kept.append(line)
    return kept


def _cases(lines: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    labels: list[str] = []
    kept: list[str] = []
    deep = 0
    for line in lines:
        text = line.strip()
        if not deep and re.match(r"esac\b", text):
            break
        if not deep and not labels:
            if found := _LABELS.fullmatch(text):
                labels = [label.strip().strip("'\"") for label in found[1].split("|")]
                kept = [found[2]]
        elif not deep and text == ";;":
            yield labels, kept
            labels = []
        else:
            deep += bool(re.match(r"case\b", text)) - bool(re.match(r"esac\b", text))
            kept.append(line)
    if labels:
        yield labels, kept


def _functions(lines: list[str]) -> tuple[dict[str, list[str]], set[int]]:
    """(name -> lines, of those whose brace ends where their first line begins; all their lines)."""
    found: dict[str, list[str]] = {}
    within: set[int] = set()
    for i, line in enumerate(lines):
        if (begun := _FUNCTION.fullmatch(line.strip())) and len(found) < _MOST_BRANCHES:
            end = line[: len(line) - len(line.lstrip())] + "}"
            body = [*takewhile(end.__ne__, map(str.rstrip, lines[i + 1 :]))]
            found[begun[1] or begun[2]] = [each for each in body if each.strip() != "{"]
            within |= {*range(i, i + len(body) + 2)}
    return found, within


def _with_functions(lines: list[str], functions: Mapping[str, list[str]], deep: int) -> Iterator[str]:
    for line in lines:
        name = line.split(maxsplit=1)[0] if line.strip() else ""
        if deep and name in functions:
            yield from _with_functions(functions[name], functions, deep - 1)
        else:
            yield line
