"""Which scripts of a package a command in one of them runs: ``npm run x``, ``run-s a b:*``, ``make x``. Pure."""

import re
import shlex
from collections.abc import Collection, Iterable

_QUIET = r"(?:(?:-s|--silent|--quiet|--if-present|--bun) )*"
_NAME = r"(?P<name>[\w:./-]+)"
_RUN = re.compile(
    rf"(?:(?:npm|pnpm|yarn|bun) {_QUIET}(?:run|run-script|rum) {_QUIET}|nr {_QUIET}|deno task |node --run[ =])"
    rf"{_NAME}(?P<rest>.*)"
)
"""``nr`` is whichever manager the repository has (https://github.com/antfu-collective/ni), and node itself runs scripts
from its release 22 on (https://nodejs.org/api/cli.html#--run)."""
_SHORT = re.compile(
    rf"npm {_QUIET}(?P<name>t|tst|test|it)(?P<rest>(?: .*)?)|(?:yarn|pnpm) {_QUIET}(?P<other>[\w:./-]+)(?P<more>.*)"
    rf"|bun {_QUIET}(?!(?:a|add|audit|build|c|ci|create|exec|i|info|init|install|link|outdated|patch|pm|publish|remove"
    r"|repl|rm|run|test|unlink|update|upgrade|why|x)(?: |$))"
    r"(?P<of_bun>[\w:./-]+)(?P<for_bun>.*)"
)
"""bun's own commands go before scripts that are called so (https://bun.com/docs/cli/run)."""
_MAKE = re.compile(r"make(?: -s| --silent| --no-print-directory)*(?: (?P<target>[\w.][\w.-]*))?")
DEFAULT_GOAL = "make "
"""The name of what ``make`` alone makes; a package may have a script of its own called ``make``."""
_ALL = re.compile(r"(?:run-s|run-p|npm-run-all|run-z)\s+(?P<names>.*)")
_ALIKE = re.compile(r"pnpm (?:run )?/(?P<names>.+)/")  # https://pnpm.io/cli/run#running-multiple-scripts
_MOST_WILDCARDS = 2
_MOST_REPEATED = 1
_IN_PARTS = re.compile(r"[\s'\"\\]|^$")
_REPEATED_GROUP = re.compile(r"\)[*+?{]")


def calls_script(text: str) -> bool:
    """Whether a manager is told to run one, whether the package has it or not."""
    return bool(_RUN.fullmatch(text) or _SHORT.fullmatch(text))


def called_scripts(
    text: str, scripts: Collection[str], told: tuple[str, ...] = ()
) -> list[tuple[str, tuple[str, ...]]]:
    """Those of `scripts` that a command runs, each with further words. `told`: words that the shell has after it, where
    it is what a script ends with that is called with them."""
    text = " ".join((text, *map(_quoted, told))) if calls_script(text) else text
    if found := _ALL.fullmatch(text):
        wanted = [word.strip("'\"") for word in found["names"].split() if not word.startswith("-")]
        return [(name, ()) for word in wanted for name in _named(word, scripts)]
    if found := _ALIKE.fullmatch(text):
        return [(name, ()) for name in _alike(found["names"], scripts)]
    if found := _RUN.fullmatch(text):
        more = _further(found["rest"], is_npm=text.startswith("npm "))
        return [(found["name"], more)] if found["name"] in scripts else []
    if found := _MAKE.fullmatch(text):
        name = f"make {found['target']}" if found["target"] else DEFAULT_GOAL  # as `recipes` names them
        return [(name, ())] if name in scripts else []
    if found := _SHORT.fullmatch(text):
        name = found["other"] or found["of_bun"] or "test"
        rest = found["more"] or found["for_bun"] or found["rest"] or ""
        more = _further(rest, is_npm=text.startswith("npm "))
        return [(name, more)] if name in scripts else []
    return []


def text_of(words: Iterable[str]) -> str:
    """A command as a shell has it, with no other word in quotes than one that it would take apart."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return shlex.quote(word) if _IN_PARTS.search(word) else word


def _named(word: str, scripts: Collection[str]) -> list[str]:
    """``test:*`` stands for several; one that would take too long to match, for none."""
    if len(re.findall(r"\*+", word)) > _MOST_WILDCARDS:
        return []
    pattern = re.compile(re.escape(word).replace(r"\*\*", ".*").replace(r"\*", "[^:]*"))
    return [name for name in scripts if pattern.fullmatch(name)]


def _alike(expression: str, scripts: Collection[str]) -> list[str]:
    """None where the expression may take longer than anybody waits."""
    if _REPEATED_GROUP.search(expression) or len(re.findall(r"[*+?{(]", expression)) > _MOST_REPEATED:
        return []
    try:
        return [name for name in scripts if re.search(expression, name)]
    except re.error:
        return []


def _further(rest: str, *, is_npm: bool) -> tuple[str, ...]:
    """npm takes options for its own unless they stand after ``--`` (https://docs.npmjs.com/cli/commands/npm-run)."""
    try:
        words = tuple(shlex.split(rest))
    except ValueError:
        words = tuple(rest.split())
    end = words.index("--") if "--" in words else len(words)
    if is_npm:
        return (*(word for word in words[:end] if not word.startswith("-")), *words[end + 1 :])
    return words[1:] if words[:1] == ("--",) else words
