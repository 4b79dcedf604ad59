"""What stands between the watcher and a JavaScript test runner.

Builds what the tests need first, and hands the results' pipe to the runner alone, which takes it through its reporter.
Suites that only print (TAP) are run file by file here, and never hold the pipe at all.
"""

from __future__ import annotations

import glob
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from typing import Any

WORKSPACE = "/workspace"
READ_BYTES = 1 << 16
MOST_KEPT_BYTES = 4 << 20  # of one file's output
MOST_SAID_BYTES = 4096  # of one file's errors, the last
MOST_HEARD_BYTES = 24 << 20  # of all files' at once
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|[^*?\[]+|\[")
PIECES = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
NO_FILES = 125
ROOM = 0.8  # of what is free, for packages in the work tree
BLOCK_BYTES = 4096
STAGED = re.compile(r"--(?:es[-_]staging|harmony(?:[-_][\w-]+)?)")
NOT_TAKEN_OVER = re.compile(rb"PATH|NODE_OPTIONS|NODE_PATH|NODE_REPL\w*|LD_\w+|ENV|BASH_ENV|AGENT_FIX_\w+")
"""What decides which program runs, or what is in it before our reporter: a change may have written what sets it."""
USE = re.compile(r"\$(?:(?P<plain>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)(?::?-(?P<other>[^{}$]*))?\})")
REPORTER = "--reporter="
BY_NAME = """const path = process.argv.find((word) => word.startsWith('--reporter=/')).slice(11);
Object.defineProperty(Object.prototype, path, { get: () => require(path) });
import(require('url').pathToFileURL(process.argv[1]));"""
KEEP_STATE = '\ncode=$?; [ $code != 0 ] || { pwd; env -0; } >"$1"; exit $code'
BAD_OPTION = 9  # https://nodejs.org/api/process.html#exit-codes


def main() -> None:
    said, results, order = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    for descriptor in (said, results):
        os.set_inheritable(descriptor, False)
    os.environ["PATH"] = ":".join([*programs(os.getcwd()), os.environ.get("PATH", "")])
    for name, text in order["files"].items():
        with open(os.path.join(order["folder"], name), "x") as file:
            file.write(text)
    began_in = os.getcwd()
    variables = {name: filled_in(value, {**os.environ, "PWD": began_in}) for name, value in order["variables"].items()}
    for command in order["before"]:
        state = os.path.join(order["folder"], "state")
        code = carried_out(command, state)
        if code and brought_back(order["installed"]):
            code = carried_out(command, state)
        if code:
            os.write(said, json.dumps(["before", command, code]).encode() + b"\n")
            sys.exit(1)
    os.environ.update(variables)
    order["argv"][1:] = [moved(word, began_in) for word in order["argv"][1:]]
    order["each"] = order["each"] and [moved(pattern, began_in) for pattern in order["each"]]
    order["argv"] = told_by_commands(order["argv"])
    order["each"] = order["each"] and told_by_commands(order["each"])
    argv = without_old_options(expanded(order["argv"]) if order["expand"] else order["argv"])
    if order["each"] is not None:
        sys.exit(run_each(argv, order["each"], results))
    if order["heard"]:
        sys.exit(tell(results, ".", run_file(argv, MOST_HEARD_BYTES)))
    os.set_inheritable(results, True)
    os.environ["AGENT_FIX_RESULTS"] = f"{os.getpid()}:{results}"
    argv = told_by_name(without_reporter_of_jasmine(without_old_start(argv)))
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        sys.exit(127)


def filled_in(value: str, known: dict[str, str]) -> str:
    """``$NODE_OPTIONS --import tsx`` as a shell has it. `known`: what is set before any build of the repository's, for
    that is not to decide what is in the runner."""
    return USE.sub(lambda use: known.get(use["plain"] or use["braced"]) or use["other"] or "", value)


def without_old_start(argv: list[str]) -> list[str]:
    """mocha before 2.0 starts its second program by an option that Node has no more (``customFds``): it reads from a
    pipe that nobody closes, and what it prints is lost. That program at once, then."""
    index, place = started(argv, "mocha")
    if not place or b"customFds" not in text_of(place):
        return argv
    return [*argv[:index], os.path.join(os.path.dirname(place), "_mocha"), *argv[index + 1 :]]


def without_reporter_of_jasmine(argv: list[str]) -> list[str]:
    """jasmine before 3.0 can be told of no reporter: ours is loaded before it."""
    index, place = started(argv, "jasmine.js")
    options = text_of(os.path.join(os.path.dirname(place), "../lib/command.js")) if place else b""
    if not options or REPORTER.encode() in options:
        return argv
    loaded = [f"--require={word.removeprefix(REPORTER)}" for word in argv if word.startswith(REPORTER)]
    os.environ["AGENT_FIX_IN_PROGRAM"] = '{"paths": [], "pattern": ""}'
    return ["node", *loaded, place, *(word for word in argv[index + 1 :] if not word.startswith(REPORTER))]


def told_by_name(argv: list[str]) -> list[str]:
    """vitest before 0.10 looks reporters up by name alone: every object has ours. Told of coverage it begins anew."""
    index, place = started(argv, "vitest.mjs")
    manifest = text_of(os.path.join(os.path.dirname(place), "package.json")) if place else b""
    is_old = re.search(rb'"version": *"0\.\d\.', manifest)
    own = [word for word in argv[index + 1 :] if not word.startswith("--coverage.")]
    return ["node", "-e", BY_NAME, place, *own] if is_old else argv


def started(argv: list[str], program: str) -> tuple[int, str]:
    """Where in `argv` this program is started, by itself or by node, and its file; an empty one where it is not."""
    places = [os.path.realpath(shutil.which(word) or word) for word in argv[:2]]
    return next(((i, place) for i, place in enumerate(places) if os.path.basename(place) == program), (0, ""))


def text_of(path: str) -> bytes:
    """The beginning of a file; empty where there is none."""
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read(READ_BYTES)


def carried_out(command: str, place: str) -> int:
    """The exit code of a command that comes before others in one shell: what it exported and where it went holds for
    them."""
    code = subprocess.call(["/bin/sh", "-c", command + KEEP_STATE, "sh", place], stdin=subprocess.DEVNULL)
    if os.path.exists(place):
        with open(place, "rb") as file:
            folder, _, variables = file.read().partition(b"\n")
        os.remove(place)
        os.chdir(folder)
        for line in filter(None, variables.split(b"\0")):
            name, _, value = line.partition(b"=")
            if not NOT_TAKEN_OVER.fullmatch(name):
                os.environb[name] = value
    return code


def brought_back(installed: str) -> bool:
    """Whether packages stand in the work tree itself now, in the place of links to where they are `installed`: builds
    may write beside them, or bundle only what lies below ``node_modules``. Not where there is no room."""
    linked = [place for place in own_modules() if leads_to(place, installed)]
    copies = {place: os.path.join(installed, os.path.relpath(place, WORKSPACE)) for place in linked}
    if not linked or sum(map(bytes_of, copies.values())) > shutil.disk_usage(WORKSPACE).free * ROOM:
        return False
    try:
        for place, source in copies.items():
            shutil.rmtree(place)
            shutil.copytree(source, place, symlinks=True)
    except OSError:
        return False
    sys.stderr.write("agent-fix: a command before the tests failed; once more, with packages in the work tree itself\n")
    return True


def own_modules() -> list[str]:
    """``node_modules`` of the folder where it runs, and of those above it."""
    above = [folder.removesuffix("/.bin") for folder in programs(os.getcwd())]
    return [place for place in above if place.startswith(f"{WORKSPACE}/") and os.path.isdir(place)]


def leads_to(place: str, installed: str) -> bool:
    links = (entry.path for entry in os.scandir(place) if entry.is_symlink())
    return not os.path.islink(place) and any(os.readlink(link).startswith(f"{installed}/") for link in links)


def bytes_of(folder: str) -> int:
    """What files of it take, in whole blocks."""
    paths = (os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    return sum((os.lstat(path).st_size + BLOCK_BYTES) // BLOCK_BYTES * BLOCK_BYTES for path in paths)


def moved(word: str, began_in: str) -> str:
    """A file of the folder where the commands before began, as it is named from here."""
    place = os.path.join(began_in, word)
    return os.path.relpath(place) if os.path.exists(place) and not os.path.exists(word) else word


def without_old_options(argv: list[str]) -> list[str]:
    """Node ends at once where it has an option for part of the language no more: the part is in it by then."""
    staged = [word for word in argv if STAGED.fullmatch(word)]
    if not staged or argv[0] != "node":
        return argv
    tried = subprocess.run(["node", *staged, "-e", "0"], capture_output=True, check=False)
    return [word for word in argv if word not in staged] if tried.returncode == BAD_OPTION else argv


def programs(folder: str) -> list[str]:
    """Where installed commands stand, the nearest first."""
    parts = folder.split("/")
    above = ["/".join(parts[:end]) for end in range(len(parts), 1, -1)]
    return [f"{place}/node_modules/.bin" for place in above]


def told_by_commands(words: list[str]) -> list[str]:
    """With what ``$(grep -l it test/*)`` prints in its place, word by word."""
    found = []
    for word in words:
        is_one = re.fullmatch(r"\$\(.*\)", word, re.DOTALL)
        told = subprocess.run(["/bin/sh", "-c", word[2:-1]], stdout=subprocess.PIPE, check=False) if is_one else None
        found += told.stdout.decode("utf-8", "replace").split() if told else [word]
    return found


def expanded(argv: list[str]) -> list[str]:
    """Patterns as the shell of the script would have taken them, and ``**`` too."""
    return [path for word in argv for path in ([word] if word.startswith("-") else matching(word) or [word])]


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
    wanted = re.compile("".join(map(translated, TOKENS.findall(pattern))), re.DOTALL)
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


def run_each(argv: list[str], patterns: list[str], results: int) -> int:
    """Run every file alone, and write what it printed and how it ended, one JSON line each."""
    left_out = {path for pattern in patterns if pattern.startswith("!") for path in matching(pattern[1:])}
    asked = [pattern for pattern in patterns if not pattern.startswith("!")]
    wanted = [path for pattern in asked for path in files_of(pattern)] or asked[:1]
    paths = [path for path in dict.fromkeys(wanted) if path not in left_out]
    worst = 0 if paths else NO_FILES
    for path in paths:
        worst = max(worst, tell(results, path, run_file([*argv, path])))
    return worst


def tell(results: int, path: str, run: dict[str, Any]) -> int:
    """Its exit code."""
    line = {"path": os.path.relpath(os.path.abspath(path), WORKSPACE), **run}
    rest = json.dumps(line).encode() + b"\n"
    while rest:
        rest = rest[os.write(results, rest) :]
    code: int = run["code"]
    return code


def files_of(pattern: str) -> list[str]:
    if os.path.isdir(pattern):
        return matching(f"{pattern.rstrip('/')}/*.{{js,cjs,mjs,ts}}")
    return matching(pattern) or [pattern] * (not re.search(r"[*?\[{]", pattern))


def run_file(argv: list[str], most: int = MOST_KEPT_BYTES) -> dict[str, Any]:
    """How it ended: its exit code, standard output, whether that is all of it, and the end of its standard error."""
    try:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        return {"code": 127, "text": "", "whole": True}
    kept, errors = bytearray(), bytearray()
    lost: list[int] = []
    ways: list[tuple[Any, ...]] = [(child.stdout, 1, kept, lost, most), (child.stderr, 2, errors, [], most)]
    readers = [threading.Thread(target=hear, args=way, daemon=True) for way in ways]
    for reader in readers:
        reader.start()
    code = child.wait()
    for reader in readers:
        reader.join(2.0)  # what it left running may hold its output for ever
    text, said = (bytes(each).decode("utf-8", "replace") for each in (kept, errors[-MOST_SAID_BYTES:]))
    return {"code": code if code >= 0 else 128 - code, "text": text, "whole": not lost, "errors": said}


def hear(stream: Any, place: int, kept: bytearray, lost: list[int], most: int) -> None:
    while part := os.read(stream.fileno(), READ_BYTES):
        if len(kept) < most:
            kept += part
        else:
            lost.append(len(part))
        with suppress(OSError):
            os.write(place, part)


if __name__ == "__main__":
    main()
