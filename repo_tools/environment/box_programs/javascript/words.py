"""The words of a runner's command line as the shell of the script would have them: variables, commands, patterns."""

from __future__ import annotations

import glob
import itertools
import os
import re
import subprocess
from functools import cache

BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|[^*?\[]+|\[")
COMPILED = (".ts", ".tsx", ".mts", ".cts", ".jsx", ".coffee", ".ls")
LOADS = (
    "-r", "--require", "--import", "--loader", "--experimental-loader", "--file", "--helper",
    "--config", "--globalSetup", "--setupFiles", "--setupFilesAfterEnv",
)  # fmt: skip
MADE = (".js", ".mjs", ".cjs")
PIECES = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
USE = re.compile(r"\$(?:(?P<plain>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)(?::?-(?P<other>[^{}$]*))?\})")


def filled_in(value: str, known: dict[str, str]) -> str:
    """``$NODE_OPTIONS --import tsx`` as a shell has it. `known`: what is set before any build of the repository's, for
    that is not to decide what is in the runner."""
    return USE.sub(lambda use: known.get(use["plain"] or use["braced"]) or use["other"] or "", value)


def with_variables(words: list[str], known: dict[str, str], before: list[str]) -> list[str]:
    """With what words that are variables stand for, word by word: none where nothing sets one. Those that commands
    `before` set stay as they are. A script is told nothing that ``$@`` could be."""
    found = []
    for word in words:
        use = USE.fullmatch(word)
        is_set = use and any(re.search(rf"\b{use['plain'] or use['braced']}=", command) for command in before)
        is_told = (use and not is_set) or word in ("$@", "$*")
        found += filled_in("" if use is None else word, known).split() if is_told else [word]
    return found


def moved(word: str, began_in: str) -> str:
    """A file of the folder where the commands before began, as it is named from here."""
    place = os.path.join(began_in, word)
    return os.path.relpath(place) if os.path.exists(place) and not os.path.exists(word) else word


def told_by_commands(words: list[str]) -> list[str]:
    """With what ``$(grep -l it test/*)`` prints in its place, word by word."""
    found = []
    for word in words:
        is_one = re.fullmatch(r"\$\(.*\)", word, re.DOTALL)
        told = subprocess.run(["/bin/sh", "-c", word[2:-1]], stdout=subprocess.PIPE, check=False) if is_one else None
        found += told.stdout.decode("utf-8", "replace").split() if told else [word]
    return found


def expanded(argv: list[str]) -> list[str]:
    """Patterns as the shell of the script would have taken them, and ``**`` too; a file that several of them name is
    there once: for a shell without ``**`` they name others."""
    found: list[str] = []
    named: set[str] = set()
    for word in argv:
        paths = [] if word.startswith("-") else matching(word)
        found += [path for path in paths if path not in named] if paths else [word]
        named.update(paths)
    return found


def files_of(pattern: str) -> list[str]:
    if os.path.isdir(pattern):
        return matching(f"{pattern.rstrip('/')}/*.{{js,cjs,mjs,ts}}")
    return matching(pattern) or [pattern] * (not re.search(r"[*?\[{]", pattern))


def as_compiled(words: list[str], own: list[str]) -> list[str]:
    """With what a test is compiled to in its place, where a suite runs that: ``dist/test/a.js`` for ``src/test/a.ts``.
    `own`: the folders, files and patterns of the suite."""
    made = {path for pattern in own for path in [*below(pattern), *matching(pattern), os.path.normpath(pattern)]}
    loaded = {index + 1 for index, word in enumerate(words) if word in LOADS}
    return [word if index in loaded else made_of(word, made) for index, word in enumerate(words)]


def below(folder: str) -> list[str]:
    start = os.path.normpath(folder) + "/"
    return [path for path in all_files() if path.startswith(start)] if os.path.isdir(folder) else []


def made_of(word: str, made: set[str]) -> str:
    """Of several that are called so, the one in the folders that are most alike; `word` where there is none, or where
    another source is more like it."""
    stem, ending = os.path.splitext(word)
    if ending not in COMPILED or os.path.normpath(word) in made or not os.path.isfile(word):
        return word
    own = names(stem)
    called = [path for path in sorted(made) if os.path.splitext(path)[1] in MADE and names(path)[0] == own[0]]
    best = max(called, key=lambda path: alike(names(path), own), default=word)
    sources = (names(os.path.splitext(path)[0]) for path in all_files() if os.path.splitext(path)[1] in COMPILED)
    others = (alike(names(best), other) for other in sources if other[0] == own[0])
    return word if any(like > alike(names(best), own) for like in others) else best


def alike(one: list[str], other: list[str]) -> int:
    """How many they begin with alike."""
    return next((index for index, name in enumerate(one) if name not in other[index : index + 1]), len(one))


def names(path: str) -> list[str]:
    """Without its ending, the last first."""
    stem, ending = os.path.splitext(path)
    return (stem if ending in MADE else path).split("/")[::-1]


def matching(pattern: str) -> list[str]:
    """Files of the tree, sorted; nothing below ``node_modules``."""
    if not re.search(r"[*?\[{]", pattern):
        return []
    found = {path for one in without_braces(pattern) for path in named_by(os.path.normpath(one))}
    return sorted(path for path in found if "node_modules" not in path.split("/") and os.path.isfile(path))


def named_by(pattern: str) -> list[str]:
    """Like a shell, names that begin with a dot only where the pattern has one there."""
    if pattern.startswith(("/", "..")):
        return [os.path.normpath(path) for path in glob.glob(pattern, recursive=True)]
    try:
        wanted = re.compile("".join(map(translated, TOKENS.findall(pattern))), re.DOTALL)
    except re.error:  # a range that is none: nothing is called so
        return []
    hidden = re.search(r"(?:^|/)\.", pattern)
    return [path for path in all_files() if wanted.fullmatch(path) and (hidden or not re.search(r"(?:^|/)\.", path))]


def translated(token: str) -> str:
    """One piece of a pattern, as a regular expression."""
    if token.startswith("[") and len(token) > 1:
        return f"[{'^' if token[1] in '!^' else ''}{re.escape(token[1:-1].lstrip('!^')).replace(chr(92) + '-', '-')}]"
    return PIECES.get(token) or re.escape(token)


@cache
def all_files() -> list[str]:
    """Of the folder where tests are run, without what is installed in it."""
    found = []
    for folder, folders, names in os.walk("."):
        folders[:] = [name for name in folders if name not in ("node_modules", ".git")]
        found += [os.path.normpath(os.path.join(folder, name)) for name in names]
    return found


def without_braces(pattern: str) -> list[str]:
    parts = BRACES.split(pattern)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    joined = ["".join(choice) for choice in itertools.product(*choices)]
    return joined if len(joined) == 1 else [deeper for one in joined for deeper in without_braces(one)]
