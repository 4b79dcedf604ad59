"""What old releases of runners, and of Node, cannot be told: they are started in another way."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess

from repo_tools.environment.box_programs.javascript.words import expanded

BY_OPTION = 18
READ_BYTES = 1 << 16
STAGED = re.compile(r"--(?:es[-_]staging|harmony(?:[-_][\w-]+)?)")
REPORTER = "--reporter="
WITH_VALUE = (
    "-R", "--reporter", "-g", "--grep", "-f", "--fgrep", "-r", "--require", "-s", "--slow",
    "-t", "--timeout", "-u", "--ui", "--globals", "--compilers", "--opts",
)  # fmt: skip
"""Of mocha 1.0 to 1.20 (bin/_mocha)."""
REPORTERS = "--reporters="
BY_NAME = """const path = process.argv.find((word) => word.startsWith('--reporter=/')).slice(11);
Object.defineProperty(Object.prototype, path, { get: () => require(path) });
import(require('url').pathToFileURL(process.argv[1]));"""
OF_NODE_6 = "process.EventEmitter = require('events'); require(process.argv[1]);"
OF_NODE_0 = """process.ARGV = process.argv;
const own = process.binding;
process.binding = (name) => (name === 'evals' ? require('vm') : own.call(process, name));
require(process.argv[1]);"""
BAD_OPTION = 9  # https://nodejs.org/api/process.html#exit-codes


def as_its_release_knows(argv: list[str]) -> list[str]:
    """The runner of `argv` with our reporter, in the way of its release."""
    known = told_by_name(
        without_reporter_of_jasmine(with_files_of_old_mocha(with_folders_of_mocha(without_old_start(argv))))
    )
    known = with_scripts_of_node_0(with_names_of_node_6(known))
    return with_project_of_ts_node(with_processor_of_jest(known))


def with_project_of_ts_node(argv: list[str]) -> list[str]:
    """ts-node looks for its settings beside the file that it is given, and that of an installed runner stands elsewhere
    here: those of the folder where it runs (https://typestrong.org/ts-node/docs/options#project)."""
    settings = os.path.abspath("tsconfig.json")
    is_named = any(word.partition("=")[0] in ("-P", "--project") for word in argv)
    if argv[0] == "ts-node" and not is_named and os.path.isfile(settings):
        os.environ.setdefault("TS_NODE_PROJECT", settings)
    return argv


def without_old_start(argv: list[str]) -> list[str]:
    """mocha before 2.0 starts its second program by an option that Node has no more (``customFds``): it reads from a
    pipe that nobody closes, and what it prints is lost. That program at once, then."""
    index, place = started(argv, "mocha")
    if not place or b"customFds" not in text_of(place):
        return argv
    return [*argv[:index], os.path.join(os.path.dirname(place), "_mocha"), *argv[index + 1 :]]


def with_files_of_old_mocha(argv: list[str]) -> list[str]:
    """mocha before 1.21 leaves patterns to the shell, and before 1.10 it takes each file that it is to load for one
    below the current folder."""
    index, place = started(argv, "_mocha")
    if not place or b"glob" in text_of(os.path.join(os.path.dirname(place), "../lib/utils.js")):
        return argv
    words = [*argv[: index + 1], *with_patterns_expanded(argv[index + 1 :])]
    loaded = {index + 1 for index, word in enumerate(words) if word in ("-r", "--require")}
    return [os.path.relpath(word) if os.path.isabs(word) and i in loaded else word for i, word in enumerate(words)]


def with_folders_of_mocha(argv: list[str]) -> list[str]:
    """mocha from 1.21 to 5 takes folders that its own pattern names for files. One that names any is a shell's, for
    which ``**`` is ``*``: of the folders that mocha is given it finds the files."""
    index, place = next(filter(lambda found: found[1], (started(argv, name) for name in ("mocha", "_mocha"))), (0, ""))
    finds = text_of(os.path.join(os.path.dirname(place), "../lib/utils.js")) if place else b""
    if b"glob" not in finds or b"nodir" in finds:
        return argv
    values = {number + 1 for number, word in enumerate(argv) if word in WITH_VALUE}
    values.update(range(index + 1))
    return [path for n, word in enumerate(argv) for path in ([word] if n in values else named_with_folders(word))]


def named_with_folders(word: str) -> list[str]:
    if word.startswith("-") or not any(map(os.path.isdir, glob.iglob(word, recursive=True))):
        return [word]
    return sorted(glob.glob(word)) or [word]


def with_patterns_expanded(words: list[str]) -> list[str]:
    """Patterns as the shell has them; what follows an option that takes a value is one."""
    values = {number + 1 for number, word in enumerate(words) if word in WITH_VALUE}
    return [path for number, word in enumerate(words) for path in ([word] if number in values else expanded([word]))]


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


def with_names_of_node_6(argv: list[str]) -> list[str]:
    """karma before 0.13 talks to its page by a release of socket.io that takes a class from where Node had it up to
    release 6."""
    index, place = started(argv, "karma")
    manifest = text_of(os.path.join(os.path.dirname(place), "../package.json")) if place else b""
    is_old = re.search(rb'"version": *"0\.(?:\d|1[0-2])\.', manifest)
    return ["node", "-e", OF_NODE_6, place, *argv[index + 1 :]] if is_old else argv


def with_scripts_of_node_0(argv: list[str]) -> list[str]:
    """nodeunit before 0.8.2 takes a class from where Node had it up to release 0.10."""
    index, place = started(argv, "nodeunit")
    loads = text_of(os.path.join(os.path.dirname(place), "../lib/utils.js")) if place else b""
    return ["node", "-e", OF_NODE_0, place, *argv[index + 1 :]] if b"binding('evals')" in loads else argv


def without_old_options(argv: list[str]) -> list[str]:
    """Node ends at once where it has an option for part of the language no more: the part is in it by then."""
    staged = [word for word in argv if STAGED.fullmatch(word)]
    if not staged or argv[0] != "node":
        return argv
    tried = subprocess.run(["node", *staged, "-e", "0"], capture_output=True, check=False)
    return [word for word in argv if word not in staged] if tried.returncode == BAD_OPTION else argv


def with_processor_of_jest(argv: list[str]) -> list[str]:
    """jest 12 to 19 take no reporter, but a function that has all results at their end: ours is loaded before them. Up
    to 17 only settings name it."""
    index, place = started(argv, "jest.js")
    manifest = text_of(os.path.join(os.path.dirname(place), "../package.json")) if place else b""
    ours = next((word.removeprefix(REPORTERS) for word in argv if word.startswith(f"{REPORTERS}/")), "")
    release = re.search(rb'"version": *"(1[2-9])\.', manifest)
    if not ours or not release:
        return argv
    own = [word for word in argv[index + 1 :] if word != "--ci" and not word.startswith(REPORTERS)]
    if int(release[1]) < BY_OPTION:
        rest = [word for word in own if not word.startswith("--coverage")]  # which 12 is told to measure by any value
        return ["node", f"--require={ours}", place, *with_processor_in_settings(rest, ours)]
    return ["node", f"--require={ours}", place, f"--testResultsProcessor={ours}", *own]


def with_processor_in_settings(own: list[str], ours: str) -> list[str]:
    """The settings that jest's words name, or its manifest holds, with our function and without coverage, which no word
    switches off; as they are where they are no JSON."""
    rest, named = [], ""
    words = iter(own)
    for word in words:
        option, is_one, value = word.partition("=")
        if option in ("-c", "--config"):
            named = value if is_one else next(words, "")
        else:
            rest.append(word)
    place = os.path.abspath(named or "package.json")
    try:
        with open(place, encoding="utf-8-sig") as file:
            settings = json.load(file) if named else json.load(file).get("jest", {})
        root = os.path.join(os.path.dirname(place), settings.get("rootDir", ""))
    except (OSError, ValueError, TypeError, AttributeError):
        return own
    written = os.path.join(os.path.dirname(ours), "jest_settings.json")
    with open(written, "w", encoding="utf-8") as file:
        ours_too = {"rootDir": os.path.normpath(root), "collectCoverage": False, "testResultsProcessor": ours}
        json.dump({**settings, **ours_too}, file)
    return [f"--config={written}", *rest]


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
